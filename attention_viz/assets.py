"""Where the files are that the package needs while it runs and that are not Python of its own."""

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent
# A wheel carries the project's folder inside the package (pyproject.toml says how).
_SHIPPED: Final = _PACKAGE / "shipped"
_ROOT: Final = _SHIPPED if _SHIPPED.is_dir() else _PACKAGE.parent


def find(name: str) -> Path:
    """The path of what the project's folder calls ``app.py`` or ``assets/mechanism.svg``."""
    return _ROOT / name

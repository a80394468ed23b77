"""Where the files that the package needs while it runs are."""

from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]


def find(name: str) -> Path:
    """The path of an asset, such as ``lessons/en/words.md``."""
    return _ROOT / "assets" / name

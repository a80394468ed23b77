"""Foreign code: whatever it raises becomes one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from attention_viz.errors import AttentionVizError, ModelError

_PANIC: Final = "PanicException"  # of Rust, as in tokenizers: no Exception, and not to be imported


@contextmanager
def foreign(failed: str, hint: str) -> Iterator[None]:
    """Run what others wrote, on files that others wrote.

    Args:
        failed: what is said when it fails; the kind of the error follows in brackets.
        hint: what is said after that.

    Raises:
        ModelError: with those words; errors of this project stay what they are.
    """
    try:
        yield
    except AttentionVizError:
        raise
    except BaseException as error:
        kind = type(error).__name__
        if not isinstance(error, Exception) and kind != _PANIC:
            raise
        raise ModelError(f"{failed} ({kind}){hint}") from error

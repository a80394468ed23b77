"""Foreign code: whatever it raises becomes one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from attention_viz.errors import AttentionVizError, ModelError

_PANIC: Final = "PanicException"  # of Rust, as in tokenizers: no Exception, and not to be imported


@contextmanager
def foreign(sentence: str) -> Iterator[None]:
    """Run what others wrote, on files that others wrote.

    Args:
        sentence: what is said when it fails; {kind} stands for the kind of the error.

    Raises:
        ModelError: with that sentence; errors of this project stay what they are.
    """
    try:
        yield
    except AttentionVizError:
        raise
    except BaseException as error:
        kind = type(error).__name__
        if not isinstance(error, Exception) and kind != _PANIC:
            raise
        raise ModelError(sentence.format(kind=kind)) from error

"""One word in two sentences: whether its contexts differ, and why."""

from collections import Counter

from attention_viz.lessons import read_by_key
from attention_viz.measures import row_sum_tolerance
from attention_viz.pipeline import Run, distances


def read_contexts(one: Run, row: int, other: Run, place: int) -> str:
    """Why the contexts of a word in two sentences differ, or why they do not.

    Args:
        one: a run.
        row: of the word in it.
        other: another run of the same head.
        place: of the same word there.

    >>> from attention_viz.heads import random_head
    >>> from attention_viz.pipeline import run
    >>> bank = run("the bank", random_head(256, 64))
    >>> read_contexts(bank, 1, bank, 1).split(",")[0]
    'The two contexts are equal'
    """
    parts = read_by_key("elsewhere")
    _, apart = distances(one, row, other, place)
    if apart > _rounding(one, other):
        return parts["differ"].text
    name, seen = one.tokens.names[row], _seen(one, row)
    if seen != _seen(other, place):
        return parts["mix"].filled({"name": name}).text
    words = "itself alone" if seen.total() == 1 else f"the same {seen.total()} tokens"
    return parts["words"].filled({"name": name, "seen": words}).text


def _rounding(one: Run, other: Run) -> float:
    """How far apart equal contexts may lie: the same sum, rounded in another order."""
    longest = max(float(shown.trace.value.norm(dim=1).max()) for shown in (one, other))
    n_k = max(one.keys.n, other.keys.n)
    return 2 * longest * row_sum_tolerance(one.trace.value.dtype, n_k)


def _seen(shown: Run, row: int) -> Counter[str]:
    """The words that a row may look at; their order does not count without positions."""
    allowed = shown.trace.mask[row].tolist()
    return Counter(piece for piece, may in zip(shown.keys.pieces, allowed, strict=True) if may)

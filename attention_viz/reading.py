"""Attention weights read aloud: one sentence that a class can say."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

import torch
from torch import Tensor

from attention_viz.attention import Bias, Sink, SoftCap, Step
from attention_viz.errors import check_whole
from attention_viz.measures import row_sum_tolerance
from attention_viz.tokens import Tokens

SMALL: Final = 0.005  # a share below it rounds to 0 %
_NAMED: Final = 3  # keys named before the rest are summed up
_NO_BREAK: Final = "\u00a0"
# Before a number or in its exponent; within a word, or first in a quoted one, a hyphen stays.
_SIGN: Final = re.compile(r"(?<![\w\u2068])-(?=[0-9])|(?<=[0-9]e)-(?=[0-9])")
RANDOM: Final = "Random head, no meaning: "  # before what is read of a random head


def read_row(
    tokens: Tokens, weights: Tensor, mask: Tensor, row: int, *, keys: Tokens | None = None
) -> str:
    r"""What one token looks at, as shares; what a row lacks to 1 went to a sink.

    Args:
        tokens: the n_q queries.
        weights: (n_q, n_k).
        mask: (n_q, n_k) booleans.
        row: the query's position, from 0.
        keys: the n_k keys; the queries themselves when None.

    Raises:
        SettingError: there is no such row.

    >>> import torch
    >>> from attention_viz.tokens import tokenize
    >>> row = torch.tensor([[0.9, 0.1], [0.5, 0.5]])
    >>> read_row(tokenize("I am"), row, row > 0, 0)
    '“\u2068I\u2069” focuses 90\xa0% on itself and 10\xa0% on “\u2068am\u2069”.'
    """
    check_whole("row", row, 0, tokens.n - 1)
    query = tokens.names[row]
    if not mask[row].any():
        return f"{query} may look at nothing: its row has no distribution, only zeros."
    names = list((keys or tokens).names)
    if keys is None or keys is tokens:
        names[row] = "itself"
    seen = zip(names, weights[row].tolist(), mask[row].tolist(), strict=True)
    shares = [(name, share) for name, share, allowed in seen if allowed]
    sunk = 1 - math.fsum(weights[row].tolist())
    if sunk > row_sum_tolerance(weights.dtype, weights.shape[1]):
        shares.append(("the sink", sunk))
    # Equal shares in their order in the sentence: sorted() keeps it.
    ranked = sorted(shares, key=lambda named: -named[1])
    # To name the one that is left is no longer than to say that there is one.
    most = _NAMED + 1 if len(ranked) == _NAMED + 1 else _NAMED
    named, others = ranked[:most], ranked[most:]
    parts = [f"{percent(share)} on {name}" for name, share in named]
    if others:
        rest = percent(math.fsum(share for _, share in others))
        parts.append(f"{rest} on the other {len(others)} tokens")
    return f"{query} focuses {_joined(parts)}."


def read_mask(mask: Tensor) -> str:
    """What a mask lets queries look at, in words; empty when it is everything.

    >>> import torch
    >>> read_mask(torch.ones(3, 3).tril() > 0), read_mask(torch.eye(3) > 0)
    ('causal mask', 'causal mask, window 1')
    """
    if mask.all():
        return ""
    n_q, n_k = mask.shape
    back = torch.arange(n_q).unsqueeze(1) - torch.arange(n_k)  # how far back each key lies
    window = int(mask.sum(dim=-1).max())
    if mask.equal(back >= 0):
        return "causal mask"
    if mask.equal((back >= 0) & (back < window)):
        return f"causal mask, window {window}"
    if mask.equal(back.abs() <= window // 2):
        return f"window of {window // 2} to each side"
    return f"a mask that leaves {int(mask.sum())} of {mask.numel()} cells"


def read_steps(steps: Sequence[Step]) -> str:
    """What a model adds between scaling and mask, in words and in order.

    >>> read_steps([SoftCap(50.0), Sink(0.0)])
    'soft-cap 50, sink'
    """
    words = {SoftCap: "soft-cap", Bias: "position bias", Sink: "sink"}
    return ", ".join(
        f"{words[type(step)]} {number(step.limit)}"
        if isinstance(step, SoftCap)
        else words[type(step)]
        for step in steps
    )


def percent(share: float) -> str:
    r"""A share as a whole per cent; what rounds to 0 or 100 without being so says which side.

    >>> percent(0.9), percent(0.001), percent(0.999), percent(1.0)
    ('90\xa0%', 'under\xa01\xa0%', 'over\xa099\xa0%', '100\xa0%')
    """
    if 0 < share < SMALL:
        return f"under{_NO_BREAK}1{_NO_BREAK}%"
    if 0.995 <= share < 1:  # noqa: PLR2004 - rounds to 100 %
        return f"over{_NO_BREAK}99{_NO_BREAK}%"
    return f"{math.floor(100 * share + 0.5)}{_NO_BREAK}%"


def share_and_rest(share: float, rest: float) -> str:
    """A share of 1 beside what it lacks, which is written out where rounding would hide it.

    >>> share_and_rest(0.25, 0.75), share_and_rest(1.0, 4.54e-05), share_and_rest(1.0, 0.0)
    ('0.25', '1 − 4.54e-05', '1')
    """
    return f"1 − {number(rest)}" if 0 < rest < SMALL else number(share)


def number(value: float) -> str:
    """A number for a person: 4 significant digits.

    >>> number(7.0710678), number(8.0), number(-0.25)
    ('7.071', '8', '-0.25')
    """
    return f"{value:.4g}"


def known(numbers: Mapping[str, float]) -> dict[str, float | None]:
    """Numbers for a table or JSON, with None for the NaN of what is not known.

    >>> known({"peak": 0.5, "entropy": math.nan})
    {'peak': 0.5, 'entropy': None}
    """
    return {name: None if math.isnan(value) else value for name, value in numbers.items()}


def minus(text: str) -> str:
    """Text whose numbers have a minus sign instead of a hyphen, in exponents too.

    >>> minus("-2, 1e-05 and GPT-2")
    '−2, 1e−05 and GPT-2'
    """
    return _SIGN.sub("−", text)


def _joined(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)

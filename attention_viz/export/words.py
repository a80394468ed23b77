"""What a page says of a run: the sentence, the head and its settings, in words."""

import html
import math
import re
from typing import Final

from attention_viz.heads import Start
from attention_viz.models import ModelRun, read_facts
from attention_viz.origins import Given, Loaded
from attention_viz.pipeline import Recipe, Run
from attention_viz.reading import number, read_mask
from attention_viz.tokens import shorten
from attention_viz.version import VERSION

NO_MEANING: Final = "A random head carries no meaning; it shows how softmax behaves."
MADE: Final = f"Made with Attention Viz {VERSION}."
_LINE: Final = 90  # letters
# Half of a character that UTF-8 cannot hold; a text pasted into a program may carry one.
_HALF: Final = re.compile("[\ud800-\udfff]")


def escaped(words: str) -> str:
    """Text as HTML, in which it stays text."""
    return html.escape(printable(words))


def printable(words: str) -> str:
    """Text that any file or terminal in UTF-8 takes."""
    return _HALF.sub("\ufffd", words)


def paragraphs(text: str) -> str:
    """Text as paragraphs, one for each that a blank line ends."""
    parts = [part.strip() for part in text.split("\n\n")]
    return "".join(f"<p>{escaped(part)}</p>" for part in parts if part)


def title_of(run: Run) -> str:
    """The sentence, its middle left out where it is long."""
    return short(" ".join(run.tokens.text.split()))


def short(words: str) -> str:
    """Words as long as a line."""
    return shorten(words, _LINE)


def read_run(run: Run) -> str:
    """Which head it is, and its settings.

    >>> from attention_viz.heads import random_head
    >>> from attention_viz.pipeline import run
    >>> read_run(run("I am good", random_head(256, 64, seed=3)))
    'Random head, seed 3, d_model 256, d_k 64, divisor √d_k = 8, no mask.'
    """
    trace = run.trace
    origin = f"{_origin(run)}, d_model {run.inputs.shape[1]}, d_k {trace.d_k}"
    mask = read_mask(trace.mask) or "no mask"
    return f"{origin}, divisor {read_divisor(run)}, {mask}."


def read_divisor(run: Run) -> str:
    """What scores were divided by."""
    divisor, root = run.trace.divisor, math.sqrt(run.trace.d_k)
    return f"√d_k = {number(root)}" if math.isclose(divisor, root) else number(divisor)


def _origin(run: Run) -> str:
    if not isinstance(run.origin, Recipe):
        whole = run.origin.whole
        part = f", {run.trace.d_k} of its {whole} dimensions" if whole else ""
        loaded = f"Loaded head {run.origin.name}".strip() + _inputs(run.origin)
        return (read_facts(run.facts) if isinstance(run, ModelRun) else loaded) + part
    recipe = run.origin
    start = "" if recipe.start is Start.GAUSSIAN else f", weights drawn {recipe.start}"
    return f"Random head, seed {recipe.seed}{start}{_positions(recipe)}"


def _inputs(origin: Loaded) -> str:
    """Which head of its file it is, and what it was given."""
    if not isinstance(origin, Given):
        return ""
    which = f", head {origin.index} of {origin.num_heads}" if origin.num_heads > 1 else ""
    if origin.own_words:
        return which
    normalised = ", layer-normalised" if origin.normalised else ""
    return f"{which}, inputs of seed {origin.seed}{_positions(origin)}{normalised}"


def _positions(origin: Recipe | Given) -> str:
    return ", with positions" if origin.positions else ""

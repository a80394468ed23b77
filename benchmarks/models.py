"""One head and all heads of a language model as HTML, beside bertviz on the same text.

    pip install -r benchmarks/requirements.txt && npm install --prefix benchmarks
    python benchmarks/models.py [--tokens 8 16 64 128 512] [--runs 5]

Ours is the live stage of one head, above 128 tokens a still picture, and all heads as the page
Heads shows them, which offers them for up to 64 tokens. Both take turns, each with a forward of its
own. Ours are painted with the network off; bertviz's with the scripts that they fetch on this
machine, if those are there (peers.py). Its model view is not made above 128 tokens, where it would
hold hundreds of MB. The time to HTML is the processor's, on one thread: what a free machine takes,
however busy this one is.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice, product
from pathlib import Path
from typing import Final

import harness
import peers
import table
import torch
import views
from playwright.sync_api import Browser, Error
from processes import seconds
from table import Budget, Finding, beside

from attention_viz.models import Model, ModelRun, load_model

MODEL: Final = "minilm"
ONE, ALL = "one head", "all heads"
MOST_MODEL_VIEW: Final = 128  # tokens
LONGEST: Final = 512
PATIENCE: Final = 60_000  # milliseconds until a page counts as not painted
MOST_ANOTHER: Final = Budget(10)  # milliseconds
# Each word is one token of the model.
WORDS: Final = ("the", "old", "man", "and", "a", "small", "dog", "went", "to", "see", "people")


class Page:
    """One kind of page, made and painted several times; the first time does not count."""

    def __init__(self, name: str, maker: Callable[[str], str], *, ours: bool) -> None:
        self.name, self.maker, self.ours = name, maker, ours
        self.kilobytes = 0.0
        self._made: list[float] = []
        self._paints: list[float | None] = []

    @property
    def made(self) -> list[float]:
        """Milliseconds from a text to HTML."""
        return self._made[1:]

    @property
    def paints(self) -> list[float]:
        """Milliseconds from navigation to the first picture; none where it was not seen."""
        return [paint for paint in self._paints[1:] if paint is not None]

    @property
    def why(self) -> str:
        """Why it was not seen."""
        return f"not in {PATIENCE // 1000} s" if self._paints else "needs a network, not painted"

    def turn(self, browser: Browser, text: str) -> None:
        """Make it and paint it once more; what was not painted in time is not waited for again.

        Raises:
            TimeoutError: it is ours.
        """
        begin = time.process_time()
        document = self.maker(text)
        self._made.append(1000 * (time.process_time() - begin))
        self.kilobytes = len(document.encode()) / 1000
        if (self.ours or peers.can_paint()) and None not in self._paints:
            self._paints.append(painted(browser, document, offline=self.ours))
            if self.ours and None in self._paints:
                raise TimeoutError(f"{self.name}: {self.why}")


def text_of(tokens: int, turn: int) -> str:
    """A text of so many tokens, two of which the model adds; another one each turn."""
    words = islice(cycle(WORDS), turn, turn + tokens - 2)
    return " ".join(words)


def one_head(model: Model, text: str) -> str:
    """The first head of the first layer."""
    run = model.run(text)
    assert isinstance(run, ModelRun)
    return views.of_run(run)


def painted(browser: Browser, document: str, *, offline: bool) -> float | None:
    """Milliseconds from navigation to the first picture; None where there is none in time."""
    with tempfile.TemporaryDirectory() as folder, harness.visit(browser) as page:
        path = Path(folder) / "page.html"
        path.write_text(document)
        if offline:
            page.context.set_offline(True)
        else:
            peers.serve_scripts(page.context)
        try:
            page.goto(path.as_uri(), timeout=PATIENCE)
            page.wait_for_function("probe.first > 0", timeout=PATIENCE)
        except Error:  # a page can be too large for its process, too
            return None
        return float(page.evaluate("probe.first"))


def found(what: str, ours: Page, theirs: Page) -> list[Finding]:
    """Three numbers of one kind of page, beside bertviz's where there are any."""
    made, size, paint = (f"{what}: {word}" for word in ("time to HTML", "HTML", "first paint"))
    if not theirs.made:
        none = f"{theirs.name}: not made"
        return [
            Finding(made, "ms", tuple(ours.made), none),
            Finding(size, "kB", (ours.kilobytes,), none),
            Finding(paint, "ms", tuple(ours.paints), none),
        ]
    findings = [
        beside(made, "ms", ours.made, theirs.name, theirs.made),
        beside(size, "kB", [ours.kilobytes], theirs.name, [theirs.kilobytes]),
    ]
    if theirs.paints:
        return [*findings, beside(paint, "ms", ours.paints, theirs.name, theirs.paints)]
    return [*findings, Finding(paint, "ms", tuple(ours.paints), f"{theirs.name}: {theirs.why}")]


def another_head(model: Model, peer: peers.Bertviz, runs: int) -> Finding:
    """Every head of every layer of a long text that has been read, beside a forward."""
    text = text_of(LONGEST, 0)
    model.record(text)
    heads = [(i, head) for i, layer in enumerate(model.layers) for head in range(layer.num_heads)]
    calls = model.record(text).calls
    ours = [1000 * seconds(partial(model.run, text, *where)) for where in heads]
    assert model.record(text).calls is calls  # no forward in between
    forwards = [1000 * seconds(partial(peer.forward, text)) for _ in range(1 + runs)][1:]
    what = f"another layer or head, {LONGEST} tokens, no forward"
    return beside(what, "ms", ours, "a forward with weights", forwards, MOST_ANOTHER)


def pages(model: Model, peer: peers.Bertviz) -> list[tuple[str, Page, Page]]:
    """One head and all heads, ours and theirs."""
    stage = Page("the stage", partial(one_head, model), ours=True)
    gallery = Page("the page Heads", partial(views.of_model, model), ours=True)
    head_view = Page("bertviz head view", peer.one_head, ours=False)
    model_view = Page("bertviz model view", peer.all_heads, ours=False)
    return [(ONE, stage, head_view), (ALL, gallery, model_view)]


def main() -> int:
    """Measure, print, judge."""
    parser = harness.parser(__doc__)
    parser.add_argument("--tokens", type=int, nargs="+", default=[8, 16, 64, 128, 512])
    parser.add_argument("--runs", type=int, default=5, help="of each page")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    harness.begin()
    model, peer = load_model(MODEL), peers.Bertviz(MODEL)
    findings = [another_head(model, peer, chosen.runs)]
    with harness.chromium() as (browser, _):
        for tokens in chosen.tokens:
            assert model.record(text_of(tokens, 0)).tokens.n == tokens
            for what, ours, theirs in pages(model, peer):
                both = [ours] if what == ALL and tokens > MOST_MODEL_VIEW else [ours, theirs]
                for turn, page in product(range(1 + chosen.runs), both):
                    page.turn(browser, text_of(tokens, turn))
                findings += found(f"{what}, {tokens} tokens", ours, theirs)
            print(f"{tokens} tokens: measured", file=sys.stderr)
    print(table.markdown(findings))
    return harness.conclude(findings, chosen.findings)


if __name__ == "__main__":
    sys.exit(main())

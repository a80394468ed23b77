"""Known failures of drawn token axes, by their ids: figures drawn by plotly.js and read back."""

import pytest
import torch

from attention_viz.attention import attend
from attention_viz.figures import attention_maps
from attention_viz.origins import UNNAMED
from attention_viz.pipeline import Run
from attention_viz.tokens import Tokens, visible

pytestmark = pytest.mark.e2e
READ = """() => {
  const plot = document.querySelector(".js-plotly-plot");
  const texts = query => [...plot.querySelectorAll(query)].map(tick => tick.textContent);
  const { xaxis, yaxis } = plot._fullLayout;
  return {
    keys: texts(".xaxislayer-above .xtick text"), queries: texts(".yaxislayer-above .ytick text"),
    types: [xaxis.type, yaxis.type], down: yaxis.range, cells: plot.calcdata[0][0].z.length,
  };
}"""


@pytest.fixture
def drawn(browser):
    """What plotly.js makes of the maps of these tokens."""
    contexts = []

    def draw(*pieces):
        labels = tuple(visible(piece) for piece in pieces)
        n = len(pieces)
        spans, no = ((0, 0),) * n, (False,) * n
        tokens = Tokens("", pieces, labels, spans, no, ("",) * n)
        rows = torch.eye(n)
        figure = attention_maps(Run(tokens, tokens, rows, attend(rows, rows, rows), UNNAMED))
        contexts.append(browser.new_context(viewport={"width": 1000, "height": 900}))
        page = contexts[-1].new_page()
        page.set_content(figure.to_html(include_plotlyjs=True))
        page.wait_for_function("document.querySelector('.js-plotly-plot .xtick')")
        return page.evaluate(READ)

    yield draw
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        pytest.param(["the", "cat", "the"], None, id="F01 equal labels"),
        pytest.param(["2020-01-01", "2020-01-02", "2020-01-05"], None, id="F03 dates"),
        pytest.param(["<s>", "</s>", "<pad>"], None, id="F05 pseudo-HTML"),
        pytest.param(["$", "$x$", "$5"], None, id="F07 mathematics"),
        pytest.param(["", "  ", "\n"], ["∅", "␣␣", "⏎"], id="F17 blanks"),
    ],
)
def test_every_token_is_a_tick_with_its_own_text(drawn, pieces, shown):
    read = drawn(*pieces)
    assert read["keys"][:3] == read["queries"][:3] == (shown or pieces)
    assert read["types"] == ["linear", "linear"]
    assert read["cells"] == 3


def test_f09_token_0_is_at_the_top(drawn):
    assert drawn("a", "b", "c")["down"] == [2.5, -0.5]

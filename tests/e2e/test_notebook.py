"""The notebook of examples/, run from start to end with the package as it is installed."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import expect

import attention_viz as av

PATH = Path(__file__).parents[2] / "examples" / "quickstart.ipynb"
FIGURE = "application/vnd.plotly.v1+json"
FIRST_FIGURE = "figures.attention_maps(run)"
pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(PATH, as_version=4)


@pytest.fixture(scope="module")
def shown(notebook, installed, tmp_path_factory):
    """What each cell of code shows, by its last line."""
    _, place = installed
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    run = nbformat.from_dict(notebook | {"cells": cells})
    client = NotebookClient(run, resources={"metadata": {"path": str(place["cwd"])}})
    client.execute(env=place["env"] | {"IPYTHONDIR": str(tmp_path_factory.mktemp("ipython"))})
    return {cell.source.splitlines()[-1]: cell.outputs for cell in run.cells}


def test_it_is_kept_without_outputs(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert not any(cell.outputs or cell.execution_count for cell in code)


def test_every_cell_shows_one_thing_and_no_warning(shown):
    for last_line, outputs in shown.items():
        # The first figure brings the script of all.
        assert len(outputs) == (2 if last_line == FIRST_FIGURE else 1), last_line
        assert outputs[-1].get("name") != "stderr", last_line


def test_the_pictures(shown):
    for last_line, (*_, output) in shown.items():
        data = output.get("data", {})
        assert ("<iframe" in data.get("text/html", "")) == last_line.startswith("av.show")
        assert (FIGURE in data) == last_line.startswith("figures.")


def test_a_page_made_of_it_draws_its_figures_offline(shown, browser, tmp_path):
    path = tmp_path / "page.html"
    html = [
        output.data["text/html"]
        for last_line, outputs in shown.items()
        if last_line.startswith("figures.")
        for output in outputs
    ]
    path.write_text("<!doctype html><meta charset=utf-8>" + "\n".join(html), "utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(len(html) - 1)
    expect(page.get_by_text("Attention weights").first).to_be_visible()
    context.close()


def test_the_sentence_is_that_of_the_package(shown):
    run = av.run("I am good", av.random_head(256, 64, seed=0))
    (printed,) = shown["print(av.read_row(run.tokens, trace.weights, trace.mask, row=0))"]
    read = av.read_row(run.tokens, run.trace.weights, run.trace.mask, row=0)
    assert printed.text == f"{read}\n"

"""The picture of the layers, drawn from the contract that lint-imports holds against the imports.

python -m tests.architecture draws it anew.
"""

import tomllib
from html import escape
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "assets" / "architecture.svg"
WIDTH, ROW, GAP, BOX = 900, 40, 10, 28
LETTER = 8.2  # pixels of one, about


def layers():
    """The modules of each layer, from the pages down to what needs nothing."""
    return [layer.split(" | ") for layer in _contract("Data flows one way")["layers"]]


def held_from_streamlit():
    """The modules that may not import Streamlit."""
    modules = _contract("Streamlit stays at the rim")["source_modules"]
    return {module.removeprefix("attention_viz.") for module in modules}


def _contract(name):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return next(contract for contract in contracts if contract["name"] == name)


def draw():
    """An SVG: a row a layer, a box a module."""
    rows = layers()
    height = ROW * len(rows) + 50
    shapes = [shape for i, names in enumerate(rows) for shape in _row(names, 40 + ROW * i)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="ui-monospace, monospace" font-size="13" role="img">\n'
        "<title>attention_viz: a module imports only from the rows below its own</title>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n'
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle">'
        "a module imports only from the rows below its own ↓</text>\n"
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def _row(names, top):
    widths = [LETTER * len(name) + 20 for name in names]
    left = (WIDTH - sum(widths) - GAP * (len(names) - 1)) / 2
    starts = accumulate((width + GAP for width in widths[:-1]), initial=left)
    for name, start, width in zip(names, starts, widths, strict=True):
        yield (
            f'<rect x="{start:.1f}" y="{top}" width="{width:.1f}" height="{BOX}" rx="5" '
            'fill="#eef2ff" stroke="#5b6bbf"/>'
            f'<text x="{start + width / 2:.1f}" y="{top + 19}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )


if __name__ == "__main__":
    PICTURE.write_text(draw(), "utf-8")

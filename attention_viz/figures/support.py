"""Effective tokens by spread and number of keys, and what the number of keys does alone."""

import plotly.graph_objects as go

from attention_viz.colours import LIGHT, WEIGHTS, Palette, css, shade, text_on
from attention_viz.experiments.support import Support
from attention_viz.figures import style
from attention_viz.figures.lines import Panel, Trace, axis, measured, panels
from attention_viz.reading import number

_ALONE = (1.0, 8.0)  # spreads at which the number of keys is shown alone


def support_map(support: Support, *, palette: Palette = LIGHT) -> go.Figure:
    """Effective tokens as a share of the keys: spread down, number of keys across."""
    shares = [
        [estimate.mean / n for estimate, n in zip(row, support.counts, strict=True)]
        for row in support.effective_support
    ]
    layout = style.layout(palette) | {
        "height": 400,
        "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
        "title": {"text": "<b>Effective tokens</b>, colour: share of n",
                  "font": {"size": 14}, "x": 0, "xref": "paper", "y": 0.98},
        "xaxis": _names("number of keys n", [str(n) for n in support.counts], palette),
        "yaxis": _names("spread σ of a row", [number(s) for s in support.spreads], palette)
        | {"autorange": "reversed"},
    }  # fmt: skip
    return go.Figure({"data": [_cells(shares), _words(support, shares)], "layout": layout})


def keys_alone(support: Support, *, palette: Palette = LIGHT) -> go.Figure:
    """The largest weight against the number of keys, at spread 1 and at spread 8."""
    traces: list[Trace] = [
        measured(
            "spread 1, as divided by √d_k"
            if spread == 1
            else f"spread {number(spread)}, as d_k 64 undivided",
            support.counts,
            support.peak[support.spreads.index(spread)],
            series,
            palette,
        )
        for series, spread in enumerate(_ALONE)
    ]
    ticks = [str(n) for n in support.counts]
    x_axis = axis("number of keys n", palette, type="log", tickvals=support.counts, ticktext=ticks)
    y_axis = axis("", palette, range=[0, 1])
    panel = Panel("Mean largest weight", x_axis, y_axis, traces)
    return panels([panel], columns=1, palette=palette, legend_lines=2)


def _cells(shares: list[list[float]]) -> Trace:
    return {
        "type": "heatmap",
        "z": shares,
        "zmin": 0,
        "zmax": 1,
        "colorscale": style.colour_scale(WEIGHTS),
        "colorbar": {"thickness": 12, "tickformat": ".0%", "outlinewidth": 0},
        "hovertemplate": "%{z:.1%} of the keys<extra></extra>",
    }


def _words(support: Support, shares: list[list[float]]) -> Trace:
    """The numbers of the cells, each in the ink that reads on its colour."""
    places = [(i, j) for i in range(len(support.spreads)) for j in range(len(support.counts))]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": [_short(support.effective_support[i][j].mean) for i, j in places],
        "textfont": {
            "size": 11,
            "color": [css(text_on(shade(WEIGHTS, shares[i][j]))) for i, j in places],
        },
        "hoverinfo": "skip",
    }


def _short(tokens: float) -> str:
    return f"{tokens:.1f}" if tokens < 10 else f"{tokens:.0f}"  # noqa: PLR2004 - two digits either way


def _names(title: str, names: list[str], palette: Palette) -> dict[str, object]:
    places = list(range(len(names)))
    return axis(title, palette, tickvals=places, ticktext=names, showgrid=False)

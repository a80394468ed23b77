"""Derivatives of softmax: the Jacobian of one row as cells, and its norm as the row sharpens."""

from typing import Any, Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from attention_viz.colours import LIGHT, SCORES, Palette, css, shade, text_on
from attention_viz.figures import style
from attention_viz.jacobian import even_norm, jacobian_norm, row_jacobian, row_norm
from attention_viz.reading import minus, number

LARGEST: Final = 0.25  # of any entry: w (1 - w) at w = 1/2
_CELL: Final = 54  # pixels
_MOST_CELLS: Final = 290  # as wide as a phone and a column at 1280 pixels let it be
_LEGEND: Final = 160
_ABOVE: Final = 44  # the legend
_BELOW: Final = 76  # labels
_DECIMALS: Final = 6  # scores up to which cells carry a number
_SMALL: Final = 0.0005  # rounds to 0 there
FACTORS: Final = torch.logspace(-2, 2, 161, dtype=torch.float64)


def jacobian_map(scores: Tensor, *, palette: Palette = LIGHT) -> go.Figure:
    """How weights of one row (n,) move with its scores, on ±0.25, which no entry can pass."""
    jacobian = row_jacobian(scores)
    n = len(scores)
    side = min(_CELL * n, _MOST_CELLS)
    labels = [str(i + 1) for i in range(n)]
    rows = style.token_axis("weight", labels, palette)
    columns = style.token_axis("by score", labels, palette)
    layout = style.layout(palette) | {
        "height": _ABOVE + side + _BELOW,
        # Above the map, since a narrow column makes it lower than the place that it has.
        "margin": {"l": 8, "r": 8, "t": _ABOVE, "b": 8},
        "xaxis": columns | {"constrain": "domain", "constraintoward": "left"},
        "yaxis": rows
        | {"range": rows["range"][::-1], "scaleanchor": "x"}
        | {"constrain": "domain", "constraintoward": "top"},
    }
    data = [_cells(jacobian)]
    if n <= _DECIMALS:
        data.append(_texts(jacobian))
    return go.Figure({"data": data, "layout": layout})


def norm_curve(scores: Tensor, *, palette: Palette = LIGHT) -> go.Figure:
    """The norm of the Jacobian when the scores (n,) are multiplied by 0.01 … 100.

    A dotted line marks the norm of even weights, which small factors approach.
    """
    norms = jacobian_norm(FACTORS.unsqueeze(-1) * scores)
    even = even_norm(len(scores))
    layout = style.layout(palette) | {
        "height": 320,
        "margin": {"l": 8, "r": 16, "t": 30, "b": 8},
        **_curve_axes(palette),
        "annotations": [_even_label(even, len(scores), palette)],
    }
    line = {"type": "scatter", "mode": "lines", "x": FACTORS.numpy(), "hoverinfo": "skip"}
    data = [
        line | {"y": [even] * len(FACTORS), "line": {"color": palette.quiet, "dash": "dot"}},
        line | {"y": norms.numpy(), "line": {"color": palette.bar, "width": 3}},
        _here(row_norm(scores), palette),
    ]
    return go.Figure({"data": data, "layout": layout})


def _curve_axes(palette: Palette) -> dict[str, Any]:
    axis = {"showgrid": False, "zeroline": False, "linecolor": palette.quiet, "automargin": True}
    ticks = {"tickvals": [0.01, 0.1, 1, 10, 100], "ticktext": ["0.01", "0.1", "1", "10", "100"]}
    return {
        "xaxis": axis
        | ticks
        | {"type": "log", "title": style.axis_title("factor on the scores", palette)},
        # 0.5 is the most: two keys that share everything.
        "yaxis": axis
        | {"title": style.axis_title("norm of the Jacobian", palette)}
        | {"range": [0, 0.56]},
    }


def _here(norm: float, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [1],
        "y": [norm],
        "text": [minus(f"  here: {number(norm)}")],
        "textposition": "top right",  # above the axis where the norm is 0
        "textfont": {"color": palette.mark},
        "marker": {"color": palette.mark, "size": 12},
        "hoverinfo": "skip",
    }


def _cells(jacobian: Tensor) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "x": list(range(len(jacobian))),
        "y": list(range(len(jacobian))),
        "z": jacobian.numpy(force=True),
        "zmin": -LARGEST,
        "zmax": LARGEST,
        "colorscale": style.colour_scale(SCORES),
        "colorbar": {
            "orientation": "h",
            "lenmode": "pixels",
            "len": _LEGEND,
            "thickness": 12,
            "x": 0,
            "xanchor": "left",
            "xpad": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "ypad": 4,
            "tickvals": [-LARGEST, 0, LARGEST],
            "ticktext": ["−0.25", "0", "0.25"],
            "outlinewidth": 0,
        },
        "hovertemplate": "weight %{y}, score %{x}: %{z:.4g}<extra></extra>",
    }


def _texts(jacobian: Tensor) -> dict[str, Any]:
    places = [(i, j) for i in range(len(jacobian)) for j in range(len(jacobian))]
    values = jacobian.tolist()
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": [_cell(values[i][j]) for i, j in places],
        "textfont": {
            "color": [
                css(text_on(shade(SCORES, (values[i][j] + LARGEST) / (2 * LARGEST))))
                for i, j in places
            ]
        },
        "hoverinfo": "skip",
    }


def _cell(value: float) -> str:
    """Three decimals, and what these would hide as a power of ten.

    >>> _cell(-0.25), _cell(-4.54e-5), _cell(-0.0)
    ('−0.250', '−5e−05', '0.000')
    """
    return minus(f"{value:.0e}" if 0 < abs(value) < _SMALL else f"{value + 0.0:.3f}")


def _even_label(even: float, n: int, palette: Palette) -> dict[str, Any]:
    return {
        "text": f"dotted: even weights, √{n - 1} ÷ {n} = {number(even)}",
        "x": 1,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "right",
        "yanchor": "top",
        "showarrow": False,
        "font": {"color": palette.quiet},
    }

"""The drawing of the mechanism beside the step: lit parts, live shapes, ways to other steps."""

import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz import assets
from attention_viz.pipeline import Run
from attention_viz.reading import number, read_mask
from attention_viz.ui import heard
from attention_viz.ui.steps import place

PICTURE: Final = "steps_picture"  # the key of what lights up with the drawing
PARTS: Final = {
    "inputs": "inputs",
    "query": "projections",
    "key": "projections",
    "value": "projections",
    "scores": "pairs",
    "scale": "division",
    "mask": "shares",
    "softmax": "shares",
    "mix": "context",
    "context": "reading",
}
_KEY: Final = "steps_mechanism"


def draw(run: Run, lit: Sequence[str]) -> None:
    """The drawing and the formula."""
    names = list(place.steps())
    data = {
        "step": place.now(),
        "lit": lit,
        "shapes": shapes(run),
        "steps": {part: names.index(name) + 1 for part, name in PARTS.items()},
        "absent": [] if read_mask(run.trace.mask) else ["mask"],
        "words": "{part}: go to step {step}",
        "picture": f"st-key-{PICTURE}",
        "fault": "The drawing could not be made: reload the page.",
    }
    _component()(key=_KEY, data=data, on_go_change=_go)


def shapes(run: Run) -> Mapping[str, str]:
    """What stands in each part of the drawing: its size, its number, or its kind."""
    trace = run.trace
    pairs = _size(trace.scores.shape)
    return {
        "inputs": _size(run.inputs.shape),
        "query": _size(trace.query.shape),
        "key": _size(trace.key.shape),
        "value": _size(trace.value.shape),
        "scores": pairs,
        "scale": f"÷ {number(trace.divisor)}{_instead(run)}",
        "mask": _mask(run),
        "softmax": pairs,
        "mix": f"{pairs} · {_size(trace.value.shape)}",
        "context": _size(trace.context.shape),
    }


def _mask(run: Run) -> str:
    """How much a mask leaves, in as few letters as fit."""
    mask = run.trace.mask
    few = {"": "none", "causal mask": "causal"}
    return few.get(read_mask(mask), f"{int(mask.sum())} of {mask.numel()} cells")


def _instead(run: Run) -> str:
    """What the drawing's √d_k is not, where the divisor is another."""
    is_paper = math.isclose(run.trace.divisor, math.sqrt(run.trace.d_k), rel_tol=1e-6)
    return "" if is_paper else " instead"


def _size(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def _go() -> None:
    place.go(heard.said(_KEY, "go"))


@st.cache_resource
def _component() -> ComponentRenderer:
    html, css, js = (
        resources.files("attention_viz.ui.steps").joinpath(f"mechanism.{kind}").read_text("utf-8")
        for kind in ("html", "css", "js")
    )
    drawing = assets.find("assets/mechanism.svg").read_text("utf-8")
    html = html.replace("DRAWING", drawing)
    return st.components.v2.component("mechanism", html=html, css=css, js=js)

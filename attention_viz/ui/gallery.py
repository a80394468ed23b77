"""All heads on a page as small maps; one that is clicked is opened in Explore."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz import stage
from attention_viz.demo import demo_heads, demo_run
from attention_viz.models import Model
from attention_viz.profiles import profile
from attention_viz.reading import known
from attention_viz.stage import Tile
from attention_viz.tokens import Tokens
from attention_viz.ui import address, heard, loaded, served, state
from attention_viz.ui.state import MODEL


@dataclass(frozen=True, slots=True)
class Gallery:
    """Heads on one text, for files.

    Attributes:
        tiles: makes the small maps, in their order.
        tokens: the queries.
        whose: the heads, as a sentence.
    """

    tiles: Callable[[], Sequence[Tile]]
    tokens: Tokens
    whose: str

    def rows(self) -> list[dict[str, str | float | None]]:
        """A row for each head: what tells one from another."""
        return [{**_named(tile), **known(asdict(tile.profile))} for tile in self.tiles()]


_DEMOS: Final = "gallery_of_demos"
_MODEL: Final = "gallery_of_model"
_OPENED: Final = "gallery_opened"


def draw_demos(text: str) -> None:
    """The demo heads on a sentence.

    Raises:
        AttentionVizError: they cannot read it.
    """
    _component()(key=_DEMOS, data=_demos(text), on_open_change=_open_demo)


def draw_model(name: str, text: str) -> None:
    """Every head of a model that is ready.

    Raises:
        AttentionVizError: it cannot read the sentence.
    """
    _component()(key=_MODEL, data=_heads(name, text), on_open_change=_open_head)


def opened() -> bool:
    """Whether a head was clicked on this visit to the page, and not on one before."""
    clicked: int | None = st.session_state.pop(_OPENED, None)
    return clicked == address.entries()


@st.cache_resource
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "gallery", html=stage.GALLERY_HTML, css=stage.gallery_css(), js=stage.gallery_js()
    )


def demos(text: str) -> Gallery:
    """The demo heads on a sentence, to be saved."""
    tokens = demo_run(text, demo_heads()[0].name).tokens
    return Gallery(partial(_demo_tiles, text), tokens, "Heads trained to do one job.")


def every_head(name: str, text: str) -> Gallery:
    """Every head of a model that is ready, to be saved.

    Raises:
        AttentionVizError: it cannot read the sentence.
    """
    model = _model(name)
    tokens = model.record(text).tokens
    return Gallery(partial(model_tiles, model, text), tokens, f"Every head of {model.name}.")


def _named(tile: Tile) -> dict[str, str | float | None]:
    """Which head it is: of a model its layer and index, of another its own name."""
    return dict(zip(("layer", "head") if len(tile.key) > 1 else ("head",), tile.key, strict=True))


@st.cache_resource(max_entries=16, show_spinner=False)
def _demos(text: str) -> bytes:
    return stage.pack_gallery(_demo_tiles(text), sortable=False)


@st.cache_resource(max_entries=8, show_spinner=False)
def _heads(name: str, text: str) -> bytes:
    return stage.pack_gallery(model_tiles(_model(name), text), sortable=True)


def _model(name: str) -> Model:
    """A model that is ready."""
    return served.shelf().ask(name).future.result()


def _demo_tiles(text: str) -> list[Tile]:
    tiles = []
    for head in demo_heads():
        trace = demo_run(text, head.name).trace
        tiles.append(
            Tile(
                key=(head.name,),
                name=head.name,
                title=f"{head.name}: {head.job}",
                weights=trace.weights,
                mask=trace.mask,
                profile=profile(trace.weights, trace.mask),
                row="",
            )
        )
    return tiles


def model_tiles(model: Model, text: str) -> list[Tile]:
    """Every head of a model on a text.

    Raises:
        AttentionVizError: it cannot read the sentence.
    """
    recorded = model.record(text)
    tiles = []
    for i, (layer, call) in enumerate(zip(model.layers, recorded.calls, strict=True)):
        for head in range(layer.num_heads):
            weights = call.weights(head)
            tiles.append(
                Tile(
                    key=(i, head),
                    name=str(head),
                    title=f"Layer {layer.name}, head {head}",
                    weights=weights,
                    mask=call.head_mask(head),
                    profile=profile(
                        weights, call.head_mask(head), self_attention=not layer.crosses
                    ),
                    row=f"layer {layer.name}" if layer.name.isdigit() else layer.name,
                )
            )
    return tiles


def _open_demo() -> None:
    key = heard.said(_DEMOS, "open")
    names = [head.name for head in demo_heads()]
    if isinstance(key, list) and len(key) == 1 and key[0] in names:
        state.choose(head=key[0], divisor="sqrt")
        _leave()


def _open_head() -> None:
    key = heard.said(_MODEL, "open")
    if isinstance(key, list) and [type(part) for part in key] == [int, int] and min(key) >= 0:
        layer, head = key
        state.choose(head=MODEL, layer=layer, index=head)
        state.take_own_divisor()
        _leave()


def _leave() -> None:
    loaded.begin_anew()
    st.session_state[_OPENED] = address.entries()

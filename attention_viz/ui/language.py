"""A head of a language model on a page: which model, layer and head, and what is true of it."""

from contextlib import suppress
from typing import Final

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.models import (
    PACKAGED,
    Model,
    ModelRun,
    WeightsRun,
    packaged,
    read_divisor,
    read_facts,
    read_residual,
)
from attention_viz.models.places import ADD
from attention_viz.ui import served, show, state
from attention_viz.ui.state import Settings

_STEPS: Final = 5  # of a load, as it reports them
_HELP: Final = {
    ("local",): "Also a folder of the server's machine.",
    ("hub",): "Also an id of the Hugging Face hub.",
    ("local", "hub"): "Also a folder of the server's machine, or an id of the Hugging Face hub.",
}
_POLL: Final = 0.4  # seconds between two looks at a load


def choose(settings: Settings) -> bool:
    """Which model; whether it is there. Call in the sidebar."""
    allowed = served.sources()
    names = list(dict.fromkeys([*packaged(), *([settings.model] if allowed else [])]))
    if names:
        st.selectbox(
            "Model",
            names,
            key="model",
            accept_new_options=bool(allowed),
            on_change=begin,
            help=_HELP.get(allowed),
            persist_state="session",
        )
    else:
        show.fact(f"No model is installed: {ADD} adds one.")
        state.keep("model")
    if not names or settings.model not in names:
        return False
    load = served.shelf().ask(settings.model)
    if load.error is not None:
        show.problem(load.error)
        st.button("Try again", on_click=served.shelf().forget, args=(settings.model,))
    elif not load.future.done():
        _wait(settings.model)
    return is_ready(settings)


def choose_head(settings: Settings) -> None:
    """Which layer and head, and what is true of it; call in the sidebar."""
    layers = model(settings).layers
    layer = _within("layer", settings.layer, len(layers))
    _within("index", settings.index, layers[layer].num_heads)
    _pick("Layer", "layer", [one.name for one in layers])
    _pick("Head of the layer", "index", [str(head) for head in range(layers[layer].num_heads)])
    with suppress(AttentionVizError):  # the page says it
        _tell(run(state.settings()))


def tell_sources() -> None:
    """How other models are turned on; call in the sidebar."""
    if served.sources():
        return
    with st.expander("Other models"):
        show.fact(
            "Folders of this machine and models of the Hugging Face hub are off until the person "
            "who starts the server turns them on:"
        )
        st.code(served.ALLOW, language=None, wrap_lines=True)


def begin() -> None:
    """Another model: its first head, with the divisor that is its own."""
    state.choose(layer=0, index=0)
    state.take_own_divisor()
    state.stage_ended()


def is_ready(settings: Settings) -> bool:
    """Whether the model is there."""
    if settings.model in PACKAGED and settings.model not in packaged():
        return False
    load = served.shelf().ask(settings.model)
    return load.future.done() and load.error is None


def model(settings: Settings) -> Model:
    """The chosen model, which is ready."""
    return served.shelf().ask(settings.model).future.result()


def run(settings: Settings) -> ModelRun | WeightsRun:
    """The sentence through the chosen head.

    Raises:
        AttentionVizError: the model cannot run the sentence.
    """
    chosen = model(settings)
    layer = min(settings.layer, len(chosen.layers) - 1)
    return chosen.run(settings.text, layer, min(settings.index, chosen.layers[layer].num_heads - 1))


def _tell(found: ModelRun | WeightsRun) -> None:
    facts = f"{read_facts(found.facts)}. "
    if isinstance(found, ModelRun):
        facts += f"{read_divisor(found)} {read_residual(found.facts)}"
    show.fact(facts)


def _within(name: str, value: int, count: int) -> int:
    """A layer or head that there is: an address may name any."""
    if value >= count:
        words = {"layer": "layer", "index": "head"}[name]
        show.notice(f"The {words} of this model must be in 0 … {count - 1}; got {value}.")
        state.choose(**{name: 0})
        return 0
    return value


def _pick(words: str, name: str, labels: list[str]) -> None:
    if len(labels) == 1:
        show.fact(f"{words}: {labels[0]}, the only one.")
        state.keep(name)
    else:
        st.select_slider(
            words,
            range(len(labels)),
            key=name,
            format_func=labels.__getitem__,
            persist_state="session",
        )


@st.fragment(run_every=_POLL)
def _wait(name: str) -> None:
    load = served.shelf().ask(name)
    if load.future.done():
        st.rerun()
    st.progress(min(load.steps / _STEPS, 1.0), f"{name}: {load.doing} …")

"""The choices that all pages share: the sentence and the head."""

from typing import Final

import streamlit as st

from attention_viz.byhand import TEXTBOOK_TEXT, TEXTBOOK_WEIGHTS
from attention_viz.embeddings import MAX_SEED
from attention_viz.heads import Start
from attention_viz.pipeline import WIDTHS
from attention_viz.ui import language, loaded, state

PRESETS: Final = {
    "I am good": "I am good",
    "Wie geht es dir": "Wie geht es dir",
    "A pronoun": "The trophy does not fit into the suitcase because it is too big",
    "A repeated word": "the cat and the dog and the bird",
    "A long one": (
        "When a student asks why the scores are divided by the square root of the head size , "
        "it helps to draw many heads at once , to watch how far the scores spread , and to see "
        "what softmax makes of them before and after the division"
    ),
}
_STARTS: Final = {
    Start.GAUSSIAN: "N(0, 1/d_model), as assumed",
    Start.TORCH: "nn.Linear's default: too small",
    Start.POSITIVE: "positive: mean not 0",
    Start.TIED: "q = k: looks at itself",
    Start.HEAVY: "heavy tails: no variance",
    Start.LAYER_NORM: "normalised inputs, no projections",
}
_SEED_HELP: Final = (
    f"The same seed gives the same head anywhere. Seed {state.DEFAULTS.seed} is chosen, not drawn: "
    "on the first sentence its weights without scaling sharpen at every step. About half of all "
    "seeds do not, on so few tokens."
)
_EXAMPLES_HELP: Final = (
    f"“{TEXTBOOK_TEXT}” has random numbers here; the textbook row "
    f"{', '.join(f'{weight:.2f}' for weight in TEXTBOOK_WEIGHTS[0])} is on By hand."
)
_MASKS: Final = {"none": "None", "causal": "Causal"}


def draw() -> None:
    """The widgets; state.settings() reads them."""
    with st.sidebar:
        _draw_sentence()
        st.selectbox(
            "Head", state.HEADS, key="head", format_func=_head_words, on_change=loaded.chosen_anew
        )
        settings = state.settings()
        if settings.head == state.RANDOM_HEAD:
            _draw_random()
            state.keep("model", "layer", "index", "ablation")
        else:
            if settings.head != state.MODEL:
                state.keep("model", "layer", "index")
            loaded.choose(settings)
            state.keep("d_model", "start")
            if settings.head == state.OWN_FILE:
                state.keep("seed")
                _draw_inputs()
            else:
                state.keep("seed", "mask", "positions")
            settings = loaded.in_place(state.settings())
            if settings.head != state.RANDOM_HEAD:
                with st.expander("More"):
                    loaded.more(settings)


def draw_models() -> None:
    """The sentence and the model alone, where all heads are shown at once."""
    with st.sidebar:
        _draw_sentence()
        language.choose(state.settings())
        language.tell_sources()
    state.keep(*(name for name in state.NAMES if name not in {"text", "model"}))


def _draw_sentence() -> None:
    st.text_input("Sentence", key="text", live=True)
    st.pills("Examples", list(PRESETS), key="preset", on_change=_take_preset, help=_EXAMPLES_HELP)


def _draw_random() -> None:
    st.number_input("Seed", 0, MAX_SEED, key="seed", help=_SEED_HELP, persist_state="session")
    st.button("New draw", on_click=state.draw_seed, icon=":material/casino:", width="stretch")
    st.selectbox("d_model, width of the inputs", WIDTHS, key="d_model", persist_state="session")
    st.selectbox(
        "Weights of the head",
        list(Start),
        key="start",
        format_func=_STARTS.__getitem__,
        persist_state="session",
    )
    _draw_inputs()


def _draw_inputs() -> None:
    st.segmented_control(
        "Mask",
        state.MASKS,
        key="mask",
        format_func=_MASKS.__getitem__,
        required=True,
        persist_state="session",
    )
    st.toggle(
        "Positions",
        key="positions",
        help="Adds a random vector to each position.",
        persist_state="session",
    )


def _head_words(name: str) -> str:
    words = {
        state.RANDOM_HEAD: "Random",
        state.MODEL: "A language model",
        state.OWN_FILE: "A file of your own",
    }
    return words.get(name, f"Trained: {name}")


def _take_preset() -> None:
    name = st.session_state["preset"]
    if name is not None:
        state.choose(text=PRESETS[name])
        st.session_state["preset"] = None

"""A head from a visitor's own file, kept for this visit."""

import hashlib
from dataclasses import dataclass
from typing import Final

import streamlit as st

from attention_viz.checkpoints import Checkpoint, read_checkpoint
from attention_viz.embeddings import embed
from attention_viz.errors import AttentionVizError
from attention_viz.pipeline import Run, run_checkpoint, run_inputs
from attention_viz.tokens import tokenize
from attention_viz.ui import show
from attention_viz.ui.state import OWN_HEAD, Settings

MAX_MEGABYTES: Final = 128
_FILE: Final = "upload"
_REMOVED: Final = "own_head_removed"
_WAITING: Final = "own_head_before"


@dataclass(frozen=True, slots=True, eq=False)
class OwnHead:
    """A head from a visitor's file.

    Attributes:
        name: of the file.
        mark: of its bytes and of which head was taken.
        checkpoint: what was found.
    """

    name: str
    mark: str
    checkpoint: Checkpoint


def choose() -> bool:
    """The upload and what was found in it; whether another head was taken. Call in the sidebar."""
    taken = _upload()
    own = _own()
    if own is None:
        show.fact("Until a file is read, the head before it stays.")
    else:
        _tell(own)
    return taken


def forget() -> None:
    """Another kind of head was chosen: the file is not kept, nor what waits for one that is new."""
    st.session_state.pop(OWN_HEAD, None)
    st.session_state.pop(_REMOVED, None)
    st.session_state.pop(_WAITING, None)


def is_ready() -> bool:
    """Whether a file was read."""
    return _own() is not None


def run(settings: Settings) -> Run:
    """The sentence through the head of the file.

    Raises:
        AttentionVizError: the head does not fit the sentence or the inputs.
    """
    own: OwnHead = st.session_state[OWN_HEAD]
    return run_checkpoint(
        settings.text,
        own.checkpoint,
        seed=settings.seed,
        positions=settings.positions,
        causal=settings.mask == "causal",
    )


def _own() -> OwnHead | None:
    own: OwnHead | None = st.session_state.get(OWN_HEAD)
    return own


def _upload() -> bool:
    """Take a file; a broken one leaves the head before it in place, a removed one takes it away."""
    upload = st.file_uploader(
        "A head of your own",
        type=["safetensors", "pt", "pth", "bin"],
        key=_FILE,
        on_change=_file_changed,
        max_upload_size=MAX_MEGABYTES,
        help="An AttentionHead or an nn.MultiheadAttention. It cannot travel in a link.",
    )
    num_heads, index = _draw_which(disabled=upload is None and is_ready())
    if upload is None:
        # A file that takes another's place is first missing for one run; what was there waits for
        # that long, in case the new one is broken.
        st.session_state[_WAITING] = st.session_state.pop(_REMOVED, None)
        return False
    before = st.session_state.pop(_REMOVED, None) or st.session_state.pop(_WAITING, None)
    if before is not None:
        st.session_state[OWN_HEAD] = before
    data = upload.getvalue()
    mark = f"{hashlib.blake2b(data, digest_size=16).hexdigest()} {num_heads} {index}"
    own = _own()
    if own is not None and own.mark == mark:
        return False
    try:
        found = read_checkpoint(data, name=upload.name, num_heads=num_heads, head=index)
        _check_fit(found)
    except AttentionVizError as error:
        show.problem(error)
        return False
    st.session_state[OWN_HEAD] = OwnHead(upload.name, mark, found)
    return True


def _file_changed() -> None:
    """A file was given or removed by a person: when Streamlit forgets it, it does not say so."""
    if st.session_state[_FILE] is None:
        st.session_state[_REMOVED] = st.session_state.pop(OWN_HEAD, None)


def _draw_which(*, disabled: bool) -> tuple[int | None, int]:
    """Which head of a layer; of a file that is no longer there none can be taken."""
    left, right = st.columns(2)
    num_heads = left.number_input(
        "Heads in its layer",
        1,
        1024,
        None,
        key="num_heads",
        disabled=disabled,
        persist_state="session",
    )
    index = right.number_input(
        "Head, from 0", 0, 1023, 0, key="head_index", disabled=disabled, persist_state="session"
    )
    return num_heads, index


def _check_fit(found: Checkpoint) -> None:
    """Refuse a head that can run on no sentence, while the one before it is still there.

    Raises:
        AttentionVizError: its projections take inputs of different widths, or its scores overflow.
    """
    tokens = tokenize("any")
    own_words = bool(found.vocabulary)
    inputs = found.embedding[:1] if own_words else embed(tokens, found.head.query.in_features)
    run_inputs(tokens, inputs, found.head)


def _tell(own: OwnHead) -> None:
    found = own.checkpoint
    shapes = "; ".join(f"{key} {' × '.join(map(str, size))}" for key, size in found.shapes.items())
    words = f" It brings {len(found.vocabulary)} words of its own." if found.vocabulary else ""
    show.fact(f"{own.name}: {found.found}, {found.dtype}. {shapes}.{words}")

"""Loaded heads on a page: the demo heads, and a file of the visitor's own, kept for this visit."""

import hashlib
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from attention_viz import stage
from attention_viz.attention import attend
from attention_viz.checkpoints import Checkpoint, read_checkpoint
from attention_viz.demo import DemoHead, demo_heads, demo_run
from attention_viz.embeddings import embed
from attention_viz.errors import AttentionVizError
from attention_viz.pipeline import Run, parse_divisor, run_checkpoint, run_inputs
from attention_viz.stage import Scene
from attention_viz.tokens import tokenize
from attention_viz.ui import show, state
from attention_viz.ui.state import OWN_FILE, RANDOM_HEAD, Settings

MAX_MEGABYTES: Final = 128
_KEPT: Final = "own_head"
_WAITING: Final = "own_head_before"
_ABLATION: Final = "ablation"


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


def choose(settings: Settings) -> None:
    """What belongs to the choice of a loaded head: upload and facts; call in the sidebar."""
    if settings.head == OWN_FILE:
        _upload()
        own = _own()
        if own is None:
            show.fact("Until a file is read, the random head stays.")
        else:
            _tell_own(own)
    else:
        _tell_demo(_demo(settings.head))


def forget() -> None:
    """Another head: no ablation, and the stage begins anew where the person is."""
    st.session_state.pop(_ABLATION, None)
    state.stage_ended()


def more(settings: Settings) -> None:
    """The ablation: fewer coordinates of the same head."""
    try:
        d_k = whole_run(settings).trace.d_k
    except AttentionVizError:
        return  # the page says it
    if d_k > 1:
        st.session_state[_ABLATION] = min(st.session_state.get(_ABLATION, d_k), d_k)
        st.slider(
            f"Only the first of {d_k} dimensions (ablation)",
            1,
            d_k,
            key=_ABLATION,
            help="This head with the rest of its query and key left out; not a smaller head.",
        )


def in_place(settings: Settings) -> Settings:
    """The settings, with the random head for a file that is not there yet."""
    missing = settings.head == OWN_FILE and _own() is None
    return replace(settings, head=RANDOM_HEAD) if missing else settings


def size(settings: Settings) -> int | None:
    """The d_k of the loaded head; None for a random head, whose d_k is chosen.

    Raises:
        AttentionVizError: see ``run``.
    """
    return None if settings.head == RANDOM_HEAD else whole_run(settings).trace.d_k


def run(settings: Settings) -> Run:
    """The sentence through the loaded head, with as many of its dimensions as are kept.

    Raises:
        AttentionVizError: the head does not fit the sentence or the inputs.
    """
    whole = whole_run(settings)
    trace = whole.trace
    divisor = parse_divisor(settings.divisor, d_k=trace.d_k, d_model=whole.inputs.shape[1])
    kept = min(st.session_state.get(_ABLATION, trace.d_k), trace.d_k)
    query, key = trace.query[:, :kept], trace.key[:, :kept]
    part = attend(query, key, trace.value, mask=trace.mask, divisor=divisor)
    return replace(whole, trace=part)


def whole_run(settings: Settings) -> Run:
    """The head as it was loaded, with its own divisor.

    Raises:
        AttentionVizError: see ``run``.
    """
    if settings.head != OWN_FILE:
        return demo_run(settings.text, settings.head)
    own: OwnHead = st.session_state[_KEPT]
    return run_checkpoint(
        settings.text,
        own.checkpoint,
        seed=settings.seed,
        positions=settings.positions,
        causal=settings.mask == "causal",
    )


def payload(settings: Settings) -> bytes:
    """What the stage is sent: this head at its own size, on its own scale of scores.

    Raises:
        AttentionVizError: see ``run``.
    """
    whole = whole_run(settings)
    trace = run(settings).trace
    d_k = whole.trace.d_k
    kept = trace.query.shape[1]
    fixed = f"A loaded head: its d_k is {d_k}."
    if kept < d_k:
        fixed = f"An ablation: the first {kept} of the {d_k} dimensions of a loaded head."
    scene = Scene(
        stops=(d_k,),
        scores=trace.scores.unsqueeze(0),
        queries=whole.tokens,
        keys=whole.tokens,
        mask=trace.mask,
        d_model=whole.inputs.shape[1],
        fixed=fixed,
        init=replace(state.stage_start(), d_k=d_k),
        limit=whole.trace.scaled_scores.abs().max().item() or 1.0,
        in_address=True,
    )
    return stage.pack(scene)


def _own() -> OwnHead | None:
    own: OwnHead | None = st.session_state.get(_KEPT)
    return own


def _upload() -> None:
    """Take a file; a broken one leaves the head before it in place, a removed one takes it away."""
    upload = st.file_uploader(
        "A head of your own",
        type=["safetensors", "pt", "pth", "bin"],
        key="upload",
        max_upload_size=MAX_MEGABYTES,
        help="An AttentionHead or an nn.MultiheadAttention. It cannot travel in a link.",
    )
    left, right = st.columns(2)
    num_heads = left.number_input("Heads in its layer", 1, 1024, None, key="num_heads")
    index = right.number_input("Head, from 0", 0, 1023, 0, key="head_index")
    if upload is None:
        # A file that takes another's place is first missing for one run; what was there waits for
        # that long, in case the new one is broken.
        st.session_state[_WAITING] = st.session_state.pop(_KEPT, None)
        return
    waiting = st.session_state.pop(_WAITING, None)
    if waiting is not None:
        st.session_state[_KEPT] = waiting
    data = upload.getvalue()
    mark = f"{hashlib.blake2b(data, digest_size=16).hexdigest()} {num_heads} {index}"
    own = _own()
    if own is not None and own.mark == mark:
        return
    try:
        found = read_checkpoint(data, name=upload.name, num_heads=num_heads, head=index)
        _check_fit(found)
    except AttentionVizError as error:
        show.problem(error)
    else:
        st.session_state[_KEPT] = OwnHead(upload.name, mark, found)
        st.session_state.pop(_ABLATION, None)


def _check_fit(found: Checkpoint) -> None:
    """Refuse a head that can run on no sentence, while the one before it is still there.

    Raises:
        AttentionVizError: its projections take inputs of different widths, or its scores overflow.
    """
    tokens = tokenize("any")
    own_words = bool(found.vocabulary)
    inputs = found.embedding[:1] if own_words else embed(tokens, found.head.query.in_features)
    run_inputs(tokens, inputs, found.head)


def _tell_own(own: OwnHead) -> None:
    found = own.checkpoint
    shapes = "; ".join(f"{key} {' × '.join(map(str, size))}" for key, size in found.shapes.items())
    words = f" It brings {len(found.vocabulary)} words of its own." if found.vocabulary else ""
    show.fact(f"{own.name}: {found.found}, {found.dtype}. {shapes}.{words}")


def _demo(name: str) -> DemoHead:
    return next(head for head in demo_heads() if head.name == name)


def _tell_demo(head: DemoHead) -> None:
    weight, untrained = head.measured["weight"], head.measured["untrained"]
    show.fact(
        f"{head.job} Look for: {head.look_for} On text it never saw, its mean weight on the tokens "
        f"that its job names is {weight:.2f}; before training it was {untrained:.2f}. It takes "
        "capitals for small letters, and brings its own causal mask."
    )

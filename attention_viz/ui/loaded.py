"""Loaded heads on a page: demo heads, heads of a language model, a file of the visitor's own."""

from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

import streamlit as st

from attention_viz import scenes, stage
from attention_viz.attention import attend
from attention_viz.demo import DemoHead, demo_heads, demo_run
from attention_viz.errors import AttentionVizError, ModelError
from attention_viz.models import ModelRun, WeightsRun
from attention_viz.models.rotary import Groups, first_groups
from attention_viz.origins import Loaded
from attention_viz.pipeline import Run, parse_divisor
from attention_viz.tokens import Tokens, tokenize
from attention_viz.ui import language, show, state, upload
from attention_viz.ui.state import MODEL, OWN_FILE, RANDOM_HEAD, Settings

_STANDING: Final = "standing_head"
_WHICH: Final = ("head", "model", "layer", "index")


def choose(settings: Settings) -> None:
    """What belongs to the choice of a loaded head; call in the sidebar."""
    if settings.head == OWN_FILE:
        if upload.choose():
            state.choose(ablation=0)
    elif settings.head == MODEL:
        if language.choose(settings):
            language.choose_head(settings)
        else:
            state.keep("layer", "index")
        language.tell_sources()
    else:
        _tell_demo(_demo(settings.head))


def chosen_anew() -> None:
    """Another kind of head: a model begins with its first one."""
    upload.forget()
    if st.session_state["head"] == MODEL:
        language.begin()
    begin_anew()


def begin_anew() -> None:
    """Another head: no ablation, and the stage begins where the person is."""
    state.choose(ablation=0)
    state.stage_ended()


def more(settings: Settings) -> None:
    """The ablation: fewer coordinates of the same head."""
    try:
        whole = whole_run(settings)
    except AttentionVizError:
        return  # the page says it
    if isinstance(whole, WeightsRun):
        return
    sizes = _sizes(_groups(whole))
    if not sizes:
        show.fact("How this model rotates its coordinates is not known, so none is left out.")
    if len(sizes) < 2:  # noqa: PLR2004 - nothing to leave out
        return
    if settings.ablation not in sizes:
        state.choose(ablation=sizes[-1])
    pairs = ", whole pairs where it rotates pairs by position" if settings.head == MODEL else ""
    st.select_slider(
        f"Only so many of its {sizes[-1]} dimensions (ablation)",
        sizes,
        key="ablation",
        help=f"This head with the rest of its query and key left out{pairs}; not a smaller head.",
        persist_state="session",
    )


def in_place(settings: Settings) -> Settings:
    """The settings, with the head that was shown before one that is not there yet."""
    if _is_ready(settings):
        return settings
    before = replace(settings, **st.session_state.get(_STANDING, {"head": RANDOM_HEAD}))
    return before if _is_ready(before) else replace(settings, head=RANDOM_HEAD)


def shown(settings: Settings) -> None:
    """These settings were drawn: their head stays until another is ready."""
    standing: dict[str, Any] = {name: getattr(settings, name) for name in _WHICH}
    st.session_state[_STANDING] = standing


def size(settings: Settings) -> int | None:
    """The d_k of the loaded head; None for a random head, whose d_k is chosen.

    Raises:
        AttentionVizError: see ``run``.
    """
    if settings.head == RANDOM_HEAD:
        return None
    whole = whole_run(settings)
    return settings.d_k if isinstance(whole, WeightsRun) else whole.trace.d_k


def weights_only(settings: Settings) -> WeightsRun | None:
    """A head whose weights are all that is known of it, if this is one.

    Raises:
        AttentionVizError: see ``run``.
    """
    whole = whole_run(settings) if settings.head == MODEL else None
    return whole if isinstance(whole, WeightsRun) else None


def is_weights_only() -> bool:
    """Whether the head in place is one whose weights are all that is known of it.

    Raises:
        AttentionVizError: see ``run``.
    """
    return weights_only(in_place(state.settings())) is not None


def run(settings: Settings) -> Run:
    """The sentence through the loaded head, with as many of its dimensions as are kept.

    Raises:
        AttentionVizError: the head does not fit the sentence or the inputs.
    """
    whole = whole_run(settings)
    if isinstance(whole, WeightsRun):
        raise ModelError(f"{whole.why} Choose another model.")
    trace = whole.trace
    divisor = parse_divisor(
        settings.divisor, d_k=trace.d_k, d_model=whole.inputs.shape[1], own=_own_divisor(whole)
    )
    kept = _kept(_groups(whole), settings.ablation)
    part = attend(
        trace.query[:, kept],
        trace.key[:, kept],
        trace.value,
        mask=trace.mask,
        divisor=divisor,
        steps=trace.steps,
    )
    origin = whole.origin
    if isinstance(origin, Loaded) and part.d_k < trace.d_k:
        largest = trace.scores.abs().max().item()
        origin = replace(origin, whole=trace.d_k, largest=largest)
    return replace(whole, trace=part, origin=origin)


def tokens(settings: Settings) -> Tokens:
    """The queries of the chosen head.

    Raises:
        AttentionVizError: the sentence cannot be read.
    """
    return language.run(settings).tokens if settings.head == MODEL else tokenize(settings.text)


def whole_run(settings: Settings) -> Run | WeightsRun:
    """The head as it was loaded, with its own divisor.

    Raises:
        AttentionVizError: see ``run``.
    """
    if settings.head == OWN_FILE:
        return upload.run(settings)
    if settings.head == MODEL:
        return language.run(settings)
    return demo_run(settings.text, settings.head)


def limit(settings: Settings) -> float:
    """Of the shared colours: the largest scaled score of this head at its own divisor."""
    whole = whole_run(settings)
    return 1.0 if isinstance(whole, WeightsRun) else scenes.own_limit(whole)


def payload(settings: Settings) -> bytes:
    """What the stage is sent: this head at its own size, on its own scale of scores.

    Raises:
        AttentionVizError: see ``run``.
    """
    part = run(settings)
    start = replace(state.stage_start(), d_k=scenes.own_d_k(part))
    return stage.pack(scenes.fixed_scene(part, start, in_address=True))


def _is_ready(settings: Settings) -> bool:
    if settings.head == OWN_FILE:
        return upload.is_ready()
    return settings.head != MODEL or language.is_ready(settings)


def _own_divisor(run: Run) -> float | None:
    return run.facts.divisor if isinstance(run, ModelRun) else None


def _groups(run: Run) -> Groups:
    return run.groups if isinstance(run, ModelRun) else tuple((j,) for j in range(run.trace.d_k))


def _sizes(groups: Groups) -> list[int]:
    """How many coordinates there are after each group."""
    return list(accumulate(map(len, groups)))


def _kept(groups: Groups, ablation: int) -> list[int] | slice:
    """The coordinates that an ablation leaves."""
    sizes = _sizes(groups)
    return first_groups(groups, sizes.index(ablation) + 1) if ablation in sizes else slice(None)


def _demo(name: str) -> DemoHead:
    return next(head for head in demo_heads() if head.name == name)


def _tell_demo(head: DemoHead) -> None:
    weight, untrained = head.measured["weight"], head.measured["untrained"]
    show.fact(
        f"{head.job} Look for: {head.look_for} On text it never saw, its mean weight on the tokens "
        f"that its job names is {weight:.2f}; before training it was {untrained:.2f}. It takes "
        "capitals for small letters, and brings its own causal mask."
    )

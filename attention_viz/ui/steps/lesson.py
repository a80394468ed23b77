"""One step as it stands on the page: its text with the numbers of now, its picture, its blanks."""

from collections.abc import Mapping
from typing import Final

import streamlit as st

from attention_viz import lessons, walkthrough
from attention_viz.experiments.sweep import Sweep
from attention_viz.lessons import Part
from attention_viz.pipeline import Run
from attention_viz.reading import read_steps
from attention_viz.rows import parse_row
from attention_viz.ui import cache, downloads, experiments, lab, show, state
from attention_viz.ui.state import Settings
from attention_viz.ui.steps import blanks, mechanism, pictures, place, trying
from attention_viz.ui.steps.pictures import Focus, Picture
from attention_viz.worked import Worked

_SIZES: Final = (64, 256)  # d_k of the heads that are measured, and of the blank
# Steps that ask how a query shares out its weight, which with one key it does not.
_OF_SHARES: Final = ("context", "reading")


def draw(run: Run, settings: Settings) -> None:
    """The step that the person is at.

    Raises:
        AttentionVizError: the row has no key to look at.
    """
    name = place.name()
    part = place.steps()[name]
    if place.has_turned() and name in _OF_SHARES:
        state.choose(row=walkthrough.row_with_choice(run, settings.row))
        settings = state.settings()
    worked = _work(name, part, run, settings.row)
    right = blanks.begin(name, worked.answers)
    part = part.filled(worked.words)
    title, query = st.columns([2, 1], vertical_alignment="center")
    with title:
        show.heading(f"{place.now()}. {part.title}")
    if name in walkthrough.OF_RUNS:
        with query:
            _choose_row(run)
    show.text(part.text)
    with st.container(key=mechanism.PICTURE):
        picture = _picture(name, part, run, settings, right)
        of_run = downloads.picture_name(run, f"row{settings.row}_{name}")
        saved = of_run if name in walkthrough.OF_RUNS else ""
        show.chart(picture.figure, key=f"steps_{name}", alt=picture.alt, name=saved)
        if picture.notes:
            show.fact(" ".join(_notes()[note].text for note in picture.notes))
    blanks.draw(name, part.fields, worked.answers, right)
    trying.draw(part, settings)
    _tell_head(name, run, settings)


def _choose_row(run: Run) -> None:
    names = [f"Query {name}" for name in run.tokens.names]
    st.selectbox(
        "Query",
        range(run.tokens.n),
        key="row",
        format_func=names.__getitem__,
        label_visibility="collapsed",
    )


def _work(name: str, part: Part, run: Run, row: int) -> Worked:
    if name == "mix":
        return walkthrough.mix(parse_row(part.fields["scores"]), parse_row(part.fields["values"]))
    if name == "growth":
        sweep = _sweep()
        return walkthrough.growth(sweep, experiments.heads(sweep)[0], other=_SIZES[1])
    return walkthrough.OF_RUNS[name](walkthrough.spot(run, row))


def _picture(
    name: str, part: Part, run: Run, settings: Settings, right: tuple[bool, ...]
) -> Picture:
    is_found = pictures.is_found(name, right)
    if name == "mix":
        scores, values = parse_row(part.fields["scores"]), parse_row(part.fields["values"])
        return pictures.of_mix(scores, values, is_found=is_found)
    if name == "growth":
        return pictures.of_heads(_sweep(), experiments.heads(_sweep())[0])
    at = walkthrough.spot(run, settings.row)
    return pictures.of_run(name, Focus(at, is_found, cache.limit(settings)))


def _sweep() -> Sweep:
    return Sweep((_SIZES[0],), draws=lab.HEADS, by_query=False)


def _tell_head(name: str, run: Run, settings: Settings) -> None:
    if name not in walkthrough.OF_RUNS:
        return
    if settings.head == state.RANDOM_HEAD:
        show.fact(_notes()["random"].text)
    if run.trace.steps:
        show.fact(_notes()["added"].filled({"added": read_steps(run.trace.steps)}).text)


def _notes() -> Mapping[str, Part]:
    return lessons.read_by_key("notes")

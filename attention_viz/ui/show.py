"""The one way to put charts and problems on a page."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value

from attention_viz import figures
from attention_viz.colours import DARK, LIGHT, Palette
from attention_viz.errors import AttentionVizError
from attention_viz.pipeline import Run
from attention_viz.reading import minus
from attention_viz.ui.state import Settings

_BAR: Final = 26  # pixels that Plotly's buttons take above a chart
_SCALE: Final = 3  # pixels of a saved picture for each on the screen
_ALIVE: Final = re.compile(r":(?=//|[\w+/-]+:)|@|www(?=\.)", re.IGNORECASE)


def begin() -> None:
    """Draw on the page itself; call before anything is drawn.

    A thread that has run a part of a page still draws where that part is, and with ``fastReruns``
    off the whole page may be run by the same thread.
    """
    context_dg_stack.set(get_default_dg_stack_value())


def tighten() -> None:
    """Less empty space than Streamlit leaves, nothing fades while it runs, captions to be read."""
    st.html(
        "<style>[data-testid=stMainBlockContainer]{padding:4rem 2rem 2rem}"
        "[data-stale=true]{opacity:1!important}"
        # The bar that lies upon the top of the page: what stays in view stays below it.
        ":root:has([data-testid=stHeader]){--above:3.75rem}"
        # The keyboard scrolls the page from here, and Streamlit shows no focus on it.
        "[data-testid=stMain]:focus-visible{outline:2px solid;outline-offset:-2px}"
        # Streamlit's own captions are too faint to be read from the back of a room.
        "[data-testid=stCaptionContainer],[data-testid=stCaptionContainer] p"
        "{color:inherit!important;opacity:.92}"
        # White, its letters on the accent colour of the dark theme would have a contrast of 2.7.
        "[data-testid^=stBaseButton-primary],[data-testid=stMultiSelect] [data-tag]"
        "{color:light-dark(#fff,#14131a)}"
        # Plotly's buttons above a chart: inside, they would cover its titles.
        f"[data-testid=stElementContainer]:has(.js-plotly-plot)"
        f"{{padding-top:{_BAR}px;overflow:visible}}"
        "[data-testid=stPlotlyChart] .js-plotly-plot{overflow:visible!important}"
        f"[data-testid=stPlotlyChart] .modebar{{top:-{_BAR}px!important}}</style>"
    )


def palette() -> Palette:
    """The colours of the theme that the visitor sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def chart(figure: go.Figure, *, key: str, alt: str, name: str = "", tools: bool = False) -> None:
    """A figure as it stands, with a text that says what it shows, and a button that saves it.

    Args:
        figure: what to draw.
        key: of the element.
        alt: what the figure shows.
        name: what the file of the picture is called before its ending; the key when empty.
        tools: whether it can be zoomed.
    """
    saved = {"format": "png", "scale": _SCALE, "filename": name or key.replace("_", "-")}
    config: dict[str, Any] = {
        "displaylogo": False,
        "displayModeBar": True,
        "toImageButtonOptions": saved,
    }
    if tools:
        config["modeBarButtonsToRemove"] = ["select2d", "lasso2d"]
    else:
        config["modeBarButtons"] = [["toImage"]]
    st.plotly_chart(figure, key=key, alt=minus(alt), theme=None, width="stretch", config=config)


def maps(run: Run, settings: Settings, *, limit: float, narrow: bool, name: str) -> None:
    """The still figure of a run; limit is that of the scale ``fixed``, name that of its file."""
    figure = figures.attention_maps(
        run,
        row=settings.row,
        scale=figures.Scale(settings.scale),
        limit=limit,
        columns=1 if narrow else 2,
        palette=palette(),
    )
    chart(figure, key="maps", alt=figures.describe_maps(run), name=name, tools=True)


def question(text: str) -> None:
    """What a page asks, as its heading."""
    st.markdown(f"#### {plain(text)}")


def heading(text: str) -> None:
    """A part of a page."""
    st.markdown(f"##### {plain(text)}")


def sentence(text: str) -> None:
    """A sentence to be read aloud."""
    st.markdown(f"##### {plain(minus(text))}")


def text(text: str) -> None:
    """What a figure shows, in sentences."""
    st.markdown(plain(minus(text)))


def table(lines: Sequence[Mapping[str, str | float | None]], *, key: str) -> None:
    """Numbers to six significant digits, the first column as words."""
    columns = {name: st.column_config.NumberColumn(format="%.6g") for name in list(lines[0])[1:]}
    st.dataframe(lines, hide_index=True, key=key, column_config=columns)


def words(lines: list[dict[str, str]]) -> None:
    """A small table of words, read as it stands; a phone scrolls it within itself."""
    st.table([{name: plain(minus(cell)) for name, cell in line.items()} for line in lines])


def says(*sentences: str) -> None:
    """Below a picture: what its numbers say."""
    st.markdown("\n".join(f"- {plain(minus(sentence))}" for sentence in sentences))


def task(text: str, *, done: bool, lesson: str) -> None:
    """Something to do; once it is done, what it shows."""
    if done:
        st.success(plain(f"{text} Done: {lesson}"), icon=":material/check:")
    else:
        st.markdown(f"- {plain(text)}")


def fact(text: str) -> None:
    """What is known of a head."""
    st.caption(plain(minus(text)))


def problem(error: AttentionVizError) -> None:
    """One sentence about what a person can mend."""
    st.warning(plain(str(error)), icon=":material/edit:")


def notice(sentence: str) -> None:
    """One sentence about what was done differently."""
    st.info(plain(sentence), icon=":material/info:")


def label(text: str) -> str:
    """The name of a widget, which is read aloud as it stands: as few escapes as can be."""
    return "".join(f"\\{char}" if char in "\\`*[]$~" else char for char in _still(text))


def plain(text: str) -> str:
    """Text in which Streamlit's Markdown finds nothing to render."""
    return "".join(
        f"\\{char}" if char in "\\`*_{}[]()<>#+-.!|$~:" else char for char in _still(text)
    )


def _still(text: str) -> str:
    """Text with nothing that Streamlit makes a link or an icon of, escaped or not.

    It looks for addresses and ``:material/name:`` once Markdown has taken the escapes away. A
    joiner that nobody sees keeps their parts apart.
    """
    return _ALIVE.sub(lambda found: f"{found[0]}\u2060", text)

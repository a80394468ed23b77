"""A run as one HTML file: the live stage, and a still picture where no script may run."""

from base64 import b64encode
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Final

from attention_viz import stage
from attention_viz.export.links import check_link, link_with
from attention_viz.export.naming import address, no_link
from attention_viz.export.still import still_svg
from attention_viz.export.weights import weights_table
from attention_viz.export.words import (
    MADE,
    NO_MEANING,
    escaped,
    paragraphs,
    read_divisor,
    read_run,
    short,
    title_of,
)
from attention_viz.files import whole_file
from attention_viz.pipeline import Recipe, Run
from attention_viz.reading import RANDOM, read_row
from attention_viz.scaling import entropy_band
from attention_viz.scenes import scene_of, view_of
from attention_viz.stage import MOST_TOKENS, Scene, View

APP: Final = "http://localhost:8501/"
# Up to so many tokens the band of other heads is drawn in about the time of all the rest.
_MOST_WITH_BAND: Final = 16
# In a block of its own, since the names of the stage stand in the same module. Where it does not
# run, or the stage cannot be drawn, the still picture stays.
_BEGIN: Final = """{
  const live = document.querySelector(".live");
  const still = document.querySelector(".still");
  const text = document.querySelector("script[type='text/plain']").textContent;
  live.hidden = false;
  mount({ data: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), parentElement: live });
  still.hidden = live.querySelector(".stage") !== null;
  document.querySelector(".exported").open = !still.hidden;
}
"""
# Nothing is fetched, and no script runs but the one that the page was written with.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{css}</style>
</head>
<body>
{body}
</body>
</html>
"""
_LIVE: Final = """<div class="live" hidden>{html}</div>
{words}
<script type="text/plain">{data}</script>
<script type="module">{script}</script>"""


_STILL: Final = """<section class="still" tabindex="0" aria-label="Still picture">
{picture}
<p>{reading}</p>
</section>
<details class="exported" open><summary>Numbers as a table</summary>
<p>As exported: {exported}.</p>
<section tabindex="0" aria-label="Table of weights">{table}</section>
</details>"""


@dataclass(frozen=True, slots=True)
class Words:
    """What stands on a page around its stage.

    Attributes:
        title: of the file, as text.
        header: above the stage, as HTML.
        picture: the still SVG, where the stage cannot be drawn.
        reading: what the picture says, as text.
        exported: the settings of picture and table, as text.
        table: the weights, as HTML.
    """

    title: str
    header: str
    picture: str
    reading: str
    exported: str
    table: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a page of a site says beside its run.

    Attributes:
        title: instead of the sentence.
        note: paragraphs below the title.
        home: the address of the page with all pages.
        before: the address of the page before this one, as text.
        after: that of the next.
    """

    title: str = ""
    note: str = ""
    home: str = ""
    before: str = ""
    after: str = ""

    @property
    def ways(self) -> str:
        """The links to other pages, as HTML; nothing without any."""
        places = (self.home, "All pages"), (self.before, "← Previous"), (self.after, "Next →")
        links = [f'<a href="{escaped(place)}">{words}</a>' for place, words in places if place]
        return f"<nav>{' '.join(links)}</nav>" if links else ""


NO_LESSON: Final = Lesson()


def to_html(
    run: Run,
    path: str | Path | None = None,
    *,
    row: int = 0,
    scale: str = "fixed",
    link: str = APP,
) -> str:
    """A run as one HTML file with the live stage, which needs no network.

    Above MOST_TOKENS tokens, and where scripts are blocked, it shows a still picture and the table
    of weights.

    Args:
        run: one sentence through one head.
        path: where to write the file; nowhere when None.
        row: the query that is picked at the start, from 0.
        scale: of the colours of scores at the start: ``fixed`` (±3), ``fit`` (the largest of both
            maps) or ``own`` (each map's largest).
        link: the address of the app that a link in the file opens.

    Returns:
        The document.

    Raises:
        SettingError: the run has no such row, there is no such scale, or the link is no address.
        OSError: the file cannot be written.

    >>> from attention_viz.heads import random_head
    >>> from attention_viz.pipeline import run
    >>> to_html(run("I am good", random_head(16, 4)))[:15]
    '<!doctype html>'
    """
    check_link(link)
    view = view_of(run, row=row, scale=scale)
    if path is None:
        return page(run, view, link)
    with whole_file(path) as file:
        document = page(run, view, link)
        file.write(document.encode())
    return document


def page(run: Run, view: View, link: str, lesson: Lesson = NO_LESSON) -> str:
    """The document of a run.

    Args:
        run: one sentence through one head.
        view: of ``view_of`` this run.
        link: the address of the app; none is named when empty.
        lesson: what it says beside the run.
    """
    is_live = max(run.tokens.n, run.keys.n) <= MOST_TOKENS
    return stage_page(_words(run, view, link, lesson), _scene(run, view) if is_live else None)


def stage_page(words: Words, scene: Scene | None) -> str:
    """The document of a stage; of its still picture alone where there is no scene."""
    content, script = _content(words, scene)
    size = (len(content) + len(stage.css())) // 1000 + 1
    header = f"<header>{words.header}</header>"
    body = f"{header}\n<main>\n{content}\n</main>\n{_footer(size)}"
    return document(words.title, body, script, stage.css())


def document(title: str, body: str, script: str = "", css: str = "") -> str:
    """An HTML file that fetches nothing and runs this script alone.

    Args:
        title: as text.
        body: as HTML.
        script: as it stands in the body.
        css: before the style of the page.
    """
    policy = _POLICY
    if script:
        policy += f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    own = resources.files("attention_viz.export").joinpath("page.css").read_text("utf-8")
    return _PAGE.format(policy=policy, title=escaped(title), css=css + own, body=body)


def _header(run: Run, view: View, link: str, lesson: Lesson) -> str:
    parts = [
        lesson.ways,
        f"<h1><bdi>{escaped(lesson.title or title_of(run))}</bdi></h1>",
        paragraphs(lesson.note),
        f"<p><bdi>{escaped(run.tokens.text)}</bdi></p>"
        if lesson.title or title_of(run) != run.tokens.text
        else "",
        f"<p>{escaped(read_run(run))} {NO_MEANING if _is_random(run) else ''}</p>",
        _way_back(run, view, link) if link else "",
    ]
    return "".join(parts)


def _way_back(run: Run, view: View, link: str) -> str:
    """Where an app shows the same, as HTML."""
    words = address(run, row=view.row, scale=view.scale)
    if not words:
        return f"<p>{no_link(run)}</p>"
    where = link_with(link, words)
    return (
        f'<p>In a running app: <a href="{escaped(where)}" target="_blank" rel="noopener">'
        f"{escaped(short(where))}</a></p>"
    )


def _footer(size: int) -> str:
    return (
        f"<footer><p>{MADE} This page is one file of about {size} kB; it needs no network.</p>"
        "</footer>"
    )


def _content(words: Words, scene: Scene | None) -> tuple[str, str]:
    """The stage and what stands below it as HTML, and the script of the stage."""
    below = _STILL.format(
        picture=words.picture,
        reading=escaped(words.reading),
        exported=escaped(words.exported),
        table=words.table,
    )
    if scene is None:
        return f"<p>Above {MOST_TOKENS} tokens there is no stage to move.</p>\n{below}", ""
    script = stage.js() + _BEGIN
    data = b64encode(stage.pack(scene)).decode()
    return _LIVE.format(html=stage.HTML, words=below, data=data, script=script), script


def _words(run: Run, view: View, link: str, lesson: Lesson) -> Words:
    trace = run.trace
    reading = read_row(run.tokens, trace.weights, trace.mask, view.row, keys=run.keys)
    return Words(
        title=lesson.title or title_of(run),
        header=_header(run, view, link, lesson),
        picture=still_svg(run, row=view.row, scale=view.scale, title=False),
        reading=f"{RANDOM if _is_random(run) else ''}{reading}",
        exported=f"d_k {trace.d_k}, divisor {read_divisor(run)}",
        table=weights_table(run.tokens, run.keys, trace.weights, trace.mask, view.row),
    )


def _scene(run: Run, view: View) -> Scene:
    """A run with its sliders; with few tokens, the band of other heads too."""
    scene = scene_of(run, view)
    if not isinstance(run.origin, Recipe) or run.tokens.n > _MOST_WITH_BAND:
        return scene
    recipe = run.origin
    band = entropy_band(
        run.tokens,
        recipe.d_model,
        start=recipe.start,
        positions=recipe.positions,
        mask=run.trace.mask,
        stops=scene.stops,
    )
    return replace(scene, band=band)


def _is_random(run: Run) -> bool:
    return isinstance(run.origin, Recipe)

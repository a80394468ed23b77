"""A static site of runs: a page each, and a page with links to all."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from attention_viz.export.folder import whole_folder
from attention_viz.export.links import check_link
from attention_viz.export.naming import file_name
from attention_viz.export.page import Lesson, document, page
from attention_viz.export.words import MADE, escaped, paragraphs, read_run, title_of
from attention_viz.pipeline import Run
from attention_viz.scenes import view_of

HOME: Final = "index.html"


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages share.

    Attributes:
        title: of the page with all links.
        intro: paragraphs on it.
        link: the address of the app that the pages link to; they name none when empty, since an app
            on the teacher's machine is out of a student's reach.
    """

    title: str = "Softmax in self-attention"
    intro: str = ""
    link: str = ""

    def __post_init__(self) -> None:
        """Check the link before anything is computed.

        Raises:
            SettingError: it is no address of the web.
        """
        if self.link:
            check_link(self.link)


@dataclass(frozen=True, slots=True)
class Entry:
    """One page to write.

    Attributes:
        run: what it shows.
        title: instead of the sentence.
        note: paragraphs below the title.
    """

    run: Run
    title: str = ""
    note: str = ""


def write_site(folder: str | Path, site: Site, entries: Iterable[Entry]) -> None:
    """Write a page for each entry as it comes, and the page with all links.

    Raises:
        SettingError: the folder holds what was not made here.
        OSError: the folder cannot be written.
    """
    links: dict[str, str] = {}  # from the name of a file to its line on the first page
    with whole_folder(folder) as place:
        before, waiting = "", None  # a page waits until the name of the next is known
        for entry in entries:
            name = _unused(file_name(entry.run, "html"), links)
            if waiting:
                _write_page(place, site, waiting, before, name)
                before = waiting[0]
            waiting = name, entry
            links[name] = _line(name, entry)
        if waiting:
            _write_page(place, site, waiting, before, "")
        _write(place / HOME, _contents(site, links.values()))


def _write_page(place: Path, site: Site, named: tuple[str, Entry], before: str, after: str) -> None:
    name, entry = named
    lesson = Lesson(entry.title, entry.note, HOME, quote(before), quote(after))
    _write(place / name, page(entry.run, view_of(entry.run), site.link, lesson))


def _unused(name: str, used: Iterable[str]) -> str:
    """The name, with a number where another page has it: names do not tell every setting."""
    names, count, stem = set(used), 1, name.removesuffix(".html")
    while name in names:
        count += 1
        name = f"{stem}_{count}.html"
    return name


def _line(name: str, entry: Entry) -> str:
    sentence = title_of(entry.run)
    shown = f"<p><bdi>{escaped(sentence)}</bdi></p>" if entry.title else ""
    return (
        f'<li><a href="{quote(name)}"><bdi>{escaped(entry.title or sentence)}</bdi></a>'
        f"{shown}<p>{escaped(read_run(entry.run))}</p></li>"
    )


def _contents(site: Site, lines: Iterable[str]) -> str:
    body = (
        f"<header><h1>{escaped(site.title)}</h1>{paragraphs(site.intro)}</header>\n"
        f'<main><ol class="contents">{"".join(lines)}</ol></main>\n'
        f"<footer><p>{MADE} These pages need no network.</p></footer>"
    )
    return document(site.title, body)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())  # as it is: the policy of a page holds for these very bytes

"""A folder is replaced whole, and only where it holds nothing but what was written here."""

import stat

import pytest

from attention_viz.errors import SettingError
from attention_viz.export import folder
from attention_viz.export.folder import MARKER, whole_folder


def write(path, text="1", meanwhile=lambda _: None):
    with whole_folder(path) as place:
        (place / "index.html").write_text(text)
        meanwhile(path)


def everything(path):
    return {one.name: one.read_bytes() for one in path.iterdir() if one.is_file()}


@pytest.fixture
def site(tmp_path):
    """A folder that was written here."""
    write(tmp_path / "public")
    return tmp_path / "public"


def add_file(path):
    path.mkdir(exist_ok=True)
    (path / "thesis.txt").write_text("mine")


def test_what_comes_while_pages_are_computed_stays(tmp_path, site):
    for path in (site, tmp_path / "other"):
        with pytest.raises(SettingError, match=r"holds thesis\.txt"):
            write(path, "2", add_file)
        assert (path / "thesis.txt").read_text() == "mine"
    assert (site / "index.html").read_text() == "1"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["other", "public"]


def replace_by_link(path):
    target = path.parent / "page.html"
    (path / "index.html").replace(target)
    (path / "index.html").symlink_to(target)


STRANGE = {
    "edited": lambda path: (path / "index.html").write_text("by hand"),
    "link": replace_by_link,
    "folder": lambda path: ((path / "index.html").unlink(), (path / "index.html").mkdir()),
    "marker of names": lambda path: (path / MARKER).write_text("index.html"),
    "marker of bytes": lambda path: (path / MARKER).write_bytes(b"\xff\xfe"),
    "no marker": lambda path: (path / MARKER).unlink(),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_was_not_written_so_is_never_replaced(tmp_path, site, kind):
    STRANGE[kind](site)
    before = everything(site)
    with pytest.raises(SettingError, match="public holds"):
        write(site, "2")
    assert everything(site) == before
    assert not list(tmp_path.glob(".*"))


def test_a_marker_removes_nothing_outside(tmp_path, site):
    (tmp_path / "thesis.txt").write_text("mine")
    with (site / MARKER).open("a") as marker:
        marker.write(f"{folder._hash(tmp_path / 'thesis.txt')}  ../thesis.txt\n")
    write(site, "2")
    assert everything(tmp_path) == {"thesis.txt": b"mine"}


@pytest.mark.parametrize("number", [1, 2])
def test_an_interrupt_after_any_rename_leaves_a_whole_folder(tmp_path, site, monkeypatch, number):
    rename, count = type(site).rename, iter(range(1, 4))

    def interrupted(path, target):
        rename(path, target)
        if next(count) == number:
            raise KeyboardInterrupt

    monkeypatch.setattr(type(site), "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(site, "2")
    assert everything(site)["index.html"] == b"12"[number - 1 : number]
    assert list(tmp_path.iterdir()) == [site]


@pytest.mark.parametrize("make", [str, write])
def test_the_present_folder_is_refused_before_anything_is_computed(tmp_path, monkeypatch, make):
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in (".", "/"):
        with pytest.raises(SettingError, match="not there yet"), whole_folder(name):
            pytest.fail("computed")


def test_who_may_see_it_stays(site):
    site.chmod(0o700)
    with whole_folder(site) as place:
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE(site.stat().st_mode) == 0o700


def test_a_loop_of_links_is_one_sentence(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="symbolic links"):
        write(tmp_path / "a")

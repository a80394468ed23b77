import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import attention_viz
from attention_viz.cli import main
from attention_viz.export.site import Site, write_site

EXAMPLE = Path(attention_viz.__file__).parents[1] / "examples" / "lessons.toml"
PAGE = '[[page]]\ntext = "I am good"\nd_model = 16\nd_k = 4\n'


class Links(HTMLParser):
    """All that a page points to, and all that it names."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        self.links += [said[name] for name in ("href", "src") if name in said]
        self.names.add(said.get("id"))


def broken(folder):
    """The links of a site that lead nowhere."""
    pages = {path: Links(path.read_text("utf-8")) for path in folder.glob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            target = folder / unquote(parts.path) if parts.path else path
            is_there = target.is_file() and not parts.netloc and not parts.scheme
            if not is_there or (parts.fragment and parts.fragment not in pages[target].names):
                yield path.name, link


@pytest.fixture
def build(tmp_path, capsys):
    """Build a site of this text: the exit status, the folder, and what was said."""

    def build_site(text, folder="public"):
        (tmp_path / "lessons.toml").write_text(text, "utf-8")
        status = main(["site", str(tmp_path / "lessons.toml"), "-o", str(tmp_path / folder)])
        return status, tmp_path / folder, capsys.readouterr().err

    return build_site


def test_every_link_of_the_example_leads_somewhere(build):
    status, folder, said = build(EXAMPLE.read_text("utf-8"))
    assert status == 0
    pages = {path.name for path in folder.glob("*.html")}
    linked = [unquote(link) for link in Links((folder / "index.html").read_text("utf-8")).links]
    assert set(linked) == pages - {"index.html"}
    assert len(linked) == EXAMPLE.read_text("utf-8").count("[[page]]")
    for name in linked:
        assert "index.html" in Links((folder / name).read_text("utf-8")).links
    assert not list(broken(folder))
    assert said.splitlines()[-1] == f"page {len(linked)} of {len(linked)}"


def test_pages_follow_each_other_and_name_an_app_only_when_there_is_one(build):
    three = "".join(f"{PAGE}seed = {seed}\n" for seed in range(3))
    link = 'link = "https://host.example/"\n'
    for text, app in ((three, []), (link + three, ["https"])):
        _, folder, _ = build(text)
        names = [f"i-am-good_dk4_dmodel16_seed{seed}.html" for seed in range(3)]
        pages = [Links((folder / name).read_text("utf-8")).links for name in names]
        ways = [[link for link in links if link.endswith(".html")] for links in pages]
        assert ways == [
            ["index.html", names[1]], ["index.html", names[0], names[2]], ["index.html", names[1]]
        ]  # fmt: skip
        assert [urlsplit(link).scheme for link in pages[0] if link.startswith("http")] == app


def test_the_checker_finds_what_is_broken(tmp_path):
    (tmp_path / "index.html").write_text('<a href="no.html"></a><img src="http://x.example/i">')
    assert len(list(broken(tmp_path))) == 2


def test_words_stand_as_text_and_pages_alike_have_names_of_their_own(build):
    hostile = 'title = "<b>T</b>"\nintro = "one\\n\\n<i>two"\n'
    status, folder, _ = build(f'{hostile}{PAGE}note = "</p><script>"\n{PAGE}')
    assert status == 0
    assert sorted(path.name for path in folder.glob("i-am*")) == [
        "i-am-good_dk4_dmodel16_seed0.html",
        "i-am-good_dk4_dmodel16_seed0_2.html",
    ]
    index = (folder / "index.html").read_text("utf-8")
    assert "<h1>&lt;b&gt;T&lt;/b&gt;</h1><p>one</p><p>&lt;i&gt;two</p>" in index
    first = (folder / "i-am-good_dk4_dmodel16_seed0.html").read_text("utf-8")
    assert "<p>&lt;/p&gt;&lt;script&gt;</p>" in first


WRONG = {
    "[[page]": "must be TOML",
    'title = "T"': r"must hold at least one \[\[page\]\]",
    'colour = "red"': "no key is called 'colour'",
    f"{PAGE}[[page]]\nd_k = 4": "page 2: text is missing",
    f"{PAGE}{PAGE}dk = 4": "page 2: no key is called 'dk'",
    f"{PAGE}seed = true": "page 1: seed must be a whole number; got 'True'",
    f'{PAGE}causal = "yes"': "page 1: causal must be true or false",
    f"{PAGE}seed = -1": "page 1: seed must be in 0",
    f'{PAGE}{PAGE}start = "cold"': "page 2: start must be one of",
    f'{PAGE}divisor = "root"': "page 1: divisor must be",
    f'{PAGE}head = "none.pt"': "page 1: .*none.pt",
    "page = [1]": "page 1 must be a table",
    f"title = 0x{'f' * 9999}": "title must be text; got a whole number",
    f"title = [0x{'f' * 9999}]": "title must be text; got a list",
    f"{PAGE}seed = {'9' * 9999}": "must be TOML",
    f"{PAGE}divisor = 0x{'f' * 9999}": "divisor must be a number of at most 64 bits",
    f"title = {'[' * 9999}": "must hold no lists within lists",
    f'{PAGE}model = ""': "page 1: model must be a name",
    f"{PAGE}layer = -1": "page 1: layer must be in 0",
    f"{PAGE}index = -1": "page 1: head_index must be in 0",
    f"{PAGE}num_heads = 0": "page 1: num_heads must be in 1",
}


@pytest.mark.parametrize("text", WRONG, ids=WRONG.values())
def test_a_wrong_list_is_one_sentence_and_leaves_nothing(build, text):
    status, folder, said = build(text)
    assert status == 2
    *progress, sentence = said.splitlines()
    assert re.search(WRONG[text], sentence)
    assert all(line.startswith("page ") for line in progress)
    assert [path.name for path in folder.parent.iterdir()] == ["lessons.toml"]


def test_a_list_may_begin_with_a_byte_order_mark_and_a_folder_is_none(build, capsys):
    status, folder, _ = build(f"\ufeff{PAGE}")
    assert status == 0
    assert main(["site", ".", "-o", str(folder)]) == 2
    assert capsys.readouterr().err.startswith("attention_viz: . cannot be read: ")


def test_a_site_is_replaced_whole_or_stays(build):
    _, folder, _ = build(PAGE)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    status, _, _ = build(f"{PAGE}{PAGE}seed = -1")
    assert status == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    status, _, _ = build(f"{PAGE}seed = 3")
    assert status == 0
    assert sorted(path.name for path in folder.glob("*.html")) == [
        "i-am-good_dk4_dmodel16_seed3.html",
        "index.html",
    ]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["lessons.toml", "public"]


def test_what_somebody_else_put_there_stays(build):
    _, folder, _ = build(PAGE)
    (folder / "CNAME").write_text("course.example")
    status, _, said = build(PAGE)
    assert status == 2
    assert "public holds CNAME, which it did not" in said
    assert (folder / "CNAME").read_text() == "course.example"
    status, _, said = build(PAGE, "lessons.toml")
    assert status == 2
    assert "output must be a folder; lessons.toml is a file." in said


def test_a_place_that_is_not_there_stops_it_before_the_first_page(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_site(tmp_path / "no" / "public", Site(), iter(lambda: pytest.fail("a page"), None))

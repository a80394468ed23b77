import html
import json
import re
from base64 import b64decode
from urllib.parse import parse_qsl, urlsplit

import pytest
import torch

import attention_viz as av
from attention_viz.checkpoints import read_checkpoint
from attention_viz.demo import demo_run
from attention_viz.errors import SettingError
from attention_viz.export.naming import address
from attention_viz.export.site import Site
from attention_viz.pipeline import run_checkpoint


def words(n):
    return " ".join(f"word{i}" for i in range(n))


def make(text="Wie geht es dir", **settings):
    return av.run(text, av.random_head(256, 64, seed=25), **settings)


def header(document):
    """What the stage of a document is told, without its numbers."""
    data = b64decode(re.search('type="text/plain">([^<]+)<', document)[1])
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


@pytest.mark.parametrize(("tokens", "budget"), [(16, 250_000), (128, 4_000_000)])
def test_the_file_is_small(tokens, budget):
    # A mask is one more block of the data.
    document = av.to_html(make(words(tokens), causal=True))
    assert len(document.encode()) <= budget
    said = int(re.search("about ([0-9]+) kB", document)[1])
    assert said == pytest.approx(len(document.encode()) / 1000, rel=0.03)


def test_the_same_run_is_the_same_bytes(tmp_path):
    path = tmp_path / "page.html"
    assert av.to_html(make(), path) == av.to_html(make())
    assert path.read_bytes().decode() == av.to_html(make())


def test_it_states_sentence_head_settings_and_link():
    run = make(causal=True, divisor=2.5)
    document = av.to_html(run, link="https://host.example/app")
    assert "<h1><bdi>Wie geht es dir</bdi></h1>" in document
    said = "Random head, seed 25, d_model 256, d_k 64, divisor 2.5, causal mask."
    assert f"{said} A random head carries no meaning" in document
    link = html.unescape(re.search('<a href="([^"]+)"', document)[1])
    assert link.startswith("https://host.example/app?")
    assert dict(parse_qsl(urlsplit(link).query)) == address(run)
    assert f"Attention Viz {av.__version__}" in document


@pytest.mark.parametrize(
    ("d_model", "d_k", "divisor", "why"),
    [
        (100, 4, None, "d_model 8, 16, 32, 64, 128, 256 and 512"),
        (8, 513, None, "goes up to d_k 512"),
        (8, 4, 2e6, "no such divisor"),
    ],
)
def test_a_run_that_the_app_does_not_show_has_no_link(d_model, d_k, divisor, why):
    run = av.run("I", av.random_head(d_model, d_k), divisor=divisor)
    assert address(run) == {}
    document = av.to_html(run)
    assert why in document
    assert "<a href" not in document


@pytest.mark.parametrize(
    "link", ["", "host.example", "javascript:alert(1)", "//host.example", "http://", "http://[::1"]
)
def test_a_link_is_an_address_of_the_web(link):
    with pytest.raises(SettingError, match="link must be an address that begins with http"):
        av.to_html(make(), link=link)
    if link:  # a site need not name an app
        with pytest.raises(SettingError, match="link must be an address that begins with http"):
            Site(link=link)


def test_half_a_character_is_shown_as_missing_in_a_notebook_too():
    shown = av.show(make("a\ud800b"))
    assert repr(shown).encode().decode().startswith("a\ufffdb: Random head")
    assert '<iframe title="a\ufffdb: ' in shown._repr_html_().encode().decode()


def test_what_a_link_holds_already_stays():
    document = av.to_html(make(), link="https://host.example/?embed=true&d_k=4#maps")
    link = urlsplit(html.unescape(re.search('<a href="([^"]+)"', document)[1]))
    assert dict(parse_qsl(link.query)) == {"embed": "true"} | address(make())
    assert link.fragment == "maps"


def test_a_head_from_a_file_has_no_link_and_a_meaning(tmp_path):
    torch.save(av.AttentionHead(8, 5).state_dict(), tmp_path / "mine.pt")
    document = av.to_html(run_checkpoint("I am good", read_checkpoint(tmp_path / "mine.pt")))
    assert "came from a file, so no link restores it" in document
    assert "Loaded head mine.pt" in document
    assert "<a href" not in document
    for loaded in (document, av.to_html(demo_run("the cat", "induction"))):
        assert "no meaning" not in loaded.split("<script")[0]


def test_above_128_tokens_it_is_still():
    document = av.to_html(make(words(129)), row=128)
    assert "<script" not in document
    assert "<svg" in document
    assert document.count('<th scope="row">') == 129  # the keys of the picked row


def test_a_run_starts_as_it_is_at_the_row_and_scale_asked_for(tmp_path):
    start = {"row": 1, "scale": "fit"}
    assert header(av.to_html(make(), **start))["init"] == start | {"d_k": 64, "divisor": "sqrt"}
    torch.save(av.AttentionHead(8, 32).state_dict(), tmp_path / "mine.pt")
    run = run_checkpoint("I am good", read_checkpoint(tmp_path / "mine.pt"), divisor=7.0)
    said = header(av.to_html(run, row=2))
    assert said["stops"] == [32]
    assert said["init"] == {"d_k": 32, "divisor": "7", "row": 2, "scale": "fixed"}


@pytest.mark.parametrize("write", [av.to_csv, av.to_json, av.to_npz, av.to_html])
def test_a_scale_that_is_not_there_is_one_sentence(tmp_path, write):
    with pytest.raises(av.SettingError, match="scale must be one of fixed, fit, own; got 'wide'"):
        write(make(), tmp_path / "file", scale="wide")
    assert not list(tmp_path.iterdir())


def test_a_row_that_is_not_there_leaves_no_file(tmp_path):
    with pytest.raises(av.SettingError, match=re.escape("row must be in 0 … 3; got 4")):
        av.to_html(make(), tmp_path / "page.html", row=4)
    assert not list(tmp_path.iterdir())


def test_half_a_character_does_not_stop_the_file(tmp_path):
    av.to_html(make("a \ud800 b"), tmp_path / "page.html")
    assert "\ufffd" in (tmp_path / "page.html").read_text("utf-8")


def test_a_notebook_gets_the_very_document():
    run = make("<b>one</b> two")
    shown = av.show(run)
    source = re.search('srcdoc="([^"]*)"', shown._repr_html_())[1]
    assert html.unescape(source) == av.to_html(run)
    assert repr(shown).startswith("<b>one</b> two: Random head, seed 25")

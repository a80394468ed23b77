"""The pictures for print, drawn by Debian's Chromium as a person's export does."""

import struct
from xml.etree import ElementTree as ET

import pytest

from attention_viz.cli import main

pytestmark = pytest.mark.e2e
HOSTILE = "<script>1</script> $x$ &amp;"


@pytest.mark.usefixtures("browser")
def test_png_and_pdf(tmp_path):
    for kind in ("png", "pdf"):
        assert main(["export", "I am", "-o", str(tmp_path / f"a.{kind}")]) == 0
    png = (tmp_path / "a.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">I", png[16:20]) == (3000,)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.usefixtures("browser")
def test_hostile_text_stays_text_in_svg(tmp_path):
    assert main(["export", HOSTILE, "-o", str(tmp_path / "a.svg")]) == 0
    drawn = ET.parse(tmp_path / "a.svg")  # noqa: S314 - our own
    texts = ["".join(one.itertext()) for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert [label for label in ("<", "/", "script", "$", "x", "&") if label not in texts] == []
    assert any(text.startswith(HOSTILE) for text in texts)
    assert not list(drawn.iter("{http://www.w3.org/2000/svg}script"))

"""What SERVING.md, the container and the example of nginx say is what the app does."""

import re
import tomllib
from pathlib import Path

from attention_viz.tokens import MAX_CHARACTERS, MAX_TOKENS
from attention_viz.ui.upload import MAX_MEGABYTES

ROOT = Path(__file__).parents[2]
SERVING = " ".join((ROOT / "SERVING.md").read_text("utf-8").split())
CONFIGURATION = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))


def test_the_limits_are_those_of_the_code():
    words = f"sentences of {MAX_CHARACTERS:,} characters and {MAX_TOKENS} tokens, files of "
    assert f"{words}{MAX_MEGABYTES} MB" in SERVING


def test_the_version_of_torch_is_the_pinned_one():
    pinned = re.search(r"^torch==(\S+)$", (ROOT / "requirements.txt").read_text("utf-8"), re.M)
    assert f"torch=={pinned[1]}+cpu" in SERVING


def test_nginx_lets_the_largest_upload_through():
    example = (ROOT / "examples" / "nginx.conf").read_text("utf-8")
    allowed = int(re.search(r"client_max_body_size (\d+)m;", example)[1])
    assert allowed > CONFIGURATION["server"]["maxUploadSize"] >= MAX_MEGABYTES


def test_the_image_gets_what_the_app_needs_and_it_is_not_ignored():
    copied = re.findall(r"^COPY (\S+) ", (ROOT / "Dockerfile").read_text("utf-8"), re.M)
    allowed = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.M)
    assert sorted(copied) == sorted(allowed)
    assert all((ROOT / name).exists() for name in copied)

"""The command app: what it starts, and what it refuses in one sentence."""

import socket
import sys

import pytest

from attention_viz.assets import find
from attention_viz.cli import app, main


@pytest.fixture
def started(monkeypatch):
    """The commands that would have taken the place of the process."""
    commands = []
    monkeypatch.setattr(app, "_become", commands.append)
    return commands


STREAMLIT = [sys.executable, "-m", "streamlit", "run", str(find("app.py"))]


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ([], ["--"]),
        (["--address", "0.0.0.0"], ["--server.address", "0.0.0.0", "--"]),  # noqa: S104 - asked
        (["--models", "local,hub"], ["--", "--models", "local,hub"]),
    ],
)
def test_it_starts_the_shipped_app(started, asked, options):
    assert main(["app", *asked]) == 0
    assert started == [[*STREAMLIT, *options]]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (["--port", "65536"], "port must be in 1 … 65535; got 65536."),
        (["--address", ""], "address must be a name or numbers such as 0.0.0.0; got ''."),
        (
            ["--address", "\udc80"],
            "address must be a name or numbers such as 0.0.0.0; got '\\udc80'.",
        ),
        (["--models", "local,web"], "models must be of local,hub; got 'web'."),
    ],
)
def test_what_is_asked_wrongly(started, capsys, asked, sentence):
    assert main(["app", *asked]) == 2
    assert capsys.readouterr().err == f"attention_viz: {sentence}\n"
    assert not started


def test_a_port_that_is_taken(started):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(SystemExit, match=rf"^attention_viz: port {port} of .* give another\.$"):
            main(["app", "--port", str(port)])
    assert main(["app", "--port", str(port)]) == 0
    assert started == [[*STREAMLIT, "--server.port", str(port), "--"]]


def test_an_address_of_another_machine(started):
    with pytest.raises(SystemExit, match=r"8\.8\.8\.8 is taken or not of this machine"):
        main(["app", "--address", "8.8.8.8"])
    assert not started

"""The command app: the pages, served with the shipped configuration from any folder."""

import argparse
import os
import socket
import subprocess
import sys
import tomllib
from typing import Any, Final, NoReturn

from attention_viz.assets import find
from attention_viz.errors import SettingError, check_whole
from attention_viz.models import SOURCES

_EXAMPLE: Final = "example: python -m attention_viz app --port 8600 --models local,hub"
_LAST_PORT: Final = 65535


def add_to(commands: Any) -> None:
    """Add the command to the parser's."""
    app = commands.add_parser("app", help="open the pages in a browser", epilog=_EXAMPLE)
    app.add_argument("--port", type=int, metavar="N", help="(default: 8501, or the next free one)")
    app.add_argument(
        "--address", metavar="A", help="who may come: 0.0.0.0 for all (default: this machine only)"
    )
    app.add_argument(
        "--models",
        default="",
        metavar="FROM",
        help=f"where pages may find language models: {','.join(SOURCES)} (default: none of them)",
    )
    app.set_defaults(run=run_app)


def run_app(chosen: argparse.Namespace) -> NoReturn:
    """Become the server, which ends as any server does: by Ctrl-C."""
    options = []
    if chosen.port is not None:
        check_whole("port", chosen.port, 1, _LAST_PORT)
        options += ["--server.port", str(chosen.port)]
    if chosen.address is not None:
        _check_address(chosen.address)
        options += ["--server.address", chosen.address]
    pages = _models(chosen.models)
    _try_to_listen(chosen.address or _usual_address(), chosen.port or 0)
    # Streamlit reads the configuration beside the file that it runs, whatever folder this is.
    _become([sys.executable, "-m", "streamlit", "run", str(find("app.py")), *options, "--", *pages])


def _check_address(address: str) -> None:
    """Refuse what is no address; the empty one would mean all of them."""
    try:
        is_one = bool(address.encode("idna"))
    except UnicodeError:
        is_one = False
    if not is_one:
        raise SettingError(
            f"address must be a name or numbers such as 0.0.0.0; got {address!a:.40}."
        )


def _models(names: str) -> list[str]:
    for name in names.split(",") if names else ():
        if name not in SOURCES:
            raise SettingError(f"models must be of {','.join(SOURCES)}; got {name[:40]!r}.")
    return ["--models", names] if names else []


def _usual_address() -> str:
    configuration = tomllib.loads(find(".streamlit/config.toml").read_text("utf-8"))
    return str(configuration["server"]["address"])


def _try_to_listen(address: str, port: int) -> None:
    """End with one sentence, where the server would with its log; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except OSError:
        place = f"port {port} of {address:.40}" if port else f"{address:.40}"
        sys.exit(f"attention_viz: {place} is taken or not of this machine; give another.")


def _become(command: list[str]) -> NoReturn:
    """Run a command in place of this process, so that what ends this one ends the server."""
    if sys.platform == "win32":  # has no such thing, and would go back to the shell
        sys.exit(subprocess.call(command))  # noqa: S603 - our own words, and no shell
    os.execv(command[0], command)  # noqa: S606 - the same

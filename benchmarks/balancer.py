"""nginx with the project's own example, in front of servers on this machine."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import harness
from machine import free_port, wait_until_healthy

EXAMPLE: Final = harness.ROOT / "examples" / "nginx.conf"
_PORTS: Final = {"one": ":8501", "two": ":8502"}  # of the servers, as the example has them
_LISTEN: Final = "listen 80;"
# What a system's own nginx.conf says around a file of conf.d, for a process of one's own.
_AROUND: Final = """\
daemon off;
pid {folder}/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/example.conf;
}}
"""


@contextmanager
def balance(ports: Mapping[str, int]) -> Iterator[str]:
    """The address in front of the servers, which have the names of the example.

    Raises:
        FileNotFoundError: nginx is not installed.
    """
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise FileNotFoundError("nginx is missing: apt-get install nginx-light")
    port = free_port()
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # nginx's workers are another user's when root starts it
        (folder / "example.conf").write_text(_filled(ports, port))
        (folder / "nginx.conf").write_text(_AROUND.format(folder=folder))
        command = [program, "-p", name, "-c", folder / "nginx.conf", "-e", folder / "errors"]
        process = subprocess.Popen(command)
        try:
            wait_until_healthy(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _filled(ports: Mapping[str, int], listen: int) -> str:
    """The example with the ports of this run."""
    text = EXAMPLE.read_text("utf-8")
    changes = {_PORTS[name]: f":{port}" for name, port in ports.items()}
    for old, new in {_LISTEN: f"listen 127.0.0.1:{listen};", **changes}.items():
        assert old in text, f"{EXAMPLE.name} no longer has {old}"
        text = text.replace(old, new)
    return text

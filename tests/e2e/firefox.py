#!/usr/bin/env python3
"""Debian's Firefox as Playwright expects it: a relay of WebDriver BiDi, started in its place.

Playwright asks each new page for a colour scheme, which the Firefox of Debian has no command for,
and gives up. The relay answers that one command itself, and hands on everything else.
"""

import asyncio
import json
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

ANNOUNCED = "WebDriver BiDi listening on "
UNKNOWN = "emulation.setMediaFeaturesOverride"


async def main():
    firefox = await asyncio.create_subprocess_exec(
        "firefox-esr", *sys.argv[1:], stderr=asyncio.subprocess.PIPE
    )
    async for line in firefox.stderr:
        _, announced, address = line.decode().strip().partition(ANNOUNCED)
        if announced:
            break
    else:
        sys.exit("Firefox ended before it listened.")
    async with serve(
        lambda client: relay(client, address), "127.0.0.1", 0, max_size=None
    ) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"{ANNOUNCED}ws://127.0.0.1:{port}", file=sys.stderr, flush=True)  # noqa: T201
        await firefox.communicate()


async def relay(client, address):
    async with connect(address + client.request.path, max_size=None) as browser:
        await asyncio.gather(ask(client, browser), answer(browser, client))


async def ask(client, browser):
    async for message in client:
        command = json.loads(message)
        if command["method"] == UNKNOWN:
            done = {"type": "success", "id": command["id"], "result": {}}
            await client.send(json.dumps(done))
        else:
            await browser.send(message)


async def answer(browser, client):
    async for message in browser:
        await client.send(message)


if __name__ == "__main__":
    asyncio.run(main())

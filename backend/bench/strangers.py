"""Attacks of strangers for `limits.py`: connections that nobody has logged in on.

Each holds its connections open, and opens again what was ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from limits import Phase, Site

_AGAIN_SECONDS = 1.0
_HEAD = b"GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\n"
_POST = (
    b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 10000\r\n\r\n{"
)
_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
_LINES = (b"X-Other: " + b"y" * 1000 + b"\r\n") * 50

Connection = Callable[["Connected"], Coroutine[Any, Any, None]]


class Connected:
    """A connection to the API."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, what: bytes) -> None:
        """Raises OSError where it is closed."""
        self._writer.write(what)
        await self._writer.drain()

    async def status(self) -> str:
        """The status of the answer; `closed` where there was none."""
        line = await self._reader.readline()
        return line.split()[1].decode() if line else "closed"


@asynccontextmanager
async def _connected(site: Site, address: str) -> AsyncIterator[Connected]:
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(address, 0))
    try:
        yield Connected(reader, writer)
    finally:
        writer.close()


async def _hold(
    site: Site, phase: Phase, what: str, count: int, addresses: int, use: Connection
) -> None:
    """As many connections as `count`, each used, its answer awaited, and opened again."""

    async def hold(number: int) -> None:
        address = f"127.0.0.{10 + number % addresses}"
        while True:
            try:
                async with _connected(site, address) as connection:
                    using = asyncio.create_task(use(connection))
                    try:
                        answer = await connection.status()
                    finally:
                        using.cancel()
            except OSError:
                answer = "reset"
            phase.answers[f"{what} {answer}"] += 1
            await asyncio.sleep(_AGAIN_SECONDS)

    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(hold(number))


async def _half_head(connection: Connected) -> None:
    await connection.send(_HEAD)


async def _drip(connection: Connected) -> None:
    await connection.send(_POST)
    while True:
        await asyncio.sleep(1)
        await connection.send(b" ")


async def _endless(connection: Connected) -> None:
    await connection.send(_HEAD)
    while True:
        await connection.send(_LINES)


async def half_heads(addresses: int, site: Site, phase: Phase) -> None:
    """Heads that never end."""
    await _hold(site, phase, "half head", 2500, addresses, _half_head)


async def dripping_bodies(addresses: int, site: Site, phase: Phase) -> None:
    """Bodies of which a byte comes each second."""
    await _hold(site, phase, "drip", 2500, addresses, _drip)


async def endless_headers(addresses: int, site: Site, phase: Phase) -> None:
    """Headers without end, as fast as they are taken."""
    await _hold(site, phase, "endless headers", 20, addresses, _endless)


async def bursts(addresses: int, site: Site, phase: Phase) -> None:
    """A thousand connections at the same moment, each with a whole request."""

    async def ask(number: int) -> None:
        try:
            async with _connected(site, f"127.0.0.{10 + number % addresses}") as connection:
                await connection.send(_HEALTH)
                answer = await connection.status()
        except OSError:
            answer = "reset"
        phase.answers[f"burst {answer}"] += 1

    while True:
        async with asyncio.TaskGroup() as burst:
            for number in range(1000):
                burst.create_task(ask(number))
        await asyncio.sleep(_AGAIN_SECONDS)


_KINDS = {
    "2,500 half heads": half_heads,
    "2,500 bodies that drip": dripping_bodies,
    "endless headers": endless_headers,
    "bursts of 1,000 connections": bursts,
}


def attacks() -> dict[str, tuple[Callable[[Site, Phase], Coroutine[Any, Any, None]], ...]]:
    """Each alone and all together, from one address and from twenty; as `limits.ATTACKS`."""
    found = {}
    for addresses, where in ((1, "one address"), (20, "20 addresses")):
        for what, attack in _KINDS.items():
            found[f"beside {what} from {where}"] = (partial(attack, addresses),)
        together = tuple(partial(attack, addresses) for attack in _KINDS.values())
        found[f"beside all four from {where}"] = together
    return found

"""What connections take of the memory of a process, and that they give it back."""

import gc
import socket
import struct
import weakref
from collections.abc import Iterator

import pytest

from podmeter.stack import open_files
from podmeter_api.connection_limits import SHORT_PIECE_BYTES as FREE
from podmeter_api.connection_places import Connections

from .limited_site import CHUNKED, HALF, PLACES, STREAM, WHOLE, Site, is_refused, run, until

#: Close with a reset.
NO_LINGER = struct.pack("ii", 1, 0)


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """The collector of garbage may come late: nothing is left for it."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("sent", [WHOLE, STREAM, STREAM + WHOLE, HALF])
def test_nothing_is_kept_of_a_connection_that_its_client_resets(sent: bytes) -> None:
    async def body(site: Site) -> None:
        client = await site.client(sent)
        if sent == HALF:
            await until(lambda: bool(site.connections.open) and site.protocol._bytes > 0)
        else:
            await client.reader.readuntil(b"\r\n\r\n")
        kept = weakref.ref(site.protocol)
        peer = client.writer.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        client.writer.transport.abort()
        await until(lambda: kept() is None)

    run(body)


def test_nothing_is_kept_of_a_connection_that_waited_in_vain() -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF) for _ in range(PLACES)]
        await site.client(WHOLE)
        await until(lambda: any(one._held for one in site.protocols))
        (waiting,) = (one for one in site.protocols if one._held)
        kept = weakref.ref(waiting)
        waiting._refuse_place()
        assert waiting._held == b""
        del waiting
        await until(lambda: kept() is None)

    run(body)


def padded(size: int) -> bytes:
    """A whole request of so many bytes."""
    return (HALF + b"X-Other: ").ljust(size - 4, b"y") + b"\r\n\r\n"


def test_what_waits_is_bounded_in_the_sum_of_all_addresses() -> None:
    async def body(site: Site) -> None:
        addresses = ("127.0.0.2", "127.0.0.3")
        half = [await site.client(HALF, one) for one in addresses for _ in range(PLACES)]
        waiting = [await site.client(padded(1000), one) for one in addresses]
        await until(lambda: site.connections.waiting_bytes.used == 2000)
        assert is_refused(await (await site.client(padded(1000), addresses[0])).answer(), 429)
        await site.client(padded(500), addresses[1])
        await until(lambda: site.connections.waiting_bytes.used == 2500)
        for one in half:
            one.writer.write(b"\r\n")
        assert [(await one.answer())[0] for one in waiting] == [200, 200]
        await until(lambda: site.connections.waiting_bytes.used == 0)

    run(body, held=2500)


def test_nothing_counts_as_held_of_who_is_gone() -> None:
    async def body(site: Site) -> None:
        clients = [await site.client(HALF) for _ in range(PLACES)]
        clients.append(await site.client(WHOLE))
        await until(lambda: site.connections.waiting_bytes.used == len(WHOLE))
        for one in reversed(clients):
            one.writer.transport.abort()
        await until(lambda: not site.connections.open)
        assert site.connections.waiting_bytes.used == 0

    run(body)


@pytest.mark.parametrize(("size", "is_held"), [(1000, True), (20_000, False)])
def test_only_a_short_piece_is_held_beside_an_answer_where_much_is_held(
    size: int, is_held: bool
) -> None:
    async def body(site: Site) -> None:
        client = await site.client(STREAM)
        await client.reader.readuntil(b"first")
        client.writer.write(padded(size))
        await until(lambda: bool(site.protocol._held) or not site.protocol.cycle.keep_alive)
        assert bool(site.protocol._held) == is_held == site.protocol.cycle.keep_alive
        assert site.connections.early_bytes.used == 0
        site.over.set()
        await client.reader.readuntil(b"4\r\nlast\r\n0\r\n\r\n")
        if is_held:
            assert (await client.answer())[0] == 200
        else:
            assert await client.is_closed()

    run(body, held=100)


def test_long_heads_are_bounded_in_the_sum_of_all_addresses() -> None:
    """64 KiB of each of thousands of connections had no sum."""

    async def body(site: Site) -> None:
        half = await site.client(padded(40_000)[:-2])
        await until(lambda: site.connections.head_bytes.used == 39_998 - FREE)
        # A whole head and a half one; a short one costs nothing.
        other = "127.0.0.3"
        assert is_refused(await (await site.client(padded(40_000), other)).answer(), 503)
        assert is_refused(await (await site.client(padded(40_000)[:-2], other)).answer(), 503)
        assert (await (await site.client(padded(FREE), other)).answer())[0] == 200
        half.writer.write(b"\r\n")
        assert (await half.answer())[0] == 200

    run(body, held=40_000)


def test_a_long_head_counts_until_the_next_one_of_its_connection_is_complete() -> None:
    """The server keeps both meanwhile."""

    async def body(site: Site) -> None:
        client = await site.client(padded(40_000))
        assert (await client.answer())[0] == 200
        assert site.connections.head_bytes.used == 40_000 - FREE
        client.writer.write(padded(30_000)[:-2])
        await until(lambda: site.connections.head_bytes.used == 69_998 - 2 * FREE)
        client.writer.write(b"\r\n")
        assert (await client.answer())[0] == 200
        assert site.connections.head_bytes.used == 30_000 - FREE
        client.writer.write(padded(41_000)[:-2])
        assert is_refused(await client.answer(), 503)
        await until(lambda: site.connections.head_bytes.used == 0)

    run(body, held=37_300)


def test_headers_behind_bodies_are_bounded_in_the_sum_of_all_addresses() -> None:
    """Heads counted alone, and the parser keeps a header behind a body until it is complete."""

    async def body(site: Site) -> None:
        trailer = b"0\r\nX-Other: ".ljust(40_000, b"y")
        client = await site.client(CHUNKED + b"2\r\n{}\r\n")
        await until(lambda: bool(site.connections.open) and site.protocol.cycle is not None)
        client.writer.write(trailer)
        await until(lambda: site.connections.head_bytes.used == 40_000 - FREE)
        other = await site.client(CHUNKED + b"2\r\n{}\r\n" + trailer, "127.0.0.3")
        assert is_refused(await other.answer(), 503)
        client.writer.write(b"\r\n\r\n")
        assert (await client.answer())[0] == 200
        assert site.connections.head_bytes.used == 0

    run(body, held=30_000)


def test_what_waits_and_what_is_served_share_no_memory() -> None:
    """Three addresses whose connections waited had everyone's long heads refused."""

    async def body(site: Site) -> None:
        long, other = padded(FREE + 2000), "127.0.0.3"
        half = [await site.client(HALF) for _ in range(PLACES)]
        waiting = [await site.client(padded(1000)) for _ in range(2)]
        await until(lambda: site.connections.waiting_bytes.used == 2000)
        early = await site.client(STREAM, other)
        await early.reader.readuntil(b"first")
        early.writer.write(long)
        await until(lambda: site.connections.early_bytes.used == 2000)
        served = await site.client(long, other)
        assert (await served.answer())[0] == 200
        assert site.connections.head_bytes.used == 2000
        # Nor do long heads cost those that wait.
        waiting.append(await site.client(padded(400)))
        await until(lambda: site.connections.waiting_bytes.used == 2400)
        for client in half:
            client.writer.write(b"\r\n")
        assert [(await client.answer())[0] for client in waiting] == [200] * 3
        assert site.connections.waiting_bytes.used == 0
        served.writer.transport.abort()
        # What comes early is a long head, too, once its turn comes.
        await until(lambda: site.connections.head_bytes.used == 0)
        site.over.set()
        await early.reader.readuntil(b"4\r\nlast\r\n0\r\n\r\n")
        assert (await early.answer())[0] == 200
        assert site.connections.early_bytes.used == 0

    run(body, held=2500)


def test_a_long_head_counts_until_its_connection_ends() -> None:
    async def body(site: Site) -> None:
        client = await site.client(padded(40_000).replace(b"/who", b"/stream"))
        await client.reader.readuntil(b"first")
        assert site.connections.head_bytes.used >= 40_000 - FREE
        client.writer.transport.abort()
        await until(lambda: not site.connections.open)
        assert site.connections.head_bytes.used == 0

    run(body)


def test_connections_are_bounded_whatever_the_limit_of_open_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_files, "limit", lambda: 1 << 20)
    assert Connections(PLACES).most == 20_000
    monkeypatch.setattr(open_files, "limit", lambda: 1024)
    assert Connections(PLACES).most == 1024 - 128

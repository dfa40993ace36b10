"""A connection has one request at a time: what of the next one comes before its answer."""

import asyncio
import socket

import pytest

from .limited_site import (
    CHUNKED,
    ENDS_LATE,
    HALF,
    POST,
    STREAM,
    WHOLE,
    Client,
    Site,
    run,
    until,
)

#: How the body of a stream ends.
END = b"4\r\nlast\r\n0\r\n\r\n"
UPGRADE = HALF + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"


async def beside_a_stream(site: Site, sent: bytes) -> Client:
    """A client that has sent more, while its answer goes out."""
    client = await site.client(STREAM)
    await client.reader.readuntil(b"first")
    client.writer.write(sent)
    await until(lambda: site.protocol.flow.read_paused)
    return client


@pytest.mark.parametrize(
    "behind", [WHOLE, WHOLE * 1000, HALF, POST, b"\0\0", CHUNKED + b"nothing\r\n"]
)
def test_what_comes_together_with_a_request_ends_the_connection_behind_its_answer(
    behind: bytes,
) -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE + behind)
        status, headers, _ = await client.answer()
        assert (status, headers["connection"]) == (200, "close")
        assert await client.is_closed()

        client = await site.client(STREAM + behind)
        assert b"connection: close" in await client.reader.readuntil(b"first")
        site.over.set()
        assert (await client.reader.read()).endswith(END)

    run(body)


def test_what_comes_with_the_end_of_a_body_ends_the_connection_too() -> None:
    async def body(site: Site) -> None:
        client = await site.client(POST)
        await until(lambda: bool(site.connections.open) and site.protocol.cycle is not None)
        client.writer.write(b"x" * 1000 + WHOLE)
        status, headers, _ = await client.answer()
        assert (status, headers["connection"]) == (200, "close")
        assert await client.is_closed()

    run(body)


def test_2000_requests_one_after_the_other_are_answered_in_one_connection() -> None:
    def ask(port: int) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            for _ in range(2000):
                client.sendall(WHOLE)
                answer = b""
                while not answer.endswith(b"}"):
                    piece = client.recv(65536)
                    assert piece, answer
                    answer += piece
                assert answer.startswith(b"HTTP/1.1 200 ")
                assert b"connection: close" not in answer

    async def body(site: Site) -> None:
        await asyncio.to_thread(ask, site.port)

    run(body)


@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
def test_a_request_behind_an_answer_that_the_application_ends_later_is_served(
    method: bytes,
) -> None:
    async def body(site: Site) -> None:
        client = await site.client(ENDS_LATE.replace(b"GET", method))
        await client.reader.readuntil(b"\r\n\r\n" if method == b"HEAD" else b"all")
        client.writer.write(WHOLE)
        await until(lambda: site.protocol.flow.read_paused)
        site.over.set()
        status, headers, _ = await client.answer()
        assert (status, "connection" in headers) == (200, False)

    run(body)


def test_a_half_head_beside_an_answer_is_read_behind_it_and_has_its_time_then() -> None:
    async def body(site: Site) -> None:
        client = await beside_a_stream(site, HALF)
        assert site.protocol._timer is None
        site.over.set()
        await client.reader.readuntil(END)
        await until(lambda: site.protocol._timer is not None)
        client.writer.write(b"\r\n")
        assert (await client.answer())[0] == 200

    run(body)


def test_only_one_piece_is_kept_beside_an_answer() -> None:
    async def body(site: Site) -> None:
        client = await beside_a_stream(site, WHOLE)
        site.protocol.flow.resume_reading()  # as an application that asks for more of the body
        client.writer.write(WHOLE)
        await until(lambda: not site.protocol.cycle.keep_alive)
        assert site.protocol._held == b""
        client.writer.write(b"x" * 1_000_000)
        await client.writer.drain()
        site.over.set()
        assert (await client.reader.read()).endswith(END)

    run(body)


def test_a_connection_goes_on_in_http_1_behind_a_request_for_another_protocol() -> None:
    async def body(site: Site) -> None:
        client = await site.client(UPGRADE)
        for _ in range(2):
            status, headers, _ = await client.answer()
            assert (status, "connection" in headers) == (200, False)
            client.writer.write(UPGRADE)
        assert (await client.answer())[0] == 200
        client.writer.write(UPGRADE + b"PRI * HTTP/2.0")
        status, headers, _ = await client.answer()
        assert (status, headers["connection"]) == (200, "close")
        assert await client.is_closed()

    run(body)


@pytest.mark.parametrize("behind", [b"", WHOLE])
def test_the_stream_of_a_client_that_left_ends(behind: bytes) -> None:
    async def body(site: Site) -> None:
        client = await site.client(STREAM + behind)
        await client.reader.readuntil(b"first")
        client.writer.close()
        await site.ended.wait()

    run(body)

"""Requests of one connection that come before the ones before them are answered."""

import pytest

from podmeter_api.connection_limits import MAX_HEAD_BYTES, MAX_QUEUED

from .limited_site import CHUNKED, HALF, POST, SHORT, STREAM, WHOLE, Client, Site, run, until

#: By a single byte: where more follows that is not read, the kernel resets and an answer is lost.
LARGE_HEAD = (HALF + b"X-Other: ").ljust(MAX_HEAD_BYTES - 3, b"y") + b"\r\n\r\n"
#: How the body of a stream ends.
END = b"4\r\nlast\r\n0\r\n\r\n"


def statuses(answers: list[bytes]) -> list[str]:
    return [one.split(maxsplit=1)[0].decode() for one in answers]


async def queued(site: Site, number: int) -> Client:
    """A client whose requests wait for the end of a stream."""
    client = await site.client(STREAM + WHOLE * number)
    await client.reader.readuntil(b"first")
    await until(lambda: len(site.protocol.pipeline) == number)
    return client


def test_what_is_queued_is_answered_in_turn() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE + POST + b"x" * 1000 + WHOLE)
        assert [(await client.answer())[0] for _ in range(3)] == [200, 200, 200]
        client.writer.write(WHOLE)
        assert (await client.answer())[0] == 200

    run(body)


def test_more_than_may_be_queued_is_refused_behind_the_answers() -> None:
    async def body(site: Site) -> None:
        client = await site.client(STREAM + WHOLE * 1000)
        await client.reader.readuntil(b"first")
        await until(lambda: bool(site.protocol.pipeline))
        assert len(site.protocol.pipeline) <= MAX_QUEUED
        site.over.set()
        answers = await client.all_answers()
        assert statuses(answers) == ["200"] * MAX_QUEUED + ["429"]

    run(body)


def test_nothing_is_read_while_a_request_is_queued() -> None:
    async def body(site: Site) -> None:
        client = await queued(site, 2)
        flow = site.protocol.flow
        await site.protocol.cycle.receive()  # as an application that waits for the end does
        assert flow.read_paused
        site.over.set()
        await client.reader.readuntil(END)
        assert [(await client.answer())[0] for _ in range(2)] == [200, 200]
        await until(lambda: not flow.read_paused)

    run(body)


def test_no_time_counts_while_a_request_is_queued() -> None:
    async def body(site: Site) -> None:
        client = await site.client(STREAM + POST)
        await client.reader.readuntil(b"first")
        await until(lambda: bool(site.protocol.pipeline))
        assert site.protocol._timer is None
        site.over.set()
        await client.reader.readuntil(END)
        await until(lambda: site.protocol._timer is not None)
        client.writer.write(b"x" * 1000)
        assert (await client.answer())[0] == 200

    run(body)


@pytest.mark.parametrize(
    ("sent", "status"),
    [(LARGE_HEAD, "431"), (b"\0\0", "400"), (CHUNKED + b"nothing\r\n", "400"), (HALF, "408")],
)
@pytest.mark.parametrize("is_together", [True, False])
def test_a_refusal_waits_for_the_answer_before_it(
    sent: bytes, status: str, *, is_together: bool
) -> None:
    async def body(site: Site) -> None:
        client = await site.client(STREAM + sent if is_together else STREAM)
        await client.reader.readuntil(b"first")
        if not is_together:
            client.writer.write(sent)
        await until(lambda: site.protocol._last is not None)
        site.over.set()
        everything = await client.reader.read()
        before, end, behind = everything.partition(END)
        assert end
        assert b"HTTP" not in before
        assert behind.startswith(f"HTTP/1.1 {status} ".encode())
        assert behind.count(b"HTTP/1.1") == 1

    run(body, head=SHORT if status == "408" else 600)


def test_a_large_head_behind_another_request_is_refused() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE + LARGE_HEAD)
        assert statuses(await client.all_answers()) == ["200", "431"]

    run(body)


def test_a_head_that_drips_behind_another_request_is_told_so() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE + HALF)
        assert statuses(await client.all_answers()) == ["200", "408"]

    run(body, head=SHORT)


@pytest.mark.parametrize("behind", [b"", WHOLE])
def test_the_stream_of_a_client_that_left_ends(behind: bytes) -> None:
    async def body(site: Site) -> None:
        client = await site.client(STREAM + behind)
        await client.reader.readuntil(b"first")
        client.writer.close()
        await site.ended.wait()

    run(body)

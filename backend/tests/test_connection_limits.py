"""What strangers may take of a server before it has read who they are."""

import asyncio
import json

import pytest

from podmeter_api.connection_limits import LimitedHttp
from podmeter_api.connection_refusals import MAX_HEAD_BYTES, MAX_HEADERS

from .limited_site import (
    CHUNKED,
    HALF,
    PLACES,
    POST,
    PROXY,
    SHORT,
    WHOLE,
    Site,
    is_refused,
    run,
    until,
)


def test_headers_without_end_are_refused_at_64_kib() -> None:
    async def body(site: Site) -> None:
        client = await site.client(HALF)
        line = b"X-Other: " + b"y" * 1000 + b"\r\n"
        for _ in range(70):
            client.writer.write(line)
        assert is_refused(await client.answer(), 431)

    run(body)


def test_one_header_without_end_is_refused_and_so_is_a_url() -> None:
    async def body(site: Site) -> None:
        for start in (HALF + b"X-Other: ", b"GET /who?"):
            client = await site.client(start + b"y" * 70_000)
            assert is_refused(await client.answer(), 431)

    run(body)


def test_a_request_has_100_headers_at_most() -> None:
    async def body(site: Site) -> None:
        most = HALF + b"a: b\r\n" * (MAX_HEADERS - 1)
        assert (await (await site.client(most + b"\r\n")).answer())[0] == 200
        answer = await (await site.client(most + b"a: b\r\n\r\n")).answer()
        assert is_refused(answer, 431)
        assert "more than 100 headers" in json.loads(answer[2])["detail"]

    run(body)


def test_a_head_that_comes_at_once_has_64_kib_at_most() -> None:
    async def body(site: Site) -> None:
        for size, status in ((MAX_HEAD_BYTES, 200), (MAX_HEAD_BYTES + 1, 431)):
            head = (HALF + b"X-Other: ").ljust(size - 4, b"y") + b"\r\n\r\n"
            assert (await (await site.client(head)).answer())[0] == status

    run(body)


@pytest.mark.parametrize("start", [b"0\r\nX-Other: ", b"0\r\n" + b"a: b\r\n" * 9000, b"0;name="])
def test_what_is_no_body_behind_a_body_is_refused_at_64_kib(start: bytes) -> None:
    async def body(site: Site) -> None:
        client = await site.client(CHUNKED + b"2\r\n{}\r\n")
        await until(lambda: bool(site.connections.open) and site.protocol.cycle is not None)
        client.writer.write(start.ljust(MAX_HEAD_BYTES + 1, b"y"))
        assert is_refused(await client.answer(), 431)

    run(body)


def test_what_comes_in_one_piece_with_the_end_of_a_body_is_refused_at_64_kib_too() -> None:
    """Only later pieces counted. uvloop reads 250 KB at once, as they come."""
    header = b"X-Other: ".ljust(200_000, b"y")

    async def body(site: Site) -> None:
        client = await site.client(CHUNKED)
        await until(lambda: bool(site.connections.open) and site.protocol.cycle is not None)
        site.protocol.data_received(b"2\r\n{}\r\n0\r\n" + header)
        assert is_refused(await client.answer(), 431)
        await until(lambda: not site.connections.open)
        # Here the body ends behind its answer.
        client = await site.client(WHOLE.replace(b"\r\n\r\n", b"\r\nContent-Length: 2\r\n\r\n"))
        assert (await client.answer())[0] == 200
        site.protocol.data_received(b"{}" + HALF + header)
        assert is_refused(await client.answer(), 431)

    run(body)


def test_a_header_behind_a_body_is_none() -> None:
    async def body(site: Site) -> None:
        names = CHUNKED.replace(b"/body", b"/names/")
        client = await site.client(names + b"2\r\n{}\r\n0\r\nX-Other: y\r\n\r\n")
        status, _, document = await client.answer()
        assert (status, json.loads(document)) == (200, ["host", "transfer-encoding"])

    run(body)


@pytest.mark.parametrize(("start", "more"), [(HALF, b"x"), (POST, b"x"), (b"\r\n", b"\r\n")])
def test_what_drips_has_a_deadline_that_no_byte_puts_off(start: bytes, more: bytes) -> None:
    async def body(site: Site) -> None:
        client = await site.client(start)
        await site.shorten_deadline()
        dripping = asyncio.create_task(client.drip(more))
        answer = await client.answer()
        dripping.cancel()
        assert is_refused(answer, 408)
        assert await client.is_closed()

    run(body)


def test_who_says_nothing_is_closed_without_a_word() -> None:
    async def body(site: Site) -> None:
        assert await (await site.client(b"")).is_closed()

    run(body, head=SHORT)


def test_a_second_request_of_a_connection_has_a_deadline_too() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE)
        assert (await client.answer())[0] == 200
        await until(lambda: site.protocol.is_idle)
        assert site.protocol._timer is None  # how long it rests between them is another limit
        client.writer.write(HALF)
        await site.shorten_deadline()
        assert is_refused(await client.answer(), 408)

    run(body)


def test_a_body_that_drips_behind_its_answer_ends_the_connection() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE.replace(b"\r\n\r\n", b"\r\nContent-Length: 1000\r\n\r\n"))
        assert (await client.answer())[0] == 200
        await site.shorten_deadline()
        dripping = asyncio.create_task(client.drip())
        assert await client.is_closed()
        dripping.cancel()

    run(body)


def test_what_rests_between_two_requests_is_closed_and_nothing_else() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE)
        assert (await client.answer())[0] == 200
        client.writer.write(HALF)
        await until(lambda: not site.protocol.is_idle)
        site.protocol.timeout_keep_alive_handler()
        client.writer.write(b"\r\n")
        assert (await client.answer())[0] == 200
        site.protocol.timeout_keep_alive_handler()
        assert await client.is_closed()

    run(body)


def test_a_body_that_is_whole_behind_its_answer_leaves_the_connection_idle() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n"))
        assert (await client.answer())[0] == 200
        assert not site.protocol.is_idle
        client.writer.write(b"x" * 9)
        await until(lambda: site.protocol.is_idle)
        assert site.protocol.timeout_keep_alive_task is not None
        client.writer.write(WHOLE)
        assert (await client.answer())[0] == 200

    run(body)


def test_half_heads_of_an_address_leave_others_alone() -> None:
    async def body(site: Site) -> None:
        half = [await site.client(HALF) for _ in range(4 * PLACES)]
        assert (await (await site.client(WHOLE, "127.0.0.3")).answer())[0] == 200
        served, refused = half[:PLACES], half[PLACES:]
        assert [(await one.answer())[0] for one in refused] == [429] * (3 * PLACES)
        for one in served:
            one.writer.write(b"\r\n")
        assert [(await one.answer())[0] for one in served] == [200] * PLACES

    run(body, wait=SHORT)


def test_a_request_of_a_connection_that_closes_is_not_served() -> None:
    async def body(site: Site) -> None:
        first = await site.client(HALF)
        await until(lambda: site.connections.open == 1)
        served = site.protocol
        _ = [await site.client(HALF) for _ in range(PLACES - 1)]
        await until(lambda: site.connections.open == PLACES)
        closing, next_one = await site.client(WHOLE), await site.client(WHOLE)
        await until(lambda: sum(bool(one._held) for one in site.protocols) == 2)
        waiting = next(one for one in served._address._waiting if isinstance(one, LimitedHttp))
        # Both end at the same moment, and the first place is free before the second one is lost.
        served.transport.close()
        waiting.transport.close()
        assert await first.is_closed()
        assert await closing.is_closed()
        assert (await next_one.answer())[0] == 200
        assert waiting.cycle is None

    run(body)


def test_who_waits_in_vain_is_told_when_to_come_again() -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF) for _ in range(PLACES)]
        answer = await (await site.client(WHOLE)).answer()
        assert is_refused(answer, 429)
        assert int(answer[1]["retry-after"]) <= 30

    run(body, wait=SHORT)


def test_a_burst_waits_and_is_served() -> None:
    async def body(site: Site) -> None:
        burst = [await site.client(WHOLE) for _ in range(40 * PLACES)]
        assert {(await one.answer())[0] for one in burst} == {200}

    run(body)


def test_an_idle_connection_makes_room() -> None:
    async def body(site: Site) -> None:
        idle = [await site.client(WHOLE) for _ in range(PLACES)]
        for one in idle:
            assert (await one.answer())[0] == 200
        assert (await (await site.client(WHOLE)).answer())[0] == 200
        closing = [asyncio.create_task(one.is_closed()) for one in idle]
        closed, others = await asyncio.wait(closing, return_when=asyncio.FIRST_COMPLETED)
        assert [task.result() for task in closed] == [True]
        for task in others:
            task.cancel()

    run(body)


def test_an_answer_says_that_its_connection_makes_room() -> None:
    async def body(site: Site) -> None:
        half = [await site.client(HALF) for _ in range(PLACES)]
        waiting = await site.client(WHOLE)
        await until(lambda: site.connections.open == PLACES + 1)
        half[0].writer.write(b"\r\n")
        status, headers, _ = await half[0].answer()
        assert (status, headers["connection"]) == (200, "close")
        assert await half[0].is_closed()
        status, headers, _ = await waiting.answer()
        assert (status, "connection" in headers) == (200, False)

    run(body)


def test_who_waits_may_not_send_much() -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF) for _ in range(PLACES)]
        assert is_refused(await (await site.client(HALF + b"y" * 60_000)).answer(), 429)

    run(body)


def test_beyond_those_that_may_wait_an_address_is_refused_at_once() -> None:
    async def body(site: Site) -> None:
        served = [await site.client(HALF) for _ in range(PLACES)]
        waiting = [await site.client(WHOLE) for _ in range(5)]
        await until(lambda: site.connections.open == PLACES + 5)
        assert is_refused(await (await site.client(WHOLE)).answer(), 429)
        assert (await (await site.client(WHOLE, "127.0.0.3")).answer())[0] == 200
        for one in served:
            one.writer.write(b"\r\n")
        assert [(await one.answer())[0] for one in served + waiting] == [200] * (PLACES + 5)

    run(body, waiting=5)


def test_who_is_refused_and_says_nothing_is_one_of_few() -> None:
    async def body(site: Site) -> None:
        silent = [await site.client(b"") for _ in range(PLACES + 5 + 5)]
        await until(lambda: site.connections.open == len(silent))
        assert await (await site.client(b"")).is_closed()
        silent[-1].writer.write(WHOLE)
        assert is_refused(await silent[-1].answer(), 429)

    run(body, waiting=5)


def test_a_trusted_proxy_s_connections_do_not_count() -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF, PROXY) for _ in range(10 * PLACES)]
        assert (await (await site.client(WHOLE, PROXY)).answer())[0] == 200

    run(body)


def test_where_connections_run_out_a_crowd_gives_way(caplog: pytest.LogCaptureFixture) -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF) for _ in range(8)]
        for number in range(3, 6):
            assert (await (await site.client(WHOLE, f"127.0.0.{number}")).answer())[0] == 200
        assert site.connections.open <= 8

    run(body, most=8)
    (record,) = caplog.records
    assert record.message.startswith("connections are running out: 9 are open, ")


def test_where_everybody_has_one_connection_more_are_told_so() -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF, f"127.0.0.{number}") for number in range(2, 6)]
        answer = await (await site.client(WHOLE, "127.0.0.50")).answer()
        assert is_refused(answer, 503)
        assert answer[1]["retry-after"]
        await until(lambda: "127.0.0.50" not in site.connections._addresses)

    run(body, most=4)


def test_where_there_is_no_room_only_few_are_told_so() -> None:
    async def body(site: Site) -> None:
        silent = [await site.client(b"") for _ in range(200)]
        assert await silent[-1].is_closed()
        await until(lambda: site.connections.open < 100)

    run(body, most=4)


def test_nothing_is_kept_of_who_is_gone() -> None:
    async def body(site: Site) -> None:
        clients = [await site.client(HALF) for _ in range(3 * PLACES)]
        for one in clients:
            one.writer.close()
        await until(lambda: not site.connections.open)
        assert site.connections._addresses == {}

    run(body)


def test_a_connection_that_is_closed_after_a_fault_says_so() -> None:
    async def body(site: Site) -> None:
        client = await site.client(WHOLE.replace(b"/who", b"/fails"))
        assert is_refused(await client.answer(), 500)
        assert await client.is_closed()

    run(body)

"""Many at the same time: all of them, in order, or the first error. Answers read by hand."""

import threading
from io import BytesIO

import pytest

from podmeter_worker.kube.bulk import for_all, read_answer
from podmeter_worker.kube.pool import CONNECTIONS

NAMES = [f"n{number}" for number in range(3 * CONNECTIONS)]


def test_outcomes_are_in_the_order_of_their_names() -> None:
    assert for_all(str.upper, NAMES) == [name.upper() for name in NAMES]
    assert for_all(str.upper, []) == []


def test_every_connection_is_used_at_the_same_time() -> None:
    all_there = threading.Barrier(CONNECTIONS, timeout=10)
    for_all(lambda name: all_there.wait(), NAMES)


def test_the_first_error_ends_the_others() -> None:
    failed, begun = threading.Event(), []

    def one(name: str) -> None:
        begun.append(name)
        if name == NAMES[3]:
            failed.set()
            raise KeyError(name)
        assert failed.wait(10)

    with pytest.raises(KeyError, match=NAMES[3]):
        for_all(one, NAMES)
    assert len(begun) < len(NAMES)


def test_a_check_ends_them_all() -> None:
    begun: list[str] = []

    def check() -> None:
        if len(begun) >= 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        for_all(begun.append, NAMES, check)
    assert len(begun) < len(NAMES)


def test_an_answer_by_its_length_and_in_chunks_is_the_same() -> None:
    sized = b"HTTP/1.1 201 Created\r\nContent-Length: 5\r\nRetry-After: 3\r\n\r\nhello"
    chunked = (
        b"HTTP/1.1 201 Created\r\ntransfer-encoding: Chunked\r\nRETRY-AFTER:3\r\n\r\n"
        b"2\r\nhe\r\n3;last\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"
    )
    for told in (sized, chunked):
        reader = BytesIO(told + b"more")
        answer = read_answer(reader)
        assert (answer.status, answer.content) == (201, b"hello")
        assert answer.headers["retry-after"] == "3"
        assert reader.read() == b"more"


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a" * 100_000,
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"A%d: b\r\n" % number for number in range(200)),
    ],
)
def test_what_is_no_whole_answer_is_an_error(told: bytes) -> None:
    with pytest.raises(ValueError, match=r"answer|chunk|literal"):
        read_answer(BytesIO(told))

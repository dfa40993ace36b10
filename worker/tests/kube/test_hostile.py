"""API servers without an end, or without sense: what comes of each is an error, soon and small."""

import contextlib
import gzip
import json
import socket
import ssl
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from podmeter.domain.errors import (
    CommandTimeoutError,
    ConvergenceError,
    LabError,
    TruncatedOutputError,
)
from podmeter_worker.kube import client as client_module
from podmeter_worker.kube import exec as exec_module
from podmeter_worker.kube import exec_stream, limits, wait
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.bulk import BulkClient
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import (
    ApiRefusedError,
    ApiUnavailableError,
    MalformedAnswerError,
)
from podmeter_worker.kube.exec import run
from podmeter_worker.kube.wait import wait_until

from .api_server import make_certificate
from .hostile import CHUNKED, LOCAL, Script, answered, for_ever, frame, hostile, once, upgraded

pytestmark = pytest.mark.timeout(60)

Through = Callable[[KubeClient], KubeClient]
DRIP = 0.02
SECONDS = 0.4
LIST = b'{"items": [], "metadata": {"resourceVersion": "1", "continue": "more"}}'


@pytest.fixture(params=[lambda client: client, BulkClient], ids=["kubernetes", "bulk"])
def through(request: pytest.FixtureRequest) -> Through:
    chosen: Through = request.param
    return chosen


@contextmanager
def client_of(folder: Path, script: Script, seconds: float = SECONDS) -> Iterator[KubeClient]:
    with hostile(folder, script) as access, KubeClient(access, 0.0, seconds) as client:
        yield client


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 48 << 20
    finally:
        tracemalloc.stop()


#: What comes byte by byte, and never ends.
DRIPS = {
    "status line": for_ever(b" ", first=b"HTTP/1.1", pause=DRIP),
    "headers": for_ever(b"a: b\r\n", first=b"HTTP/1.1 200 OK\r\n", pause=DRIP),
    "body": for_ever(b" ", first=b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", pause=DRIP),
    "chunks": for_ever(b"1\r\n \r\n", first=CHUNKED, pause=DRIP),
    "trailers": for_ever(b"a: b\r\n", first=CHUNKED + b"2\r\n{}\r\n0\r\n", pause=DRIP),
    "continue": for_ever(b"HTTP/1.1 100 Continue\r\n\r\n", pause=DRIP),
    "refusal": for_ever(b" ", first=b"HTTP/1.1 403 No\r\nContent-Length: 99\r\n\r\n", pause=DRIP),
}
#: What comes as fast as it can, and never ends.
FLOODS = {
    "status line": for_ever(b" " * 9000, first=b"HTTP/1.1"),
    "header": for_ever(b"a" * 9000, first=b"HTTP/1.1 200 OK\r\na: "),
    "headers": for_ever(b"a: b\r\n" * 999, first=b"HTTP/1.1 200 OK\r\n"),
    "body": for_ever(b" " * 9000, first=b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
    "body to the end": for_ever(b" " * 9000, first=b"HTTP/1.1 200 OK\r\n\r\n"),
    "chunk": for_ever(b" " * 9000, first=CHUNKED + b"7FFFFFFF\r\n"),
    "chunk's length": for_ever(b"0" * 9000, first=CHUNKED),
    "chunks": for_ever(b"1000\r\n" + b" " * 4096 + b"\r\n", first=CHUNKED),
    "trailers": for_ever(b"a: b\r\n" * 999, first=CHUNKED + b"2\r\n{}\r\n0\r\n"),
    "continue": for_ever(b"HTTP/1.1 100 Continue\r\n\r\n" * 99),
    "error": for_ever(b" " * 9000, first=b"HTTP/1.1 500 No\r\nContent-Length: 99999999999\r\n\r\n"),
}


@pytest.mark.parametrize("kind", DRIPS)
def test_a_trickle_ends(through: Through, kind: str, tmp_path: Path) -> None:
    with client_of(tmp_path, DRIPS[kind]) as client, pytest.raises(ApiUnavailableError):
        through(client).get("/version")


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_ends(through: Through, kind: str, tmp_path: Path) -> None:
    with (
        little_memory(),
        client_of(tmp_path, FLOODS[kind], 30.0) as client,
        pytest.raises((ApiUnavailableError, ApiRefusedError)),
    ):
        through(client).get("/version")


def test_trying_again_ends_with_the_patience(tmp_path: Path) -> None:
    busy = answered(b"{}", "429 Busy", "Retry-After: 0")
    with (
        hostile(tmp_path, once(busy)) as access,
        KubeClient(access, SECONDS) as client,
        pytest.raises(ApiUnavailableError, match="429"),
    ):
        client.get("/version")


def test_all_that_is_asked_by_an_access_ends_with_it(tmp_path: Path) -> None:
    with client_of(tmp_path, DRIPS["body"], 60.0) as client:
        client.hurry(60.0, SECONDS)
        for ask in (client.get, BulkClient(client).get):
            with pytest.raises(ApiUnavailableError, match="timed out"):
                ask("/version")
        with pytest.raises(ApiUnavailableError, match="timed out"):
            run(client.access, "ns", "pod", ("true",), timeout_seconds=60)


def test_a_handshake_that_trickles_ends(tmp_path: Path) -> None:
    """By one byte after the other of a TLS record that announces 16 KB."""

    def drip(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            taken, _ = server.accept()
            taken.sendall(b"\x16\x03\x03\x3f\xff")
            for_ever(b"\x02", pause=DRIP)(cast("ssl.SSLSocket", taken), b"")

    kept = {"certificate_authority": make_certificate(("127.0.0.1",))[0], "token": "t"}
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        access = ClusterAccess(
            {**kept, "server": f"https://127.0.0.1:{server.getsockname()[1]}"}, LOCAL
        )
        with (
            KubeClient(access, 0.0, SECONDS) as client,
            pytest.raises(ApiUnavailableError, match="timed out"),
        ):
            client.get("/version")
        thread.join(30)
        assert not thread.is_alive()


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "passed"])
def test_a_list_without_an_end_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, kept: bool
) -> None:
    monkeypatch.setattr(client_module, "KEPT_BYTES", 100_000)
    monkeypatch.setattr(client_module, "PASSED_BYTES", 100_000)
    with (
        client_of(tmp_path, once(answered(LIST)), 30.0) as client,
        pytest.raises(ApiUnavailableError, match="too long"),
    ):
        client.list_all("/pods") if kept else list(client.each("/pods"))


PACKED = gzip.compress(b" " * (300 << 20))
PACKED_ANSWERS = {
    "whole": answered(PACKED, "200 OK", "Content-Encoding: gzip"),
    "chunked": CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
    + b"%x\r\n%b\r\n0\r\n\r\n" % (len(PACKED), PACKED),
    "transfer": CHUNKED.replace(b"chunked", b"gzip, chunked")
    + b"%x\r\n%b\r\n0\r\n\r\n" % (len(PACKED), PACKED),
    "refusal": answered(PACKED, "403 No", "Content-Encoding: gzip"),
    "error": answered(PACKED, "500 No", "Content-Encoding: gzip"),
    "deflate": answered(PACKED, "200 OK", "Content-Encoding: deflate, gzip"),
}


@pytest.mark.parametrize("kind", PACKED_ANSWERS)
def test_300_kb_of_gzip_stay_300_kb(through: Through, kind: str, tmp_path: Path) -> None:
    wrong = pytest.raises((ApiUnavailableError, ApiRefusedError))
    with client_of(tmp_path, once(PACKED_ANSWERS[kind]), 2.0) as client:
        client = through(client)
        with little_memory():
            for ask in (
                lambda: client.get("/version"),
                lambda: client.list_all("/pods"),
                lambda: client.create("/pods", {}),
                lambda: next(client.watch("/pods", "1", seconds=1)),
                lambda: run(client.access, "ns", "pod", ("true",), timeout_seconds=1),
            ):
                with wrong:
                    ask()


MALFORMED = {
    "HTML": b"<html><body>It works!</body></html>",
    "nothing": b"",
    "a list": b"[1, 2]",
    "a text": b'"Pod"',
    "null": b"null",
    "deep": b"[" * 100_000,
    "deep object": b'{"a":' * 100_000,
    "dense": b'{"items": [' + b"[]," * 4_000_000 + b"[]]}",
    "NaN": b'{"spec": NaN}',
    "infinite": b'{"spec": 1e999}',
    "digits": b'{"spec": ' + b"9" * 100_000 + b"}",
    "UTF-16": '{"kind": "Pod"}'.encode("utf-16"),
    "cut": b'{"kind": "Po',
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_what_is_no_object_is_the_clusters_fault(
    through: Through, kind: str, tmp_path: Path
) -> None:
    with client_of(tmp_path, once(answered(MALFORMED[kind])), 30.0) as client:
        client = through(client)
        with little_memory():
            for ask in (
                lambda: client.get("/version"),
                lambda: client.list_all("/pods"),
                lambda: client.create("/pods", {}),
                client.now,
            ):
                with pytest.raises(MalformedAnswerError):
                    ask()


def test_half_a_character_is_none(tmp_path: Path) -> None:
    said = rb'{"a": "\ud83d", "b": "\ud83d\ude00", "c\udead": 1}'
    with client_of(tmp_path, once(answered(said))) as client:
        found = client.get("/version")
    assert found == {"a": "?", "b": "\N{GRINNING FACE}", "c?": 1}
    json.dumps(found, ensure_ascii=False).encode()


PAGES: dict[str, Any] = {
    "no metadata": {"items": []},
    "metadata is a list": {"items": [], "metadata": []},
    "items is an object": {"items": {"a": 1}, "metadata": {"resourceVersion": "1"}},
    "items are texts": {"items": ["a"], "metadata": {"resourceVersion": "1"}},
    "version is a number": {"items": [], "metadata": {"resourceVersion": 1}},
    "continue is a list": {"items": [], "metadata": {"resourceVersion": "1", "continue": [1]}},
}


@pytest.mark.parametrize("kind", PAGES)
def test_what_is_no_list_is_the_clusters_fault(kind: str, tmp_path: Path) -> None:
    body = json.dumps(PAGES[kind]).encode()
    with client_of(tmp_path, once(answered(body))) as client:
        for ask in (client.list_all, client.count):
            if kind == "continue is a list" and ask == client.count:
                continue
            with pytest.raises(MalformedAnswerError):
                ask("/pods")


@pytest.mark.parametrize(
    "body",
    [
        {"details": ["x"], "message": {"a": 1}, "reason": [1]},
        {"details": "x", "message": "y" * 100_000, "reason": "z" * 100_000},
        {"details": {"retryAfterSeconds": "²"}, "message": 7},
    ],
)
@pytest.mark.parametrize("status", ["403 No", "429 Busy", "500 No"])
def test_an_odd_refusal_is_one(body: Any, status: str, tmp_path: Path) -> None:
    wrong = pytest.raises((ApiUnavailableError, ApiRefusedError))
    odd = answered(json.dumps(body).encode(), status)
    with client_of(tmp_path, once(odd)) as client, wrong as caught:
        client.get("/version")
    assert len(str(caught.value)) < 3000


CHANGES = {
    "HTML": b"<html>\n",
    "a list": b"[]\n",
    "no object": b'{"type": "ADDED"}\n',
    "object is a text": b'{"type": "ADDED", "object": "x"}\n',
    "type is a list": b'{"type": [], "object": {}}\n',
    "odd error": b'{"type": "ERROR", "object": {"code": "x", "details": []}}\n',
    "deep": b"[" * 100_000 + b"\n",
}


@pytest.mark.parametrize("kind", CHANGES)
def test_what_is_no_change_is_the_clusters_fault(kind: str, tmp_path: Path) -> None:
    with (
        client_of(tmp_path, once(answered(CHANGES[kind]))) as client,
        pytest.raises(ApiUnavailableError),
    ):
        next(client.watch("/pods", "1", seconds=1))


def test_a_change_without_an_end_ends(tmp_path: Path) -> None:
    with (
        client_of(tmp_path, for_ever(b"2000\r\n" + b"a" * 8192 + b"\r\n", first=CHUNKED)) as client,
        little_memory(),
        pytest.raises(ApiUnavailableError),
    ):
        next(client.watch("/pods", "1", seconds=1))


def test_a_watch_that_trickles_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(client_module, "WATCH_GRACE_SECONDS", -0.5)
    slow = for_ever(b"1\r\n \r\n", first=CHUNKED, pause=DRIP)
    with client_of(tmp_path, slow) as client, pytest.raises(ApiUnavailableError):
        list(client.watch("/pods", "1", seconds=1))


def test_a_wait_lists_anew_rather_than_keep_all_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(wait, "KEPT_BYTES", 10_000)
    monkeypatch.setattr(wait, "_PAUSE_SECONDS", 0.01)
    lists: list[int] = []
    most: list[int] = []

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        if b"watch=true" not in head:
            lists.append(1)
            taken.sendall(answered(LIST.replace(b"more", b"")))
            return
        taken.sendall(CHUNKED)
        for number in range(1000):
            metadata = {"name": f"pod-{number}", "resourceVersion": "2"}
            line = json.dumps({"type": "ADDED", "object": {"metadata": metadata}}).encode() + b"\n"
            taken.sendall(b"%x\r\n%b\r\n" % (len(line), line))
        taken.sendall(b"0\r\n\r\n")

    def seen(objects: Any) -> bool | None:
        most.append(len(objects))
        return True if len(lists) > 3 else None

    with client_of(tmp_path, script, 30.0) as client:
        wait_until(client, "/pods", seen, what="that", deadline_seconds=30)
    assert max(most) < 200


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"metadata": []},
        {"metadata": {"name": ["x"], "resourceVersion": "1"}},
        {"metadata": {"name": "x", "uid": {}}, "status": "Running"},
    ],
)
def test_a_wait_on_odd_objects_is_over_with_its_deadline(
    monkeypatch: pytest.MonkeyPatch, item: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr(wait, "_PAUSE_SECONDS", 0.01)
    body = json.dumps({"items": [item], "metadata": {"resourceVersion": "1"}}).encode()

    def phases(objects: Any) -> set[str]:
        return {one["status"]["phase"] for one in objects.values()}

    with (
        client_of(tmp_path, once(answered(body))) as client,
        pytest.raises(ConvergenceError, match="still not"),
    ):
        wait_until(client, "/pods", phases, what="that", deadline_seconds=0.2)


def told(*parts: bytes) -> Script:
    """Opens a WebSocket and sends, then says nothing more."""

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        taken.sendall(upgraded(head) + b"".join(parts))

    return script


def flooding(*parts: bytes, first: bytes = b"") -> Script:
    """Opens a WebSocket and sends without an end."""

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        for_ever(*parts, first=upgraded(head) + first)(taken, head)

    return script


BINARY, TEXT, MORE, CLOSE, PING = 2, 1, 0, 8, 9
OUT, ERR, STATUS = b"\x01", b"\x02", b"\x03"
STARTED = frame(BINARY, OUT + b"PODMETER1 started\n")
EXECS = {
    # Of the handshake.
    "headers trickle": DRIPS["headers"],
    "headers flood": FLOODS["headers"],
    "a header floods": FLOODS["header"],
    "no status": once(b"HTTP/1.1\r\n\r\n"),
    "no number": once(b"HTTP/1.1 OK\r\n\r\n"),
    "HTML": once(answered(b"<html>", "200 OK")),
    "a huge refusal": for_ever(
        b" " * 9000, first=b"HTTP/1.1 403 No\r\nContent-Length: 99999999999999\r\n\r\n"
    ),
    "an odd length": once(b"HTTP/1.1 403 No\r\nContent-Length: many\r\n\r\n"),
    "an odd refusal": once(answered(b"[1]", "403 No")),
    "a deep refusal": once(answered(b"[" * 99_999, "500 No")),
    "another protocol": once(b"HTTP/1.1 101 Yes\r\nUpgrade: x\r\n\r\n"),
    # Of frames.
    "half a frame": told(STARTED, frame(BINARY, OUT, announced=1000)),
    "a huge frame": flooding(b" " * 9000, first=STARTED + frame(BINARY, b"", announced=1 << 40)),
    "an endless message": flooding(
        frame(MORE, b"a" * 9000, last=False), first=frame(BINARY, OUT, last=False)
    ),
    "pings between its parts": flooding(
        frame(MORE, b"a" * 9000, last=False),
        frame(PING, b"x"),
        first=frame(BINARY, OUT, last=False),
    ),
    "pings": flooding(frame(PING, b"x") * 100),
    "empty messages": flooding(frame(BINARY, OUT) * 100),
    "texts": flooding(frame(TEXT, b"x") * 100),
    "complaints": flooding(frame(BINARY, ERR + b"x" * 9000)),
    "complaints after the start": flooding(frame(BINARY, ERR + b"x" * 9000), first=STARTED),
    "output out of a frame": flooding(frame(BINARY, OUT + b"x" * 9000)),
    "a header without an end": flooding(frame(BINARY, OUT + b"x" * 9000), first=STARTED),
    "more than was announced": flooding(
        frame(BINARY, OUT + b"x" * 9000),
        first=STARTED
        + frame(
            BINARY, OUT + b"PODMETER1 exited 0 0.1 3 0 " + b"a" * 64 + b" " + b"b" * 64 + b"\n"
        ),
    ),
    "an odd status": told(frame(BINARY, STATUS + b"[1]")),
    "a deep status": told(frame(BINARY, STATUS + b"[" * 99_999)),
    "a wrong opcode": told(frame(7, b"x")),
    "no UTF-8": told(frame(TEXT, b"\xff\xfe")),
    "closed": told(frame(CLOSE, b"\x03\xe8" + b"x" * 100)),
    "nothing": told(),
    "cut": lambda taken, head: taken.close(),
}


@pytest.mark.parametrize("kind", EXECS)
def test_a_command_ends_whatever_its_connection_does(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(exec_stream, "_CONNECT_SECONDS", SECONDS)
    monkeypatch.setattr(exec_stream, "_MESSAGE_SECONDS", 0.1)
    monkeypatch.setattr(exec_module, "_GRACE_SECONDS", 0.3)
    monkeypatch.setattr(exec_module, "_STALL_SECONDS", 0.2)
    monkeypatch.setattr(exec_module, "_ARRIVAL_SECONDS", 0.3)
    wrong = pytest.raises((LabError, ApiRefusedError, TruncatedOutputError, CommandTimeoutError))
    with hostile(tmp_path, EXECS[kind]) as access, little_memory(), wrong as caught:
        run(access, "ns", "pod", ("true",), timeout_seconds=0.2)
    assert len(str(caught.value)) < 3000


def test_an_answer_that_trickles_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(exec_module, "_GRACE_SECONDS", 0.2)
    monkeypatch.setattr(exec_module, "_ARRIVAL_SECONDS", 0.3)
    header = OUT + b"PODMETER1 exited 0 0.1 9999 0 " + b"a" * 64 + b" " + b"b" * 64 + b"\n"

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        first = upgraded(head) + STARTED + frame(BINARY, header)
        for_ever(frame(BINARY, OUT + b"x"), first=first, pause=DRIP)(taken, head)

    with hostile(tmp_path, script) as access, pytest.raises(CommandTimeoutError):
        run(access, "ns", "pod", ("true",), timeout_seconds=0.2)


def test_the_limits_leave_room_for_what_is_honest() -> None:
    """A page of nodes with 50 images each, as long as they come; a ConfigMap of the largest."""
    image = {"names": ["registry.example/a/b@sha256:" + "a" * 64, "x" * 60], "sizeBytes": 10**9}
    node = {"metadata": {"labels": {f"l{n}": "x" * 40 for n in range(60)}}, "images": [image] * 50}
    page = json.dumps({"items": [node] * limits.PAGE}).encode()
    assert len(page) < limits.LARGEST_BYTES
    assert sum(map(page.count, (b",", b"{", b"["))) < limits.MOST_VALUES

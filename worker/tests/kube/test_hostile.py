"""API servers without an end, or without sense: what comes of each is an error, soon and small."""

import contextlib
import gzip
import json
import socket
import ssl
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from core.tests.sampling import takes_all

from podmeter_worker.kube import bulk, limits, pool
from podmeter_worker.kube import client as client_module
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.bulk import BulkClient
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import (
    ApiRefusedError,
    ApiUnavailableError,
    MalformedAnswerError,
)
from podmeter_worker.kube.exec import run

from .api_server import make_certificate
from .hostile import (
    CHUNKED,
    DRIP,
    DRIPS,
    FLOODS,
    LOCAL,
    SECONDS,
    answered,
    client_of,
    for_ever,
    hostile,
    little_memory,
    once,
)

pytestmark = pytest.mark.timeout(60)

Through = Callable[[KubeClient], KubeClient]

LIST = b'{"items": [], "metadata": {"resourceVersion": "1", "continue": "more"}}'


@pytest.fixture(params=[lambda client: client, BulkClient], ids=["kubernetes", "bulk"])
def through(request: pytest.FixtureRequest) -> Through:
    chosen: Through = request.param
    return chosen


@pytest.mark.parametrize("kind", DRIPS)
def test_a_trickle_ends(through: Through, kind: str, tmp_path: Path) -> None:
    with client_of(tmp_path, DRIPS[kind]) as client, pytest.raises(ApiUnavailableError):
        through(client).get("/version")


#: What is read line by line, which takes seconds for 16 MB.
BY_LINES = {"trailers", "continue"}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_ends(
    through: Through, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 48 << 20
    if kind in BY_LINES and not takes_all():
        # A sixteenth of both.
        most >>= 4
        for module in (pool, bulk):
            monkeypatch.setattr(module, "LARGEST_BYTES", limits.LARGEST_BYTES >> 4)
    with (
        little_memory(most),
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
        client.set_timeouts(60.0, SECONDS)
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
        pytest.raises(ApiUnavailableError, match="too large"),
    ):
        client.list_all("/pods") if kept else list(client.each("/pods"))


@cache
def packed() -> bytes:
    """300 MB in 300 KB."""
    return gzip.compress(b" " * (300 << 20))


def whole(status: str = "200 OK", encoding: str = "gzip") -> bytes:
    return answered(packed(), status, f"Content-Encoding: {encoding}")


def in_a_chunk(old: bytes, new: bytes) -> bytes:
    """An answer of one chunk, with something new in its head."""
    return CHUNKED.replace(old, new) + b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed()), packed())


PACKED_ANSWERS: dict[str, Callable[[], bytes]] = {
    "whole": whole,
    "chunked": lambda: in_a_chunk(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n"),
    "transfer": lambda: in_a_chunk(b"chunked", b"gzip, chunked"),
    "refusal": lambda: whole("403 No"),
    "error": lambda: whole("500 No"),
    "deflate": lambda: whole(encoding="deflate, gzip"),
}


@pytest.mark.parametrize("kind", PACKED_ANSWERS)
def test_300_kb_of_gzip_stay_300_kb(through: Through, kind: str, tmp_path: Path) -> None:
    wrong = pytest.raises((ApiUnavailableError, ApiRefusedError))
    with client_of(tmp_path, once(PACKED_ANSWERS[kind]()), 2.0) as client:
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
    with client_of(tmp_path, once(answered(said)), 30.0) as client:
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
    with client_of(tmp_path, once(answered(body)), 30.0) as client:
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


def test_the_limits_leave_room_for_what_is_honest() -> None:
    """A page of nodes with 50 images each, as long as they come; a ConfigMap of the largest."""
    image = {"names": ["registry.example/a/b@sha256:" + "a" * 64, "x" * 60], "sizeBytes": 10**9}
    node = {"metadata": {"labels": {f"l{n}": "x" * 40 for n in range(60)}}, "images": [image] * 50}
    page = json.dumps({"items": [node] * limits.PAGE}).encode()
    assert len(page) < limits.LARGEST_BYTES
    assert sum(map(page.count, (b",", b"{", b"["))) < limits.MOST_VALUES

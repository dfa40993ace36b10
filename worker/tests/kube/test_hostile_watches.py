"""A watch, or a wait by one, of an API server that sends anything: it ends, and little is kept."""

import json
import ssl
from pathlib import Path
from typing import Any

import pytest

from podmeter.domain.errors import ConvergenceError
from podmeter_worker.kube import client as client_module
from podmeter_worker.kube import wait
from podmeter_worker.kube.errors import ApiUnavailableError
from podmeter_worker.kube.wait import wait_until

from .hostile import CHUNKED, DRIP, answered, client_of, for_ever, little_memory, once

pytestmark = pytest.mark.timeout(60)
LIST = b'{"items": [], "metadata": {"resourceVersion": "1", "continue": ""}}'

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
            taken.sendall(answered(LIST))
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
        pytest.raises(ConvergenceError, match="not reached after"),
    ):
        wait_until(client, "/pods", phases, what="that", deadline_seconds=0.2)

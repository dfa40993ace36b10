"""Many at the same time: all of them, in order, or the first error."""

import threading

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.bulk import BulkClient, for_all
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiUnavailableError
from podmeter_worker.kube.pool import CONNECTIONS

from .api_server import Answer, FakeApiServer

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
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


def test_progress_is_told_on_the_callers_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podmeter_worker.kube.bulk._PROGRESS_SECONDS", 0.01)
    told: list[tuple[int, int]] = []
    half_told = threading.Event()

    def one(name: str) -> None:
        if name == NAMES[-1]:
            assert half_told.wait(10)

    def progress(done: int) -> None:
        told.append((done, threading.get_ident()))
        if done == len(NAMES) - 1:
            half_told.set()

    for_all(one, NAMES, progress=progress)
    assert {thread for _, thread in told} == {threading.get_ident()}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == len(NAMES)


def test_progress_that_raises_ends_them_all() -> None:
    stopped = threading.Event()

    def one(name: str) -> None:
        assert stopped.wait(10)

    def progress(done: int) -> None:
        stopped.set()
        raise InterruptedError

    with pytest.raises(InterruptedError):
        for_all(one, NAMES, progress=progress)


def test_answers_in_chunks_are_read_as_all_others(api: FakeApiServer) -> None:
    api.answers = [Answer(chunks=(b'{"a"', b":", b"1}")), Answer(document={"b": 2})]
    with KubeClient(ClusterAccess(api.kept, LOCAL), 0.0) as client:
        bulk = BulkClient(client)
        assert bulk.get("/chunks") == {"a": 1}
        assert bulk.get("/length") == {"b": 2}


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Length": "99999999999", "Connection": "close"},
        {"Content-Length": "3", "Connection": "close"},
        {"Content-Length": "none", "Connection": "close"},
        {"Transfer-Encoding": "chunked", "Connection": "close"},
        {"Long": "x" * 100_000},
        {f"H-{number}": "x" for number in range(200)},
    ],
)
def test_an_answer_that_is_not_whole_is_an_error(
    api: FakeApiServer, headers: dict[str, str]
) -> None:
    api.answers = [Answer(raw=b"{}", headers=headers), Answer(document={"b": 2})]
    with KubeClient(ClusterAccess(api.kept, LOCAL), 0.0) as client:
        with pytest.raises(ApiUnavailableError, match="could not be reached"):
            BulkClient(client).get("/version")
        assert BulkClient(client).get("/version") == {"b": 2}


def test_a_token_that_is_renewed_meanwhile_is_used_by_the_next_request(api: FakeApiServer) -> None:
    api.answers = [Answer(document={})]
    access = ClusterAccess({**api.kept, "token": "first"}, LOCAL)
    with KubeClient(access, 0.0) as client:
        bulk = BulkClient(client)
        bulk.get("/one")
        access.renew("second")
        bulk.get("/two")
    sent = [asked.headers["Authorization"] for asked in api.asked]
    assert sent == ["Bearer first", "Bearer second"]

"""What a run makes of a command that ends, and a command of a server that is away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from backend.tests.builders import SPEC, PlayedWorker, reach, register
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter.domain.run import RunState
from podmeter_cli.client import PATIENCE_SECONDS, PING, Client
from podmeter_cli.exits import CommandError, ExitCode
from podmeter_cli.login_file import Login

pytestmark = pytest.mark.services
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(logged_in: str, tmp_path: Path) -> Iterator[Start]:
    """Starts the command in a process of its own, which ends with the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "podmeter_cli", *words],
            env=dict(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background jobs ignore Ctrl-C, and so would all that they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run(admin: TestClient, sessions: Sessions) -> dict[str, str]:
    """A queued run."""
    cluster = register(admin)
    reach(sessions, cluster["id"])
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()
    body = {"cluster_id": cluster["id"]}
    started = admin.post(f"/api/v1/experiments/{experiment['id']}/runs", json=body)
    return dict(started.json())


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """What it said on standard error, up to the line with the text."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if text in line:
            return said
    raise AssertionError(f"{text!r} was never said: {said}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_goes_on_when_its_command_ends(
    start: Start, run: dict[str, str], admin: TestClient, number: signal.Signals
) -> None:
    watching = start("runs", "watch", run["id"])
    read_until(watching, "queued")
    watching.send_signal(number)
    _, said = watching.communicate(timeout=60)
    assert watching.returncode == ExitCode.INTERRUPTED
    assert f"The run continues. Follow it with: podmeter runs watch {run['id']}" in said
    assert admin.get(f"/api/v1/runs/{run['id']}").json()["state"] == "queued"


def test_a_run_is_cancelled_when_that_was_asked_for(
    start: Start, run: dict[str, str], admin: TestClient
) -> None:
    watching = start("runs", "watch", run["id"], "--if-interrupted", "cancel")
    read_until(watching, "queued")
    watching.send_signal(signal.SIGTERM)
    _, said = watching.communicate(timeout=60)
    assert watching.returncode == ExitCode.INTERRUPTED
    assert "Cancelled" in said
    assert admin.get(f"/api/v1/runs/{run['id']}").json()["outcome"] == "cancelled"


def test_watching_takes_a_run_up_where_it_is(
    start: Start, run: dict[str, str], sessions: Sessions, organization: str
) -> None:
    worker = PlayedWorker(sessions, organization, run["id"])
    worker.move(RunState.PREFLIGHT)
    worker.move(RunState.RUNNING)
    worker.trial(1)
    watching = start("runs", "watch", run["id"])
    read_until(watching, "running")
    worker.trial(2)
    worker.finish()
    out, said = watching.communicate(timeout=60)
    assert watching.returncode == ExitCode.FINE, said
    assert "Gbit/s" in out


class Away(httpx.BaseTransport):
    """A network that is away for so many requests, then back."""

    def __init__(self, failures: int) -> None:
        self.failures, self.keys = failures, list[str]()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key", ""))
        if len(self.keys) <= self.failures:
            raise httpx.ReadError("the connection is gone", request=request)
        return httpx.Response(202, json={"id": "one"})


def client_of(transport: httpx.BaseTransport, patience: float = 60.0) -> Client:
    client = Client(Login("http://podmeter.example", "podmeter_x"), patience=patience)
    client._http = httpx.Client(base_url="http://podmeter.example/api/v1", transport=transport)
    return client


def test_a_change_is_sent_again_with_the_key_that_makes_it_count_once() -> None:
    network, told = Away(1), list[str]()
    client = client_of(network)
    client.on_away = told.append
    assert client.post("/runs/one/cancel") == {"id": "one"}
    assert len(set(network.keys)) == 1
    assert len(network.keys) == 2
    assert told == ["the connection is gone"]


def test_a_change_without_a_key_is_not_sent_twice() -> None:
    network = Away(1)
    with pytest.raises(CommandError, match="does not answer"):
        client_of(network).patch("/clusters/one", {}, '"1"')
    assert len(network.keys) == 1


def test_a_server_that_stays_away_ends_the_command() -> None:
    with pytest.raises(CommandError, match=r"http://podmeter\.example does not answer"):
        client_of(Away(10), patience=0.0).get("/me")


class Clock:
    """Time that only passes where somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("podmeter_cli.client.time", made)
    return made


def test_a_network_that_is_away_for_a_minute_interrupts_nothing(clock: Clock) -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        if clock.now < 60:
            raise httpx.ConnectError("the network is unreachable", request=request)
        if "events" not in request.url.path:
            return httpx.Response(200, json={"id": "one"})
        return httpx.Response(200, text="id: 7\nevent: state\ndata: {}\n\nevent: end\n\n")

    client = client_of(httpx.MockTransport(serve), PATIENCE_SECONDS)
    assert client.get("/runs/one") == {"id": "one"}
    assert clock.now >= 60
    clock.now = 0
    assert list(client.events("one")) == [("state", {})]


def test_a_stream_that_is_cut_while_nothing_happens_is_not_a_server_that_is_away(
    clock: Clock,
) -> None:
    """As a load balancer does every half minute, while the run waits in the queue."""

    def serve(_: httpx.Request) -> httpx.Response:
        clock.now += 30
        return httpx.Response(200, text="event: end\n\n" if clock.now > 600 else ": alive\n\n")

    found = list(client_of(httpx.MockTransport(serve), PATIENCE_SECONDS).events("one"))
    assert [one for one in found if one != (PING, {})] == []


def test_a_stream_of_a_server_that_stays_away_ends_the_command(clock: Clock) -> None:
    def serve(_: httpx.Request) -> httpx.Response:
        return httpx.Response(503)

    with pytest.raises(CommandError, match="does not answer: HTTP 503"):
        list(client_of(httpx.MockTransport(serve), PATIENCE_SECONDS).events("one"))
    assert PATIENCE_SECONDS <= clock.now < PATIENCE_SECONDS + 5


def test_a_stream_that_breaks_goes_on_after_its_last_event() -> None:
    asked: list[str] = []

    def serve(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers["Last-Event-ID"])
        event = 'id: 7\nevent: log\ndata: {"level": "info"}\n\n'
        last = "event: end\ndata: {}\n\n"
        return httpx.Response(200, text=event if len(asked) == 1 else last)

    client = client_of(httpx.MockTransport(serve))
    assert list(client.events("one")) == [("log", {"level": "info"})]
    assert asked == ["0", "7"]

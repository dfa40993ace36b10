"""Strangers, a full disk and a full Redis, on the stack as `make up` starts it."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import redis
from bench.chaos.runs import SPEC
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.stack import OwnStack
from core.tests.strangers import (
    API_PROCESSES,
    HALF_BODY,
    HALF_HEAD,
    PLACES_OF_AN_ADDRESS,
    WHOLE,
    Crowd,
    Strangers,
)

from podmeter.demo import cluster as registration
from podmeter.settings import Settings
from podmeter.stack import open_files
from podmeter.stack.up import running

pytestmark = [pytest.mark.services, pytest.mark.full]

ATTACKER, OTHER = "127.0.0.10", "127.0.0.2"
TWENTY = tuple(f"127.0.0.{10 + number}" for number in range(20))
#: What all processes together serve of one address, and how many come.
PLACES = PLACES_OF_AN_ADDRESS * API_PROCESSES
MANY = PLACES + 100


@dataclass
class Place:
    """A stack, the disk that it is on, and a cluster that it measures."""

    stack: OwnStack
    disk: Path
    cluster_id: str

    def crowd(self, count: int, sent: bytes, sources: tuple[str, ...], drip: bytes = b"") -> Crowd:
        """Strangers at these addresses."""
        address = urlsplit(self.stack.api.url)
        assert address.hostname
        assert address.port
        return Crowd(address.hostname, address.port, count, sent, sources, drip)

    def ask(self, path: str, source: str = OTHER) -> httpx.Response:
        """A request by a connection of its own, from this address."""
        transport = httpx.HTTPTransport(local_address=source)
        with httpx.Client(transport=transport, base_url=self.stack.api.url, timeout=20) as client:
            return client.get(path)

    def short(self) -> set[str]:
        """What /readyz/parts names as short, which answers 503 for as long as anything is."""
        answer = self.ask("/readyz/parts")
        named = set(answer.json()["short"])
        assert answer.status_code == 503 or not named
        return named

    def metric(self) -> set[str]:
        """What the metric says is short."""
        lines = self.ask("/metrics").text.splitlines()
        found = [line for line in lines if line.startswith("podmeter_short{")]
        assert found
        return {line.split('"')[1] for line in found if line.endswith(" 1.0")}

    def doctor(self) -> "subprocess.CompletedProcess[str]":
        """`podmeter-admin doctor`, beside the stack."""
        return subprocess.run(
            [sys.executable, "-m", "podmeter.cli", "doctor"],
            cwd=self.disk,
            env=self.stack.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def add_experiment(self, name: str) -> httpx.Response:
        """One try; the client of the stack would try again."""
        body = {**SPEC, "name": name}
        answer: httpx.Response = self.stack.api._client.post("/experiments", json=body)
        return answer

    def start_run(self) -> str:
        """A run that has stored trials and is not over."""
        experiment = self.stack.api.post("/experiments", SPEC)["id"]
        path = f"/experiments/{experiment}/runs"
        run: str = self.stack.api.post(path, {"cluster_id": self.cluster_id})["id"]
        until("two trials", lambda: len(self.trials(run)) >= 2)
        assert self.stack.api.get(f"/runs/{run}")["state"] == "running"
        return run

    def trials(self, run: str) -> set[str]:
        """Those that are stored."""
        return {one["id"] for one in self.stack.api.all(f"/runs/{run}/trials")}

    def finish(self, run: str) -> dict[str, Any]:
        """The run at its end, taken up again where it was interrupted."""

        def is_over() -> bool:
            found = self.stack.api.get(f"/runs/{run}")
            if found["outcome"] == "interrupted":
                self.stack.api.post(f"/runs/{run}/resume")
            return bool(found["state"] == "finished" and found["outcome"] != "interrupted")

        until("the run to end", is_over)
        found: dict[str, Any] = self.stack.api.get(f"/runs/{run}")
        return found


def until(what: str, condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain for {what}"
        time.sleep(0.3)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """The whole stack with its own settings, in a small file system where that may be mounted."""
    open_files.raise_limit()
    with ExitStack() as stack:
        # Not below pytest's folder, which PostgreSQL's own account may not pass through.
        disk = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="podmeter-tests-")))
        disk.chmod(0o755)
        if os.geteuid() == 0:
            mount = ["mount", "-t", "tmpfs", "-o", "size=400m,mode=755", "tmpfs", str(disk)]
            subprocess.run(mount, check=True)
            stack.callback(lambda: subprocess.run(["umount", "--lazy", str(disk)], check=True))
        settings = {
            "BENCH_IMAGE": "registry.invalid/bench:0.1.0",
            "PODMETER_ALLOWED_CLUSTER_NETWORKS": "127.0.0.0/8",
            "PODMETER_API_PROCESSES": str(API_PROCESSES),
            "PODMETER_METRICS_NETWORKS": f"{OTHER}/32",
        }
        loop = stack.enter_context(Loop())
        script = ScriptedCluster("scripted", measuring_seconds=1.0)
        loop.wait(script.start())
        stack.callback(lambda: loop.wait(script.stop()))
        # It stops before the cluster, which a run that is in progress restores.
        own = stack.enter_context(OwnStack(disk, settings))
        kubeconfig = script.server.kubeconfig("scripted")
        made = registration.register(own.api, "scripted", kubeconfig, allow_mode_switch=True)
        yield Place(own, disk, made["id"])


def test_half_a_request_and_headers_without_end_are_bounded(place: Place) -> None:
    address = urlsplit(place.stack.api.url)
    with Strangers(str(address.hostname), int(address.port or 0)) as strangers:
        strangers.assert_bounded()


def test_headers_that_never_end_are_refused_from_20_addresses(place: Place) -> None:
    lines = (b"X-Other: " + b"y" * 1000 + b"\r\n") * 4
    with place.crowd(20, HALF_HEAD, TWENTY, drip=lines * 10) as crowd:
        assert crowd.endings() == {"431": 20}


@pytest.mark.parametrize(("sent", "drip"), [(HALF_HEAD, b""), (HALF_BODY, b" ")])
def test_beyond_its_places_an_address_is_refused_and_another_one_is_served(
    place: Place, sent: bytes, drip: bytes
) -> None:
    with place.crowd(MANY, sent, (ATTACKER,), drip) as crowd:
        crowd.wait_until_sent()
        assert place.ask("/readyz").status_code == 200
        # By a session too: what is asked of PostgreSQL and Redis is not held up either.
        assert place.stack.api.get("/me")
        endings = crowd.endings()
        assert set(endings) == {"408", "429"}
        assert endings["408"] <= PLACES
        assert endings["429"] >= MANY - PLACES
        for answer in crowd.answers("429"):
            assert b"\r\nretry-after: " in answer.lower()
    # Its own user is served again once the attack is over.
    assert place.ask("/healthz", ATTACKER).status_code == 200


@pytest.mark.parametrize("sources", [(ATTACKER,), TWENTY], ids=["one address", "20 addresses"])
def test_a_burst_of_a_thousand_connections_is_answered_without_a_reset(
    place: Place, sources: tuple[str, ...]
) -> None:
    with place.crowd(1000, WHOLE, sources) as crowd:
        endings = crowd.endings()
        assert endings.total() == 1000
        # An address has a share of what is in progress; its other requests get a time to retry.
        assert set(endings) <= {"200", "429"}
        assert endings["200"] > 500
        for answer in crowd.answers("429"):
            assert b"\r\nretry-after: " in answer.lower()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
def test_a_full_disk_is_reported_and_nothing_that_was_accepted_is_lost(place: Place) -> None:
    run = place.start_run()
    stored = place.trials(run)
    accepted: set[str] = set()
    filling = place.disk / "filling"
    fill(filling)
    try:
        # Every part reports it, and Redis too, whose log is written each second.
        short = {"database_writes", "broker_writes", "disk"}
        until("all to be short", lambda: short <= place.short())
        assert place.ask("/readyz").status_code == 503
        assert short <= place.metric()
        doctor = place.doctor()
        assert doctor.returncode == 1
        for resource, remedy in {
            "No space left on device": "free space on PostgreSQL's disk",
            "MISCONF": "give Redis more memory (maxmemory) or disk",
            f"free below {place.stack.state_dir}": "free space there",
        }.items():
            assert resource in doctor.stdout
            assert remedy in doctor.stdout
        until("a change to be refused", partial(is_refused, place, accepted))
    finally:
        filling.unlink()
    recovers(place)
    assert accepted <= {one["id"] for one in place.stack.api.all("/experiments")}
    ended = place.finish(run)
    assert (ended["outcome"], ended["reason"]) == ("succeeded", None)
    assert stored <= place.trials(run)


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filling:
        try:
            while filling.write(bytes(2**16)):
                pass
        except OSError:
            return
    raise AssertionError("a disk without end")


def is_refused(place: Place, accepted: set[str]) -> bool:
    """Whether a change is refused, and says why; it is noted if it is accepted."""
    answer = place.add_experiment(f"beside a full disk {len(accepted)}")
    if answer.status_code == 201:
        accepted.add(answer.json()["id"])
        return False
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return True


def recovers(place: Place) -> None:
    """Without anybody's help."""
    until("all to be well", lambda: place.ask("/readyz/parts").status_code == 200)
    assert place.ask("/readyz").status_code == 200
    assert place.metric() == set()
    doctor = place.doctor()
    assert doctor.returncode == 0, doctor.stdout


def test_a_redis_out_of_memory_is_reported_and_nothing_that_was_accepted_is_lost(
    place: Place,
) -> None:
    own = Settings(_env_file=None).model_copy(update={"state_dir": place.stack.state_dir})
    run = place.start_run()
    stored = place.trials(run)
    with redis.Redis.from_url(running(own).require_redis_url()) as client:
        client.config_set("maxmemory", 1)
        try:
            until("it to be reported", lambda: "broker_writes" in place.short())
            assert place.ask("/readyz").status_code == 503
            assert "broker_writes" in place.metric()
            doctor = place.doctor()
            assert doctor.returncode == 1
            assert "maxmemory" in doctor.stdout
            assert "give Redis more memory" in doctor.stdout
            kept = place.add_experiment("beside a full Redis")
            assert kept.status_code == 201, kept.text
            path = f"/experiments/{kept.json()['id']}/runs"
            queued = place.stack.api._client.post(path, json={"cluster_id": place.cluster_id})
            # The database has it; the queue takes it later.
            assert queued.status_code == 202, queued.text
        finally:
            client.config_set("maxmemory", 0)
    recovers(place)
    for started in (run, queued.json()["id"]):
        ended = place.finish(started)
        assert (ended["outcome"], ended["reason"]) == ("succeeded", None)
    assert stored <= place.trials(run)

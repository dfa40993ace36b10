"""A disk, inodes, files, connections and memory used up, on the stack as `make up` starts it.

Each is reported while it is so, everything recovers by itself, and nothing accepted is lost.
"""

import resource
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest
import redis
from core.tests.shortages import all_read, fill, needs_root
from core.tests.strangers import API_PROCESSES

from podmeter.settings import Settings
from podmeter.stack.up import running

from .own_stack import OTHER, Place, own_stack, until

pytestmark = [pytest.mark.services, pytest.mark.full]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with own_stack() as made:
        yield made


@dataclass
class Accepted:
    """What the stack took on beside a shortage, and the run that was in progress."""

    run: str
    trials: set[str]
    experiments: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)


@contextmanager
def beside_a_run(place: Place) -> Iterator[Accepted]:
    """A run is in progress; once the shortage is over all recovers, and nothing is missing."""
    run = place.start_run()
    accepted = Accepted(run, place.trials(run), runs={run})
    yield accepted
    recovers(place)
    for started in accepted.runs:
        ended = place.finish(started)
        assert (ended["outcome"], ended["reason"], ended["attempt"]) == ("succeeded", None, 1)
    assert accepted.trials <= place.trials(run)
    assert accepted.experiments <= {one["id"] for one in place.stack.api.all("/experiments")}


def reports(place: Place, short: set[str], *said: str) -> None:
    """All of /readyz/parts, the metric and the doctor say what is short, and how to fix it."""
    until(f"{short} to be short", lambda: short <= place.short())
    assert short <= place.metric()
    # The doctor asks Redis, to which a process reports with its next heartbeat.
    until("the doctor to find it", lambda: place.doctor().returncode == 1)
    doctor = place.doctor()
    for words in said:
        assert words in doctor.stdout, doctor.stdout


@needs_root
def test_a_full_disk(place: Place) -> None:
    filling = place.disk / "filling"
    with beside_a_run(place) as accepted:
        fill(filling)
        try:
            # Every part reports it, and Redis too, whose log is written each second.
            reports(
                place,
                {"database_writes", "broker_writes", "disk"},
                # Either a file for sorting, or what a new connection would write.
                "No space left on device",
                *("MISCONF", "give Redis more memory (maxmemory) or disk"),
                *(f"free below {place.stack.state_dir}", "free space there"),
            )
            until("the API not to be ready", lambda: place.ask("/readyz").status_code == 503)
            until("a change to be refused", partial(is_refused, place, accepted))
        finally:
            filling.unlink()


@needs_root
def test_no_inodes(place: Place) -> None:
    filling = place.disk / "filling"
    with beside_a_run(place) as accepted:
        fill_inodes(filling)
        try:
            reports(
                place,
                {"database_writes", "inodes"},
                f"0 inodes are free below {place.stack.state_dir}",
                "remove files there, or make the file system with more inodes",
            )
            is_refused(place, accepted)
        finally:
            shutil.rmtree(filling)


def test_no_open_files(place: Place) -> None:
    """Those of every process that serves."""
    serving = [pid for pid in place.stack.processes() if "spawn_main" in command(pid)]
    assert len(serving) == API_PROCESSES
    before = {pid: resource.prlimit(pid, resource.RLIMIT_NOFILE) for pid in serving}
    # Clients that are connected are served; nobody else can be.
    limits = httpx.Limits(keepalive_expiry=None)
    transport = httpx.HTTPTransport(local_address=OTHER, limits=limits)
    with (
        beside_a_run(place) as accepted,
        httpx.Client(transport=transport, base_url=place.stack.api.url, timeout=20) as connected,
    ):
        until("all to be well", lambda: connected.get("/readyz/parts").status_code == 200)
        place.keep(connected)
        try:
            for pid, (_, hard) in before.items():
                resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, hard))
            is_refused(place, accepted)  # by the connection that the run was started by
            reports(place, {"files"}, "3 of 3 files are open", "raise the hard limit of open files")
        finally:
            place.keep(None)
            for pid, limit in before.items():
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)


def test_a_postgresql_without_connections(place: Place) -> None:
    url = place.stack.database_url().replace("+psycopg", "")
    with beside_a_run(place) as accepted, ExitStack() as held:
        take_connections(url, held)
        reports(place, {"database_connections"}, "connection slots are reserved", "max_connections")
        is_refused(place, accepted)


def test_a_redis_without_memory(place: Place) -> None:
    own = Settings(_env_file=None).model_copy(update={"state_dir": place.stack.state_dir})
    url = running(own).require_redis_url()
    with beside_a_run(place) as accepted, redis.Redis.from_url(url) as client:
        client.config_set("maxmemory", 1)
        try:
            reports(place, {"broker_writes"}, "maxmemory", "give Redis more memory")
            until("the API not to be ready", lambda: place.ask("/readyz").status_code == 503)
            kept = place.add_experiment("beside a full Redis")
            assert kept.status_code == 201, kept.text
            path = f"/experiments/{kept.json()['id']}/runs"
            queued = place.stack.api._client.post(path, json={"cluster_id": place.cluster_id})
            # The database has it; the queue takes it later.
            assert queued.status_code == 202, queued.text
            accepted.runs.add(queued.json()["id"])
        finally:
            client.config_set("maxmemory", 0)


def fill_inodes(folder: Path) -> None:
    folder.mkdir()
    for number in range(100_000):
        try:
            (folder / str(number)).touch()
        except OSError:
            return
    raise AssertionError("inodes without end")


def take_connections(url: str, held: ExitStack) -> None:
    """All that PostgreSQL has left; `held` closes them."""
    for _ in range(1000):
        try:
            held.enter_context(psycopg.connect(url))
        except psycopg.OperationalError:
            return
    raise AssertionError("connections without end")


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:  # ended meanwhile
        return ""


def is_refused(place: Place, accepted: Accepted) -> bool:
    """Whether a change is refused, and says why; it is noted if it is accepted."""
    answer = place.add_experiment(f"beside a shortage {len(accepted.experiments)}")
    if answer.status_code == 201:
        accepted.experiments.add(answer.json()["id"])
        return False
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return True


def recovers(place: Place) -> None:
    """Without anybody's help."""
    until("all to be well", lambda: place.ask("/readyz/parts").status_code == 200)
    # Each process keeps the result of its last look for a second.
    until("the API to be ready", lambda: place.ask("/readyz").status_code == 200)
    until("all figures to be read", lambda: all_read(place.ask("/metrics")))
    assert place.metric() == set()
    doctor = place.doctor()
    assert doctor.returncode == 0, doctor.stdout

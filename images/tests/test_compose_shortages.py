"""Full disks of PostgreSQL and Redis, with docker-compose.yml.

`backend/tests/test_stack_shortages.py` has what else runs out, on the stack of `make up`.
"""

import subprocess
from collections.abc import Iterator

import httpx
import pytest
from bench.chaos.runs import SPEC
from core.tests import shortages
from images.tests.compose import Compose
from images.tests.measured import URL, Measured, Until, trials_of

from podmeter.demo import cluster as registration
from podmeter.demo.api import Api

pytestmark = [pytest.mark.compose, pytest.mark.timeout(1800)]

FULL = ("postgres", "redis")
#: Volumes that a file fills. A tmpfs ends with the last container that has it, and a database whose
#: disk is full may end: `disks` keeps both. PostgreSQL's memory is limited to more than its disk.
SMALL_DISKS = """
services:
  disks:
    image: postgres:17
    init: true
    entrypoint: [sleep, infinity]
    network_mode: none
    volumes: ["postgres:/disks/postgres", "redis:/disks/redis"]
volumes:
  postgres: { driver_opts: { type: tmpfs, device: tmpfs, o: size=400m } }
  redis: { driver_opts: { type: tmpfs, device: tmpfs, o: size=64m } }
"""


@pytest.fixture(scope="module", autouse=True)
def small_disks(compose: Compose) -> Iterator[None]:
    """A fresh installation whose volumes are small; nothing of it is left."""
    override = compose.clone / "docker-compose.override.yml"
    settings = compose.clone / ".env"
    subprocess.run(["make", "env"], cwd=compose.clone, check=True, env=compose.environment)
    before = settings.read_text()
    # Volumes keep the options that they were made with.
    compose.run("down", "--volumes", "--remove-orphans")
    override.write_text(SMALL_DISKS)
    settings.write_text(f"{before}\nPODMETER_METRICS_NETWORKS=0.0.0.0/0\n")
    try:
        compose.run("up", "--detach", "--wait", timeout=1500)
        yield
    finally:
        compose.run("down", "--volumes", "--remove-orphans")
        override.unlink()
        settings.write_text(before)


def on_disks(compose: Compose, script: str) -> None:
    """Run it for each disk, which is `$disk`."""
    for name in FULL:
        compose.run("exec", "-T", "disks", "sh", "-c", f"disk=/disks/{name}; {script}")


def ask(path: str) -> httpx.Response | None:
    """By a connection of its own, without a login; None where nobody answers."""
    try:
        return httpx.get(f"{URL}{path}", timeout=20)
    except httpx.TransportError:
        return None


def has_status(path: str, status: int) -> bool:
    answer = ask(path)
    return answer is not None and answer.status_code == status


def parts_are_short() -> bool:
    """Both servers refuse to write. A PostgreSQL that needs a new file for its write-ahead log ends
    instead, and again at each start.
    """
    answer = ask("/readyz/parts")
    if answer is None:
        return False
    short = shortages.named(answer)
    if "broker_writes" not in short:
        return False
    return "database_writes" in short or answer.json()["database"] == "cannot be reached"


def figures() -> tuple[set[str], bool] | None:
    """What the metric says is short, and whether the database is up; None where it says nothing."""
    answer = ask("/metrics")
    if answer is None or answer.status_code != httpx.codes.OK:
        return None
    is_up = 'podmeter_dependency_up{dependency="database"} 1.0' in answer.text
    return shortages.figures(answer), is_up


def figures_are_short() -> bool:
    """As in `parts_are_short`."""
    short, is_up = figures() or (set(), True)
    return "broker_writes" in short and ("database_writes" in short or not is_up)


def doctor(compose: Compose) -> "subprocess.CompletedProcess[str]":
    return compose.ended("exec", "-T", "api", "podmeter-admin", "doctor")


def test_full_disks_are_reported_and_nothing_is_lost(
    compose: Compose, api: Api, measured: Measured, until: Until
) -> None:
    experiment = api.post("/experiments", SPEC)["id"]
    where = {"cluster_id": measured.cluster_id}
    run = api.post(f"/experiments/{experiment}/runs", where)["id"]
    until("two trials", lambda: len(trials_of(api, run)) >= 2, 120)
    stored = {one["id"] for one in trials_of(api, run)}
    assert api.get(f"/runs/{run}")["state"] == "running"
    accepted = {experiment}

    def is_refused() -> bool:
        """One try, which the client would repeat; what is accepted has to be kept."""
        body = {**SPEC, "name": f"beside full disks {len(accepted)}"}
        answer = api._client.post("/experiments", json=body)
        if answer.status_code == httpx.codes.CREATED:
            accepted.add(answer.json()["id"])
            return False
        assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        return True

    on_disks(compose, "cat /dev/zero >$disk/filling 2>/dev/null; test -s $disk/filling")
    try:
        until("both to be short", parts_are_short, 120)
        until("the metric", figures_are_short, 120)
        until("the API not to be ready", lambda: has_status("/readyz", 503), 120)
        found = doctor(compose)
        assert found.returncode == 1
        for said in ("MISCONF", "give Redis more memory (maxmemory)"):
            assert said in found.stdout, found.stdout + found.stderr
        either = ("No space left on device", "see that PostgreSQL runs")
        assert any(said in found.stdout for said in either), found.stdout + found.stderr
        until("a change to be refused", is_refused, 120)
    finally:
        on_disks(compose, "rm $disk/filling")

    until("all to be well", lambda: has_status("/readyz/parts", 200), 300)
    until("the metric to be 0", lambda: figures() == (set(), True), 60)
    found = doctor(compose)
    for said in ("PostgreSQL writes", "Redis writes"):
        assert said in found.stdout, found.stdout + found.stderr

    until("the run to end", lambda: api.get(f"/runs/{run}")["state"] == "finished", 300)
    ended = api.get(f"/runs/{run}")
    # By the worker that began it.
    assert (ended["outcome"], ended["reason"], ended["attempt"]) == ("succeeded", None, 1)
    assert stored <= {one["id"] for one in trials_of(api, run)}
    assert accepted <= {one["id"] for one in api.all("/experiments")}
    registration.preflight(api, measured.cluster_id)
    assert measured.left() == []

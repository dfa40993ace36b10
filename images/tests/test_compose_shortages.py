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


def ask(path: str) -> httpx.Response:
    """By a connection of its own, without a login."""
    return httpx.get(f"{URL}{path}", timeout=20)


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

    short = {"database_writes", "broker_writes"}
    on_disks(compose, "cat /dev/zero >$disk/filling 2>/dev/null; test -s $disk/filling")
    try:
        until("both to be short", lambda: short <= shortages.named(ask("/readyz/parts")), 120)
        until("the metric", lambda: short <= shortages.figures(ask("/metrics")), 120)
        until("the API not to be ready", lambda: ask("/readyz").status_code == 503, 120)
        found = doctor(compose)
        assert found.returncode == 1
        for said in ("No space left on device", "MISCONF", "give Redis more memory (maxmemory)"):
            assert said in found.stdout, found.stdout + found.stderr
        until("a change to be refused", is_refused, 120)
    finally:
        on_disks(compose, "rm $disk/filling")

    until("all to be well", lambda: ask("/readyz/parts").status_code == 200, 300)
    until("the metric to be 0", lambda: not shortages.figures(ask("/metrics")), 60)
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

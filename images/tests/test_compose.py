"""docker-compose.yml from an empty clone, in the order in which a new user meets it."""

import json
import os
import re
import subprocess
import time
from typing import Any

import pytest
from bench.chaos.runs import SPEC as SWITCHING
from bench.compose_figures import memory
from bench.stack import PatientApi
from core.tests.strangers import (
    API_PROCESSES,
    BURST,
    HALF_HEAD,
    PLACES_OF_AN_ADDRESS,
    WHOLE,
    Crowd,
    Strangers,
)
from images.tests.compose import PROJECT, Compose, docker
from images.tests.measured import EMAIL, URL, Measured, Until, trials_of

from podmeter.demo import cluster as registration
from podmeter.demo.api import Api

pytestmark = [pytest.mark.compose, pytest.mark.timeout(1800)]

SERVICES = ("postgres", "redis", "api", "worker", "upkeep", "beat")


def left() -> dict[str, str]:
    """What the engine has of the project."""
    label = ("--filter", "label=com.docker.compose.project=podmeter")
    return {
        "containers": docker("ps", "--all", "--quiet", *label),
        "volumes": docker("volume", "ls", "--quiet", *label),
        "networks": docker("network", "ls", "--quiet", *label),
    }


def test_without_secrets_it_stops_with_one_sentence(compose: Compose) -> None:
    ended = compose.ended("up", "--detach")
    assert ended.returncode != 0
    assert ended.stdout == ""
    (said,) = ended.stderr.strip().splitlines()
    assert "there are no secrets yet" in said
    assert "make env" in said
    assert not any(left().values())


def test_from_an_empty_clone_to_an_overview_in_the_browser(compose: Compose) -> None:
    began = time.monotonic()
    subprocess.run(["make", "env"], cwd=compose.clone, check=True, env=compose.environment)
    compose.run("up", "--detach", "--wait", timeout=1500)
    up = time.monotonic()
    seen = subprocess.run(
        ["npx", "playwright", "test", "--config", "playwright.compose.ts", "--project", "overview"],
        cwd=PROJECT / "frontend",
        env={
            **os.environ,
            "E2E_URL": URL,
            "E2E_EMAIL": EMAIL,
            "E2E_PASSWORD": compose.secret("admin_password"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    took = time.monotonic() - began
    print(
        f"images built and all healthy after {up - began:.0f} s, overview seen after {took:.0f} s"
    )
    assert seen.returncode == 0, seen.stdout[-4000:]


def test_strangers_cannot_hold_the_api() -> None:
    with Strangers("127.0.0.1", 8080) as strangers:
        strangers.assert_bounded()


def test_a_burst_of_connections_is_answered_without_a_reset(compose: Compose) -> None:
    before = compose.container("api")["State"]
    with Crowd("127.0.0.1", 8080, BURST, WHOLE) as burst:
        burst.assert_answered_without_a_reset()
    after = compose.container("api")["State"]
    assert (after["StartedAt"], after["Health"]["Status"]) == (before["StartedAt"], "healthy")


def crowd() -> Crowd:
    """More half heads than an address has places; this machine is the outside network's gateway."""
    return Crowd("127.0.0.1", 8080, PLACES_OF_AN_ADDRESS * API_PROCESSES + 100, HALF_HEAD)


def test_beyond_its_places_an_address_is_refused_and_another_one_is_served(
    compose: Compose,
) -> None:
    ask = "from urllib.request import urlopen; print(urlopen('http://api:8080/healthz').status)"
    with crowd() as strangers:
        strangers.wait_until_sent()
        # The worker's container has an address of its own.
        assert compose.run("exec", "--no-TTY", "worker", "python", "-c", ask).strip() == "200"
        endings = strangers.endings()
    assert set(endings) == {"408", "429"}
    assert endings["429"] >= 100


def test_a_trusted_proxy_has_any_number_of_connections(compose: Compose) -> None:
    settings = compose.clone / ".env"
    before = settings.read_text()
    network = json.loads(docker("network", "inspect", "podmeter_outside"))[0]
    proxy = network["IPAM"]["Config"][0]["Gateway"]
    settings.write_text(f"{before}\nPODMETER_TRUSTED_PROXIES={proxy}\n")
    try:
        compose.run("up", "--detach", "--wait", "api")
        with crowd() as strangers:
            strangers.wait_until_sent()
            with Crowd("127.0.0.1", 8080, 1, WHOLE) as one:
                assert one.endings() == {"200": 1}
            # The deadline of a head is the proxy's too.
            assert strangers.endings() == {"408": strangers.count}
    finally:
        settings.write_text(before)
        compose.run("up", "--detach", "--wait", "api")


def test_every_container_is_as_small_as_it_can_be(compose: Compose) -> None:
    for service in (*SERVICES, "migrate"):
        host = compose.container(service)["HostConfig"]
        assert host["ReadonlyRootfs"], service
        assert host["CapDrop"] == ["ALL"], service
        assert "no-new-privileges:true" in host["SecurityOpt"], service
        assert host["Memory"] > 0, service
        assert host["PidsLimit"] > 0, service
        assert host["RestartPolicy"]["Name"] == ("no" if service == "migrate" else "unless-stopped")


def test_no_secret_is_in_a_containers_settings(compose: Compose) -> None:
    """No secret is visible to users or logs that inspect containers."""
    secrets = {path.read_text().strip() for path in (compose.clone / ".secrets").iterdir()}
    for service in (*SERVICES, "migrate"):
        inspected = json.dumps(compose.container(service))
        assert not [secret for secret in secrets if secret in inspected], service


def kill(container: dict[str, Any]) -> None:
    """End it as the kernel or a crash would; the engine takes `docker kill` for an order."""
    pid = str(container["State"]["Pid"])
    own = ("--pid=host", "--cap-add=KILL", "--network=none", "--user=0", "--entrypoint=sh")
    docker("run", "--rm", *own, container["Image"], "-c", f"kill -9 {pid}")


def running(compose: Compose, service: str, since: str) -> bool:
    """Whether it was restarted, and is healthy if it has a health check."""
    state = compose.container(service)["State"]
    healthy = state.get("Health", {}).get("Status", "healthy") == "healthy"
    return bool(state["Running"] and state["StartedAt"] > since and healthy)


def finished(api: Api, run_id: str, until: Until) -> dict[str, Any]:
    """The run at its end, taken up again where it was interrupted."""

    def ended() -> bool:
        run = api.get(f"/runs/{run_id}")
        if run["state"] == "finished" and run["outcome"] == "interrupted":
            api.post(f"/runs/{run_id}/resume")
            return False
        return bool(run["state"] == "finished")

    until("the run to end", ended, 300)
    found: dict[str, Any] = api.get(f"/runs/{run_id}")
    return found


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_killed_under_a_run_comes_back_and_nothing_is_lost(
    compose: Compose, api: Api, measured: Measured, until: Until, service: str
) -> None:
    name = f"kept when {service} was killed"
    experiment = api.post("/experiments", {**SWITCHING, "name": name})["id"]
    kept = {one["id"] for one in api.all("/experiments")}
    where = {"cluster_id": measured.cluster_id}
    run_id = api.post(f"/experiments/{experiment}/runs", where)["id"]
    until("two trials", lambda: len(trials_of(api, run_id)) >= 2, 120)
    seen = {one["id"] for one in trials_of(api, run_id)}
    assert api.get(f"/runs/{run_id}")["state"] == "running"

    before = compose.container(service)
    kill(before)
    since = before["State"]["StartedAt"]
    until(f"{service} to come back", lambda: running(compose, service, since), 120)

    run = finished(api, run_id, until)
    assert run["outcome"] == "succeeded", run["reason"]
    trials = trials_of(api, run_id)
    assert seen <= {one["id"] for one in trials}
    counted = sum(one["status"] == "counted" for one in trials)
    axes, repetition = SWITCHING["axes"], SWITCHING["repetition"]
    of_a_mode = len(axes["path"]) * repetition["trials"] + 1  # its set-up is one more
    assert counted == len(axes["kube_proxy_mode"]) * of_a_mode * repetition["rounds"]
    assert {one["id"] for one in api.all("/experiments")} == kept
    # By Redis to upkeep and into PostgreSQL; what is killed later finds the cluster clean.
    registration.preflight(api, measured.cluster_id)
    assert measured.left() == []


OWN = ("api", "worker", "upkeep", "beat")
#: Far below the 130 s that the engine gives a worker which restores a cluster.
STOPPED_SECONDS = 60
_KILLED_BY_THE_ENGINE = 137


def test_all_stops_in_time_though_postgresql_was_killed_at_its_start(
    compose: Compose, api: Api, until: Until
) -> None:
    kept = {one["id"] for one in api.all("/experiments")}

    before = compose.container("postgres")
    kill(before)

    def is_started() -> bool:
        state = compose.container("postgres")["State"]
        return bool(state["Running"] and state["StartedAt"] > before["State"]["StartedAt"])

    until("postgres to start", is_started, 60)
    # It does not answer yet. The engine restarts what crashes, but nothing after `docker kill`.
    docker("kill", compose.container("postgres")["Id"])
    until("postgres to end", lambda: not compose.container("postgres")["State"]["Running"], 60)
    ended = compose.container("postgres")["State"]
    began = time.monotonic()
    compose.run("stop")
    took = time.monotonic() - began
    print(f"all stopped after {took:.0f} s")
    codes = {service: compose.container(service)["State"]["ExitCode"] for service in OWN}
    after = compose.container("postgres")["State"]
    compose.run("up", "--detach", "--wait")
    # It was down all the time.
    moments = ("StartedAt", "FinishedAt")
    assert [after[one] for one in moments] == [ended[one] for one in moments]
    assert _KILLED_BY_THE_ENGINE not in codes.values(), codes
    assert took < STOPPED_SECONDS
    assert {one["id"] for one in api.all("/experiments")} == kept


def test_what_each_service_takes(compose: Compose) -> None:
    groups = memory(compose)
    for one in groups:
        print(f"{one.name}: {one.mib:g} MiB in {one.processes} processes")
    assert {one.name for one in groups} == set(SERVICES)
    for one in groups:
        limit = compose.container(one.name)["HostConfig"]["Memory"]
        assert 0 < one.mib * 2**20 < limit / 2, one


def test_several_workers(compose: Compose, until: Until) -> None:
    compose.run("up", "--detach", "--wait", "--scale", "worker=3", "worker")
    assert len(compose.run("ps", "--quiet", "--status", "running", "worker").split()) == 3


def test_a_backup_brings_all_back_once_everything_was_destroyed(compose: Compose, api: Api) -> None:
    """By the commands of docs/how-to/back-up.md, with the image's own pg_dump."""
    run = max(api.all("/runs"), key=lambda one: str(one["queued_at"]))
    link = api.post("/snapshots", {"title": "kept", "run_id": run["id"]})["url"]
    shared = f"/public/snapshots/{link.rpartition('/')[2]}"
    paths = ("/experiments", "/clusters", "/runs", f"/runs/{run['id']}/trials")
    kept = {path: {one["id"] for one in api.all(path)} for path in paths}
    page = api.get(shared)
    backup = compose.clone / "podmeter.backup"
    backup.write_bytes(compose.piped("exec", "-T", "api", "podmeter-admin", "backup", "-"))

    compose.run("down", "--volumes")
    compose.run("up", "--detach", "--wait")
    compose.run("stop", "api", "worker", "upkeep", "beat")
    mounted = ("--volume", f"{compose.clone}:/backup:ro", "--user", str(os.getuid()))
    restore = ("podmeter-admin", "restore", "--replace", f"/backup/{backup.name}")
    print(compose.run("run", "--rm", "-T", *mounted, "api", *restore))
    compose.run("up", "--detach", "--wait")

    again = PatientApi(URL)
    again.log_in(EMAIL, compose.secret("admin_password"))
    assert {path: {one["id"] for one in again.all(path)} for path in paths} == kept
    assert again.get(shared) == page
    doctor = compose.ended("exec", "-T", "api", "podmeter-admin", "doctor")
    assert re.search(r"all [1-9]\d* encrypted rows open", doctor.stdout), (
        doctor.stdout + doctor.stderr
    )


def test_down_leaves_the_data_and_down_v_nothing(compose: Compose) -> None:
    before = PatientApi(URL)
    before.log_in(EMAIL, compose.secret("admin_password"))
    kept = {one["id"] for one in before.all("/experiments")}
    assert kept
    compose.run("down")
    assert not left()["containers"]
    began = time.monotonic()
    compose.run("up", "--detach", "--wait")
    print(f"all healthy again after {time.monotonic() - began:.0f} s")
    again = Api(URL)
    again.log_in(EMAIL, compose.secret("admin_password"))
    assert {one["id"] for one in again.all("/experiments")} == kept
    compose.run("down", "--volumes")
    assert not any(left().values())

"""docker-compose.yml from an empty clone, in the order in which a new user meets it."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from backend.tests.builders import SPEC, kubeconfig
from images.tests.compose import PROJECT, Compose, docker

from podmeter.demo.api import Api, DemoError

pytestmark = [pytest.mark.compose, pytest.mark.timeout(1800)]

URL = "http://127.0.0.1:8080"
EMAIL = "admin@localhost"
SERVICES = ("postgres", "redis", "api", "worker", "upkeep", "beat")
Until = Callable[[str, Callable[[], bool], float], None]


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
    """Whoever may inspect containers, and whatever logs that, learns none."""
    secrets = {path.read_text().strip() for path in (compose.clone / ".secrets").iterdir()}
    for service in (*SERVICES, "migrate"):
        inspected = json.dumps(compose.container(service))
        assert not [secret for secret in secrets if secret in inspected], service


@pytest.fixture(scope="module")
def api(compose: Compose) -> Api:
    """A session that is opened once: it too outlives whatever is killed."""
    opened = Api(URL)
    opened.log_in(EMAIL, compose.secret("admin_password"))
    return opened


@pytest.fixture(scope="module")
def cluster(api: Api) -> str:
    """A cluster to preflight: nothing there speaks TLS, which is found out at once."""
    body = {"name": "nowhere", "kubeconfig": kubeconfig("https://api:8080")}
    return str(api.post("/clusters", body)["id"])


def kill(container: dict[str, Any]) -> None:
    """End it as the kernel or a crash would; the engine takes `docker kill` for an order."""
    pid = str(container["State"]["Pid"])
    own = ("--pid=host", "--cap-add=KILL", "--network=none", "--user=0", "--entrypoint=sh")
    docker("run", "--rm", *own, container["Image"], "-c", f"kill -9 {pid}")


def running(compose: Compose, service: str, since: str) -> bool:
    """Whether it was started again, and is healthy where that is looked at."""
    state = compose.container(service)["State"]
    healthy = state.get("Health", {}).get("Status", "healthy") == "healthy"
    return bool(state["Running"] and state["StartedAt"] > since and healthy)


def answered(ask: Callable[[], Any]) -> bool:
    """Whether the API did what was asked."""
    try:
        ask()
    except (DemoError, httpx.TransportError):
        return False
    return True


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_killed_comes_back_and_nothing_is_lost(
    compose: Compose, api: Api, cluster: str, until: Until, service: str
) -> None:
    api.post("/experiments", {**SPEC, "name": f"kept before {service} was killed"})
    kept = {one["id"] for one in api.all("/experiments")}
    before = compose.container(service)
    kill(before)
    since = before["State"]["StartedAt"]
    until(f"{service} to come back", lambda: running(compose, service, since), 120)
    # From the API by Redis to a worker and into PostgreSQL, and back.
    until("a preflight", lambda: answered(lambda: api.post(f"/clusters/{cluster}/preflight")), 60)
    seen: list[str] = []

    def looked() -> bool:
        seen.append(api.get(f"/clusters/{cluster}")["preflight_state"])
        return seen[-1] not in ("queued", "running", "pending")

    until("the preflight to end", lambda: answered(looked) and looked(), 180)
    assert seen[-1] == "failed"
    assert {one["id"] for one in api.all("/experiments")} == kept


def test_several_workers(compose: Compose, until: Until) -> None:
    compose.run("up", "--detach", "--wait", "--scale", "worker=3", "worker")
    assert len(compose.run("ps", "--quiet", "--status", "running", "worker").split()) == 3


def test_down_leaves_the_data_and_down_v_nothing(compose: Compose, api: Api) -> None:
    kept = {one["id"] for one in api.all("/experiments")}
    compose.run("down")
    assert not left()["containers"]
    compose.run("up", "--detach", "--wait")
    again = Api(URL)
    again.log_in(EMAIL, compose.secret("admin_password"))
    assert {one["id"] for one in again.all("/experiments")} == kept
    compose.run("down", "--volumes")
    assert not any(left().values())

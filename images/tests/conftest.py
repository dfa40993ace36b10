"""A Docker engine with Compose, a clone of what is committed, and its images, built once."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.stack import PatientApi
from images.tests.compose import PROJECT, Compose, docker
from images.tests.measured import EMAIL, URL, Measured, Until

from podmeter.demo import cluster as registration
from podmeter.demo.api import Api

_MARKS = ("compose", "compose_demo")
#: A network whose proxy signs with authorities of its own says so by one of these.
CERTIFICATES = ("PODMETER_BUILD_CERTIFICATES", "NODE_EXTRA_CA_CERTS", "PIP_CERT")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes an engine, and minutes, runs only when it is asked for by its mark."""
    chosen = re.findall(r"\w+", config.option.markexpr)
    left_out = [
        item
        for item in items
        if any(item.get_closest_marker(mark) and mark not in chosen for mark in _MARKS)
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def engine() -> None:
    """Docker and Compose answer, as `make compose-test` sees to."""
    docker("version")
    docker("compose", "version")


@pytest.fixture(scope="session")
def clone(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A fresh clone of the commit that is checked out."""
    folder = tmp_path_factory.mktemp("clone") / "podmeter"
    subprocess.run(["git", "clone", "--quiet", PROJECT, folder], check=True)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def compose(clone: Path) -> Iterator[Compose]:
    """Compose in the clone; whatever it made is gone afterwards."""
    found = [os.environ[name] for name in CERTIFICATES if os.environ.get(name)]
    one = Compose(clone, certificates=found[0] if found else "/dev/null")
    yield one
    if (clone / ".env").exists():
        one.run("down", "--volumes", "--remove-orphans")


@pytest.fixture(scope="module")
def api(compose: Compose) -> Api:
    """A session that is opened once: it too outlives whatever is killed."""
    opened = PatientApi(URL)
    opened.log_in(EMAIL, compose.secret("admin_password"))
    return opened


@pytest.fixture(scope="module")
def measured(compose: Compose, api: Api) -> Iterator[Measured]:
    """The testbed is too much beside an engine; the script is as strict as a cluster is."""
    network = json.loads(docker("network", "inspect", "podmeter_outside"))[0]
    gateway = network["IPAM"]["Config"][0]["Gateway"]
    with Loop() as loop:
        script = ScriptedCluster("scripted", measuring_seconds=1.0, address=gateway)
        loop.wait(script.start())
        kubeconfig = script.server.kubeconfig("scripted")
        made = registration.register(api, "scripted", kubeconfig, allow_mode_switch=True)
        yield Measured(script, loop, made["id"])
        loop.wait(script.stop())


@pytest.fixture(scope="session")
def until() -> Until:
    """Wait for a condition, with a deadline in seconds."""

    def wait(what: str, condition: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"waited {seconds:g} s in vain for {what}"
            time.sleep(0.5)

    return wait

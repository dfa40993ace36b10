"""A Docker engine with Compose, a clone of what is committed, and its images, built once."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from images.tests.compose import PROJECT, Compose, docker

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


@pytest.fixture(scope="session")
def until() -> Callable[[str, Callable[[], bool], float], None]:
    """Wait for a condition, with a deadline in seconds."""

    def wait(what: str, condition: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"waited {seconds:g} s in vain for {what}"
            time.sleep(0.5)

    return wait

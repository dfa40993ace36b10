"""The testbed's processes end, whatever state they are left in."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_testbed import cgroups

NAME = "podmeter-testbed-frozen"


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a frozen container of a testbed of another name."""
    freezer = next((path for path in cgroups.hierarchies() if path.name == "freezer"), None)
    if freezer is None:
        pytest.skip("cgroup v1 is not mounted here: frozen processes of v2 end by themselves")
    monkeypatch.setattr(cgroups, "CGROUP", NAME)
    container: Path = freezer / NAME / "node-1" / "container"
    container.mkdir(parents=True)
    process = subprocess.Popen(["sleep", "600"])
    (container / "cgroup.procs").write_text(str(process.pid))
    (container / "freezer.state").write_text("FROZEN")
    yield process
    (container / "freezer.state").write_text("THAWED")
    process.kill()
    process.wait()
    cgroups.remove(name=NAME)


def test_processes_of_a_frozen_container_end(frozen: subprocess.Popen[bytes]) -> None:
    cgroups.kill_all()
    assert frozen.wait(timeout=60) == -9

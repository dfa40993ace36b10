"""Up and down: idempotent, after any kind of end, and without a trace."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_testbed import cgroups, footprint, lifecycle, machines, status
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import CGROUP, MACHINE_DEVICE, Layout
from podmeter_testbed.shell import run, wait_for
from podmeter_testbed.workloads import NGINX, Namespace, pod

pytestmark = pytest.mark.cluster
COMMAND = [sys.executable, "-m", "podmeter_testbed.cli"]


@pytest.fixture
def clean(layout: Layout, testbed_session: None) -> Iterator[footprint.Footprint]:
    """No testbed before; afterwards nothing of one may be left."""
    lifecycle.down(layout)
    before = footprint.take(layout)
    yield before
    lifecycle.down(layout)
    assert footprint.difference(before, footprint.take(layout)) == []


def kill_everything() -> None:
    for pid in cgroups.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_up_twice_down_twice(clean: footprint.Footprint, layout: Layout) -> None:
    lifecycle.up(layout)
    pids = [machines.require(layout, name).pid for name in layout.machines]
    lifecycle.up(layout)
    assert [machines.require(layout, name).pid for name in layout.machines] == pids, (
        "it was started anew"
    )
    assert status.report(layout)
    assert stat.S_IMODE(layout.kubeconfig.stat().st_mode) == 0o600

    # With pods running, host paths written and a daemon that came back after its end.
    room = Namespace(Kubectl(layout), "default")
    writes = {"name": "machine", "hostPath": {"path": "/opt/left-by-a-pod", "type": ""}}
    room.apply(pod("server", "node-1", NGINX, volumes=[writes]))
    room.wait_until_ready("server")
    node = machines.require(layout, "node-1")
    node.run("pkill", "--signal", "KILL", "--full", "--", "--hostname-override=node-1")
    wait_for("the kubelet to come back", lambda: status.runs(layout, "node-1", "kubelet"), 60)

    lifecycle.down(layout)
    assert footprint.difference(clean, footprint.take(layout)) == []
    assert not layout.state.exists()
    lifecycle.down(layout)
    assert not status.report(layout)


def test_up_and_down_after_everything_was_killed(
    clean: footprint.Footprint, layout: Layout
) -> None:
    lifecycle.up(layout)
    kill_everything()
    lifecycle.up(layout)
    assert status.report(layout)
    kill_everything()
    lifecycle.down(layout)
    assert footprint.difference(clean, footprint.take(layout)) == []


@pytest.mark.parametrize("reached", ["control-plane/pid", "node-2/pid", "logs/node-1-kubelet.log"])
def test_up_after_an_up_killed_half_way(
    clean: footprint.Footprint, layout: Layout, reached: str
) -> None:
    with subprocess.Popen([*COMMAND, "up"], stdout=subprocess.DEVNULL) as half:
        wait_for(reached, lambda: (layout.state / reached).exists(), 300, pause=0.01)
        half.kill()
    if "kubelet" in reached:
        assert cgroups.processes(), "what it had started goes on"
    # Before that, machines wait for their network, and end if nobody creates it: they may
    # have ended or not.
    assert not lifecycle.is_whole(layout)
    lifecycle.up(layout)
    assert status.report(layout)


def refused(layout: Layout) -> str:
    with pytest.raises(TestbedError) as caught:
        lifecycle.up(layout)
    assert not layout.state.exists()
    return str(caught.value)


def test_foreign_device_is_named_and_left_alone(clean: footprint.Footprint, layout: Layout) -> None:
    run("ip", "link", "add", MACHINE_DEVICE, "type", "bridge")
    try:
        assert f"device {MACHINE_DEVICE}" in refused(layout)
        assert MACHINE_DEVICE in run("ip", "link", "show", MACHINE_DEVICE)
    finally:
        run("ip", "link", "delete", MACHINE_DEVICE)


def test_foreign_address_and_route_are_named(clean: footprint.Footprint, layout: Layout) -> None:
    address = str(layout.subnet.network_address + 77)
    run("ip", "link", "add", "foreign0", "type", "bridge")
    try:
        run("ip", "address", "add", f"{address}/32", "dev", "foreign0")
        message = refused(layout)
        assert "foreign0" in message
        assert address in message
        run("ip", "address", "delete", f"{address}/32", "dev", "foreign0")
        run("ip", "link", "set", "foreign0", "up")
        run("ip", "route", "add", str(layout.subnet), "dev", "foreign0")
        message = refused(layout)
        assert f"route to {layout.subnet}" in message
        assert "PODMETER_TESTBED_SUBNET" in message
    finally:
        run("ip", "link", "delete", "foreign0")


def test_another_testbed_is_named_and_left_alone(
    clean: footprint.Footprint, layout: Layout, tmp_path: Path
) -> None:
    folder = cgroups.tracking_hierarchy() / CGROUP / "foreign"
    folder.mkdir(parents=True)
    environment = {**os.environ, "PODMETER_TESTBED_OF": str(tmp_path)}
    with subprocess.Popen(["sleep", "infinity"], env=environment) as foreign:
        try:
            (folder / "cgroup.procs").write_text(str(foreign.pid))
            message = refused(layout)
            assert str(tmp_path) in message
            assert str(foreign.pid) in message
            with pytest.raises(TestbedError, match=str(foreign.pid)):
                lifecycle.down(layout)
            assert foreign.poll() is None, "it must be left alone"
        finally:
            foreign.kill()


def test_two_commands_at_once(clean: footprint.Footprint, layout: Layout) -> None:
    with lifecycle.only_one(), pytest.raises(TestbedError, match="another testbed command"):
        lifecycle.down(layout)


def test_another_subnet(clean: footprint.Footprint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_SUBNET", "10.213.7.0/24")
    layout = Layout.from_environment()
    lifecycle.up(layout)
    assert status.report(layout)
    assert "10.213.7.2:6443" in layout.kubeconfig.read_text()
    lifecycle.down(layout)

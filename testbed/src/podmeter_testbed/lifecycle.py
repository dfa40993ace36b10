"""Up, down and status of a testbed."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from podmeter_testbed import (
    addons,
    builds,
    cgroups,
    conflicts,
    control_plane,
    images,
    machines,
    nodes,
    requirements,
)
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import CONTROL_PLANE, MACHINES, NODES, Layout
from podmeter_testbed.machines import Machine
from podmeter_testbed.pki import Authority
from podmeter_testbed.progress import say, step
from podmeter_testbed.shell import wait_for

READY_WITHIN = 180.0


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Hold the machine's lock, so that no two commands change testbeds at a time."""
    # A folder that is always there, so that no lock file is left behind.
    descriptor = os.open("/sys/fs/cgroup", os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise TestbedError(
            "another testbed command runs on this machine; wait until it has ended"
        ) from None
    finally:
        os.close(descriptor)


def build(layout: Layout) -> None:
    """Build whatever the cache lacks."""
    requirements.check(built=is_built(layout))
    for component in builds.COMPONENTS:
        builds.build(layout.cache, component)
    images.build(layout.cache)


def is_built(layout: Layout) -> bool:
    """Whether the cache has everything that a start needs."""
    components = all(builds.is_built(layout.cache, each) for each in builds.COMPONENTS)
    return components and images.output(layout.cache).is_dir()


def up(layout: Layout) -> None:
    """Start a testbed, or find that it runs; whatever is left of a broken one goes first."""
    requirements.check(built=is_built(layout))
    with only_one():
        if is_whole(layout):
            say(f"the testbed is up; export KUBECONFIG={layout.kubeconfig}")
            return
        build(layout)
        if others := conflicts.other_testbeds(layout):
            conflicts.refuse(others)
        if cgroups.exist() or layout.state.exists():
            with step("removing what is left of an earlier testbed"):
                machines.remove_all(layout)
        conflicts.check(layout)
        try:
            _start(layout)
        except BaseException:
            say(f"the testbed did not come up; its logs are in {layout.logs}")
            cgroups.kill_all()
            raise
    say(f"the testbed is up; export KUBECONFIG={layout.kubeconfig}")


def down(layout: Layout) -> None:
    """End the testbed and remove everything it made, whatever state it is in."""
    if reasons := requirements.cannot_run():
        raise TestbedError("\n".join(reasons))
    with only_one():
        if others := conflicts.other_testbeds(layout):
            conflicts.refuse(others)
        if not cgroups.exist() and not layout.state.exists():
            say("no testbed is up")
            return
        with step("taking the testbed down"):
            machines.remove_all(layout)


def is_whole(layout: Layout) -> bool:
    """Whether every machine runs, the start was completed and the API answers."""
    if any(machines.running(layout, name) is None for name in MACHINES):
        return False
    if not (layout.state / "complete").exists():
        return False
    kubectl = Kubectl(layout)
    if not kubectl.api_is_ready():
        return False
    ready = kubectl.nodes_ready()
    return all(ready.get(name) for name in NODES)


def _start(layout: Layout) -> None:
    with step("starting the machines"):
        _start_machines(layout)
    kubectl = Kubectl(layout)
    with step("waiting for the API server"):
        wait_for("the API server", kubectl.api_is_ready, READY_WITHIN)
    with step("starting kube-proxy, flannel, CoreDNS, kube-router and MetalLB"):
        addons.start(layout, kubectl, READY_WITHIN)
    (layout.state / "complete").touch()


def _start_machines(layout: Layout) -> dict[str, Machine]:
    layout.state.mkdir(parents=True)
    authority = Authority()
    control_plane.write_credentials(layout, authority)
    daemons = {CONTROL_PLANE: control_plane.daemons(layout)}
    for name in NODES:
        nodes.write_files(layout, name, authority)
        daemons[name] = nodes.daemons(layout, name)
    processes = {name: machines.start(layout, name, daemons[name]) for name in MACHINES}
    started = {name: machines.started(layout, name, processes[name]) for name in MACHINES}
    machines.connect(layout, started)
    for process in processes.values():
        machines.release(process)
    return started

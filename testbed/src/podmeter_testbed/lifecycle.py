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
    cilium,
    conflicts,
    control_plane,
    disk,
    images,
    kernel,
    machines,
    node_images,
    nodes,
    requirements,
    user_mode,
)
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import CONTROL_PLANE, MACHINES, NODES, Layout
from podmeter_testbed.pki import Authority
from podmeter_testbed.progress import say, step
from podmeter_testbed.settings import Cni, Kernel, kept_cni, kept_link
from podmeter_testbed.shell import wait_for

#: For so long a command that was killed may have the lock still: what it was about to start holds
#: it until that has begun.
_ENDING_SECONDS = 5.0
READY_WITHIN = {Kernel.MACHINE: 180.0, Kernel.UML: 600.0}


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Hold the machine's lock, so that no two commands change testbeds at a time."""
    # A folder that is always there, so that no lock file is left behind.
    descriptor = os.open("/sys/fs/cgroup", os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            wait_for("the lock", lambda: _locked(descriptor), _ENDING_SECONDS, pause=0.05)
        except TestbedError:
            raise TestbedError(
                "another testbed command runs on this machine; wait until it has ended"
            ) from None
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def build(layout: Layout) -> None:
    """Build whatever the cache lacks."""
    requirements.check(built=is_built(layout), kernel=layout.asked.kernel)
    for component in builds.COMPONENTS:
        builds.build(layout.cache, component)
    images.build(layout.cache)
    if layout.asked.kernel is Kernel.UML:
        kernel.build(layout.cache)
        disk.build(layout.cache)
    if layout.asked.cni is Cni.CILIUM:
        cilium.build(layout.cache)


def is_built(layout: Layout) -> bool:
    """Whether the cache has everything that a start needs."""
    components = all(builds.is_built(layout.cache, each) for each in builds.COMPONENTS)
    built = components and images.output(layout.cache).is_dir()
    if layout.asked.cni is Cni.CILIUM:
        built = built and cilium.is_built(layout.cache)
    if layout.asked.kernel is not Kernel.UML:
        return built
    return built and kernel.output(layout.cache) is not None and disk.output(layout.cache).exists()


def up(layout: Layout) -> None:
    """Start a testbed, or find that it runs; whatever is left of a broken one goes first."""
    requirements.check(built=is_built(layout), kernel=layout.asked.kernel)
    with only_one():
        if is_whole(layout):
            _refuse_another(layout)
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


def kernel_in_use(layout: Layout) -> Kernel:
    """The kernel that the machines of a testbed run on."""
    return Kernel.UML if user_mode.is_used(layout) else Kernel.MACHINE


def _refuse_another(layout: Layout) -> None:
    for name, asked_for, running in (
        ("KERNEL", layout.asked.kernel, kernel_in_use(layout)),
        ("CNI", layout.asked.cni, kept_cni(layout.state)),
        ("LINK", layout.asked.link, kept_link(layout.state)),
        ("SUBNETS", layout.asked.subnets, layout.subnets),
    ):
        if asked_for not in (None, running):
            runs_with = f"with {name}={running}" if running is not None else f"without {name}"
            raise TestbedError(
                f"the testbed is up {runs_with}, not {asked_for}; `make testbed-down` ends it"
            )


def _start(layout: Layout) -> None:
    with step("starting the machines"):
        _start_machines(layout)
    within = READY_WITHIN[kernel_in_use(layout)]
    kubectl = Kubectl(layout)
    with step("waiting for the API server"):
        wait_for("the API server", kubectl.api_is_ready, within)
    cni = kept_cni(layout.state)
    with step(f"starting kube-proxy, {addons.POD_NETWORKS[cni].names}, CoreDNS and MetalLB"):
        addons.start(layout, kubectl, cni, within)
    (layout.state / "complete").touch()


def _start_machines(layout: Layout) -> None:
    layout.state.mkdir(parents=True)
    layout.asked.keep(layout.state)
    authority = Authority()
    control_plane.write_credentials(layout, authority)
    daemons = {CONTROL_PLANE: control_plane.daemons(layout)}
    for name in NODES:
        nodes.write_files(layout, name, authority)
        daemons[name] = nodes.daemons(layout, name)
    if layout.asked.kernel is Kernel.UML:
        linux = kernel.build(layout.cache) / "linux"
        user_mode.boot(layout, linux, disk.build(layout.cache), daemons)
        return
    with_cilium = layout.asked.cni is Cni.CILIUM
    kept = cilium.output(layout.cache) if with_cilium else images.output(layout.cache)
    for name in NODES:
        node_images.take(kept, layout.machine(name) / nodes.IMAGES_FOLDER)
    machines.start_all(layout, daemons)

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
    stages,
    user_mode,
)
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import CONTROL_PLANE, Layout
from podmeter_testbed.pki import Authority
from podmeter_testbed.progress import say, step
from podmeter_testbed.settings import (
    AddOn,
    Cni,
    Kernel,
    Nodes,
    keep_add_ons,
    kept_add_ons,
    kept_cni,
    kept_link,
    kept_nodes,
)
from podmeter_testbed.shell import wait_for
from podmeter_testbed.stages import Stage

#: For so long a command that was killed may have the lock still: what it was about to start holds
#: it until that has begun.
_ENDING_SECONDS = 5.0
NONE: frozenset[AddOn] = frozenset()
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


def parts(layout: Layout, add_ons: frozenset[AddOn] = NONE) -> list[Stage]:
    """What is built, in order: for a testbed as it is asked for, with these add-ons too."""
    cache, asked = layout.cache, layout.asked
    # What a testbed that is up gets later must fit its pod network.
    cni = asked.cni or kept_cni(layout.state)
    bundles = addons.bundles(cni, asked.add_ons | add_ons)
    found = [builds.stage(cache, component) for component in builds.COMPONENTS]
    found += images.stages(cache)
    for bundle in bundles:
        found += bundle.stages(cache)
    if asked.kernel is Kernel.UML:
        found += [kernel.stage(cache), disk.stage(cache)]
    if asked.cni is Cni.CILIUM:
        found += cilium.stages(cache)
    return found


def build(layout: Layout, add_ons: frozenset[AddOn] = NONE) -> None:
    """Build whatever the cache lacks."""
    requirements.check(built=is_built(layout, add_ons), kernel=layout.asked.kernel)
    stages.run(layout.cache, parts(layout, add_ons))


def is_built(layout: Layout, add_ons: frozenset[AddOn] = NONE) -> bool:
    """Whether the cache has everything that a start needs."""
    return all(stage.is_built() for stage in parts(layout, add_ons))


def up(layout: Layout, add_ons: frozenset[AddOn] = NONE) -> None:
    """Start a testbed, or find that it runs; whatever is left of a broken one goes first.

    It has the add-ons that are asked for and these; one that runs is given those that it lacks.
    """
    requirements.check(built=is_built(layout, add_ons), kernel=layout.asked.kernel)
    with only_one():
        if is_whole(layout):
            _refuse_another(layout)
            _add_missing(layout, add_ons)
            say(f"the testbed is up; export KUBECONFIG={layout.kubeconfig}")
            return
        build(layout, add_ons)
        if others := conflicts.other_testbeds(layout):
            conflicts.refuse(others)
        if cgroups.exist() or layout.state.exists():
            with step("removing what is left of an earlier testbed"):
                machines.remove_all(layout)
        conflicts.check(layout)
        try:
            _start(layout)
            _add_missing(layout, add_ons)
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
    if any(machines.running(layout, name) is None for name in layout.machines):
        return False
    if not (layout.state / "complete").exists():
        return False
    kubectl = Kubectl(layout)
    if not kubectl.api_is_ready():
        return False
    ready = kubectl.nodes_ready()
    return all(ready.get(name) for name in layout.nodes)


def kernel_in_use(layout: Layout) -> Kernel:
    """The kernel that the machines of a testbed run on."""
    return Kernel.UML if user_mode.is_used(layout) else Kernel.MACHINE


def _refuse_another(layout: Layout) -> None:
    for name, asked_for, running in (
        ("KERNEL", layout.asked.kernel, kernel_in_use(layout)),
        ("CNI", layout.asked.cni, kept_cni(layout.state)),
        ("LINK", layout.asked.link, kept_link(layout.state)),
        ("SUBNETS", layout.asked.subnets, layout.subnets),
        ("NODES", layout.asked.nodes, kept_nodes(layout.state) or Nodes.TWO),
    ):
        if asked_for not in (None, running):
            runs_with = f"with {name}={running}" if running is not None else f"without {name}"
            raise TestbedError(
                f"the testbed is up {runs_with}, not {asked_for}; `make testbed-down` ends it"
            )


def _add_missing(layout: Layout, add_ons: frozenset[AddOn]) -> None:
    """Start the add-ons that are asked for and do not run."""
    cni = kept_cni(layout.state)
    wanted = addons.needed(cni, layout.asked.add_ons | add_ons)
    running = kept_add_ons(layout.state)
    if wanted <= running:
        return
    build(layout, wanted)
    for add_on in sorted(wanted - running):
        with step(f"adding {add_on} ({addons.ADD_ON_BUNDLES[add_on].name})"):
            addons.add(layout, Kubectl(layout), add_on, READY_WITHIN[kernel_in_use(layout)])
        running |= {add_on}
        keep_add_ons(layout.state, running)


def _start(layout: Layout) -> None:
    with step("starting the machines"):
        _start_machines(layout)
    within = READY_WITHIN[kernel_in_use(layout)]
    kubectl = Kubectl(layout)
    with step("waiting for the API server"):
        wait_for("the API server", kubectl.api_is_ready, within)
    cni = kept_cni(layout.state)
    with step(f"starting kube-proxy, {cni} and CoreDNS"):
        addons.start(layout, kubectl, cni, within)
    (layout.state / "complete").touch()


def _start_machines(layout: Layout) -> None:
    layout.state.mkdir(parents=True)
    layout.asked.keep(layout.state)
    authority = Authority()
    control_plane.write_credentials(layout, authority)
    daemons = {CONTROL_PLANE: control_plane.daemons(layout)}
    for name in layout.nodes:
        nodes.write_files(layout, name, authority)
        daemons[name] = nodes.daemons(layout, name)
    if layout.asked.kernel is Kernel.UML:
        linux = kernel.build(layout.cache) / "linux"
        user_mode.boot(layout, linux, disk.output(layout.cache), daemons)
        return
    with_cilium = layout.asked.cni is Cni.CILIUM
    kept = cilium.output(layout.cache) if with_cilium else images.output(layout.cache)
    for name in layout.nodes:
        node_images.take(kept, layout.machine(name) / nodes.IMAGES_FOLDER)
    machines.start_all(layout, daemons)

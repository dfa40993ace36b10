"""What of the testbed runs."""

from __future__ import annotations

import contextlib

from podmeter_testbed import addons, cgroups, machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import CONTROL_PLANE, Layout
from podmeter_testbed.progress import say
from podmeter_testbed.settings import Subnets, kept_add_ons, kept_cni, kept_link

_CONTROL_PLANE_DAEMONS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
_NODE_DAEMONS = ("containerd", "kubelet")

#: The programs that a machine's first process has started.
_PROGRAMS = """
for status in $(grep -lsxE 'PPid:[[:space:]]+1' /proc/[0-9]*/status); do
  tr '\\0' '\\n' <"${status%status}cmdline" | head -n 1 | sed 's|.*/||'
done 2>/dev/null
"""


def report(layout: Layout) -> bool:
    """Print a line for each part; whether all is well."""
    if not cgroups.exist() and not layout.state.exists():
        say("no testbed is up")
        return False
    well = True
    for name in layout.machines:
        machine = machines.running(layout, name)
        if machine is None:
            well = False
            say(f"{name:<14} not running")
            continue
        daemons = _CONTROL_PLANE_DAEMONS if name == CONTROL_PLANE else _NODE_DAEMONS
        dead = [daemon for daemon in daemons if not runs(layout, name, daemon)]
        well = well and not dead
        alive = [daemon for daemon in daemons if daemon not in dead]
        line = f"{name:<14} {layout.address(name):<12} {', '.join(alive)}"
        say(line + (f"; not running: {', '.join(dead)}" if dead else ""))
    if layout.subnets is Subnets.TWO:
        say(f"{'subnets':<14} {', '.join(str(layout.network_of(name)) for name in layout.nodes)}")
    if (link := kept_link(layout.state)) is not None:
        say(f"{'link':<14} {link}")
    have = kept_add_ons(layout.state)
    say(f"{'add-ons':<14} {', '.join(sorted(have)) or 'none'}")
    return _report_cluster(layout) and well


def _report_cluster(layout: Layout) -> bool:
    kubectl = Kubectl(layout)
    if not kubectl.api_is_ready():
        say(f"API server     not ready at {layout.api_server}")
        return False
    say(f"API server     ready at {layout.api_server}")
    ready = kubectl.nodes_ready()
    well = True
    for name in layout.nodes:
        well = well and ready.get(name, False)
        say(f"{name:<14} {'Ready' if ready.get(name) else 'not Ready'}")
    for namespace, workload in addons.workloads(kept_cni(layout.state), kept_add_ons(layout.state)):
        try:
            state = kubectl.get("--namespace", namespace, workload)["status"]
        except TestbedError:
            well = False
            say(f"{workload.partition('/')[2]:<18} missing")
            continue
        have = state.get("numberReady", state.get("readyReplicas", 0))
        want = state.get("desiredNumberScheduled", state.get("replicas", 0))
        well = well and have == want > 0
        say(f"{workload.partition('/')[2]:<18} {have} of {want} ready")
    return well


def runs(layout: Layout, name: str, daemon: str) -> bool:
    """Whether a child of a machine's first process is that daemon."""
    machine = machines.running(layout, name)
    if machine is None:
        return False
    with contextlib.suppress(TestbedError):
        return daemon in machine.run("sh", "-c", _PROGRAMS).splitlines()
    return False

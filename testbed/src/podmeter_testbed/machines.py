"""Machines of the testbed: namespaces joined by a bridge, each with an init and daemons."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from podmeter_testbed import cgroups, outside, user_mode
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import (
    CONTROL_PLANE,
    INSIDE_CACHE,
    INSIDE_STATE,
    MACHINE_DEVICE,
    Layout,
)
from podmeter_testbed.settings import kept_link
from podmeter_testbed.shell import run, start_time_of, wait_for

INIT = Path(__file__).with_name("machine_init.py")
NAMESPACES = ("--mount", "--net", "--uts", "--ipc", "--pid")
NODE_SYSCTLS = {
    "net/ipv4/ip_forward": "1",
    # What kubeadm asks of a node, so that bridged pod traffic meets the Service rules.
    "net/bridge/bridge-nf-call-iptables": "1",
}
# The bridge is a switch: what crosses it meets no firewall. It forwards only to be able to
# answer "unreachable" to what is sent anywhere else, which would otherwise be waited for.
SWITCH_SYSCTLS = {"net/ipv4/ip_forward": "1", "net/bridge/bridge-nf-call-iptables": "0"}


@dataclass(frozen=True)
class Machine:
    """A running machine: `pid` is that of its first process, as the kernel it runs on sees it.

    `by` is the command line that runs another on that kernel, empty where it is this machine's.
    """

    name: str
    pid: int
    by: tuple[str, ...] = ()

    def inside(self, *argv: str | Path) -> list[str]:
        """The command line that runs `argv` inside the machine's namespaces."""
        words = [str(word) for word in argv]
        return [*self.by, "nsenter", "--target", str(self.pid), *NAMESPACES, "--", *words]

    def run(self, *argv: str | Path, timeout: float = 60) -> str:
        """Standard output of a program run inside the machine."""
        return run(*self.inside(*argv), timeout=timeout)


Daemons = Mapping[str, Sequence[str]]


def start_all(
    layout: Layout, daemons: Mapping[str, Daemons], link: str | None = None
) -> dict[str, Machine]:
    """Start every machine, joined by a network; their files must be there.

    `link` is a device that leads out of this kernel, for the machines' network; without one
    this kernel's own processes reach it.
    """
    processes = {name: start(layout, name, daemons[name]) for name in layout.machines}
    machines = {name: started(layout, name, processes[name]) for name in layout.machines}
    join(layout, machines)
    switch = machines[CONTROL_PLANE]
    if link is None:
        _plug(switch, "machine", MACHINE_DEVICE, os.getpid())
        outside.address(layout)
    else:
        run("ip", "link", "set", link, "netns", str(switch.pid))
        _ip(switch, "link", "set", link, "master", "eth0", "up")
    for process in processes.values():
        release(process)
    return machines


def start(layout: Layout, name: str, daemons: Daemons) -> subprocess.Popen[str]:
    """Make a machine's namespaces; its init waits for `release`. Its first line is its PID."""
    folder = layout.machine(name)
    folder.mkdir(parents=True, exist_ok=True)
    spec = folder / "machine.json"
    spec.write_text(
        json.dumps(
            {
                "name": name,
                "state": str(layout.state),
                "cache": str(layout.cache),
                "inside_state": str(INSIDE_STATE),
                "inside_cache": str(INSIDE_CACHE),
                "sysctls": SWITCH_SYSCTLS if name == CONTROL_PLANE else NODE_SYSCTLS,
                "daemons": {key: [str(word) for word in argv] for key, argv in daemons.items()},
            },
            indent=1,
        )
    )
    enter = f'echo $$ > "{cgroups.make(name)}"; exec "$@"'
    environment = {
        **os.environ,
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PODMETER_TESTBED_OF": str(layout.state),
    }
    layout.logs.mkdir(exist_ok=True)
    with (layout.logs / f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            [
                *("sh", "-c", enter, "sh", "unshare", *NAMESPACES, "--fork", "--kill-child"),
                *(sys.executable, "-I", "-S", str(INIT), str(spec)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            cwd="/",
            text=True,
            start_new_session=True,
        )


def started(layout: Layout, name: str, process: subprocess.Popen[str]) -> Machine:
    """Read the PID of a machine's first process and keep it beside the machine's files."""
    line = _pipe(process.stdout).readline().strip()
    if not line:
        log = layout.logs / f"{name}.log"
        raise TestbedError(f"machine {name} did not start: {log.read_text().strip()[-500:]}")
    (layout.machine(name) / "pid").write_text(f"{line} {start_time_of(int(line))}\n")
    return Machine(name, int(line))


def release(process: subprocess.Popen[str]) -> None:
    """Let a machine's init go on: its network is there."""
    pipe = _pipe(process.stdin)
    pipe.write("go\n")
    pipe.close()


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise ValueError("the process was started without this pipe")
    return pipe


def join(layout: Layout, machines: Mapping[str, Machine]) -> None:
    """Join the machines by a bridge inside the control plane's namespace, or by it as a router."""
    switch = machines[CONTROL_PLANE]
    for machine in machines.values():
        _ip(machine, "link", "set", "lo", "up")
    _ip(switch, "link", "add", "eth0", "type", "bridge")
    _ip(switch, "address", "add", layout.interface(CONTROL_PLANE), "dev", "eth0")
    _ip(switch, "link", "set", "eth0", "up")
    _ip(switch, "route", "add", "unreachable", "default")
    link = kept_link(layout.state)
    for name in layout.nodes:
        node = machines[name]
        if layout.network_of(name) == layout.routed_subnet:
            _pair(switch, name, "eth0", node.pid)
            _ip(switch, "address", "add", str(layout.router), "dev", name)
            gateway = str(layout.router.ip)
        else:
            _plug(switch, name, "eth0", node.pid)
            gateway = layout.address(CONTROL_PLANE)
        _ip(node, "address", "add", layout.interface(name), "dev", "eth0")
        _ip(node, "link", "set", "eth0", "up")
        # Needed for Service addresses to be routable at all; it leads to a router, or nowhere.
        _ip(node, "route", "add", "default", "via", gateway)
        if link is not None:
            for argv in link.of_node("eth0"):
                _on_network(node, *argv)
            for argv in link.of_port(name):
                _on_network(switch, *argv)


def _plug(switch: Machine, port: str, device: str, pid: int) -> None:
    """A pair of devices: `port` of the bridge, and `device` where the process `pid` is."""
    _pair(switch, port, device, pid)
    _ip(switch, "link", "set", port, "master", "eth0")


def _pair(switch: Machine, port: str, device: str, pid: int) -> None:
    """A pair of devices: `port` where the switch is, and `device` where the process `pid` is."""
    peer = ("peer", "name", device, "netns", str(pid))
    _ip(switch, "link", "add", port, "type", "veth", *peer)
    _ip(switch, "link", "set", port, "up")


def _ip(machine: Machine, *argv: str) -> None:
    _on_network(machine, "ip", *argv)


def _on_network(machine: Machine, *argv: str) -> None:
    run("nsenter", "--target", str(machine.pid), "--net", "--", *argv)


def running(layout: Layout, name: str) -> Machine | None:
    """The machine of that name, where its first process lives."""
    with contextlib.suppress(OSError, ValueError):
        pid, start_time = (layout.machine(name) / "pid").read_text().split()
        if user_mode.is_used(layout):
            # It ends with the first of its machines.
            by = user_mode.by(layout)
            return None if by is None else Machine(name, int(pid), by)
        if start_time_of(int(pid)) == start_time:
            return Machine(name, int(pid))
    return None


def require(layout: Layout, name: str) -> Machine:
    """The machine of that name; TestbedError where it does not run."""
    machine = running(layout, name)
    if machine is None:
        raise TestbedError(f"machine {name} does not run; make testbed-up starts the testbed")
    return machine


def owner(pid: int) -> Path | None:
    """The state directory of the testbed that a process belongs to."""
    with contextlib.suppress(OSError):
        for variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            name, _, value = variable.partition(b"=")
            if name == b"PODMETER_TESTBED_OF":
                return Path(os.fsdecode(value))
    return None


def remove_all(layout: Layout) -> None:
    """End every process of the testbed; devices and mounts go with their namespaces."""
    cgroups.kill_all()
    # The kernel takes namespaces apart a little after their last process.
    outside.remove()
    cgroups.remove()
    user_mode.restore_machine(layout)
    if layout.state.exists():
        wait_for(f"{layout.state} to be removable", lambda: _removed(layout.state), 30)


def _removed(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)
        return True
    return not folder.exists()

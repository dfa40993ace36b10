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

from podmeter_testbed import cgroups
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import (
    CONTROL_PLANE,
    INSIDE_CACHE,
    INSIDE_STATE,
    MACHINE_DEVICE,
    NODES,
    Layout,
)
from podmeter_testbed.shell import run, wait_for

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
    """A running machine: `pid` is that of its first process, as this machine sees it."""

    name: str
    pid: int

    def inside(self, *argv: str | Path) -> list[str]:
        """The command line that runs `argv` inside the machine's namespaces."""
        words = [str(word) for word in argv]
        return ["nsenter", "--target", str(self.pid), *NAMESPACES, "--", *words]

    def run(self, *argv: str | Path, timeout: float = 60) -> str:
        """Standard output of a program run inside the machine."""
        return run(*self.inside(*argv), timeout=timeout)


def start(layout: Layout, name: str, daemons: Mapping[str, Sequence[str]]) -> subprocess.Popen[str]:
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
    (layout.machine(name) / "pid").write_text(f"{line} {_start_time(int(line))}\n")
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


def connect(layout: Layout, machines: Mapping[str, Machine]) -> None:
    """Join the machines, and this one, by a bridge inside the control plane's namespace."""
    switch = machines[CONTROL_PLANE]
    prefix = layout.subnet.prefixlen

    def net(machine: Machine, *argv: str) -> None:
        run("nsenter", "--target", str(machine.pid), "--net", "--", "ip", *argv)

    for machine in machines.values():
        net(machine, "link", "set", "lo", "up")
    net(switch, "link", "add", "eth0", "type", "bridge")
    net(switch, "address", "add", f"{layout.address(CONTROL_PLANE)}/{prefix}", "dev", "eth0")
    net(switch, "link", "set", "eth0", "up")
    net(switch, "route", "add", "unreachable", "default")
    ends = {"machine": (MACHINE_DEVICE, os.getpid())}
    ends |= {name: ("eth0", machines[name].pid) for name in NODES}
    for port, (device, pid) in ends.items():
        peer = ("peer", "name", device, "netns", str(pid))
        net(switch, "link", "add", port, "type", "veth", *peer)
        net(switch, "link", "set", port, "master", "eth0", "up")
    for name in NODES:
        node = machines[name]
        net(node, "address", "add", f"{layout.address(name)}/{prefix}", "dev", "eth0")
        net(node, "link", "set", "eth0", "up")
        # Needed for Service addresses to be routable at all; it leads nowhere.
        net(node, "route", "add", "default", "via", layout.address(CONTROL_PLANE))
    address = f"{layout.address('machine')}/{prefix}"
    run("ip", "address", "add", address, "dev", MACHINE_DEVICE)
    run("ip", "link", "set", MACHINE_DEVICE, "up")


def running(layout: Layout, name: str) -> Machine | None:
    """The machine of that name, where its first process lives."""
    with contextlib.suppress(OSError, ValueError):
        pid, start_time = (layout.machine(name) / "pid").read_text().split()
        if _start_time(int(pid)) == start_time:
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
    device = Path("/sys/class/net", MACHINE_DEVICE)
    if device.exists():
        with contextlib.suppress(TestbedError):
            run("ip", "link", "delete", MACHINE_DEVICE)
    wait_for(f"device {MACHINE_DEVICE} to go", lambda: not device.exists(), 30)
    cgroups.remove()
    if layout.state.exists():
        wait_for(f"{layout.state} to be removable", lambda: _removed(layout.state), 30)


def _removed(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)
        return True
    return not folder.exists()


def _start_time(pid: int) -> str:
    """Field 22 of proc(5)'s stat: it tells two processes with the same PID apart."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]

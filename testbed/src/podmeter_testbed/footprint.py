"""What a testbed could leave on this machine: taken before and after, the difference is named."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from podmeter_testbed import builds, cgroups
from podmeter_testbed.layout import CGROUP, Layout

Footprint = dict[str, list[str]]

FOLDERS = ("/run", "/var/lib", "/etc/cni", "/opt", "/etc/kubernetes", "/usr/libexec/kubernetes")
FOLDER_DEPTH = 2
CGROUP_WORDS = (CGROUP, "kube", "k8s", "containerd", "cri-")
# Sysctls that count or change by themselves.
VOLATILE = (
    *("fs/aio-nr", "fs/dentry-state", "fs/file-nr", "fs/inode-nr", "fs/inode-state", "fs/quota"),
    *("kernel/ns_last_pid", "kernel/pty/nr", "kernel/random", "net/netfilter/nf_conntrack_count"),
    *("fs/binfmt_misc", "kernel/tainted", "kernel/perf_event_max_sample_rate"),
)
_DAEMONS = (*builds.COMPONENTS, *builds.ADD_ONS)
RULES = (
    *(("iptables-save",), ("ip6tables-save",), ("iptables-legacy-save",)),
    *(("nft", "list", "ruleset"), ("ipset", "save")),
)


def take(layout: Layout) -> Footprint:
    """Everything of this machine that a testbed might change, as lines to compare."""
    processes = dict(_processes(layout))
    return {
        "processes": sorted(f"{pid} {program}" for pid, program in processes.items()),
        "network namespaces": sorted(_network_namespaces(processes)),
        "interfaces": sorted(_lines("ip", "-oneline", "address")),
        "routes": sorted(_lines("ip", "route", "show", "table", "all")),
        "mounts": sorted(_mounts()),
        "rules": sorted(line for argv in RULES for line in _rules(argv)),
        "cgroups": sorted(_cgroups()),
        "sysctls": sorted(_sysctls()),
        "files": sorted(_files()),
    }


def difference(before: Footprint, after: Footprint) -> list[str]:
    """A line for everything that came (+) or went (-), with what it is."""
    found = []
    for what, lines in after.items():
        found += [f"{what}: + {line}" for line in lines if line not in set(before[what])]
        found += [f"{what}: - {line}" for line in before[what] if line not in set(lines)]
    return found


def _processes(layout: Layout) -> Iterator[tuple[int, str]]:
    """Processes that are a testbed's by cgroup, by program, or by a PID namespace of their own."""
    ours = set(cgroups.processes())
    own_namespace = os.readlink("/proc/self/ns/pid")
    daemons = {name for component in _DAEMONS for name in component.binaries}
    daemons |= {"cilium-agent", "cilium-operator-generic"}
    daemons |= {"containerd", "containerd-shim-runc-v2", "etcd", "runc"}
    # Beside the others in the cache, and no testbed's: tests of the chart run it at any time.
    helm = str(builds.output(layout.cache, builds.HELM) / "helm")
    for pid in (int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()):
        with contextlib.suppress(OSError):
            program = os.readlink(f"/proc/{pid}/exe")
            if program == helm:
                continue
            if (
                pid in ours
                or Path(program).name in daemons
                or program.startswith(str(layout.cache))
                or os.readlink(f"/proc/{pid}/ns/pid") != own_namespace
            ):
                yield pid, program


def _network_namespaces(processes: Iterable[int]) -> Iterator[str]:
    """Those that a testbed's processes are in, and named ones; other programs have theirs."""
    seen = set()
    for pid in processes:
        with contextlib.suppress(OSError):
            seen.add(os.readlink(f"/proc/{pid}/ns/net"))
    yield from seen
    with contextlib.suppress(FileNotFoundError):
        yield from (f"named {name}" for name in os.listdir("/run/netns"))


def _mounts() -> Iterator[str]:
    """All but the small file systems that tests of full disks mount at any time."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mount = " ".join(line.split()[3:])
        if "/podmeter-tests-" not in mount:
            yield mount


def _rules(argv: tuple[str, ...]) -> Iterator[str]:
    if shutil.which(argv[0]) is None:
        return
    for line in _lines(*argv):
        if not line.startswith("#"):
            # Packet counters move by themselves.
            yield f"{argv[0]}: {line.partition('[')[0].strip()}"


def _cgroups() -> Iterator[str]:
    """Those that are named as a testbed's are: other programs make and remove theirs all the time.

    Its own, and what kubelet and the container runtime would make beside it by mistake.
    """
    for hierarchy in cgroups.hierarchies():
        for folder, _, _ in os.walk(hierarchy):
            if any(word in folder for word in CGROUP_WORDS):
                yield folder


def _sysctls() -> Iterator[str]:
    top = Path("/proc/sys")
    for folder, _, files in os.walk(top):
        for name in files:
            path = Path(folder, name)
            key = str(path.relative_to(top))
            if not key.startswith(VOLATILE):
                with contextlib.suppress(OSError, UnicodeDecodeError):
                    yield f"{key} = {path.read_text().strip()}"


def _files() -> Iterator[str]:
    for top in FOLDERS:
        for folder, folders, files in os.walk(top):
            depth = len(Path(folder).relative_to(top).parts)
            yield from (str(Path(folder, name)) for name in (*folders, *files))
            if depth + 1 >= FOLDER_DEPTH:
                folders.clear()


def _lines(*argv: str) -> Iterable[str]:
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    return ended.stdout.splitlines()


def save(footprint: Footprint, path: Path) -> None:
    """Keep a footprint for a later comparison."""
    path.write_text(json.dumps(footprint, indent=1))


def load(path: Path) -> Footprint:
    """Read a kept footprint."""
    content: Footprint = json.loads(path.read_text())
    return content

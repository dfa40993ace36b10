"""The testbed's cgroups: they tell which processes are its own, whatever became of its files."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from podmeter_testbed.layout import CGROUP
from podmeter_testbed.shell import wait_for


def hierarchies() -> list[Path]:
    """Where cgroup hierarchies are mounted (one with cgroup v2, a dozen with v1)."""
    found = []
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, target, kind, *_ = line.split()
        if kind in ("cgroup", "cgroup2") and target.startswith("/sys/fs/cgroup"):
            found.append(Path(target))
    return found


def tracking_hierarchy() -> Path:
    """The hierarchy that the testbed's processes are put into: v2 where mounted, else pids."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    for _, target, kind, *_ in mounts:
        if kind == "cgroup2":
            return Path(target)
    return next(path for path in hierarchies() if path.name == "pids")


def make(machine: str) -> Path:
    """The `cgroup.procs` file that a machine's first process writes its PID to."""
    folder = tracking_hierarchy() / CGROUP / machine / "daemons"
    folder.mkdir(parents=True, exist_ok=True)
    for hierarchy in hierarchies():
        pods = hierarchy / CGROUP / machine / "pods"
        pods.mkdir(parents=True, exist_ok=True)
        _give_cpus(hierarchy, pods)
    return folder / "cgroup.procs"


def _give_cpus(hierarchy: Path, folder: Path) -> None:
    """A new cpuset of cgroup v1 is empty, and nothing below it could have a CPU."""
    for path in reversed([folder, *folder.parents]):
        if not path.is_relative_to(hierarchy) or path == hierarchy:
            continue
        for name in ("cpuset.cpus", "cpuset.mems"):
            if (path.parent / name).exists() and not (path / name).read_text().strip():
                (path / name).write_text((path.parent / name).read_text())


def processes() -> list[int]:
    """PIDs of every living process below the testbed's cgroups."""
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            lines = Path(entry.path, "cgroup").read_text().splitlines()
            if any(_is_ours(line.split(":", 2)[2]) for line in lines):
                stat = Path(entry.path, "stat").read_text()
                if stat.rpartition(")")[2].split()[0] not in ("Z", "X"):
                    found.append(int(entry.name))
    return found


def _is_ours(path: str) -> bool:
    return path == f"/{CGROUP}" or path.startswith(f"/{CGROUP}/")


def kill_all(seconds: float = 30) -> None:
    """Kill every process of the testbed and wait until none is left."""

    def none_left() -> bool:
        pids = processes()
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if pids:
            _thaw()
        return not pids

    wait_for("the testbed's processes to end", none_left, seconds)


def _thaw() -> None:
    """Thaw every container, so that its processes receive their signals.

    runc freezes a container of cgroup v1 while it signals its processes, and may be killed before
    it thaws them. cgroup v2 ends frozen processes by itself.
    """
    for hierarchy in hierarchies():
        for state in (hierarchy / CGROUP).rglob("freezer.state"):
            with contextlib.suppress(OSError):
                state.write_text("THAWED")


def remove(seconds: float = 30, name: str = CGROUP) -> None:
    """Remove the testbed's cgroups, or those of another name; no process may be left in them."""

    def removed() -> bool:
        left = False
        for hierarchy in hierarchies():
            top = hierarchy / name
            if not top.exists():
                continue
            for folder, _, _ in os.walk(top, topdown=False):
                # Busy for a moment after its last process ended.
                with contextlib.suppress(OSError):
                    Path(folder).rmdir()
            left = left or top.exists()
        return not left

    wait_for(f"the cgroups of {name} to be removed", removed, seconds)


def exist() -> bool:
    """Whether any cgroup of the testbed is there."""
    return any((hierarchy / CGROUP).exists() for hierarchy in hierarchies())

"""The first process of the testbed's own kernel: mounts, then the machines, as user_mode.py says.

The root is this machine's, by hostfs; nothing is written to it, an overlay hides it before anything
else is done. Standard library only. Where one of the machines ends, so does the kernel.
"""

from __future__ import annotations

import ctypes
import ipaddress
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from podmeter_testbed import machines, remote
from podmeter_testbed.layout import CONTROL_PLANE, Layout
from podmeter_testbed.machine_init import mount

CONTROLLERS = ("cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids")
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
}
OPEN_FILES = 1 << 20
#: What a machine of ordinary size has, and nodes cannot set: with this kernel's little memory the
#: table of connections would be full, and new ones dropped, after half a minute of short ones.
SYSCTLS = {
    "net/netfilter/nf_conntrack_buckets": "262144",
    "net/netfilter/nf_conntrack_max": "262144",
    "fs/inotify/max_user_instances": "1024",
}
#: kube-proxy --cleanup removes nothing of IPVS where modprobe does not know this one.
BUILT_IN = ("kernel/net/netfilter/ipvs/ip_vs.ko",)
_LIBC = ctypes.CDLL(None, use_errno=True)
_READ_ONLY, _POWER_OFF = 1, 0x4321FEDC
HOST_STATE = Path("/run/podmeter-host-state")


def main(spec_file: str) -> None:
    """Start the machines and end when one of them does."""
    os.environ.update(ENVIRONMENT)
    try:
        # Read before the root is hidden.
        spec = json.loads(Path(spec_file).read_text())
        layout = Layout(
            Path(spec["state"]), Path(spec["cache"]), ipaddress.IPv4Network(spec["subnet"])
        )
        hide_root()
        tell_built_in()
        mount_files(layout)
        _work(layout, spec)
    except BaseException as error:
        _say(f"{type(error).__name__}: {error}")
    finally:
        os.sync()
        _LIBC.reboot(_POWER_OFF)


def hide_root() -> None:
    """From here on nothing that is written reaches this machine's files, but for the logs."""
    mount("-t", "proc", "proc", "/proc")
    mount("-t", "tmpfs", "-o", "mode=755", "podmeter", "/run")
    root, upper, work = (Path("/run", name) for name in ("root", "upper", "work"))
    for folder in (root, upper, work):
        folder.mkdir()
    layers = f"lowerdir=/,upperdir={upper},workdir={work}"
    mount("-t", "overlay", "-o", layers, "podmeter-root", root)
    for kind, place in (("proc", "proc"), ("sysfs", "sys"), ("devtmpfs", "dev"), ("tmpfs", "run")):
        mount("-t", kind, kind, root / place)
    for kind, place in (("devpts", "dev/pts"), ("tmpfs", "dev/shm"), ("mqueue", "dev/mqueue")):
        (root / place).mkdir(exist_ok=True)
        mount("-t", kind, kind, root / place)
    mount_cgroups(root / "sys/fs/cgroup")
    old = root / "podmeter-old-root"
    old.mkdir()
    subprocess.run(["pivot_root", root, old], check=True)
    os.chdir("/")
    subprocess.run(["umount", "--lazy", "/podmeter-old-root"], check=True)
    Path("/podmeter-old-root").rmdir()
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for name, value in SYSCTLS.items():
        Path("/proc/sys", name).write_text(value)


def tell_built_in() -> None:
    """Have modprobe know what is built in, as a kernel's package does by files of its own."""
    release = os.uname().release
    folder = Path("/lib/modules", release)
    folder.mkdir(parents=True)
    (folder / "modules.order").touch()
    (folder / "modules.builtin").write_text("".join(f"{name}\n" for name in BUILT_IN))
    subprocess.run(["depmod", release], check=True)


def mount_cgroups(top: Path) -> None:
    """Each controller of cgroup v1 at its place, and v2 beside them, as on this machine."""
    mount("-t", "tmpfs", "-o", "mode=755", "cgroup", top)
    for name in CONTROLLERS:
        (top / name).mkdir()
        mount("-t", "cgroup", "-o", name, "cgroup", top / name)
    (top / "unified").mkdir()
    mount("-t", "cgroup2", "cgroup2", top / "unified")


def mount_files(layout: Layout) -> None:
    """The state on a disk of its own, with the images; this machine's cache, and a place for logs.

    An overlay does not show the whiteouts of others, so the cache is mounted past it.
    """
    for place, folder, flags in (
        (layout.cache, layout.cache, _READ_ONLY),
        (HOST_STATE, layout.state, 0),
    ):
        place.mkdir(parents=True, exist_ok=True)
        mount_host(folder, place, flags)
    mount("-t", "ext4", "-o", "noatime,nobarrier", "/dev/ubda", layout.state)
    shutil.copytree(HOST_STATE, layout.state, dirs_exist_ok=True, ignore=_not_copied)
    layout.logs.mkdir()
    mount("--bind", HOST_STATE / layout.logs.relative_to(layout.state), layout.logs)


def mount_host(folder: Path, place: Path, flags: int) -> None:
    """Mount a folder of this machine. The program `mount` would garble its one nameless option."""
    if _LIBC.mount(b"none", bytes(place), b"hostfs", flags, bytes(folder)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"hostfs: {os.strerror(number)}", str(folder))


def _not_copied(folder: str, names: list[str]) -> set[str]:
    return {"logs", "kernel"} & set(names) if folder == str(HOST_STATE) else set()


def _work(layout: Layout, spec: dict[str, Any]) -> None:
    started = machines.start_all(layout, spec["daemons"], spec["link"])
    for name in layout.machines:
        pid = layout.machine(name).relative_to(layout.state) / "pid"
        shutil.copyfile(layout.state / pid, HOST_STATE / pid)
    door = HOST_STATE / "kernel" / "door.json"
    network = ("nsenter", "--target", str(started[CONTROL_PLANE].pid), "--net", "--")
    words = (sys.executable, "-I", "-S", remote.__file__, "serve", str(door))
    server = subprocess.Popen([*network, *words])
    needed = {machine.pid: machine.name for machine in started.values()}
    needed[server.pid] = "what takes commands"
    # Machines are started by `unshare`, which ends with what it has started.
    ended: list[str] = []
    while not ended:
        os.wait()
        ended = [name for pid, name in needed.items() if not Path(f"/proc/{pid}").exists()]
    _say(f"ended: {', '.join(ended)}")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()

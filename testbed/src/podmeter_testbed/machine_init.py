"""PID 1 of one machine of the testbed: mounts, then the daemons, restarted when they end.

Started by machines.py inside new network, mount, UTS, IPC and PID namespaces, as a plain file:
standard library only, everything imported before the first mount hides it. It prints its PID as
the outside sees it, waits for a line on standard input (by then the network is there), and runs
until it is killed, which takes every process of the machine with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

# kubelet sets these for the whole computer; a machine of the testbed gets files of its own.
GLOBAL_SYSCTLS = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
}
# So does Cilium's agent these, one of which could not be set back: they stay as they are.
KEPT_SYSCTLS = ("kernel/timer_migration", "kernel/unprivileged_bpf_disabled")
FIRST_BACK_OFF, LAST_BACK_OFF = 0.3, 5.0


def mount(*words: str | Path) -> None:
    """Call the program mount."""
    subprocess.run(["mount", *map(str, words)], check=True)


def mount_everything(spec: dict[str, Any]) -> None:
    """Give the machine a root of its own: reads see this computer's, writes do not reach it."""
    # Held open because the tmpfs on /run may hide where they are.
    held: dict[str, int] = {
        spec[f"inside_{name}"]: os.open(spec[name], os.O_PATH | os.O_DIRECTORY)
        for name in ("state", "cache")
    }
    mount("-t", "tmpfs", "-o", "mode=755", "podmeter", "/run")
    root, upper, work = (Path("/run", name) for name in ("root", "upper", "work"))
    for folder in (root, upper, work):
        folder.mkdir()
    layers = f"lowerdir=/,upperdir={upper},workdir={work}"
    mount("-t", "overlay", "-o", layers, "podmeter-root", root)

    mount("-t", "tmpfs", "-o", "mode=755", "podmeter-run", root / "run")
    for inside, descriptor in held.items():
        target = root / inside.lstrip("/")
        target.mkdir(parents=True)
        words = ["mount", "--rbind", f"/proc/self/fd/{descriptor}", str(target)]
        subprocess.run(words, check=True, pass_fds=[descriptor])
    own = root / spec["inside_state"].lstrip("/") / spec["name"]
    for place in ("var/lib", "var/log"):
        (own / place).mkdir(parents=True, exist_ok=True)
        mount("--bind", own / place, root / place)
    (own / "tmp").mkdir(exist_ok=True)
    (root / "run/xtables.lock").touch()
    make_cni_folders(root)

    mount("--rbind", "/dev", root / "dev")
    mount("-t", "proc", "proc", root / "proc")
    # A fresh sysfs shows this machine's own network devices; the cgroups are the computer's.
    mount("-t", "sysfs", "sysfs", root / "sys")
    mount("--rbind", "/sys/fs/cgroup", root / "sys/fs/cgroup")
    set_sysctls(root, spec["sysctls"])
    tell_clock_rate(root)

    old = root / "podmeter-old-root"
    old.mkdir()
    subprocess.run(["pivot_root", str(root), str(old)], check=True)
    os.chdir("/")
    subprocess.run(["umount", "--lazy", "/podmeter-old-root"], check=True)
    Path("/podmeter-old-root").rmdir()
    # Pods ask for bidirectional mount propagation, within the machine.
    mount("--make-rshared", "/")


def make_cni_folders(root: Path) -> None:
    """/opt/cni/bin with Debian's plugins; /etc/cni/net.d empty, whatever this computer has."""
    for folder, content in (("opt/cni", "bin"), ("etc/cni", "net.d")):
        if (root / folder).exists():
            shutil.rmtree(root / folder)
        (root / folder / content).mkdir(parents=True)
    for plugin in sorted((root / "usr/lib/cni").iterdir()):
        (root / "opt/cni/bin" / plugin.name).symlink_to(Path("/usr/lib/cni", plugin.name))


def set_sysctls(root: Path, sysctls: dict[str, str]) -> None:
    """Set those of the machine's network namespace; put stand-ins before the computer's."""
    texts = dict(GLOBAL_SYSCTLS)
    for name in KEPT_SYSCTLS:
        if (shown := root / "proc/sys" / name).exists():
            texts[name] = shown.read_text().strip()
    for name, text in texts.items():
        stand_in = root / "run/podmeter/sysctl" / name
        stand_in.parent.mkdir(parents=True, exist_ok=True)
        stand_in.write_text(text + "\n")
        mount("--bind", stand_in, root / "proc/sys" / name)
    for name, text in sysctls.items():
        (root / "proc/sys" / name).write_text(text)


def tell_clock_rate(root: Path) -> None:
    """Add to /proc/cpuinfo the clock rate that kubelet wants and user-mode Linux does not tell."""
    told = (root / "proc/cpuinfo").read_text()
    if "cpu MHz" in told or "User Mode Linux" not in told:
        return
    stand_in = root / "run/podmeter/cpuinfo"
    stand_in.write_text(re.sub(r"(?m)^(?=vendor_id)", "cpu MHz\t\t: 1000.000\n", told))
    mount("--bind", stand_in, root / "proc/cpuinfo")


def reap(seconds: float) -> list[tuple[int, int]]:
    """(pid, status) of every child that ended, waiting up to `seconds` for the first."""
    if signal.sigtimedwait({signal.SIGCHLD}, seconds) is None:
        return []
    ended = []
    with contextlib.suppress(ChildProcessError):
        while (child := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            ended.append(child)
    return ended


def start(argv: list[str], log: Path, environment: dict[str, str]) -> int:
    """PID of a daemon that appends what it prints to `log`."""
    to_log = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    files = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), to_log, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    return os.posix_spawnp(
        argv[0], argv, environment, file_actions=files, setsid=True, setsigmask=()
    )


def supervise(spec: dict[str, Any]) -> None:
    """Start the daemons, start again those that end, reap whatever else ends. Never returns."""
    logs = Path(spec["inside_state"], "logs")
    daemons: dict[str, list[str]] = spec["daemons"]
    environment = {**os.environ, "TMPDIR": str(Path(spec["inside_state"], spec["name"], "tmp"))}
    pids: dict[int, str] = {}
    started: dict[str, float] = {}
    back_off = dict.fromkeys(daemons, FIRST_BACK_OFF)
    due = dict.fromkeys(daemons, 0.0)
    while True:
        now = time.monotonic()
        for name in [name for name, when in due.items() if when <= now]:
            del due[name]
            pids[start(daemons[name], logs / f"{spec['name']}-{name}.log", environment)] = name
            started[name] = now
        soonest = min(due.values(), default=now + 3600)
        for pid, status in reap(max(0.0, soonest - time.monotonic())):
            name = pids.pop(pid, "")
            if not name:
                continue  # an orphan that the machine's first process inherited
            now = time.monotonic()
            if now - started[name] > 30:
                back_off[name] = FIRST_BACK_OFF
            due[name] = now + back_off[name]
            back_off[name] = min(2 * back_off[name], LAST_BACK_OFF)
            sys.stderr.write(f"{name} ended with wait status {status}, starts again\n")


def main() -> None:
    """Read the machine's specification, report, wait for the network, mount, supervise."""
    spec = json.loads(Path(sys.argv[1]).read_text())
    # /proc is still the outside's, so this is the PID that the outside sees.
    sys.stdout.write(os.readlink("/proc/self") + "\n")
    sys.stdout.flush()
    if sys.stdin.readline().strip() != "go":
        sys.exit(1)
    socket.sethostname(spec["name"])
    mount_everything(spec)
    # Waited for instead of handled; a first process gets no signal that it does not handle.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    supervise(spec)


if __name__ == "__main__":
    main()

"""The testbed on a kernel of its own: Linux as a process (user-mode Linux), seen from outside.

It boots on this machine's root, hides that under an overlay at once, and there the testbed's
machines are made as they are here (user_mode_init.py). Their network's other end is this machine's
own device, as ever, so that the API server, Services and nodes are reached at the same addresses.
Commands are run in it through remote.py.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from podmeter_testbed import cgroups, map_limit, outside, remote
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import CONTROL_PLANE, Layout
from podmeter_testbed.settings import Cni
from podmeter_testbed.shell import run, start_time_of, wait_for

FOLDER = "kernel"
#: All that it and everything in it may take, in MiB, and the pages of it.
MEMORY = 4000
PAGES = MEMORY * 2**20 // 4096
LINK = "vec0"
PORT = 6442
STARTS_WITHIN = 180.0
WORDS = {
    "rootfstype": "hostfs",
    "rootflags": "/",
    # Its terminals: what it says is this process' output.
    "con": "null",
    "con0": "null,fd:1",
    "ssl": "null",
    # Address space of its own for each process without a tracer: several times faster.
    "seccomp": "on",
    "ncpus": "1",
    "mem": f"{MEMORY}M",
    # Ends at once if it fails, so that waiting processes notice.
    "panic": "-1",
    "umid": "podmeter",
}
#: No idle device of each built-in kind of tunnel in every network namespace. kube-router needs that
#: of IP in IP: `ip tunnel add`, by which it makes its tunnels, asks it.
NO_IDLE_TUNNELS = {"fb_tunnels": "none"}


def boot(
    layout: Layout, kernel: Path, disk: Path, daemons: Mapping[str, Mapping[str, Sequence[str]]]
) -> None:
    """Start the kernel and, in it, the machines with their daemons; their files must be there.

    Raises TestbedError with what the kernel said where it ends instead.
    """
    folder = layout.state / FOLDER
    folder.mkdir()
    if any(
        not word.isprintable() or set(word) & set(" ,:\"'") for word in (str(folder), str(disk))
    ):
        raise TestbedError(
            f"a kernel gets {folder} and {disk} on its command line, where blanks, commas, "
            "colons and quotes mean something: choose other places"
        )
    spec = {
        "state": str(layout.state),
        "cache": str(layout.cache),
        "subnet": str(layout.subnet),
        "daemons": daemons,
        "link": LINK,
    }
    (folder / "spec.json").write_text(json.dumps(spec, indent=1))
    secret = secrets.token_hex(32)
    door = {"address": layout.address(CONTROL_PLANE), "port": PORT, "secret": secret}
    _door(layout).touch(0o600)
    _door(layout).write_text(json.dumps(door))
    layout.logs.mkdir(exist_ok=True)
    map_limit.raise_to(PAGES, folder)
    init = folder / "init"
    init.write_text(_first_process(folder / "spec.json"))
    init.chmod(0o700)
    idle = {} if layout.asked.cni is Cni.KUBE_ROUTER else NO_IDLE_TUNNELS
    words = {
        **WORDS,
        **idle,
        "init": init,
        "uml_dir": f"{folder}/",
        "ubd0": f"{folder}/written,{disk}",
    }
    with outside.open_frames(layout) as frames:
        words[f"{LINK}:transport"] = f"fd,fd={frames.fileno()},depth=64"
        argv = [str(kernel), "ro", "quiet", *(f"{name}={word}" for name, word in words.items())]
        _start(layout, argv, frames.fileno())
    wait_for("the kernel's machines", lambda: _is_open(layout), STARTS_WITHIN)


def restore_machine(layout: Layout) -> None:
    """Once it has ended: what was changed of this machine for it is as before."""
    map_limit.restore_limit(layout.state / FOLDER)


def is_used(layout: Layout) -> bool:
    """Whether the testbed's machines are on a kernel of its own, running or not."""
    return (layout.state / FOLDER).exists()


def by(layout: Layout) -> tuple[str, ...] | None:
    """The words before a command that run it on the testbed's kernel; None where it has ended."""
    with contextlib.suppress(OSError, ValueError):
        pid, start_time = (layout.state / FOLDER / "pid").read_text().split()
        if start_time_of(int(pid)) == start_time:
            script = remote.__file__
            return (sys.executable, "-I", "-S", script, "run", str(_door(layout)), "--")
    return None


def _door(layout: Layout) -> Path:
    return layout.state / FOLDER / "door.json"


def _first_process(spec: Path) -> str:
    """A script for the kernel to start; nothing but the standard library is there for it."""
    sources = str(Path(__file__).parents[1])
    program = (
        f"import sys; sys.path.insert(0, {sources!r}); "
        f"from podmeter_testbed import user_mode_init; user_mode_init.main({str(spec)!r})"
    )
    return f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S -c {shlex.quote(program)}\n"


def _start(layout: Layout, argv: list[str], frames: int) -> None:
    enter = f'echo $$ > "{cgroups.make(FOLDER)}"; exec "$@"'
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(layout.state / FOLDER),
        "PODMETER_TESTBED_OF": str(layout.state),
    }
    # Each system call goes from a process to the kernel's and back, which takes three to eight
    # times as long where the other one is woken on an idle CPU.
    cpu = max(os.sched_getaffinity(0))
    with _log(layout).open("ab") as log:
        process = subprocess.Popen(
            ["sh", "-c", enter, "sh", "taskset", "--cpu-list", str(cpu), *argv],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
            cwd="/",
            pass_fds=[frames],
            start_new_session=True,
        )
    pid = process.pid
    (layout.state / FOLDER / "pid").write_text(f"{pid} {start_time_of(pid)}\n")


def _is_open(layout: Layout) -> bool:
    words = by(layout)
    if words is None:
        said = _log(layout).read_text(errors="replace").strip()[-2000:]
        raise TestbedError(f"the testbed's kernel ended: {said}")
    with contextlib.suppress(TestbedError):
        run(*words, "true", timeout=20)
        return True
    return False


def _log(layout: Layout) -> Path:
    return layout.logs / f"{FOLDER}.log"

"""One long-running program of the stack: start it bound to this process, stop it, find it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from podmeter.stack.errors import StackError

_BOUND = Path(__file__).with_name("bound.py")
_POLL_S = 0.02


def wait_until(condition: Callable[[], bool], timeout_s: float, *, poll_s: float = _POLL_S) -> bool:
    """Wait until `condition` holds; False when `timeout_s` seconds passed without it."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(poll_s)
    return True


def spawn(
    command: Sequence[str],
    *,
    death_signal: signal.Signals = signal.SIGKILL,
    account: str | None = None,
    environment: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
    cwd: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start `command` in a session of its own, so that a terminal's Ctrl-C reaches only us.

    It receives `death_signal` when this process dies: nobody is left then whom it could end in
    order for, its database and its supervisor are gone. Call from the main thread: the kernel
    binds the program to the thread that started it.
    """
    bound = [sys.executable, "-I", "-S", str(_BOUND), str(os.getpid())]
    return subprocess.Popen(
        [*bound, death_signal.name, account or "-", *command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        env=None if environment is None else dict(environment),
        cwd=cwd,
        start_new_session=True,
    )


def stop(
    process: subprocess.Popen[bytes],
    *,
    ask: signal.Signals = signal.SIGTERM,
    insist: signal.Signals = signal.SIGKILL,
    timeout_s: float = 30.0,
) -> int:
    """Ask the program to end; after `timeout_s` seconds insist. Returns its exit status."""
    if process.poll() is not None:
        return process.returncode
    process.send_signal(ask)
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.send_signal(insist)
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def processes_in(directory: Path) -> Iterator[int]:
    """Process ids whose working directory is `directory`.

    PostgreSQL's processes and Redis work in their data directory, so this finds what a killed
    supervisor left behind, and no process that merely inherited the number of one.
    """
    wanted = os.path.realpath(directory)
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            here = os.readlink(entry / "cwd")
        except OSError:  # ended meanwhile, or somebody else's
            continue
        if here == wanted:
            yield int(entry.name)


def end_leftovers(directory: Path, ask: signal.Signals, timeout_s: float = 60.0) -> None:
    """End the processes that a killed supervisor left working in `directory`.

    Raises:
        StackError: some would not end within `timeout_s` seconds.
    """
    own = os.getpid()
    for pid in [pid for pid in processes_in(directory) if pid != own]:
        try:
            os.kill(pid, ask)
        except ProcessLookupError:
            continue

    def gone() -> bool:
        return all(pid == own for pid in processes_in(directory))

    if not wait_until(gone, timeout_s):
        left = ", ".join(str(pid) for pid in processes_in(directory))
        raise StackError(f"processes left from an earlier start hold {directory}: {left}")

"""Running other programs."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from podmeter_testbed.errors import TestbedError


def run(
    *argv: str | Path,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 600,
) -> str:
    """Standard output of a program that must succeed; TestbedError carries what it said."""
    words = [str(word) for word in argv]
    try:
        ended = subprocess.run(
            words,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            env=env,
            cwd=cwd,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        raise TestbedError(f"{words[0]} is not installed; make testbed-deps installs it") from None
    except subprocess.TimeoutExpired:
        raise TestbedError(f"`{_short(words)}` did not end within {timeout:.0f} s") from None
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).strip()[-2000:]
        raise TestbedError(f"`{_short(words)}` failed with {ended.returncode}: {said}")
    return ended.stdout


def _short(words: Sequence[str]) -> str:
    line = " ".join(words)
    return line if len(line) <= 200 else line[:197] + "..."


def wait_for(what: str, condition: Callable[[], bool], seconds: float, pause: float = 0.1) -> None:
    """Return once `condition` holds; TestbedError names `what` when `seconds` have passed."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TestbedError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(pause)


def start_time_of(pid: int) -> str:
    """Field 22 of proc(5)'s stat: it tells two processes with the same PID apart.

    Raises ProcessLookupError if it has ended, even if its parent has not noticed.
    """
    state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    if state in ("Z", "X"):
        raise ProcessLookupError(pid)
    return fields[18]

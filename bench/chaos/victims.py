"""What is killed, and how: processes of the stack, found in /proc, and clusters' API servers."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from core.bench.footprint import parents, tree

from bench.chaos.sites import ChaosCluster
from bench.stack import OwnStack

#: Victim -> how often it is chosen, relative to the others.
WEIGHTS = {
    "measuring process": 6,
    "measuring process, stopped": 4,
    "part of the worker": 4,
    "worker": 2,
    "worker, stopped": 2,
    "process of the API": 1,
    "API": 1,
    "PostgreSQL": 2,
    "process of PostgreSQL": 1,
    "Redis": 2,
    "cluster's API server": 6,
    "whole stack": 1,
}


@dataclass
class Strikes:
    """Kills victims chosen by a seeded generator. A stopped process continues after its lease."""

    stack: OwnStack
    sites: list[ChaosCluster]
    seed: random.Random
    lease_seconds: float
    done: Counter[str] = field(default_factory=Counter)
    #: When processes that were stopped are to go on: (moment, process, its start).
    _stopped: list[tuple[float, int, str]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def strike(self) -> str | None:
        """Kill one victim; which it was, None where there is none of that kind just now."""
        (what,) = self.seed.choices(list(WEIGHTS), list(WEIGHTS.values()))
        if not self._kill(what):
            return None
        self.done[what] += 1
        return what

    def wake(self, *, all_of_them: bool = False) -> int:
        """Let stopped processes go on whose time has come; how many are stopped still."""
        with self._lock:
            due = [one for one in self._stopped if all_of_them or one[0] <= time.monotonic()]
            self._stopped = [one for one in self._stopped if one not in due]
        for _, process, begun in due:
            if _begun(process) == begun:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)
        return len(self._stopped)

    def _kill(self, what: str) -> bool:
        if what == "cluster's API server":
            return self.seed.choice(self.sites).kill_api_server(self.seed)
        found = self._processes(what.removesuffix(", stopped"))
        if not found:
            return False
        process = self.seed.choice(found)
        if what.endswith("stopped"):
            # Stopped as a machine that sleeps: with all that it has started.
            return self._stop(tree(process))
        return _signalled(process, signal.SIGKILL)

    def _stop(self, processes: list[int]) -> bool:
        until = time.monotonic() + self.lease_seconds * self.seed.uniform(1.2, 2.0)
        stopped = [
            (until, process, begun)
            for process in processes
            if (begun := _begun(process)) and _signalled(process, signal.SIGSTOP)
        ]
        with self._lock:
            self._stopped += stopped
        return bool(stopped)

    def _processes(self, what: str) -> list[int]:
        if self.stack.ended():
            return []
        known = parents()
        own = self.stack.pid
        programs = {child: _command(child) for child, parent in known.items() if parent == own}
        by_name: dict[str, Callable[[str], bool]] = {
            "worker": lambda command: "podmeter_worker" in command,
            "API": lambda command: "podmeter_api" in command,
            "PostgreSQL": lambda command: "postgres" in command,
            "Redis": lambda command: "redis-server" in command or "valkey-server" in command,
        }

        def program(name: str) -> list[int]:
            return [pid for pid, command in programs.items() if by_name[name](command)]

        def below(name: str) -> list[int]:
            return [child for child, parent in known.items() if parent in program(name)]

        if what == "whole stack":
            return [own]
        if what == "part of the worker":
            return below("worker")
        if what == "process of the API":
            return below("API")
        if what == "process of PostgreSQL":
            return below("PostgreSQL")
        if what == "measuring process":
            return [one for part in below("worker") for one in tree(part, known)[1:]]
        return program(what)


def _signalled(process: int, how: signal.Signals) -> bool:
    try:
        os.kill(process, how)
    except ProcessLookupError:
        return False
    return True


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def _begun(process: int) -> str:
    """When a process began, to distinguish it from a later one with the same PID."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""

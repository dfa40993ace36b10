"""How much memory the idle stack takes: `python -m core.bench.footprint`.

Starts `podmeter-admin up` in a state folder of its own, waits until it is ready and its memory has
settled, and adds up the proportional set size (a page that processes share is divided among them)
of its whole process tree, swapped pages included. Prints a line for each program with its
processes; exits with 1 where the total is above the bar.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.stack import OwnStack

SUPERVISOR = "podmeter-admin up"
#: What of a program's command line tells which one it is.
NAMES = {
    "podmeter_api": "API",
    "podmeter_worker": "worker, upkeep and beat",
    "postgres": "PostgreSQL",
    "redis-server": "Redis",
    "valkey-server": "Redis",
}
SETTLED_S = 300.0
SAMPLE_S = 2.0
#: Longer than two rounds of beat's reaper, so that what its first ones import is counted.
SAMPLES = 15
STEADY = 0.01


@dataclass(frozen=True)
class Group:
    """A line of the table: a program with the processes it consists of."""

    name: str
    processes: int
    mib: float


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bar-mib", type=float, default=700.0, help="highest total that passes")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder, _stack(folder) as pid:
        started = round(time.monotonic() - began, 1)
        found = settled(partial(_groups, pid))
    total = round(sum(one.mib for one in found), 1)
    _say(f"{'':22} {'processes':>9} {'PSS MiB':>8}")
    for one in found:
        _say(f"{one.name:22} {one.processes:9} {one.mib:8}")
    _say(f"{'total':22} {sum(one.processes for one in found):9} {total:8}")
    _say(f"{'bar':22} {'':9} {given.bar_mib:8}")
    _say(f"ready {started} s after its first start")
    if given.json:
        rows: list[dict[str, Any]] = [
            {"what": "idle stack", "value": total, "unit": "MiB PSS", "bar": given.bar_mib},
            {
                "what": "first start until ready",
                "value": started,
                "unit": "s",
                "note": "`podmeter-admin up`: databases made, migrated",
            },
        ]
        rows += [
            {
                "what": f"of it {one.name}",
                "value": one.mib,
                "unit": "MiB PSS",
                "note": f"{one.processes} processes",
            }
            for one in found
        ]
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if total <= given.bar_mib else 1)


@contextmanager
def _stack(folder: str) -> Iterator[int]:
    """`podmeter-admin up` while it runs, without anybody's login: its process id."""
    stack = OwnStack(Path(folder), {})
    stack.start()
    try:
        stack.wait_ready()
        yield stack.pid
    finally:
        stack.stop()


def settled(read: Callable[[], list[Group]]) -> list[Group]:
    """The lines of the table, as they are read, once their total has stayed the same for a while.

    Raises RuntimeError where it never does.
    """
    totals: deque[float] = deque(maxlen=SAMPLES)
    deadline = time.monotonic() + SETTLED_S
    while time.monotonic() < deadline:
        found = read()
        totals.append(sum(one.mib for one in found))
        if len(totals) == SAMPLES and max(totals) - min(totals) <= STEADY * max(totals):
            return found
        time.sleep(SAMPLE_S)
    raise RuntimeError(f"the memory did not settle in {SETTLED_S:g} s: {list(totals)}")


def _groups(pid: int) -> list[Group]:
    """The supervisor, and each program it started with all that one started."""
    known = parents()
    members = {SUPERVISOR: [pid]}
    for program in [child for child, parent in known.items() if parent == pid]:
        members.setdefault(_name(program), []).extend(tree(program, known))
    return [
        Group(name, len(pids), round(sum(map(pss_kib, pids)) / 1024, 1))
        for name, pids in members.items()
    ]


def tree(pid: int, known: dict[int, int] | None = None) -> list[int]:
    """A process and all below it, each after its parent."""
    known = parents() if known is None else known
    found = [pid]
    for one in found:
        found += [child for child, parent in known.items() if parent == one]
    return found


def parents() -> dict[int, int]:
    """The parent of every process, proc(5) stat field 4."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
            continue
    return found


def _name(pid: int) -> str:
    command: Sequence[str] = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    known = [name for part, name in NAMES.items() if any(part in word for word in command)]
    if not known:
        raise RuntimeError(f"an unknown program: {command}")
    return known[0]


def pss_kib(pid: int) -> int:
    """Its proportional set size in KiB, swapped pages included; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
        return 0
    fields = dict(line.split()[:2] for line in lines)
    return int(fields["Pss:"]) + int(fields["SwapPss:"])


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

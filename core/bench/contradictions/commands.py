"""Whether what commands are run by contradicts what was read from it: bundles, times, versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.bench.contradictions.figures import faults

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput
    from podmeter.drivers import timed as timed_driver
    from podmeter.drivers.netfilter.change import Change


def run_lines(text: str) -> list[list[str]]:
    """The words of the lines that say how a command ended, and after how long."""
    return [line.split(" ") for line in text.split("\n") if re.match("run [0-9]", line)]


def timed(text: str, answer: tuple[timed_driver.Timing, ...]) -> str:
    """As many as the text has, each with its seconds."""
    runs = run_lines(text)
    if len(runs) != len(answer):
        return "count"
    pairs = list(zip(answer, runs, strict=True))
    return faults(
        seconds=any(one.seconds != float(run[2]) or one.seconds <= 0 for one, run in pairs),
        length=any(len(one.stdout.encode()) != int(run[4]) for one, run in pairs),
    )


def changes(text: str, answer: tuple[Change, ...]) -> str:
    """Every command ended with 0, and took the time that the text has."""
    runs = run_lines(text)
    told = [seconds for one in answer for seconds in (one.add, one.delete)]
    return faults(
        failed=any(int(run[1]) != 0 for run in runs),
        seconds=told != [float(run[2]) for run in runs],
        lock=any(wait < 0 for one in answer for wait in one.lock_waits),
    )


def bundle(text: str, answer: tuple[CommandOutput, ...]) -> str:
    """Every output is in the text, as long as its frame says."""
    frames = [f"ran {one.exit_code} {len(one.stdout.encode())}\n{one.stdout}\n" for one in answer]
    return faults(text="".join(frames) + "end\n" != text)


def version(_text: str, answer: str) -> str:
    """Any words will do, but some."""
    return faults(empty=not answer)


def word(text: str, answer: str | None) -> str:
    """The whole line, without blanks."""
    return faults(text=answer is not None and [answer] != text.split())

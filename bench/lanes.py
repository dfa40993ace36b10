"""Commands in lanes beside each other: `python -m bench.lanes 'a b' 'c' -- 'd' 'e f'`.

What `make test` runs. Those of a lane follow one another, also where one failed; lanes run at the
same time. The first lane is the one that waits for something outside; the others are nice to it.
What a command printed is printed whole when it has ended, and once in a minute how far those are
that run. At the end is what those that failed said last, how each ended, which tests of
those that passed failed at first, and why the others failed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

NICENESS = 10
#: Seconds between two words about what runs.
SAY_EVERY = 60.0
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
#: Lines of a command that failed that are printed again at the end.
LAST_LINES = 60
#: What pytest, Playwright, Vitest, the compilers and make say of a failure.
_REASON = re.compile(
    r"\s*(E  |FAILED |ERROR |FAIL |[A-Za-z]*Error: |Test timeout of |\d+\) |make: \*\*\*)"
)
#: What pytest and Playwright say of tests that passed at a later try only.
_AT_FIRST = re.compile(r"(RERUN |\s+\d+ flaky$)")
#: How many of those a log that was cut off still has at its very end.
REASONS = 12


@dataclass(eq=False)
class Command:
    """A command line, where what it prints is kept, and how it ended."""

    argv: list[str]
    log: Path
    begun: float = 0.0
    seconds: float = 0.0
    process: subprocess.Popen[bytes] | None = None

    def begin(self, niceness: int) -> None:
        """Start it."""
        self.begun = time.monotonic()
        argv = ["nice", "-n", str(niceness), *self.argv]
        with self.log.open("wb") as log:
            # A group of its own, so that a signal reaches what npm and make start as well; not a
            # session, between which the kernel shares CPU alike, however nice they are.
            self.process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    def wait(self) -> None:
        """Until it has ended."""
        assert self.process is not None
        self.process.wait()
        self.seconds = time.monotonic() - self.begun

    def end(self, number: int) -> None:
        """Pass a signal on to it and to all that it started in its group."""
        if self.process is not None and self.runs:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    @property
    def runs(self) -> bool:
        """Whether it has begun and not ended."""
        return self.process is not None and self.process.returncode is None

    @property
    def passed(self) -> bool:
        """Whether it ended with 0."""
        return self.process is not None and self.process.returncode == 0

    @property
    def lines(self) -> list[str]:
        """What it printed until now."""
        return self.log.read_text(errors="replace").splitlines()

    def found(self, wanted: re.Pattern[str]) -> list[str]:
        """The lines of it that match, without colours."""
        plain = (_COLOURS.sub("", line) for line in self.lines)
        return [line for line in plain if wanted.match(line)]

    def __str__(self) -> str:
        return shlex.join(self.argv)


class Lanes:
    """Lanes of commands, and the one place that prints."""

    def __init__(self, lanes: list[list[Command]]) -> None:
        self._lanes = lanes
        self._printing = threading.Lock()
        self._over = threading.Event()
        self._signal: int | None = None

    def run(self) -> bool:
        """Run all; whether all passed."""
        runners = [
            threading.Thread(target=self._run, args=(lane, NICENESS if place else 0))
            for place, lane in enumerate(self._lanes)
        ]
        teller = threading.Thread(target=self._tell)
        for one in (*runners, teller):
            one.start()
        for one in runners:
            one.join()
        self._over.set()
        teller.join()
        return self._sum_up()

    def end(self, number: int, frame: object) -> None:
        """For a signal: begin nothing more, and pass it on to what runs."""
        self._signal = number
        self._over.set()
        for command in self._commands():
            command.end(number)

    def _commands(self) -> list[Command]:
        return [command for lane in self._lanes for command in lane]

    def _run(self, lane: list[Command], niceness: int) -> None:
        for command in lane:
            if self._over.is_set():
                return
            self._print(f"== begins: {command}")
            command.begin(niceness)
            # A signal that came meanwhile met nothing yet that it could be passed on to.
            if self._signal is not None:
                command.end(self._signal)
            command.wait()
            self._print(
                f"== {_ended(command)}, and printed:", *command.lines, f"== {_ended(command)}"
            )

    def _tell(self) -> None:
        while not self._over.wait(SAY_EVERY):
            for command in self._commands():
                if command.runs:
                    minutes = (time.monotonic() - command.begun) / 60
                    last = next((line for line in reversed(command.lines) if line.strip()), "")
                    self._print(f"-- {minutes:.0f} min: {command}: {_COLOURS.sub('', last)[-100:]}")

    def _sum_up(self) -> bool:
        failed = [command for command in self._commands() if not command.passed]
        for command in failed:
            if command.process is None:
                continue
            self._print(f"\n== {_ended(command)}, and said last:", *command.lines[-LAST_LINES:])
        self._print("", *(f"== {_ended(command)}" for command in self._commands()))
        for command in self._commands():
            if command.passed and (at_first := command.found(_AT_FIRST)):
                why = command.found(_REASON)[:REASONS]
                self._print(
                    f"== tests failed at first, then passed, in {command}:", *why, *at_first
                )
        for command in failed:
            self._print(f"== why {command} failed:", *command.found(_REASON)[:REASONS])
        return not failed

    def _print(self, *lines: str) -> None:
        with self._printing:
            print(*lines, sep="\n", flush=True)


def _ended(command: Command) -> str:
    if command.process is None:
        return f"not run: {command}"
    return f"{'passed' if command.passed else 'FAILED'} in {command.seconds:.0f} s: {command}"


def main(words: list[str]) -> int:
    """0 if every command ended with 0."""
    with tempfile.TemporaryDirectory(prefix="podmeter-lanes-") as folder:
        lanes: list[list[Command]] = [[]]
        for place, word in enumerate(words):
            if word == "--":
                lanes.append([])
            else:
                log = Path(folder, str(place))
                log.touch()
                lanes[-1].append(Command(shlex.split(word), log))
        running = Lanes(lanes)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, running.end)
        return 0 if running.run() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

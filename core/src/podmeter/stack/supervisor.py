"""Start programs, keep them running, pass signals on, stop them in order."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from podmeter.stack import process
from podmeter.stack.errors import StackError

#: A program that ends this often, none of its lives as long as the window, is started again after
#: a pause, which grows. Where something is waited for to begin, it is an error.
MAX_ENDS = 3
WINDOW_S = 60.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_STOPPING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


class Member(Protocol):
    """Something the supervisor starts, watches and stops."""

    name: str

    def start(self) -> None: ...

    def ended(self) -> bool: ...

    def stop(self) -> None: ...


@dataclass
class Program:
    """A program given by its command line, with our standard output and error."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    stop_timeout_s: float = 30.0
    running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; whether it lives shows later."""
        self.running = process.spawn(self.command, environment=self.environment)

    def ended(self) -> bool:
        """Whether it is not running any more."""
        return self.running is None or self.running.poll() is not None

    def stop(self) -> None:
        """End it cleanly."""
        if self.running is not None:
            process.stop(self.running, timeout_s=self.stop_timeout_s)


class Server(Protocol):
    """An embedded server: start, stop, and the process while it runs."""

    process: subprocess.Popen[bytes] | None

    def start(self) -> None: ...

    def stop(self) -> None: ...


@dataclass
class ServerMember:
    """An embedded server under the supervisor."""

    name: str
    server: Server

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.server.start()

    def ended(self) -> bool:
        """Whether it is not running any more."""
        return self.server.process is None or self.server.process.poll() is not None

    def stop(self) -> None:
        """Shut it down cleanly."""
        self.server.stop()


@dataclass
class _RestartState:
    """How a member has fared: its short lives in a row, when it began, when it begins again."""

    began: float
    short: int = 0
    again: float | None = None


@dataclass
class Supervisor:
    """Members in the order they start; they stop in the opposite order.

    One that ends is started again, and the others go on, however often it ends.

    A `quiet` one says only what was not asked of it: that a member ended.
    """

    members: list[Member] = field(default_factory=list)
    started: list[Member] = field(default_factory=list)
    lives: dict[str, _RestartState] = field(default_factory=dict)
    stop_requested: bool = False
    quiet: bool = False

    def __enter__(self) -> "Supervisor":
        # Blocked signals wait for sigtimedwait below, so none is lost between two checks.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING | {signal.SIGCHLD})
        return self

    def __exit__(self, *_: object) -> None:
        try:
            for member in reversed(self.started):
                self._tell(f"stopping {member.name}")
                member.stop()
        finally:
            while signal.sigtimedwait(_STOPPING | {signal.SIGCHLD}, 0):
                pass  # a second Ctrl-C while stopping is answered by having stopped
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING | {signal.SIGCHLD})

    def start(self, member: Member) -> None:
        """Start a member and watch it from now on."""
        self._tell(f"starting {member.name}")
        self.started.append(member)
        self.lives[member.name] = _RestartState(time.monotonic())
        member.start()

    def wait_for(self, condition: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Watch until `condition` holds or somebody asks to stop.

        Raises:
            StackError: not within `timeout_s` seconds, or a member keeps ending.
        """
        deadline = time.monotonic() + timeout_s
        while not self.stop_requested and not condition():
            for name, life in self.lives.items():
                if life.short >= MAX_ENDS:
                    raise StackError(
                        f"{name} ended {MAX_ENDS} times within {WINDOW_S:g} s; "
                        "what it printed above says why"
                    )
            if time.monotonic() > deadline:
                raise StackError(f"{what} did not come up in {timeout_s:g} s")
            self.watch(0.1)

    def run(self) -> None:
        """Watch until somebody asks to stop."""
        while not self.stop_requested:
            self.watch(60.0)

    def watch(self, timeout_s: float) -> None:
        """Wait for a signal or the time to pass, then start again what has ended."""
        due = [life.again for life in self.lives.values() if life.again is not None]
        wait = min([timeout_s, *(max(0.0, moment - time.monotonic()) for moment in due)])
        received = signal.sigtimedwait(_STOPPING | {signal.SIGCHLD}, wait)
        if received is not None and received.si_signo in _STOPPING:
            self.stop_requested = True
            return
        for member in self.started:
            if member.ended():
                self._see_to(member, self.lives[member.name])

    def _tell(self, message: str) -> None:
        if not self.quiet:
            _say(message)

    def _see_to(self, member: Member, life: _RestartState) -> None:
        now = time.monotonic()
        if life.again is None:
            life.short = life.short + 1 if now - life.began < WINDOW_S else 1
            pause = _pause(life.short)
            life.again = now + pause
            later = f" in {pause:g} s" if pause else ""
            _say(f"{member.name} ended; starting it again{later}")
        if now < life.again:
            return
        life.began, life.again = now, None
        try:
            member.start()
        except (StackError, OSError) as error:  # the disk, files or processes are used up
            _say(f"{member.name} did not start: {error}")


def _pause(short_lives: int) -> float:
    """How long a member stays down after so many short lives."""
    if short_lives < MAX_ENDS:
        return 0.0
    return min(_FIRST_PAUSE_S * (1 << min(short_lives - MAX_ENDS, 10)), _LONGEST_PAUSE_S)


def _say(message: str) -> None:
    with suppress(OSError):  # a full disk has no room for the log, and ends nothing
        sys.stderr.write(f"podmeter: {message}\n")

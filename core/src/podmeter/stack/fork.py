"""Processes of one program that are forked, so that what it imported is in memory once."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkProcess

from podmeter.stack.bound import bind
from podmeter.stack.supervisor import Supervisor

_FORK = multiprocessing.get_context("fork")


@dataclass
class Fork:
    """A member of a supervisor: a function in a process of its own, which ends with this one.

    It is forked again when it ended, so this process must have neither threads nor connections.
    """

    name: str
    run: Callable[[], object]
    stop_timeout_s: float = 30.0
    running: ForkProcess | None = None
    asked: bool = False

    def start(self) -> None:
        """Fork; whether it lives shows later."""
        self.asked = False
        self.running = _FORK.Process(target=_run, args=(self.run, os.getpid()), name=self.name)
        self.running.start()

    def ended(self) -> bool:
        """Whether it is not running any more."""
        return self.running is None or not self.running.is_alive()

    def ask(self) -> None:
        """Ask it to end; once."""
        if self.running is not None and not self.asked:
            self.asked = True
            self.running.terminate()

    def stop(self) -> None:
        """Ask it to end, and insist after a while."""
        if self.running is None:
            return
        self.ask()
        self.running.join(self.stop_timeout_s)
        if self.running.is_alive():
            self.running.kill()
            self.running.join()


def run_forked(members: Sequence[Fork]) -> None:
    """Run them until a signal asks to stop; one that ends is forked again, after longer pauses."""
    # A collection writes to what it looks at, which would unshare its page.
    gc.collect()
    gc.freeze()
    with Supervisor(quiet=True) as supervisor:
        for member in members:
            supervisor.start(member)
        supervisor.run()
        # None waits for another one: together they end as soon as the slowest does.
        for member in members:
            member.ask()


def _run(body: Callable[[], object], parent: int) -> None:
    # Anyone who asks it to end in order is gone then, and it may be in the middle of anything.
    bind(parent, signal.SIGKILL)
    body()

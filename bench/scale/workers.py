"""Workers beside the one of the stack, as on other machines; killed and started again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from core.bench.footprint import tree

from bench.stack import OwnStack
from podmeter.settings import Settings
from podmeter.stack.up import child_environment, running


@dataclass
class Workers:
    """As a context; `python -m podmeter_worker runs` so often, all of one database and Redis."""

    stack: OwnStack
    seed: random.Random
    killed: Counter[str] = field(default_factory=Counter)
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, number: int) -> None:
        """Start so many more."""
        self._running += [self._started() for _ in range(number)]

    def kill(self) -> None:
        """Kill a whole worker, which is started again at once, or one process that measures."""
        place = self.seed.randrange(len(self._running))
        victim = self._running[place]
        pool = tree(victim.pid)[1:]
        if pool and self.seed.random() < 0.5:
            self.killed["measuring process"] += 1
            with suppress(ProcessLookupError):
                os.kill(self.seed.choice(pool), signal.SIGKILL)
            return
        self.killed["worker"] += 1
        victim.kill()
        victim.wait()
        self._running[place] = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        known = Settings(_env_file=None).model_copy(update={"state_dir": self.stack.state_dir})
        own = child_environment(running(known))
        names = ("DATABASE_URL", "REDIS_URL", "PODMETER_ENCRYPTION_KEYS")
        with self.stack.log.open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "podmeter_worker", "runs"],
                cwd=self.stack.state_dir.parent,
                env={**self.stack.environment, **{name: own[name] for name in names}},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

"""The testbed, by its command, where that is what is measured."""

from __future__ import annotations

import shlex
import subprocess

from podmeter.demo.api import DemoError


class Testbed:
    """`command` is the testbed's program, several words perhaps."""

    __test__ = False

    def __init__(self, command: str) -> None:
        self._words = shlex.split(command)

    def is_up(self) -> bool:
        """Whether it runs."""
        return self._run("status", quiet=True).returncode == 0

    def up(self) -> None:
        """Start it. Raises DemoError; what it says goes to the terminal."""
        for word in ("deps", "up"):
            if self._run(word).returncode != 0:
                raise DemoError("the testbed did not start")

    def down(self) -> None:
        """End it. Raises DemoError where something of it is left."""
        if self._run("down").returncode != 0:
            raise DemoError("the testbed was not ended: make testbed-down")

    def _run(self, word: str, *, quiet: bool = False) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run([*self._words, word], capture_output=quiet, check=False)
        except FileNotFoundError:
            raise DemoError(f"{self._words[0]} is not installed") from None

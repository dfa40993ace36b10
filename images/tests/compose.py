"""Docker and Compose as the tests call them."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
#: Shells of developers, and of CI, have settings that a fresh user's has not.
OURS = ("PODMETER_", "DATABASE_URL", "REDIS_URL", "BENCH_IMAGE")


def docker(*argv: str | Path, stdin: bytes | None = None, timeout: float = 600) -> str:
    """Standard output of `docker`; AssertionError with what it said where it failed."""
    ended = subprocess.run(
        ["docker", *map(str, argv)], input=stdin, capture_output=True, timeout=timeout, check=False
    )
    said = ended.stderr.decode(errors="replace")
    assert ended.returncode == 0, f"docker {argv[0]} failed: {said[-3000:]}"
    return ended.stdout.decode()


@dataclass(frozen=True)
class Compose:
    """docker-compose.yml of a clone."""

    clone: Path
    certificates: str

    @property
    def environment(self) -> dict[str, str]:
        """A fresh user's, and what this network needs for building."""
        bare = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        return bare | {"PODMETER_BUILD_CERTIFICATES": self.certificates}

    def ended(self, *argv: str, timeout: float = 900) -> subprocess.CompletedProcess[str]:
        """How `docker compose` ended, and what it said."""
        return subprocess.run(
            ["docker", "compose", *argv],
            cwd=self.clone,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def run(self, *argv: str, timeout: float = 900) -> str:
        """Standard output; AssertionError with what was said where it failed."""
        ended = self.ended(*argv, timeout=timeout)
        if ended.returncode != 0:
            logs = self.ended("logs", "--tail", "40").stdout if argv[0] == "up" else ""
            raise AssertionError(f"compose {argv[0]}: {ended.stderr[-4000:]}\n{logs[-8000:]}")
        return ended.stdout

    def piped(self, *argv: str, timeout: float = 120) -> bytes:
        """Standard output as it is; AssertionError with what was said where it failed."""
        ended = subprocess.run(
            ["docker", "compose", *argv],
            cwd=self.clone,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        said = ended.stderr.decode(errors="replace")
        assert ended.returncode == 0, f"compose {argv[0]}: {said[-3000:]}"
        return ended.stdout

    def container(self, service: str) -> dict[str, Any]:
        """What `docker inspect` says of a service's container."""
        (identity,) = self.run("ps", "--all", "--quiet", service).split()
        found: dict[str, Any] = json.loads(docker("inspect", identity))[0]
        return found

    def secret(self, name: str) -> str:
        """One of the secrets that were made."""
        return (self.clone / ".secrets" / name).read_text().strip()

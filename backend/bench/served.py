"""The API in processes and with databases of its own, for as long as something is asked of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from podmeter.credentials.key_ring import generate_key
from podmeter.db.migrate import migrate
from podmeter.settings import Settings
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.redis import EmbeddedRedis


@contextmanager
def databases(
    folder: Path, port: int, *, durable: bool = True
) -> Iterator[tuple[EmbeddedPostgres, dict[str, str]]]:
    """A migrated PostgreSQL, and the settings of an API that uses it and serves at a port."""
    postgres = EmbeddedPostgres(folder / "postgres", "for-the-bench", durable=durable)
    redis = EmbeddedRedis(folder / "redis", "for-the-bench")
    with ExitStack() as started:
        postgres.start()
        started.callback(postgres.stop)
        redis.start()
        started.callback(redis.stop)
        migrate(Settings(_env_file=None).migrations_dir, postgres.url())
        yield (
            postgres,
            {
                "DATABASE_URL": postgres.url(),
                "REDIS_URL": redis.url(),
                "PODMETER_ENCRYPTION_KEYS": generate_key(),
                "PODMETER_PORT": str(port),
            },
        )


@contextmanager
def served(environment: dict[str, str], port: int) -> Iterator[int]:
    """The API while it serves with these settings; its process. RuntimeError if it never does.

    A signal that asks this process to end ends the API too.
    """
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    api = subprocess.Popen(
        [sys.executable, "-m", "podmeter_api"], env={**os.environ, **environment}
    )
    try:
        _wait(f"http://127.0.0.1:{port}/readyz", api)
        yield api.pid
    finally:
        api.terminate()
        api.wait(timeout=20)
        signal.signal(signal.SIGTERM, before)


def _wait(url: str, api: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and api.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310 (our own API)
                if response.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("the API did not get ready")

"""A whole Podmeter of a command's own: started, asked by its API, killed, started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from bench.row import BenchError
from podmeter.demo.api import Api
from podmeter.settings import Settings, environment_names
from podmeter.stack import secrets
from podmeter.stack.down import down
from podmeter.stack.errors import StackError
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.redis import free_port
from podmeter.stack.up import SECRETS_FILE

PASSWORD = "a-password-of-the-bench"  # noqa: S105 (of a stack that is thrown away)
_READY_SECONDS = 180.0


class PatientApi(Api):
    """An API that may be away for a while: asked again, and nothing is done twice by that."""

    patience_seconds = 180.0

    def _patiently(self, send: Callable[[], httpx.Response]) -> httpx.Response:
        deadline = time.monotonic() + self.patience_seconds
        while True:
            try:
                answer = send()
                if answer.status_code < 500 and answer.status_code != 429:
                    return answer
                wrong = f"{answer.status_code} {answer.text[:300]}"
            except httpx.TransportError as error:
                wrong = repr(error)
            if time.monotonic() > deadline:
                raise BenchError(f"the API was away for {self.patience_seconds:g} s: {wrong}")
            time.sleep(0.3)

    def get(self, path: str, **query: str | int | list[str]) -> Any:
        """The answer's JSON."""
        return self._answer(self._patiently(lambda: self._client.get(path, params=query)))

    def post(self, path: str, body: object = None) -> Any:
        """The answer's JSON."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return self._answer(
            self._patiently(lambda: self._client.post(path, json=body, headers=headers))
        )


class OwnStack:
    """`podmeter-admin up` in a folder, with `settings` in its environment; as a context.

    A stack that a killed process left in the folder is ended first.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        port = free_port()
        self.state_dir = folder / "state"
        self.state_dir.mkdir(parents=True, exist_ok=True)
        self.log = folder / "up.log"
        own = environment_names()
        self.environment = {name: text for name, text in os.environ.items() if name not in own}
        self.environment |= {
            "PODMETER_STATE_DIR": str(self.state_dir),
            "PODMETER_PORT": str(port),
            "PODMETER_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "PODMETER_ADMIN_PASSWORD": PASSWORD,
            **settings,
        }
        self.api = PatientApi(f"http://127.0.0.1:{port}")
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> OwnStack:
        self._end_what_is_left()
        try:
            self.start()
            self.wait_ready()
            self.api.log_in("admin@localhost", PASSWORD)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it; `wait_ready` waits until it answers."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "podmeter.cli", "up"],
                cwd=self.state_dir.parent,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_ready(self) -> None:
        """Raises BenchError with what it printed last, where it does not come up."""
        deadline = time.monotonic() + _READY_SECONDS
        while not self.api.ready():
            if self.ended() or time.monotonic() > deadline:
                raise BenchError(f"the stack did not start:\n{self.said()[-3000:]}")
            time.sleep(0.2)

    def _end_what_is_left(self) -> None:
        if self.processes():
            settings = Settings(_env_file=None).model_copy(update={"state_dir": self.state_dir})
            down(settings)

    def ended(self) -> bool:
        """Whether its supervisor is not there any more."""
        return self.process is None or self.process.poll() is not None

    @property
    def pid(self) -> int:
        """The supervisor's process."""
        if self.process is None:
            raise BenchError("the stack was not started")
        return self.process.pid

    def stop(self) -> None:
        """End it as `podmeter-admin down` does; by force, saying so, where that takes too long."""
        if self.process is None:
            return
        settings = Settings(_env_file=None).model_copy(update={"state_dir": self.state_dir})
        try:
            down(settings)
            self.process.wait(60)
        except (StackError, subprocess.TimeoutExpired) as error:
            print(f"the stack is ended by force: {error}", flush=True)
            for process in self.processes():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            self.process.wait()

    def said(self) -> str:
        """What it printed."""
        return self.log.read_text(errors="replace")

    def database_url(self) -> str:
        """Where its embedded PostgreSQL is, as SQLAlchemy takes it."""
        kept = secrets.keep(self.state_dir / SECRETS_FILE, {"POSTGRES_PASSWORD": secrets.password})
        return EmbeddedPostgres(self.state_dir / "postgres", kept["POSTGRES_PASSWORD"]).url()

    def processes(self) -> list[int]:
        """Every process of it, also one that its supervisor has lost, by its environment."""
        mark = f"PODMETER_STATE_DIR={self.state_dir}".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:  # ended meanwhile
                continue
        return found


def end_on_sigterm() -> None:
    """End as by Ctrl-C when asked to, so that what was started is ended with us."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

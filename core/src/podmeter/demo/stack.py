"""The stack that the demo uses: one that runs already, or one it starts and leaves running."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from podmeter.demo.api import Api, DemoError
from podmeter.settings import Settings
from podmeter.stack import secrets
from podmeter.stack.up import SECRETS_FILE

#: On a busy machine; a stack that ends ends the wait at once.
READY_WITHIN = 200.0


def ensure(settings: Settings) -> tuple[Api, bool]:
    """A logged-in client, and whether the stack was started here."""
    api = Api(f"http://{settings.host}:{settings.port}")
    if settings.admin_password is not None:
        password = settings.admin_password.get_secret_value()
    else:
        settings.state_dir.mkdir(parents=True, exist_ok=True)
        kept = secrets.keep(
            settings.state_dir / SECRETS_FILE, {"PODMETER_ADMIN_PASSWORD": secrets.password}
        )
        password = kept["PODMETER_ADMIN_PASSWORD"]
    started = not api.ready()
    if started:
        _start(settings, api, password)
    try:
        api.log_in(settings.admin_email, password)
    except DemoError as error:
        raise DemoError(
            f"cannot log in as {settings.admin_email} ({error}); set PODMETER_ADMIN_EMAIL and "
            "PODMETER_ADMIN_PASSWORD to an administrator's"
        ) from None
    return api, started


def _start(settings: Settings, api: Api, password: str) -> None:
    log = settings.state_dir / "up.log"
    settings.state_dir.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "podmeter.cli", "up"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(password),
            start_new_session=True,
        )
    deadline = time.monotonic() + READY_WITHIN
    while not api.ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise DemoError(f"the stack did not start; {log} says:\n{_tail(log)}")
        time.sleep(0.2)


def _environment(password: str) -> dict[str, str]:
    return {**os.environ, "PODMETER_ADMIN_PASSWORD": password}


def _tail(path: Path) -> str:
    return "\n".join(path.read_text(errors="replace").splitlines()[-15:])

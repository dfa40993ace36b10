"""What a worker that waits holds in memory."""

import os
import subprocess
import sys

#: Only a run which measures needs numpy, 20 MB; only the API signs people on.
UNNEEDED = {"numpy", "authlib", "joserfc", "httpx"}


def test_it_holds_nothing_that_waiting_does_not_need() -> None:
    """Imports of it stay inside what uses it."""
    code = f"import sys, podmeter_worker.tasks; print({UNNEEDED} & sys.modules.keys())"
    environment = {**os.environ, "REDIS_URL": "redis://127.0.0.1:1/0"}
    said = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout == "set()\n"

"""What a worker that waits holds in memory."""

import os
import subprocess
import sys


def test_it_holds_no_numpy() -> None:
    """20 MB that only a run which measures needs: imports of it stay inside what computes."""
    code = "import sys, podmeter_worker.tasks; print('numpy' in sys.modules)"
    environment = {**os.environ, "REDIS_URL": "redis://127.0.0.1:1/0"}
    said = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout == "False\n"

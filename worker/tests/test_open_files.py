"""How many files a worker may open."""

import os
import resource
import subprocess
import sys

SMALL = 256
PART = f"""
import resource, sys
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, ({SMALL}, hard))
from podmeter_worker import __main__ as worker
worker._PARTS["beat"] = lambda settings: print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
sys.argv = ["podmeter_worker", "beat"]
worker.main()
"""


def test_a_worker_takes_as_many_as_the_system_lets_it_have() -> None:
    """Shells and services begin with 1,024."""
    environment = {**os.environ, "REDIS_URL": "redis://127.0.0.1:1/0"}
    said = subprocess.run(
        [sys.executable, "-c", PART], env=environment, capture_output=True, text=True, check=True
    )
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard > SMALL
    assert int(said.stdout) == hard

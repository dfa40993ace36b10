"""The programs that make up Podmeter, by module name: core imports none of them."""

import os
import sys
from collections.abc import Mapping

from podmeter.stack.supervisor import Program

#: Ends once the database is migrated and has its first administrator, or with `AWAY`.
MIGRATE = (sys.executable, "-m", "podmeter.cli", "migrate")
#: The database went away meanwhile: done again, it may go well.
AWAY = os.EX_TEMPFAIL
#: The worker's parts are asked to stop together, and insisted on one by one, each after 120 s.
_WORKER_STOP_S = 400.0


def programs(environment: Mapping[str, str]) -> list[Program]:
    """API and worker, in the order they start; each forks the processes that it needs."""
    return [
        Program("api", [sys.executable, "-m", "podmeter_api"], environment),
        Program("worker", [sys.executable, "-m", "podmeter_worker"], environment, _WORKER_STOP_S),
    ]

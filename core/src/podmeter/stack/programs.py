"""The processes that make up Podmeter, by module name: core imports none of them."""

import sys
from collections.abc import Mapping
from pathlib import Path

from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE
from podmeter.settings import Settings
from podmeter.stack.supervisor import Program

CELERY_APP = "podmeter_worker.celery_app"
BEAT_APP = "podmeter_worker.beat_app"
#: Ends once the database is migrated and has its first administrator.
MIGRATE = (sys.executable, "-m", "podmeter.cli", "migrate")
_UPKEEP_THREADS = 4
_STOP_SECONDS = 120.0


def programs(settings: Settings, environment: Mapping[str, str]) -> list[Program]:
    """API, workers and beat, in the order they start.

    One worker measures, a process for each run at a time; the other looks after clusters and
    recovers, in threads, so that it never waits behind a run.
    """
    celery = [sys.executable, "-m", "celery", "--app"]
    level = f"--loglevel={settings.log_level}"
    schedule = Path(settings.state_dir).resolve() / "beat-schedule"
    runs = [f"--queues={RUNS_QUEUE}", f"--concurrency={settings.worker_concurrency}"]
    upkeep = [f"--queues={UPKEEP_QUEUE}", "--pool=threads", f"--concurrency={_UPKEEP_THREADS}"]
    quiet = ["--without-gossip", "--without-mingle", level]
    return [
        Program("api", [sys.executable, "-m", "podmeter_api"], environment),
        # A run that is asked to stop puts the cluster's modes back first.
        _worker("runs", [*celery, CELERY_APP, "worker", *quiet, *runs], environment),
        _worker("upkeep", [*celery, CELERY_APP, "worker", *quiet, *upkeep], environment),
        Program("beat", [*celery, BEAT_APP, "beat", level, f"--schedule={schedule}"], environment),
    ]


def _worker(name: str, command: list[str], environment: Mapping[str, str]) -> Program:
    return Program(name, [*command, f"--hostname={name}@%h"], environment, _STOP_SECONDS)

"""Work for the worker: task names and payloads, the only contract between API and worker.

A payload carries ids and nothing else. Delivery is at least once, so every task looks at the
database first and does only what is still to do.
"""

import uuid
from typing import ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

#: Runs wait here until one of a worker's places to measure is free.
RUNS_QUEUE = "podmeter-runs"
#: What must never wait behind a run: looking at clusters, recovering, forgetting.
UPKEEP_QUEUE = "podmeter-upkeep"


class Job(BaseModel):
    """A task to enqueue on `queue`: `name` is Celery's, the fields are its keyword arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    queue: ClassVar[str] = UPKEEP_QUEUE

    def payload(self) -> dict[str, str | int]:
        """The keyword arguments as JSON has them."""
        return self.model_dump(mode="json")


class PreflightCluster(Job):
    """Look at a cluster: versions, modes, room, rights; record capabilities and fingerprint."""

    name = "podmeter.preflight_cluster"

    organization_id: uuid.UUID
    cluster_id: uuid.UUID


class AdvanceRun(Job):
    """Take a run that waits, and lead it to its end: preflight, its blocks, cleaning up."""

    name = "podmeter.advance_run"
    queue = RUNS_QUEUE

    organization_id: uuid.UUID
    run_id: uuid.UUID


class Reap(Job):
    """Take up runs whose worker is gone, start those that wait, restore modes left switched."""

    name = "podmeter.reap"


class RenewCredentials(Job):
    """Renew the tokens of clusters that are past half their life."""

    name = "podmeter.renew_credentials"


class ForgetExpired(Job):
    """Drop old raw output, expired sessions, idempotency keys and snapshots."""

    name = "podmeter.forget_expired"


JOBS: tuple[type[Job], ...] = (
    PreflightCluster,
    AdvanceRun,
    Reap,
    RenewCredentials,
    ForgetExpired,
)


class Queue(Protocol):
    """Where jobs go; the edges implement it with Celery."""

    def send(self, job: Job) -> None:
        """Enqueue a job. Raises ConnectionError when the broker cannot be reached."""

"""The tasks by the names in `podmeter.jobs`: ids in, nothing out."""

from __future__ import annotations

import os
import uuid
from functools import cache, partial

from podmeter.jobs import AdvanceRun, ForgetExpired, PreflightCluster, Reap, RenewCredentials
from podmeter.settings import get_settings
from podmeter_worker import reaper, renewing
from podmeter_worker.celery_app import app
from podmeter_worker.cluster_preflight import look_at_cluster
from podmeter_worker.counting import tally
from podmeter_worker.queue import CeleryQueue
from podmeter_worker.repeating import Repeating
from podmeter_worker.runner.run_lifecycle import drive_next_run
from podmeter_worker.state import WorkerState, make_state
from podmeter_worker.upkeep import Upkeep

#: Of the process that is the part `upkeep`; elsewhere a task does all by itself.
upkeep: Upkeep | None = None
#: There it reaps also without any message, which comes by a broker that may be away.
reaping: Repeating | None = None


@cache
def _state_of(pid: int) -> WorkerState:
    settings = get_settings()
    tally.begin(settings.require_redis_url())
    return make_state(settings, CeleryQueue(app))


def here() -> WorkerState:
    """The state of the present process, never one from before a fork."""
    return _state_of(os.getpid())


@app.task(name=AdvanceRun.name)  # type: ignore[untyped-decorator]
def advance_run(organization_id: str, run_id: str) -> None:
    """Take the run that comes next, and lead it to its end."""
    state = here()
    drive_next_run(
        state.database,
        state.connect_for,
        uuid.UUID(organization_id),
        uuid.UUID(run_id),
        holder=state.holder,
        lease=state.lease,
    )


@app.task(name=PreflightCluster.name)  # type: ignore[untyped-decorator]
def preflight_cluster(organization_id: str, cluster_id: str) -> None:
    """Look at a registered cluster."""
    organization, cluster = uuid.UUID(organization_id), uuid.UUID(cluster_id)
    if upkeep is None:
        look_at_cluster(here(), organization, cluster)
    else:
        look = partial(look_at_cluster, here(), organization, cluster)
        upkeep.preflights.ask(organization, f"preflight {cluster}", look)


@app.task(name=Reap.name)  # type: ignore[untyped-decorator]
def reap() -> None:
    """Put right what a dead worker, a lost message or an unreachable cluster left."""
    if reaping is None:
        reap_here()
    else:
        reaping.wake()


def reap_here() -> None:
    """By the crew of this process, where it has one."""
    reaper.reap(here(), None if upkeep is None else upkeep.recoveries)


@app.task(name=RenewCredentials.name)  # type: ignore[untyped-decorator]
def renew_credentials() -> None:
    """Renew the tokens that are past half their life."""
    renewing.renew_all(here(), None if upkeep is None else upkeep.recoveries)


@app.task(name=ForgetExpired.name)  # type: ignore[untyped-decorator]
def forget_expired() -> None:
    """Drop what is past its time."""
    reaper.forget(here())

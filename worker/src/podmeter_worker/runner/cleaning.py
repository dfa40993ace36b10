"""Clean up after a run: restore modes, and remove its objects from all its clusters."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from podmeter.domain.errors import PodmeterError
from podmeter.domain.messages import say
from podmeter.services.errors import FencedError
from podmeter.services.execution import modes
from podmeter_worker.modes.evidence import LeftByHandError
from podmeter_worker.runner import mode_keeper
from podmeter_worker.runner.context import label_of
from podmeter_worker.runner.services_removal import TimeLeft, remove_services

if TYPE_CHECKING:
    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.runner.context import RunContext

logger = logging.getLogger(__name__)


def clean(run: RunContext) -> list[str]:
    """Restore and sweep what was touched; what could not be done, for each cluster it concerns.

    Such a cluster takes no further run until the reaper, or its owner, has put it right. Goes
    through even when the run was cancelled; ends only where another worker has the run.
    """
    faults: list[str] = []
    time_left = TimeLeft(run.database.stopping)
    for identity in run.assignment.clusters:
        if identity.name not in run.touched:
            continue
        try:
            _clean_one(run, identity, time_left)
        except Exception as error:
            if run.stop.lost.is_set() or isinstance(error, (FencedError, SQLAlchemyError)):
                raise
            if not isinstance(error, PodmeterError):
                logger.exception("run %s could not be cleaned up", run.run_hold.run_id)
            reason = say(
                "not_cleaned_up",
                cluster=identity.name,
                run=run.run_hold.run_id,
                error=error.said if isinstance(error, PodmeterError) else str(error),
            )
            run.warn(reason)
            run.database.write(
                partial(
                    modes.flag,
                    organization_id=run.run_hold.organization_id,
                    cluster_id=identity.cluster_id,
                    reason=reason,
                )
            )
            faults.append(reason)
    return faults


def _clean_one(run: RunContext, identity: ClusterIdentity, time_left: TimeLeft) -> None:
    organization = run.run_hold.organization_id
    cluster_id, uid = identity.cluster_id, identity.cluster_uid
    with run.held_link(identity, run.stop.lost) as link:
        try:
            saved = run.database.write(
                lambda work: modes.to_restore(work, organization, cluster_id, uid)
            )
            label = label_of(run.run_hold.run_id)
            remove_services(link, [label], identity.name, run.info, time_left)
            try:
                if saved:
                    mode_keeper.restore_all(run, link, identity, saved)
            except LeftByHandError:
                # Somebody else restores that mode; remove everything else of the run.
                link.sweep(label)
                raise
            link.sweep(label)
        finally:
            link.release_lease()

"""Putting a cluster right that a run could not clean up, once it can be reached again."""

from __future__ import annotations

import logging
import secrets
from functools import partial
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access
from podmeter.services.execution import modes, recovery
from podmeter.services.execution.environment import ClusterIdentity
from podmeter_worker.runner.context import label_of
from podmeter_worker.runner.lease_keeper import LeaseKeeper
from podmeter_worker.runner.ports import Handle
from podmeter_worker.runner.separately import Separately, restore_each
from podmeter_worker.runner.services_removal import TimeLeft, remove_services

if TYPE_CHECKING:
    import threading
    from collections.abc import Collection

    from podmeter.services.execution.recovery import Flagged
    from podmeter.services.work import Work
    from podmeter_worker.runner.database import Database
    from podmeter_worker.runner.ports import ClusterLink, Connect


logger = logging.getLogger(__name__)


class NodesLeftError(PreconditionError):
    """A cluster was put right on the nodes that are ready."""


def restore_cluster(
    database: Database, connect: Connect, flagged: Flagged, stop: threading.Event
) -> None:
    """Restore what this registration's runs switched, sweep leftovers, let runs onto it again.

    Raises LabError and the like where it cannot be done yet; it is tried again later. So where
    another cluster answers than the one whose modes were switched. Where nodes are dead it is done
    on the others, and NodesLeftError is raised.
    """
    handle = Handle(
        identity=ClusterIdentity(
            flagged.name,
            flagged.cluster_id,
            flagged.cluster_uid,
            allow_mode_switch=True,
            image=flagged.image,
        ),
        run_label=f"{labels.RESTORE}{secrets.token_hex(4)}",
        access=frozenset({Access.HOST_ADMIN}),
        switching=True,
        stop=stop,
    )
    with connect(handle) as link:
        link.take_lease()
        try:
            with LeaseKeeper(link.prolong, flagged.name):
                unready = link.unready()
                left = link.run_labels() | {label_of(run_id) for run_id in flagged.runs}
                time_left = TimeLeft(database.stopping)
                remove_services(link, left, flagged.name, logger.info, time_left)
                _restore(database, link, flagged, unready)
                runs = Separately()
                for label in left:
                    with runs.part(f"sweeping {label} from {flagged.name}"):
                        link.sweep(label, unready)
                runs.finish()
        finally:
            link.sweep(handle.run_label, link.unready())
            link.release_lease()
    if unready:
        raise NodesLeftError(say("nodes_left", nodes=unready))
    database.write(partial(_let_runs_on, flagged=flagged))


def _restore(
    database: Database, link: ClusterLink, flagged: Flagged, unready: Collection[str]
) -> None:
    organization = flagged.organization_id
    saved = database.write(
        lambda work: modes.to_restore(work, organization, flagged.cluster_id, flagged.cluster_uid)
    )
    if not saved:
        return
    control = link.modes(lambda step: None, unready)

    def restore(kept: modes.OriginalMode) -> None:
        control.restore(kept.axis, kept.content)
        if not unready:  # it is still to be done there
            database.write(partial(modes.strike, organization_id=organization, saved_id=kept.id))

    restore_each(saved, flagged.name, restore)


def _let_runs_on(work: Work, flagged: Flagged) -> None:
    modes.flag(work, flagged.organization_id, flagged.cluster_id, "")
    recovery.call_next(work)

"""What stood on a cluster before its modes were switched: noted first, struck out at the end."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from podmeter.db.base import now
from podmeter.db.models import SavedMode
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.domain.messages import say
from podmeter.domain.ports import LogLevel
from podmeter.services.runs.lifecycle import RunHold, held
from podmeter.services.runs.recording import log
from podmeter.services.work import Work


@dataclass(frozen=True)
class Kept:
    """What stood on an axis of a cluster before a run switched it."""

    id: uuid.UUID
    axis: str
    content: dict[str, Any]


def keep(
    work: Work,
    run_hold: RunHold,
    cluster_id: uuid.UUID,
    cluster_uid: str,
    axis: str,
    content: dict[str, Any],
) -> dict[str, Any]:
    """Note what stands on an axis, before it is switched for the first time; what is noted.

    A second switch keeps the first one's past. Raises FencedError.
    """
    held(work, run_hold)
    clusters = ClusterRepository(work.session, run_hold.organization_id)
    for one in clusters.open_modes_of_cluster(cluster_uid):
        if one.axis == axis:
            return one.content
    clusters.add_saved_mode(
        SavedMode(
            organization_id=run_hold.organization_id,
            cluster_id=cluster_id,
            cluster_uid=cluster_uid,
            run_id=run_hold.run_id,
            axis=axis,
            content=content,
        )
    )
    kept = json.dumps(content, ensure_ascii=False)
    log(work, run_hold, LogLevel.INFO, say("log_put_back_later", axis=axis, content=kept))
    return content


def to_restore(work: Work, organization_id: uuid.UUID, cluster_uid: str) -> list[Kept]:
    """What is still to be put back on a real cluster, the latest switch first."""
    clusters = ClusterRepository(work.session, organization_id)
    found = clusters.open_modes_of_cluster(cluster_uid)
    return [Kept(one.id, one.axis, one.content) for one in reversed(found)]


def strike(work: Work, organization_id: uuid.UUID, saved_id: uuid.UUID) -> None:
    """Note that a mode is as it was."""
    ClusterRepository(work.session, organization_id).close_saved_mode(saved_id, now())


def flag(work: Work, organization_id: uuid.UUID, cluster_uid: str, reason: str) -> None:
    """Let no further run onto a real cluster, with the reason why; '' lets them again."""
    ClusterRepository(work.session, organization_id).flag_restore(cluster_uid, reason)

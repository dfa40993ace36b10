"""What stood on a cluster before its modes were switched: noted first, struck out at the end."""

import uuid
from dataclasses import dataclass
from typing import Any

from podmeter.db.base import now
from podmeter.db.models import SavedMode
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.ports import LogLevel
from podmeter.domain.saved_modes import in_words
from podmeter.services.runs.lifecycle import RunHold, lock_run
from podmeter.services.runs.recording import log
from podmeter.services.work import Work

#: What is saved of an axis that somebody switches by hand: the mode that was in effect.
BY_HAND = "by_hand"


@dataclass(frozen=True)
class OriginalMode:
    """What stood on an axis of a cluster before a run switched it."""

    id: uuid.UUID
    axis: str
    content: dict[str, Any]

    @property
    def by_hand(self) -> bool:
        """Whether somebody switched it by hand, and restores it by hand."""
        return BY_HAND in self.content


def keep(
    work: Work,
    run_hold: RunHold,
    cluster_id: uuid.UUID,
    cluster_uid: str,
    axis: str,
    content: dict[str, Any],
) -> dict[str, Any]:
    """Note the current mode of an axis before its first switch. Returns the note.

    A second switch keeps the first one's past. Raises FencedError.
    """
    lock_run(work, run_hold)
    organization = run_hold.organization_id
    for one in to_restore(work, organization, cluster_id, cluster_uid):
        if one.axis == axis:
            return one.content
    ClusterRepository(work.session, organization).add_saved_mode(
        SavedMode(
            organization_id=organization,
            cluster_id=cluster_id,
            cluster_uid=cluster_uid,
            run_id=run_hold.run_id,
            axis=axis,
            content=content,
        )
    )
    kept = _in_short(content)
    log(work, run_hold, LogLevel.INFO, say("log_put_back_later", axis=axis, content=kept))
    return content


def _in_short(content: dict[str, Any]) -> str:
    """What stood, with the component that has it written: kube-proxy (mode: "")."""
    saved = content.get("saved")
    if not isinstance(saved, dict):
        return in_words(content)
    return f"{content.get('component')} ({in_words(saved)})"


def to_restore(
    work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID, cluster_uid: str
) -> list[OriginalMode]:
    """Modes that are not restored through a registration, the latest switch first; last those
    that somebody restores by hand. kube-proxy's is ahead of the others': agents of the pod network
    reach the API server through its rules, and it needs no pod network.

    What another one switched on the same real cluster is restored through that one: what stood is
    shown to nobody else, and struck out by nobody else. Nor is what was saved of another cluster.
    """
    clusters = ClusterRepository(work.session, organization_id)
    found = clusters.saved_modes(cluster_id, open_only=True)
    kept = [
        OriginalMode(one.id, one.axis, one.content)
        for one in reversed(found)
        if one.cluster_uid == cluster_uid
    ]
    return sorted(kept, key=lambda one: (one.by_hand, one.axis != KUBE_PROXY_MODE))


def strike(work: Work, organization_id: uuid.UUID, saved_id: uuid.UUID) -> None:
    """Note that a mode is as it was."""
    ClusterRepository(work.session, organization_id).close_saved_mode(saved_id, now())


def flag(work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID, reason: str) -> None:
    """Let no further run onto a real cluster, with the reason why; '' lets them again.

    The reason is this registration's; of others only the need to restore is known.
    """
    LeaseRepository(work.session).lock_queue()
    ClusterRepository(work.session, organization_id).flag_restore(cluster_id, reason)

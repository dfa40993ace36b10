"""What a snapshot of a cluster holds, before anything of it is replaced."""

import uuid
from typing import Any

from podmeter.db.models import Cluster
from podmeter.db.repositories.floors import FloorRepository
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, AxisReport, ClusterReport
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.noise_floor import read as noise_floor
from podmeter.services.snapshots import finished
from podmeter.services.snapshots.shared import SharedCluster, SharedMode
from podmeter.services.work import Work


def shared(
    work: Work, principal: Principal, cluster_id: uuid.UUID, *, notes: bool
) -> SharedCluster:
    """The cluster as it was seen last, with its owners' prose where `notes` stay.

    Raises NotFoundError.
    """
    row = registry.get(work, principal, cluster_id)
    floor = noise_floor.of_cluster(work, principal, cluster_id)
    latest = FloorRepository(work.session, principal.organization_id).latest_fingerprint(cluster_id)
    report = None if row.capabilities is None else PREFLIGHT_REPORT.read(row.capabilities)
    return SharedCluster(
        cluster=row.name,
        notes="\n\n".join(filter(None, (row.description, row.notes))) if notes else "",
        kubernetes_version=None if report is None else report.kubernetes_version,
        nodes=0 if report is None else len(report.nodes),
        shared_host=None if report is None else report.shared_host,
        modes=[] if report is None else _modes(row, report),
        fingerprint=None if latest is None else _without_uid(latest[0]),
        seen_at=row.preflighted_at if latest is None else latest[1],
        runs_needed=floor.runs_needed,
        noise_floor=floor.measured,
        runs=finished.of_cluster(work, principal, cluster_id),
    )


def node_names(found: SharedCluster) -> set[str]:
    """The nodes that it speaks of."""
    nodes = (found.fingerprint or {}).get("nodes", ())
    return {str(one["name"]) for one in nodes}


def _modes(row: Cluster, report: ClusterReport) -> list[SharedMode]:
    return [
        SharedMode(axis, one.observed, one.unclear, _switchable(row, one))
        for axis, one in report.modes.items()
    ]


def _switchable(row: Cluster, one: AxisReport) -> list[str]:
    if not row.allow_mode_switch or one.why_not is not None:
        return []
    return [value for value, why_not in one.values.items() if why_not is None]


def _without_uid(content: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != "cluster_uid"}

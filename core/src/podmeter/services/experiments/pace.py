"""How long a switch of modes is expected to take: as on this cluster before, else by its nodes."""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median

from podmeter.db.models import Cluster
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.modes import CLUSTER
from podmeter.services.work import Work

#: A component is rolled node by node. On the testbed's two nodes a switch takes 5 to 20 s; nodes of
#: their own pull nothing either, but wait for probes and for pods that end.
_SECONDS_ANYWAY, _SECONDS_A_NODE = 10.0, 5.0
#: Where no cluster is known: that of ten nodes.
ASSUMED_SECONDS = _SECONDS_ANYWAY + 10 * _SECONDS_A_NODE
_LATEST_RUNS, _LEAST_BLOCKS = 10, 3


@dataclass(frozen=True)
class Pace:
    """Seconds of one switch, and by how many blocks that is known: none where it is assumed."""

    switch_seconds: float = ASSUMED_SECONDS
    blocks: int = 0


ASSUMED = Pace()


def on_cluster(work: Work, cluster: Cluster, axes: Collection[str]) -> Pace:
    """What the latest blocks that switched just these axes on the cluster took for each of them."""
    if not axes:
        return ASSUMED
    runs = RunRepository(work.session, cluster.organization_id)
    seen = [
        seconds / len(axes)
        for modes, seconds in runs.switching_seconds(cluster.id, _LATEST_RUNS)
        if set(modes) - {CLUSTER} == set(axes)
    ]
    if len(seen) >= _LEAST_BLOCKS:
        return Pace(median(seen), len(seen))
    if cluster.capabilities is None:
        return ASSUMED
    return of_nodes(len(ClusterReport.model_validate(cluster.capabilities).nodes))


def of_nodes(nodes: int) -> Pace:
    """What is assumed of a cluster of so many nodes where nobody switched these axes yet."""
    return Pace(_SECONDS_ANYWAY + nodes * _SECONDS_A_NODE)

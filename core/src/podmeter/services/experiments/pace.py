"""How long a cluster takes for what is planned: as it took before, else as is assumed."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from statistics import median

from podmeter.db.models import Cluster
from podmeter.db.repositories.paces import PaceRepository, TimedRun
from podmeter.domain.axes import MODE_AXES
from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.modes import CLUSTER
from podmeter.domain.run import CaseStatus
from podmeter.experiments.registry import why_not_measured
from podmeter.services.experiments.duration import reckoned_seconds
from podmeter.services.experiments.planned import planned_blocks
from podmeter.services.work import Work

#: A component is rolled node by node. On the testbed's two nodes a switch takes 5 to 20 s; nodes of
#: their own pull nothing either, but wait for probes and for pods that end.
_SECONDS_ANYWAY, _SECONDS_A_NODE = 10.0, 5.0
#: Where no cluster is known: that of ten nodes.
ASSUMED_SECONDS = _SECONDS_ANYWAY + 10 * _SECONDS_A_NODE
_LATEST_RUNS, _LEAST_BLOCKS = 10, 3
#: Of measuring, of which fewer tell enough: each run brings all its cases along.
_LATEST_MEASURED = 3


@dataclass(frozen=True)
class Pace:
    """Seconds of one switch, and by how many blocks that is known: none where it is assumed.

    Measuring takes `measuring` times as long as is reckoned, by so many blocks.
    """

    switch_seconds: float = ASSUMED_SECONDS
    switches_seen: int = 0
    measuring: float = 1.0
    blocks_seen: int = 0


ASSUMED = Pace()


def on_cluster(work: Work, cluster: Cluster, kind: str, axes: Collection[str]) -> Pace:
    """What the latest blocks took on a cluster: of that kind, and that switched just these axes."""
    paces = PaceRepository(work.session, cluster.organization_id)
    pace = _switching(paces, cluster, axes)
    timed = paces.timed(cluster.id, kind, _LATEST_MEASURED)
    ratios = [ratio for run in timed for ratio in _ratios(run)]
    if len(ratios) < _LEAST_BLOCKS:
        return pace
    return replace(pace, measuring=median(ratios), blocks_seen=len(ratios))


def of_nodes(nodes: int) -> Pace:
    """What is assumed of a cluster of so many nodes where nobody switched these axes yet."""
    return Pace(_SECONDS_ANYWAY + nodes * _SECONDS_A_NODE)


def _switching(paces: PaceRepository, cluster: Cluster, axes: Collection[str]) -> Pace:
    if not axes:
        return ASSUMED
    seen = [
        seconds / len(axes)
        for modes, seconds in paces.switching_seconds(cluster.id, _LATEST_RUNS)
        if set(modes).intersection(MODE_AXES) == set(axes)
    ]
    if len(seen) >= _LEAST_BLOCKS:
        return Pace(median(seen), len(seen))
    if cluster.capabilities is None:
        return ASSUMED
    return of_nodes(len(ClusterReport.model_validate(cluster.capabilities).nodes))


def _ratios(run: TimedRun) -> Iterator[float]:
    """What its blocks on the cluster took against what is reckoned of them, switching apart."""
    spec = ResolvedSpec.model_validate(run.spec)
    if why_not_measured(spec) is not None:
        return
    planned = planned_blocks(spec, run.cases, run.blocks)
    reckoned = reckoned_seconds(spec, planned)
    for block, seconds in zip(run.blocks, reckoned, strict=True):
        if block.modes.get(CLUSTER, run.cluster) != run.cluster or seconds <= 0:
            continue
        if block.status is CaseStatus.SUCCEEDED and block.started_at and block.ended_at:
            took = (block.ended_at - block.started_at).total_seconds()
            yield (took - (block.switching_seconds or 0.0)) / seconds

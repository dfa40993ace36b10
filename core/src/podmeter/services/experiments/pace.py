"""How long a cluster takes for what is planned: as it took before, else as is assumed."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from statistics import median

from podmeter.db.models import Cluster
from podmeter.db.repositories.paces import MeasuredThere, PaceRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.axes import MODE_AXES
from podmeter.domain.cluster_report import PREFLIGHT_REPORT
from podmeter.domain.experiment import FROZEN, ResolvedSpec
from podmeter.domain.modes import CLUSTER
from podmeter.domain.run import CaseStatus
from podmeter.kinds.registry import kind_of, why_not_measured
from podmeter.services.experiments.duration import reckoned_seconds, with_rounds
from podmeter.services.experiments.planned import planned_blocks
from podmeter.services.lru_cache import LruCache
from podmeter.services.work import Work

#: A component is rolled node by node. On the testbed's two nodes a switch takes 5 to 20 s; nodes of
#: their own pull nothing either, but wait for probes and for pods that end.
_SECONDS_ANYWAY, _SECONDS_A_NODE = 10.0, 5.0
#: Where no cluster is known: that of ten nodes.
ASSUMED_SECONDS = _SECONDS_ANYWAY + 10 * _SECONDS_A_NODE
#: What is assumed is for slow clusters: the demo's ladder took 37 s a round on the testbed, where
#: 100 were assumed. Its 9 rounds were over in 4 of its 15 minutes, with nothing decided.
_SPEED_MARGIN = 2.0
_LATEST_RUNS, _LEAST_BLOCKS = 10, 3
#: Of measuring, of which fewer tell enough.
_LATEST_MEASURED = 3


@dataclass(frozen=True)
class Pace:
    """Seconds of one switch, and by how many blocks that is known: none where it is assumed.

    Measuring takes `measuring` times as long as is reckoned, by so many blocks; in that, the API
    server takes `creating` times as long for new objects as the kind assumes.
    """

    switch_seconds: float = ASSUMED_SECONDS
    switches_seen: int = 0
    measuring: float = 1.0
    blocks_seen: int = 0
    creating: float = 1.0

    def planned(self, spec: ResolvedSpec) -> ResolvedSpec:
        """The spec with the rounds that its time has room for, if it runs until it is decided."""
        is_known = self.blocks_seen and (self.switches_seen or not spec.switched_axes)
        return with_rounds(
            spec,
            switch_seconds=self.switch_seconds,
            measuring=self.measuring,
            creating=self.creating,
            speed_margin=1.0 if is_known else _SPEED_MARGIN,
        )


ASSUMED = Pace()
#: By a run and its last event, since each of them plans a run again: a plan is asked for while its
#: experiment is written.
_RATIOS: LruCache[tuple[MeasuredThere, float], tuple[float, ...]] = LruCache(256)


def on_cluster(work: Work, cluster: Cluster, spec: ResolvedSpec) -> Pace:
    """What the latest blocks took on a cluster: of the spec's kind, and that switched its axes."""
    paces = PaceRepository(work.session, cluster.organization_id)
    pace = _switching(paces, cluster, spec.switched_axes)
    runs = RunRepository(work.session, cluster.organization_id)
    latest = paces.measured(cluster.id, spec.kind, _LATEST_MEASURED)
    pace = replace(pace, creating=_creating(paces, latest, spec))
    ratios = [ratio for run in latest for ratio in _ratios(runs, run, pace.creating)]
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
    return of_nodes(len(PREFLIGHT_REPORT.read(cluster.capabilities).nodes))


def _creating(paces: PaceRepository, latest: list[MeasuredThere], spec: ResolvedSpec) -> float:
    """How long creating took in these runs against what is assumed: 1 where none of them tells."""
    creating_pace = kind_of(spec).creating_pace
    facts = paces.facts_of_creating([run.id for run in latest])
    found = [one for one in map(creating_pace, facts) if one is not None]
    return median(found) if found else 1.0


def _ratios(runs: RunRepository, run: MeasuredThere, creating: float) -> tuple[float, ...]:
    """What its blocks on the cluster took against what is reckoned of them, switching apart."""
    key = run, creating
    kept = _RATIOS.get(key)
    return _RATIOS.put(key, tuple(_reckoned(runs, run, creating))) if kept is None else kept


def _reckoned(runs: RunRepository, run: MeasuredThere, creating: float) -> Iterator[float]:
    row = runs.get(run.id)
    if row is None or why_not_measured(spec := FROZEN.read(row.spec)) is not None:
        return
    blocks = runs.blocks(run.id)
    planned = planned_blocks(spec, runs.all_cases(run.id), blocks)
    reckoned = reckoned_seconds(spec, planned, creating)
    for block, seconds in zip(blocks, reckoned, strict=True):
        if block.modes.get(CLUSTER, run.cluster) != run.cluster or seconds <= 0:
            continue
        if block.status is CaseStatus.SUCCEEDED and block.started_at and block.ended_at:
            took = (block.ended_at - block.started_at).total_seconds()
            yield (took - (block.switching_seconds or 0.0)) / seconds

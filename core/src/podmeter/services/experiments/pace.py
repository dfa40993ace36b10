"""How long a cluster takes for what is planned: as it took before, else as is assumed."""

import uuid
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median

from podmeter.db.models import Cluster
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.paces import MeasuredThere, PaceRepository, SwitchedBlock
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.axes import MODE_AXES
from podmeter.domain.cluster_report import PREFLIGHT_REPORT
from podmeter.domain.experiment import FROZEN, ResolvedSpec
from podmeter.domain.modes import CLUSTER, KUBE_PROXY_MODE
from podmeter.domain.run import CaseStatus
from podmeter.kinds.registry import KINDS, kind_of, why_not_measured
from podmeter.kinds.switch_outage import assumed_outage, predicted_outage
from podmeter.services.experiments.duration import Reckoning, reckoned_seconds, with_rounds
from podmeter.services.experiments.mode_changes import ModeChange
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
#: The full sync of so many Service ports takes a second, and what a switch takes besides is seen.
_FEW_PORTS = 1_000
#: Of measuring, of which fewer tell enough.
_LATEST_MEASURED = 3


@dataclass(frozen=True)
class Pace:
    """Seconds of one switch, and by how many blocks that is known: none where it is assumed.

    They are of a switch while few Services of the run exist. Of kube-proxy's mode `outages` are
    (Service ports, seconds) of a restart and a full sync, as for `predicted_outage`; among the
    ports are those of the cluster itself, `existing`.
    Measuring takes `measuring` times as long as is reckoned, by so many blocks; in that, the API
    server takes `creating` times as long for new objects as the kind assumes.
    """

    switch_seconds: float = ASSUMED_SECONDS
    switches_seen: int = 0
    measuring: float = 1.0
    blocks_seen: int = 0
    creating: float = 1.0
    existing: int = 0
    outages: tuple[tuple[int, float], ...] = ()

    @property
    def reckoning(self) -> Reckoning:
        """How long blocks take at this pace."""
        return Reckoning(self.seconds_of, self.measuring, self.creating)

    def seconds_of(self, change: ModeChange) -> float:
        """How long a switch takes: that of kube-proxy's mode ends with a full sync.

        The sync of the run's Services is added to what a switch takes without them.
        """
        if change.axis != KUBE_PROXY_MODE or not change.ports:
            return self.switch_seconds
        outage, _ = predicted_outage(self.existing + change.ports, self.outages)
        return self.switch_seconds + max(0.0, outage - assumed_outage(self.existing))

    def planned(self, spec: ResolvedSpec) -> ResolvedSpec:
        """The spec with the rounds that its time has room for, if it runs until it is decided."""
        is_known = self.blocks_seen and (self.switches_seen or not spec.switched_axes)
        margin = 1.0 if is_known else _SPEED_MARGIN
        return with_rounds(spec, self.reckoning, speed_margin=margin)


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


def of_run(work: Work, organization_id: uuid.UUID, run_id: uuid.UUID, spec: ResolvedSpec) -> Pace:
    """By the first of a run's clusters that is still registered, as when it was started.

    What the run itself has measured is part of it, unless it was retried or resumed.
    """
    listed = RunRepository(work.session, organization_id).clusters([run_id])[run_id]
    clusters = ClusterRepository(work.session, organization_id)
    for one in listed:
        # A run is read as a whole, also by a token that reads no clusters.
        cluster = clusters.get_unscoped(one.cluster_id) if one.cluster_id is not None else None
        if cluster is not None:
            return on_cluster(work, cluster, spec)
    return ASSUMED


def existing_services(cluster: Cluster) -> int | None:
    """How many Services the cluster had in its latest preflight."""
    if cluster.capabilities is None:
        return None
    room = PREFLIGHT_REPORT.read(cluster.capabilities).room
    return None if room is None else room.services


def of_nodes(nodes: int) -> Pace:
    """What is assumed of a cluster of so many nodes where nobody switched these axes yet."""
    return Pace(_SECONDS_ANYWAY + nodes * _SECONDS_A_NODE)


def with_switches(
    assumed: Pace, axes: Collection[str], seen: Collection[tuple[int, float]]
) -> Pace:
    """By switches of these axes: Service ports of the run that existed, seconds of each axis."""
    few = [seconds for ports, seconds in seen if ports <= _FEW_PORTS]
    pace = assumed
    if len(few) >= _LEAST_BLOCKS:
        pace = replace(pace, switch_seconds=median(few), switches_seen=len(few))
    if set(axes) == {KUBE_PROXY_MODE}:
        without = assumed_outage(assumed.existing)
        outages = tuple(
            (assumed.existing + ports, without + max(0.0, seconds - pace.switch_seconds))
            for ports, seconds in seen
        )
        pace = replace(pace, outages=outages)
    return pace


def _switching(paces: PaceRepository, cluster: Cluster, axes: Collection[str]) -> Pace:
    if not axes:
        return ASSUMED
    assumed = ASSUMED
    if cluster.capabilities is not None:
        nodes = len(PREFLIGHT_REPORT.read(cluster.capabilities).nodes)
        assumed = replace(of_nodes(nodes), existing=existing_services(cluster) or 0)
    seen = []
    for block, ports in ports_at_switches(paces.switching_seconds(cluster.id, _LATEST_RUNS)):
        if block.seconds is None:
            continue
        if set(block.modes).intersection(MODE_AXES) == set(axes):
            seen.append((ports, block.seconds / len(axes)))
    return with_switches(assumed, axes, seen)


def ports_at_switches(blocks: Iterable[SwitchedBlock]) -> Iterator[tuple[SwitchedBlock, int]]:
    """Each block with the Service ports of its run that existed when its modes were set up.

    Without those of which that is unknown.
    """
    #: None after a block that failed, which removed Services or was stopped before it could.
    stood: dict[tuple[uuid.UUID, object], int | None] = {}
    for block in blocks:
        kind = KINDS.get(block.kind)
        if kind is not None and not kind.tells_ports_at_switches(block.parameters):
            continue
        where = block.run_id, block.modes.get(CLUSTER)
        # A switch comes before the climb: the Services are those of the block before.
        ports = stood.get(where, 0)
        stood[where] = 0 if kind is None else kind.ports_at(block.modes)
        if block.status is CaseStatus.FAILED:
            stood[where] = None
        if ports is not None:
            yield block, ports


def _creating(paces: PaceRepository, latest: list[MeasuredThere], spec: ResolvedSpec) -> float:
    """How long creating took in these runs against what is assumed: 1 where none of them tells."""
    creating_pace = kind_of(spec).creating_pace
    facts = paces.facts_of_creating([run.id for run in latest])
    return weighted_pace(one for one in map(creating_pace, facts) if one is not None)


def weighted_pace(seen: Iterable[tuple[float, float]]) -> float:
    """What all of these took against what is assumed for all; 1 without any.

    The longest say most of what is to come.
    """
    listed = list(seen)
    assumed = sum(seconds for _, seconds in listed)
    return sum(seconds for seconds, _ in listed) / assumed if assumed > 0 else 1.0


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
    failed = {block.position for block in blocks if block.status is CaseStatus.FAILED}
    reckoned = reckoned_seconds(spec, planned, creating, failed)
    for block, seconds in zip(blocks, reckoned, strict=True):
        if block.modes.get(CLUSTER, run.cluster) != run.cluster or seconds <= 0:
            continue
        if block.status is CaseStatus.SUCCEEDED and block.started_at and block.ended_at:
            took = (block.ended_at - block.started_at).total_seconds()
            yield (took - (block.switching_seconds or 0.0)) / seconds

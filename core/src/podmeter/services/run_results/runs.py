"""Runs with their cases and samples, read with a fixed number of queries."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from podmeter.db.models import Run
from podmeter.db.repositories.samples import SampleRepository, WholeRun
from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import FROZEN, ResolvedSpec
from podmeter.domain.measurement import Direction, MetricDefinition, Unit
from podmeter.domain.messages import Message
from podmeter.domain.node_pairs import PAIR_SIGN, NodePair
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import CaseStatus
from podmeter.kinds.failed_trials import FAILED_TRIALS
from podmeter.kinds.limits import CaseLimits
from podmeter.kinds.registry import IMPORTED, metrics_of
from podmeter.services.run_results.limits import case_limits, counters_of, load_shapes_of
from podmeter.services.work import Work
from podmeter.statistics import Sample

Point = Mapping[str, AxisValue]
_Modes = frozenset[tuple[str, AxisValue]]
_Clusters = Mapping[str, RealCluster]

#: Every run has this metric, whatever its kind.
OVERHEAD = MetricDefinition(
    name="overhead",
    unit=Unit.SECONDS,
    direction=Direction.LOWER,
)


class MetricChoice(StrEnum):
    """Which metrics to read: what the cases are about and what caps it, or all of them."""

    MAIN = "main"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class MeasuredCase:
    """A case of a run, with the environments it was measured in.

    `fingerprints` are those of the blocks it was measured in; an unknown one is None.
    `cluster_uid` is None where the run does not tell which of its clusters it was.
    """

    id: int
    key: str
    point: Point
    status: CaseStatus
    reason: str
    placement: Mapping[str, str | None] | None
    fingerprints: frozenset[uuid.UUID | None]
    cluster_uid: str | None

    @property
    def node_pair(self) -> str | None:
        """The two nodes that its ends sat on; None where it has not just these."""
        ends = self.placement or {}
        client, server = (ends.get(f"{end}_node") for end in ("client", "server"))
        pair = NodePair.of(f"{client}{PAIR_SIGN}{server}") if client and server else None
        return None if pair is None or pair.client == pair.server else pair.value


@dataclass(frozen=True, slots=True)
class MeasuredSample:
    """One metric of one case: the sample, and the trial of every value, by round."""

    case_id: int
    metric: MetricDefinition
    subject: str
    sample: Sample
    trials: tuple[tuple[int, ...], ...]


#: A run's samples by case, each case's in the order of the metrics.
Samples = Mapping[int, tuple[MeasuredSample, ...]]


@dataclass(frozen=True, slots=True)
class KeptSamples:
    """Samples of a run that were read once, and what limited its cases."""

    samples: Samples
    limits: Mapping[int, CaseLimits]


@dataclass(frozen=True)
class BlockOverhead:
    """Seconds that blocks took besides measuring; None is unknown."""

    switching: float | None
    preparing: float | None
    cleaning: float | None


@dataclass(frozen=True)
class MeasuredRun:
    """One run with what it measured. `metrics` are those of its kind, in its order.

    `unknown` names metrics that were measured and that this version of the kind does not know;
    without a unit they cannot be shown. `real` is the cluster that it measured; None where it
    measured several. `limits` are by case what limited each of its counted trials, of cases whose
    trials load the path in a way that is known.
    """

    run: Run
    spec: ResolvedSpec
    clusters: tuple[str, ...]
    cases: tuple[MeasuredCase, ...]
    metrics: Mapping[str, MetricDefinition]
    blocks: tuple[BlockOverhead, ...]
    unknown: tuple[str, ...]
    by_case: Samples = field(repr=False)
    real: RealCluster | None = None
    limits: Mapping[int, CaseLimits] = field(default_factory=dict, repr=False)

    @property
    def imported(self) -> bool:
        """Whether it was pasted: its environment is as its user gave it, and nothing was set up."""
        return self.spec.kind == IMPORTED.name

    def samples(self, case_id: int) -> tuple[MeasuredSample, ...]:
        """The samples of a case, in the order of the metrics; () where nothing was counted."""
        return self.by_case.get(case_id, ())

    def main(self, case_id: int) -> MeasuredSample | None:
        """The sample that the case is about; None where it has none."""
        return next((one for one in self.samples(case_id) if one.metric.main), None)


def load(
    work: Work,
    organization_id: uuid.UUID,
    run_ids: Collection[uuid.UUID],
    choice: MetricChoice = MetricChoice.ALL,
) -> dict[uuid.UUID, MeasuredRun]:
    """The runs of an organization that there are; others are left out."""
    repository = SampleRepository(work.session, organization_id)
    return with_samples(repository, repository.whole_runs(run_ids), choice, {})


def with_samples(
    repository: SampleRepository,
    found: Sequence[WholeRun],
    choice: MetricChoice,
    known: Mapping[uuid.UUID, KeptSamples],
) -> dict[uuid.UUID, MeasuredRun]:
    """These runs with their samples, which are not read of runs whose samples are `known`."""
    runs = [one.run for one in found]
    specs = {run.id: FROZEN.read(run.spec) for run in runs}
    metrics = {run.id: metrics_of(run.kind) for run in runs}
    clusters = {
        one.run.id: {name: RealCluster(uid, authority) for name, uid, authority in one.clusters}
        for one in found
    }
    cases = {one.run.id: _cases(one, clusters[one.run.id]) for one in found}
    read = {run_id: of_kind for run_id, of_kind in metrics.items() if run_id not in known}
    loads = {
        run_id: load_shapes_of(specs[run_id], {case.id: case.point for case in cases[run_id]})
        for run_id in read
    }
    main = None
    besides: set[str] = set()
    if choice is MetricChoice.MAIN:
        main = _main_names(metrics.values())
        besides = counters_of(load for one in loads.values() for load in one.values()) - main
    owners = {case.id: run_id for run_id in read for case in cases[run_id]}
    wanted = None if main is None else sorted(main | besides)
    samples, unknown = _samples(repository, owners, read, wanted, specs) if read else ({}, {})
    kept = dict(known) | {
        run_id: KeptSamples(_without(by_case, besides), case_limits(loads[run_id], by_case))
        for run_id, by_case in samples.items()
    }
    return {
        one.run.id: MeasuredRun(
            run=one.run,
            spec=specs[one.run.id],
            clusters=tuple(clusters[one.run.id]),
            cases=cases[one.run.id],
            metrics=metrics[one.run.id],
            blocks=tuple(BlockOverhead(*seconds) for _, _, *seconds in one.blocks),
            unknown=tuple(sorted(unknown.get(one.run.id, ()))),
            by_case=kept[one.run.id].samples,
            real=_alone(clusters[one.run.id]),
            limits=kept[one.run.id].limits,
        )
        for one in found
    }


def _main_names(metrics: Iterable[Mapping[str, MetricDefinition]]) -> set[str]:
    """What cases are about, and what caps it."""
    mains = [one for of_kind in metrics for one in of_kind.values() if one.main]
    return {one.name for one in mains} | {name for one in mains for name in one.capped_by}


def _without(by_case: Samples, metrics: Collection[str]) -> Samples:
    """The samples but those of some metrics; cases that have no other are left out."""
    if not metrics:
        return by_case
    left = {
        case_id: tuple(one for one in samples if one.metric.name not in metrics)
        for case_id, samples in by_case.items()
    }
    return {case_id: samples for case_id, samples in left.items() if samples}


def _cases(whole: WholeRun, clusters: _Clusters) -> tuple[MeasuredCase, ...]:
    """The run's cases; a block lends its fingerprint to the cases that have its modes.

    A case also has the fingerprint it was last measured in: another attempt gives the block another
    fingerprint, but measures only the cases that the earlier one left.
    """
    seen: dict[_Modes, set[str]] = {}
    for modes, of_block, *_ in whole.blocks:
        if of_block is not None:
            seen.setdefault(frozenset(modes.items()), set()).add(of_block)
    met: dict[_Modes, frozenset[uuid.UUID | None]] = {
        modes: frozenset(map(uuid.UUID, ids)) for modes, ids in seen.items()
    }
    set_up = {axis for modes, *_ in whole.blocks for axis in modes}
    found = []
    for case_id, key, point, status, reason, fingerprint, placement in whole.cases:
        own_modes = frozenset(item for item in point.items() if item[0] in set_up)
        own = frozenset() if fingerprint is None else frozenset({uuid.UUID(fingerprint)})
        fingerprints = met.get(own_modes, frozenset()) | own or frozenset({None})
        found.append(
            MeasuredCase(
                id=case_id,
                key=key,
                point=point,
                status=CaseStatus(status),
                reason="" if reason is None else Message.read(reason),
                placement=placement,
                fingerprints=fingerprints,
                cluster_uid=_cluster_of(point, clusters),
            )
        )
    return tuple(found)


def _cluster_of(point: Point, clusters: _Clusters) -> str | None:
    own = clusters.get(str(point["cluster"])) if "cluster" in point else _alone(clusters)
    return None if own is None else own.uid


def _alone(clusters: _Clusters) -> RealCluster | None:
    return next(iter(clusters.values())) if len(clusters) == 1 else None


def _node_pairs(spec: ResolvedSpec, rounds: Iterable[int]) -> tuple[str, ...]:
    """The pair of nodes of each of the rounds, where the run changed it by round."""
    pairs = (spec.node_pair(round_) for round_ in rounds)
    return tuple(pair for pair in pairs if pair is not None)


def _samples(
    repository: SampleRepository,
    owners: Mapping[int, uuid.UUID],
    metrics: Mapping[uuid.UUID, Mapping[str, MetricDefinition]],
    wanted: Collection[str] | None,
    specs: Mapping[uuid.UUID, ResolvedSpec],
) -> tuple[dict[uuid.UUID, dict[int, tuple[MeasuredSample, ...]]], dict[uuid.UUID, set[str]]]:
    """By run and case, in the order of the kind's metrics, then by subject; and unknown ones.

    `owners` maps the cases to their runs.
    """
    rounds: dict[tuple[int, str, str], dict[int, tuple[list[float], list[int]]]] = {}
    rows = repository.samples(metrics.keys(), wanted)
    for case_id, metric, subject, round_, values, trials in rows:
        rounds.setdefault((case_id, metric, subject), {})[round_] = (values, trials)
    for case_id, round_, share, trial in repository.failures(metrics.keys()):
        shares = rounds.setdefault((case_id, FAILED_TRIALS.name, ""), {})
        shares[round_] = ([share], [trial])
    order = {run_id: {name: n for n, name in enumerate(known)} for run_id, known in metrics.items()}
    found: dict[uuid.UUID, dict[int, list[MeasuredSample]]] = {run_id: {} for run_id in metrics}
    unknown: dict[uuid.UUID, set[str]] = {run_id: set() for run_id in metrics}
    for (case_id, metric, subject), by_round in rounds.items():
        run_id = owners[case_id]
        definition = metrics[run_id].get(metric)
        if definition is None:
            unknown[run_id].add(metric)
            continue
        numbers = sorted(by_round) if definition.sporadic else range(1, max(by_round) + 1)
        filled = [by_round.get(n, ((), ())) for n in numbers]
        found[run_id].setdefault(case_id, []).append(
            MeasuredSample(
                case_id=case_id,
                metric=definition,
                subject=subject,
                sample=Sample(
                    tuple(tuple(values) for values, _ in filled),
                    _node_pairs(specs[run_id], numbers),
                ),
                trials=tuple(tuple(trials) for _, trials in filled),
            )
        )
    arranged = {
        run_id: {
            case_id: tuple(
                sorted(members, key=lambda one: (order[run_id][one.metric.name], one.subject))
            )
            for case_id, members in by_case.items()
        }
        for run_id, by_case in found.items()
    }
    return arranged, unknown

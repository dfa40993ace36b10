"""A cluster's noise floor, computed from its stored runs: for its page, a plan, a comparison."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta

from pydantic import JsonValue

from podmeter.db.repositories.floors import FinishedRun, FloorRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.comparability import differences
from podmeter.domain.experiment import FROZEN, ResolvedSpec
from podmeter.domain.measurement import Unit
from podmeter.domain.modes import ARM
from podmeter.domain.real_cluster import RealCluster
from podmeter.kinds.registry import KINDS, kind_of
from podmeter.results.projected import Key, Projected
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.comparisons.document import FieldDifference, FloorUsed
from podmeter.services.comparisons.gate import shown
from podmeter.services.experiments.detectable_effect import KnownNoise
from podmeter.services.lru_cache import LruCache
from podmeter.services.noise_floor.document import ClusterNoiseFloor, MeasuredFloor
from podmeter.services.noise_floor.experiments import to_measure
from podmeter.services.noise_floor.grouping import (
    EnvironmentGroup,
    FloorKey,
    Placed,
    RunFigures,
    chapters,
    environment,
    environment_of,
    figure_of,
    pages_of,
    spec_key,
)
from podmeter.services.run_aggregates.read import blocks
from podmeter.services.run_results.runs import (
    MeasuredCase,
    MeasuredRun,
    MeasuredSample,
    MetricChoice,
)
from podmeter.services.work import Work
from podmeter.statistics import RUNS_NEEDED, Floors

#: How many of the latest runs tell of a cluster; older ones are of an older cluster.
LATEST = 40
_DAY = timedelta(days=1)
_Fields = Mapping[str, JsonValue]


def of_cluster(work: Work, principal: Principal, cluster_id: uuid.UUID) -> ClusterNoiseFloor:
    """What A/A runs and repeated runs of a cluster say of its main metrics, the latest first.

    Raises NotFoundError.
    """
    cluster = registry.get(work, principal, cluster_id)
    found: list[MeasuredFloor] = []
    if cluster.real is not None:
        floors = FloorRepository(work.session, principal.organization_id)
        alike: dict[tuple[str, int], list[tuple[FinishedRun, _Spec]]] = {}
        for run, spec in _with_specs(floors, floors.finished(cluster.real, LATEST)):
            alike.setdefault((spec.thing, spec.seconds), []).append((run, spec))
        present = _present(floors, cluster_id)
        for members in alike.values():
            first = members[0][1]
            if len(members) > 1 or first.has_arms:
                runs = [run for run, _ in members]
                found += _measured(work, principal, runs, first, present)
    found.sort(key=lambda one: one.last_at, reverse=True)
    return ClusterNoiseFloor(RUNS_NEEDED, found, to_measure(work, cluster))


@dataclass(frozen=True)
class FloorOfRuns:
    """What two runs are held against: other runs of the same cluster that measured the same."""

    chapter: EnvironmentGroup
    covers: bool
    used: FloorUsed

    def floors(self, case: MeasuredCase, sample: MeasuredSample) -> Floors | None:
        """How far the sample's figure differs from itself."""
        figure = figure_of(case, sample.metric.name, sample.subject)
        return self.chapter.floors(figure, covers=self.covers)


def of_runs(
    work: Work,
    principal: Principal,
    baseline: MeasuredRun,
    contender: MeasuredRun,
    choice: MetricChoice,
) -> FloorOfRuns | None:
    """The noise floor between two runs; None where there is none, or they are of two clusters.

    Neither of the two is part of it: what they differ by is the question. Of environments the
    runs' own is taken, or where it was measured too seldom, the latest one that was not.
    """
    floors = FloorRepository(work.session, principal.organization_id)
    real = baseline.real
    if real is None or real != contender.real:
        return None
    ours = {baseline.run.id.int, contender.run.id.int}
    shortest = min(seconds_of(baseline.spec), seconds_of(contender.spec))
    told = _telling(floors, real, _what(baseline.spec), shortest)
    rows = [row for row in told if row.id.int not in ours]
    kept = _chapters(work, principal, rows, choice)
    own = _environment(work, principal, baseline)
    chapter = _chosen(kept, own)
    if chapter is None:
        return None
    moments = [one.run.started_at or one.run.created_at for one in (baseline, contender)]
    apart = abs(moments[0] - moments[1])
    covers = chapter.last_at - chapter.first_at >= min(apart, _DAY)
    used = FloorUsed(
        runs=len(chapter.runs),
        first_at=chapter.first_at,
        last_at=chapter.last_at,
        thin=not covers or len(chapter.runs) < RUNS_NEEDED,
        outdated=_differences(chapter.environment, own),
    )
    return FloorOfRuns(chapter, covers, used)


def of_plan(
    work: Work, principal: Principal, cluster_id: uuid.UUID, spec: ResolvedSpec
) -> KnownNoise | None:
    """How far blocks of what is planned differ on a cluster, the largest of its cases' figures.

    None where no run of the cluster tells it. Raises NotFoundError.
    """
    cluster = registry.get(work, principal, cluster_id)
    if cluster.real is None:
        return None
    floors = FloorRepository(work.session, principal.organization_id)
    rows = _telling(floors, cluster.real, _what(spec), seconds_of(spec))
    present = _present(floors, cluster_id)
    chapter = _chosen(_chapters(work, principal, rows, MetricChoice.MAIN), present, least=1)
    if chapter is None:
        return None
    planned = {
        tuple(sorted(item for item in case.point if item[0] not in BLOCK_AXES))
        for case in kind_of(spec).cases(spec)
    }
    deviations: dict[object, float] = {}
    for figure in chapter.main:
        known = chapter.floors(figure) if figure.point in planned else None
        if known is not None and known.relative is not None and known.relative.blocks is not None:
            deviation = known.relative.blocks.deviation
            deviations[figure.point] = max(deviation, deviations.get(figure.point, 0.0))
    if not deviations:
        return None
    return KnownNoise(
        deviation=max(deviations.values()),
        runs=len(chapter.runs),
        last_at=chapter.last_at,
        cases=len(deviations),
        of_cases=len(planned),
        outdated=[one.field for one in _differences(chapter.environment, present)],
    )


def _measured(
    work: Work,
    principal: Principal,
    rows: list[FinishedRun],
    spec: "_Spec",
    present: _Fields | None,
) -> list[MeasuredFloor]:
    return [
        MeasuredFloor(
            kind=spec.kind,
            name=spec.name,
            seconds=spec.seconds or None,
            run_ids=sorted(chapter.runs, key=lambda one: chapter.runs[one], reverse=True),
            days=len({moment.astimezone(UTC).date() for moment in chapter.runs.values()}),
            first_at=chapter.first_at,
            last_at=chapter.last_at,
            outdated=_differences(chapter.environment, present),
            figures=_figures(chapter),
        )
        for chapter in _chapters(work, principal, rows, MetricChoice.MAIN)
    ]


def _figures(chapter: EnvironmentGroup) -> list[Projected]:
    return [row for one in sorted(chapter.main, key=_in_order) for row in _rows(chapter, one)]


def _rows(chapter: EnvironmentGroup, figure: FloorKey) -> Iterator[Projected]:
    """The deviations that are known of a figure, of what varies least first."""
    floors = chapter.floors(figure)
    if floors is None:
        return
    metric = chapter.metrics[figure]
    floor = floors.relative or floors.absolute
    unit = Unit.RATIO if floor.relative else metric.unit
    key = Key(figure.metric, figure.subject, unit.value, "none", dict(figure.point))
    for code, one in (("within", floor.within), ("blocks", floor.blocks), ("runs", floor.runs)):
        if one is not None:
            ends = one.interval
            yield Projected(key, one.deviation, ends.low, ends.high, one.n, None, code)


def _in_order(figure: FloorKey) -> tuple[str, ...]:
    numbers = (f"{v:09}" if isinstance(v, int) else v for _, v in figure.point)
    return (*numbers, figure.metric, figure.subject)


def _chapters(
    work: Work, principal: Principal, rows: Sequence[FinishedRun], choice: MetricChoice
) -> list[EnvironmentGroup]:
    keys = tuple((row.id.int, row.last_event, choice.value) for row in rows)
    kept = _CHAPTERS.get(keys)
    if kept is not None:
        return kept
    pages = _PAGES.get_all(keys)
    missing = [place for place, page in enumerate(pages) if page is None]
    told = blocks(work, principal, [rows[at].id for at in missing], choice) if missing else {}
    environments = _environments(
        work, principal, (case for cases in told.values() for case in cases)
    )
    for at in missing:
        run_id = rows[at].id
        if run_id in told:
            pages[at] = _PAGES.put(keys[at], pages_of(run_id, told[run_id], environments))
    found = chapters(
        (row.id, row.started_at, page)
        for row, page in zip(rows, pages, strict=True)
        if page is not None
    )
    return _CHAPTERS.put(keys, found)


def _environments(
    work: Work, principal: Principal, cases: Iterable[Placed]
) -> Mapping[uuid.UUID, dict[str, JsonValue]]:
    """The environments of the cases' fingerprints, by these."""
    ids = {one for case in cases for one in case.fingerprints if one is not None}
    known = {id_: _ENVIRONMENTS.get(id_) for id_ in ids}
    missing = [id_ for id_, one in known.items() if one is None]
    samples = SampleRepository(work.session, principal.organization_id)
    contents = samples.fingerprints(missing) if missing else {}
    for id_, content in contents.items():
        known[id_] = _ENVIRONMENTS.put(id_, environment(content))
    return {id_: one for id_, one in known.items() if one is not None}


def _environment(work: Work, principal: Principal, run: MeasuredRun) -> _Fields | None:
    """The environment that a run was measured in, None where it was in several."""
    known = _environments(work, principal, run.cases)
    return environment_of({one for case in run.cases for one in case.fingerprints}, known)


def _chosen(
    kept: list[EnvironmentGroup], own: _Fields | None, least: int = RUNS_NEEDED
) -> EnvironmentGroup | None:
    """The chapter of the environment that is asked for, if it tells enough; else the latest."""

    def rank(chapter: EnvironmentGroup) -> tuple[bool, bool, object]:
        return len(chapter.runs) >= least, chapter.environment == own, chapter.last_at

    return max(kept, key=rank, default=None)


def _differences(then: _Fields, now: _Fields | None) -> list[FieldDifference]:
    return [] if now is None else shown(dict.fromkeys(differences(then, now)))


def _present(floors: FloorRepository, cluster_id: uuid.UUID) -> _Fields | None:
    latest = floors.latest_fingerprint(cluster_id)
    return None if latest is None else environment(latest[0])


def _telling(
    floors: FloorRepository, real: RealCluster, spec: "_Spec", seconds: int
) -> list[FinishedRun]:
    """The runs that tell of a spec: longer trials than its own would make noise look smaller."""
    rows = floors.finished(real, LATEST, spec.kind)
    return [
        row
        for row, one in _with_specs(floors, rows)
        if one.thing == spec.thing and one.seconds <= seconds
    ]


@dataclass(frozen=True, slots=True)
class _Spec:
    """What of a run's spec tells whether another run measured the same."""

    kind: str
    name: str
    thing: str
    seconds: int
    has_arms: bool


def _what(spec: ResolvedSpec) -> _Spec:
    return _Spec(spec.kind, spec.name, spec_key(spec), seconds_of(spec), ARM in spec.matrix)


def _with_specs(
    floors: FloorRepository, rows: Sequence[FinishedRun]
) -> list[tuple[FinishedRun, _Spec]]:
    """The runs with what is known of their specs; without those that are not there any more."""
    specs = _SPECS.get_all([row.id.int for row in rows])
    missing = [row.id for row, one in zip(rows, specs, strict=True) if one is None]
    if missing:
        read = {
            id_: _SPECS.put(id_.int, _what(FROZEN.read(spec)))
            for id_, spec in floors.specs(missing)
        }
        specs = [one or read.get(row.id) for row, one in zip(rows, specs, strict=True)]
    return [(row, one) for row, one in zip(rows, specs, strict=True) if one is not None]


def seconds_of(spec: ResolvedSpec) -> int:
    """How long trials are; 0 where the kind's tools run by count."""
    kind = KINDS.get(spec.kind)
    return spec.repetition.seconds if kind is not None and kind.timed else 0


#: A run as it was at an event, with the metrics that were read of it. By its id's number, as forty
#: of these are looked up for each comparison and UUIDs are hashed by Python.
_Key = tuple[int, int, str]
# A spec is frozen, a fingerprint's content never changes, nor a finished run without an event.
_SPECS: LruCache[int, _Spec] = LruCache(1000)
_ENVIRONMENTS: LruCache[uuid.UUID, dict[str, JsonValue]] = LruCache(200)
_PAGES: LruCache[_Key, Mapping[str, RunFigures]] = LruCache(3 * LATEST)
_CHAPTERS: LruCache[tuple[_Key, ...], list[EnvironmentGroup]] = LruCache(8)

"""A cluster's noise floor, computed from its stored runs: for its page, a plan, a comparison."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, timedelta

from pydantic import JsonValue

from podmeter.db.repositories.floors import FinishedRun, FloorRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.modes import ARM
from podmeter.experiments.registry import KINDS, kind_of
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.comparisons.document import FieldDifference, FloorUsed
from podmeter.services.experiments.sight import KnownNoise
from podmeter.services.measured.figures import spread_figure
from podmeter.services.measured.runs import (
    MeasuredCase,
    MeasuredRun,
    MeasuredSample,
    MetricChoice,
    load,
)
from podmeter.services.noise_floor.book import (
    Chapter,
    Figure,
    chapters,
    environment,
    environment_of,
    figure_of,
    thing,
)
from podmeter.services.noise_floor.document import ClusterNoiseFloor, FloorFigure, MeasuredFloor
from podmeter.services.noise_floor.experiments import to_measure
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
        alike: dict[tuple[str, int], list[FinishedRun]] = {}
        for run in floors.finished(cluster.real, LATEST):
            spec = ResolvedSpec.model_validate(run.spec)
            alike.setdefault((thing(spec), _seconds(spec)), []).append(run)
        latest = floors.latest_fingerprint(cluster_id)
        present = None if latest is None else environment(latest[0])
        for runs in alike.values():
            if len(runs) > 1 or _has_arms(runs[0]):
                found += _measured(work, principal, runs, present)
    found.sort(key=lambda one: one.last_at, reverse=True)
    return ClusterNoiseFloor(RUNS_NEEDED, found, to_measure(cluster))


@dataclass(frozen=True)
class FloorOfRuns:
    """What two runs are held against: other runs of the same cluster that measured the same."""

    chapter: Chapter
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
    real = floors.real_cluster(baseline.run.id)
    if real is None or real != floors.real_cluster(contender.run.id):
        return None
    ours = {baseline.run.id, contender.run.id}
    shortest = min(_seconds(baseline.spec), _seconds(contender.spec))
    rows = [
        row
        for row in floors.finished(real, LATEST, baseline.run.kind)
        if row.id not in ours and _tells(row, baseline.spec, shortest)
    ]
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
    rows = [
        row
        for row in floors.finished(cluster.real, LATEST, spec.kind)
        if _tells(row, spec, _seconds(spec))
    ]
    latest = floors.latest_fingerprint(cluster_id)
    present = None if latest is None else environment(latest[0])
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
    work: Work, principal: Principal, rows: list[FinishedRun], present: _Fields | None
) -> list[MeasuredFloor]:
    spec = ResolvedSpec.model_validate(rows[0].spec)
    return [
        MeasuredFloor(
            kind=spec.kind,
            name=spec.name,
            seconds=_seconds(spec),
            run_ids=sorted(chapter.runs, key=lambda one: chapter.runs[one], reverse=True),
            days=len({moment.astimezone(UTC).date() for moment in chapter.runs.values()}),
            first_at=chapter.first_at,
            last_at=chapter.last_at,
            outdated=_differences(chapter.environment, present),
            figures=_figures(chapter),
        )
        for chapter in _chapters(work, principal, rows, MetricChoice.MAIN)
    ]


def _figures(chapter: Chapter) -> list[FloorFigure]:
    found = []
    for figure in sorted(chapter.main, key=_in_order):
        floors = chapter.floors(figure)
        if floors is None:
            continue
        floor = floors.relative or floors.absolute
        within, blocks, runs = (
            spread_figure(one, relative=floor.relative)
            for one in (floor.within, floor.blocks, floor.runs)
        )
        found.append(
            FloorFigure(
                point=dict(figure.point),
                metric=figure.metric,
                subject=figure.subject,
                unit=chapter.metrics[figure].unit.value,
                main=True,
                within=within,
                blocks=blocks,
                runs=runs,
            )
        )
    return found


def _in_order(figure: Figure) -> tuple[str, ...]:
    numbers = (f"{v:09}" if isinstance(v, int) else v for _, v in figure.point)
    return (*numbers, figure.metric, figure.subject)


def _chapters(
    work: Work, principal: Principal, rows: Iterable[FinishedRun], choice: MetricChoice
) -> list[Chapter]:
    moments = {row.id: row.started_at for row in rows}
    runs = load(work, principal, moments.keys(), choice) if moments else {}
    contents = _fingerprints(work, principal, runs.values())
    found = chapters(((runs[id_], moments[id_]) for id_ in moments if id_ in runs), contents)
    return [one for one in found.values() if one.runs]


def _fingerprints(
    work: Work, principal: Principal, runs: Iterable[MeasuredRun]
) -> Mapping[uuid.UUID, Mapping[str, object]]:
    ids = {
        one for run in runs for case in run.cases for one in case.fingerprints if one is not None
    }
    repository = SampleRepository(work.session, principal.organization_id)
    return repository.fingerprints(ids) if ids else {}


def _environment(work: Work, principal: Principal, run: MeasuredRun) -> _Fields | None:
    """The environment that a run was measured in, None where it was in several."""
    contents = _fingerprints(work, principal, [run])
    known = {id_: environment(content) for id_, content in contents.items()}
    return environment_of({one for case in run.cases for one in case.fingerprints}, known)


def _chosen(kept: list[Chapter], own: _Fields | None, least: int = RUNS_NEEDED) -> Chapter | None:
    """The chapter of the environment that is asked for, if it tells enough; else the latest."""

    def rank(chapter: Chapter) -> tuple[bool, bool, object]:
        return len(chapter.runs) >= least, chapter.environment == own, chapter.last_at

    return max(kept, key=rank, default=None)


def _differences(then: _Fields, now: _Fields | None) -> list[FieldDifference]:
    if now is None:
        return []
    return [
        FieldDifference(name, then.get(name), now.get(name), None)
        for name in sorted(then.keys() | now.keys())
        if then.get(name) != now.get(name)
    ]


def _tells(row: FinishedRun, spec: ResolvedSpec, seconds: int) -> bool:
    """Whether a run tells of a spec: longer trials than its own would make noise look smaller."""
    theirs = ResolvedSpec.model_validate(row.spec)
    return thing(theirs) == thing(spec) and _seconds(theirs) <= seconds


def _seconds(spec: ResolvedSpec) -> int:
    """How long trials are; 0 where the kind's tools run by count."""
    kind = KINDS.get(spec.kind)
    return spec.repetition.seconds if kind is not None and kind.timed else 0


def _has_arms(run: FinishedRun) -> bool:
    return ARM in ResolvedSpec.model_validate(run.spec).matrix

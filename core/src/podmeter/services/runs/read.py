"""Reading runs: lists, progress, cases, trials, measurements, log and events."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from podmeter.db.models import (
    Block,
    CaseRecord,
    InvocationRecord,
    MeasurementRecord,
    Run,
    RunEvent,
    RunLogLine,
    SeriesRecord,
    Trial,
)
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.journal import JournalRepository, last_events_of
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.db.repositories.runs import ClusterOfRun, RunFilter, RunRepository
from podmeter.db.repositories.shown_runs import ShownRun, ShownRunRepository
from podmeter.db.repositories.trials import MeasurementFilter, TrialRepository
from podmeter.domain.experiment import FROZEN
from podmeter.domain.measurement import MetricDefinition
from podmeter.domain.messages import say
from podmeter.domain.run import CaseStatus, RunState
from podmeter.domain.stored import StoredDocumentError
from podmeter.domain.trial import MEASURED, TrialStatus
from podmeter.kinds.limits import LimitedBy, limited_by
from podmeter.kinds.registry import IMPORTED, metrics_of
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, NotFoundError
from podmeter.services.experiments.pace import of_run
from podmeter.services.experiments.plan import Plan
from podmeter.services.experiments.planned import planned_blocks
from podmeter.services.headlines.document import Answer
from podmeter.services.run_aggregates.content import read_answer, versions
from podmeter.services.run_results.limits import counters_of, load_shapes_of
from podmeter.services.runs.time_left import TimeLeft, time_left
from podmeter.services.search import annotations
from podmeter.services.search.annotations import Annotations
from podmeter.services.work import Work


@dataclass(frozen=True)
class RunView:
    """A run with its clusters, how many cases stand where, its place in the queue, and its marks.

    `queue_position` is 1 for the run that is next; None for a run that is not queued. `answer` is
    what a finished run found first, made within seconds of its end; None until then, and where
    there is nothing.
    """

    run: Run
    clusters: Sequence[ClusterOfRun]
    progress: dict[CaseStatus, int]
    queue_position: int | None
    marks: Annotations
    answer: Answer | None


@dataclass(frozen=True)
class TrialView:
    """A trial with all it left."""

    trial: Trial
    case: CaseRecord
    invocations: Sequence[InvocationRecord]
    measurements: Sequence[MeasurementRecord]
    series: Sequence[SeriesRecord]
    metrics: Mapping[str, MetricDefinition]
    limited_by: LimitedBy | None


@dataclass(frozen=True)
class ListedTrial:
    """A trial, and what limited it; None of one that failed, or that no tool loads the path in."""

    trial: Trial
    limited_by: LimitedBy | None


@dataclass(frozen=True)
class MeasurementOfRun:
    """A measurement with its trial's case, round and status, and its run's metrics by name."""

    record: MeasurementRecord
    case_id: int
    round: int
    status: TrialStatus
    metrics: Mapping[str, MetricDefinition]


def page(
    work: Work, principal: Principal, wanted: RunFilter, request: PageRequest
) -> Page[RunView]:
    """Runs, newest first unless another order is wanted."""
    found = _shown(work, principal).page(wanted, request)
    return Page(_views(work, found.items), found.next_cursor)


def get(work: Work, principal: Principal, run_id: uuid.UUID) -> RunView:
    """One run. Raises NotFoundError."""
    return view(work, principal, _run(work, principal, run_id))


def view(work: Work, principal: Principal, run: Run) -> RunView:
    """The view of a run that was read before."""
    return _views(work, [_shown(work, principal).of(run)])[0]


def blocks(work: Work, principal: Principal, run_id: uuid.UUID) -> list[Block]:
    """A run's blocks in the order they run. Raises NotFoundError."""
    _run(work, principal, run_id)
    return RunRepository(work.session, principal.organization_id).blocks(run_id)


def left(work: Work, principal: Principal, run: Run) -> TimeLeft | None:
    """How long a run that was read before still measures; None where nothing tells."""
    return time_left(work, principal.organization_id, run)


def plan(work: Work, principal: Principal, run_id: uuid.UUID) -> Plan:
    """What a run was planned to do when it was started, at its cluster's pace of today.

    Raises NotFoundError, ConflictError for what was imported: nobody planned it.
    Raises StoredDocumentError where another version stored it in a form that cannot be read.
    """
    spec = FROZEN.read(_run(work, principal, run_id).spec)
    if spec.kind == IMPORTED.name:
        raise ConflictError(say("import_not_measured"))
    runs = RunRepository(work.session, principal.organization_id)
    rows, blocks = runs.all_cases(run_id), runs.blocks(run_id)
    try:
        planned = planned_blocks(spec, rows, blocks)
    except (KeyError, ValueError) as error:
        # The cases and blocks of another version do not fit its specification.
        raise StoredDocumentError("run") from error
    return Plan(spec, planned, pace=of_run(work, principal.organization_id, run_id, spec))


def cases(
    work: Work, principal: Principal, run_id: uuid.UUID, request: PageRequest
) -> Page[CaseRecord]:
    """A run's cases in the order of the matrix. Raises NotFoundError."""
    _run(work, principal, run_id)
    return RunRepository(work.session, principal.organization_id).cases(run_id, request)


def trials(
    work: Work,
    principal: Principal,
    run_id: uuid.UUID,
    case_id: int | None,
    status: TrialStatus | None,
    request: PageRequest,
) -> Page[ListedTrial]:
    """A run's trials in the order they were stored. Raises NotFoundError."""
    run = _run(work, principal, run_id)
    repository = TrialRepository(work.session, principal.organization_id)
    found = repository.page(run_id, case_id, status, request)
    limits = _limits(repository, run, found.items)
    listed = [ListedTrial(one, limits.get(one.id)) for one in found.items]
    return Page(listed, found.next_cursor)


def _limits(repository: TrialRepository, run: Run, trials: Sequence[Trial]) -> dict[int, LimitedBy]:
    """What limited those of a run's trials that measured something."""
    points = repository.points({one.case_id for one in trials})
    loads = load_shapes_of(FROZEN.read(run.spec), points)
    names = counters_of(loads.values())
    ids = [one.id for one in trials if one.status in MEASURED and one.case_id in loads]
    values = repository.values(ids, names) if ids else {}
    return {
        one.id: limited_by(loads[one.case_id], values.get(one.id, {}))
        for one in trials
        if one.id in ids
    }


def trial(work: Work, principal: Principal, run_id: uuid.UUID, trial_id: int) -> TrialView:
    """One trial with its commands, raw output, measurements and series. Raises NotFoundError."""
    repository = TrialRepository(work.session, principal.organization_id)
    found = repository.get(run_id, trial_id)
    if found is None:
        raise NotFoundError("trial")
    run = _run(work, principal, run_id)
    return TrialView(
        trial=found,
        case=work.session.get_one(CaseRecord, found.case_id),
        invocations=repository.invocations(found.id),
        measurements=repository.measurements(found.id),
        series=repository.series(found.id),
        metrics=metrics_of(run.kind),
        limited_by=_limits(repository, run, [found]).get(found.id),
    )


def measurements(
    work: Work,
    principal: Principal,
    run_id: uuid.UUID,
    wanted: MeasurementFilter,
    request: PageRequest,
) -> Page[MeasurementOfRun]:
    """A run's measurements, trial by trial. Raises NotFoundError."""
    metrics = metrics_of(_run(work, principal, run_id).kind)
    repository = TrialRepository(work.session, principal.organization_id)
    found = repository.measurements_page(run_id, wanted, request)
    return Page([MeasurementOfRun(*row, metrics) for row in found.items], found.next_cursor)


def log(
    work: Work, principal: Principal, run_id: uuid.UUID, request: PageRequest
) -> Page[RunLogLine]:
    """A run's log, oldest line first. Raises NotFoundError."""
    _run(work, principal, run_id)
    return JournalRepository(work.session, principal.organization_id).lines(run_id, request)


def events_after(
    work: Work, organization_id: uuid.UUID, run_id: uuid.UUID, number: int
) -> tuple[Sequence[RunEvent], bool]:
    """The events after a number, and whether no more will come. Raises NotFoundError."""
    run = RunRepository(work.session, organization_id).get(run_id)
    if run is None:
        raise NotFoundError("run")
    found = JournalRepository(work.session, organization_id).events_after(run_id, number)
    last = found[-1].number if found else number
    return found, run.state is RunState.FINISHED and last >= run.last_event


def last_events(work: Work, run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, int]:
    """The number of each run's last event, of whichever organization; of those that are there."""
    return last_events_of(work.session, run_ids)


def _run(work: Work, principal: Principal, run_id: uuid.UUID) -> Run:
    run = RunRepository(work.session, principal.organization_id).get(run_id)
    if run is None:
        raise NotFoundError("run")
    return run


def _shown(work: Work, principal: Principal) -> ShownRunRepository:
    reader = principal.user_id
    return ShownRunRepository(work.session, principal.organization_id, reader, versions())


def _views(work: Work, found: Sequence[ShownRun]) -> list[RunView]:
    queued = [one.run.id for one in found if one.run.state is RunState.QUEUED]
    positions = LeaseRepository(work.session).positions(queued) if queued else {}
    return [
        RunView(
            run=one.run,
            clusters=one.clusters,
            progress=one.progress,
            queue_position=positions.get(one.run.id),
            marks=annotations.annotations_of(one.run, favourite=one.favourite),
            answer=read_answer(one.answer),
        )
        for one in found
    ]

"""What changed in a run since an earlier one of its experiment."""

import uuid

from podmeter.db.models import Run
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.changes.document import ChangedRun, Moved, RunChanges, VerdictChanges
from podmeter.services.changes.environment import between_runs
from podmeter.services.changes.verdicts import turns
from podmeter.services.comparisons import compare
from podmeter.services.comparisons.request import InvalidComparisonError, Request, Side
from podmeter.services.errors import ConflictError, NotFoundError
from podmeter.services.run_aggregates.read import measured
from podmeter.services.run_results.effect_rows import alone, effects_of
from podmeter.services.run_results.environments import kept_fingerprints
from podmeter.services.work import Work
from podmeter.statistics import Verdict

_NOTHING = VerdictChanges([], 0, 0)


def of_run(
    work: Work, principal: Principal, run_id: uuid.UUID, since_id: uuid.UUID | None
) -> RunChanges:
    """What changed since `since_id`, or since the run before it on the same clusters.

    Raises:
        NotFoundError: one of the runs is not there.
        ConflictError: they are not of one experiment and kind, or one has not ended.
    """
    runs = RunRepository(work.session, principal.organization_id)
    run = _run(runs, run_id)
    if since_id is None:
        since_id = runs.before([run.id]).get(run.id)
        if since_id is None:
            return RunChanges(changed_run(run), None, _NOTHING, [], None)
    since = _run(runs, since_id)
    if run.experiment_id is None or run.experiment_id != since.experiment_id:
        raise ConflictError(say("runs_of_two_experiments"))
    if run.kind != since.kind:
        raise ConflictError(say("kinds_unlike", kinds=[since.kind, run.kind]))
    if run.finished_at is None or since.finished_at is None:
        raise ConflictError(say("runs_not_finished"))
    found = measured(work, principal, [since.id, run.id]).runs
    samples = SampleRepository(work.session, principal.organization_id)
    read = kept_fingerprints(samples.fingerprints)
    earlier, later = found[since.id], found[run.id]
    return RunChanges(
        run=changed_run(run),
        since=changed_run(since),
        turns=turns(earlier, later, read),
        environment=between_runs(earlier, later, read),
        moved=_moved(work, principal, since.id, run.id),
    )


def changed_run(run: Run) -> ChangedRun:
    """The run in the document's shape."""
    return ChangedRun(run.id, run.name, run.finished_at)


def _moved(
    work: Work, principal: Principal, since_id: uuid.UUID, run_id: uuid.UUID
) -> Moved | None:
    try:
        found = compare.build(work, principal, Request(Side(since_id), (Side(run_id),)))
    except InvalidComparisonError:
        return None
    (contender,) = found.contenders
    return Moved(
        gate=contender.gate.verdict,
        tally=contender.tally,
        figures=[
            alone(effect, pair.contender.point, None)
            for pair in contender.pairs
            for effect in effects_of(pair.effects)
            if effect.main and effect.verdict in (Verdict.BETTER, Verdict.WORSE)
        ],
        noise_floor=contender.noise_floor,
    )


def _run(runs: RunRepository, run_id: uuid.UUID) -> Run:
    found = runs.get(run_id)
    if found is None:
        raise NotFoundError("run")
    return found

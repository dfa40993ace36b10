"""Cancelling, taking up again and deleting runs, as their owners ask."""

import uuid

from podmeter.db.base import now
from podmeter.db.models import Role, Run
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.errors import TransitionError
from podmeter.domain.experiment import FROZEN
from podmeter.domain.messages import say
from podmeter.domain.run import Outcome, Reopening, RunState, RunStatus, Step, reopen, steps
from podmeter.jobs import AdvanceRun
from podmeter.kinds.registry import why_not_measured
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, NotFoundError
from podmeter.services.experiments.plan import Plan
from podmeter.services.experiments.planned import planned_blocks
from podmeter.services.quotas import Quota, require_room
from podmeter.services.runs.credential_life import credentials_too_short
from podmeter.services.runs.lifecycle import announce, status_of, transition_run
from podmeter.services.runs.recording import skip_all
from podmeter.services.work import Work


def cancel(work: Work, principal: Principal, run_id: uuid.UUID) -> Run:
    """Cancel a run: one that no worker ever took ends at once, any other after cleaning up.

    Asking again changes nothing. Raises RoleError, NotFoundError; TransitionError for a run
    that has finished.
    """
    principal.require(Role.OPERATOR)
    run = _locked(work, principal, run_id)
    work.audit.to("run", run.id, run.name)
    if run.state is RunState.FINISHED:
        outcome = say("run_finished", outcome=run.outcome)
        raise TransitionError(outcome, steps(status_of(run)))
    if run.cancel_requested_at is not None:
        return run
    run.cancel_requested_at = now()
    work.session.flush()
    if run.fencing_token is None and run.state is RunState.QUEUED:
        # The row is locked, so no worker can take it between these two steps.
        reason = say("cancelled_before_by", who=principal.email)
        skip_all(work, run, reason)
        transition_run(work, run, RunState.CLEANING, Outcome.CANCELLED, reason, fencing_token=None)
        transition_run(work, run, RunState.FINISHED, fencing_token=None)
        LeaseRepository(work.session).free_clusters(run)
    else:
        announce(work, run, "cancel_requested")
        work.later(AdvanceRun(organization_id=run.organization_id, run_id=run.id))
    return run


def conclude(work: Work, principal: Principal, run_id: uuid.UUID) -> Run:
    """Let a run until decided end with its next look at the results.

    It looks after each round from the sixth on, so a verdict holds as at any other look. Asking
    again changes nothing. Raises RoleError, NotFoundError; TransitionError for a run that has
    finished or is cancelled, or has a fixed number of rounds.
    """
    principal.require(Role.OPERATOR)
    run = _locked(work, principal, run_id)
    work.audit.to("run", run.id, run.name)
    if run.state is RunState.FINISHED:
        raise TransitionError(say("run_finished", outcome=run.outcome), steps(status_of(run)))
    if run.cancel_requested_at is not None:
        raise TransitionError(say("run_cancelling"), ())
    if FROZEN.read(run.spec).repetition.until_decided is None:
        raise TransitionError(say("run_rounds_fixed"), (Step.CANCEL,))
    if run.conclude_requested_at is None:
        run.conclude_requested_at = now()
        work.session.flush()
        announce(work, run, "conclude_requested")
    return run


def take_up(work: Work, principal: Principal, run_id: uuid.UUID, why: Reopening) -> Run:
    """Queue the next attempt: of what failed (retry) or was interrupted (resume).

    What succeeded stays. Raises RoleError, NotFoundError; TransitionError where the run's end
    does not allow it, a cluster of it is not registered any more, or this version would not
    measure the rest as the run was planned; ConflictError where credentials do not outlive it,
    or as many runs are queued as may be.
    """
    principal.require(Role.OPERATOR)
    run = _locked(work, principal, run_id)
    work.audit.to("run", run.id, run.name)
    new = reopen(status_of(run), why)
    spec = FROZEN.read(run.spec)
    if reason := why_not_measured(spec):
        raise TransitionError(reason, (Step.START, Step.DELETE))
    runs = RunRepository(work.session, principal.organization_id)
    if any(cluster.cluster_id is None for cluster in runs.clusters([run.id])[run.id]):
        raise TransitionError(say("run_cluster_gone"), (Step.START, Step.DELETE))
    blocks = planned_blocks(spec, runs.all_cases(run.id), runs.blocks(run.id))
    if short := credentials_too_short(work, run, Plan(spec, blocks)):
        raise ConflictError(say("several", several=short))
    require_room(work.session, principal.organization_id, Quota.QUEUED_RUNS, work.quotas)
    _queue_again(runs, run, new)
    announce(work, run, "state", why=why)
    work.later(AdvanceRun(organization_id=run.organization_id, run_id=run.id))
    return run


def delete(work: Work, principal: Principal, run_id: uuid.UUID) -> None:
    """Delete a finished run with all it measured.

    Raises RoleError, NotFoundError; TransitionError for an unfinished run;
    ConflictError where a mode that it switched is still to be restored.
    """
    principal.require(Role.OPERATOR)
    run = _locked(work, principal, run_id)
    work.audit.to("run", run.id, run.name)
    if run.state is not RunState.FINISHED:
        raise TransitionError(say("run_not_finished"), steps(status_of(run)))
    clusters = ClusterRepository(work.session, principal.organization_id)
    if clusters.open_modes_of_run(run.id):
        raise ConflictError(say("run_mode_not_restored"))
    RunRepository(work.session, principal.organization_id).delete(run)


def _queue_again(runs: RunRepository, run: Run, new: RunStatus) -> None:
    if not runs.change_status(run, new, fencing_token=run.fencing_token):
        raise TransitionError(say("run_changed"))
    run.fencing_token = run.holder = run.lease_expires_at = run.cancel_requested_at = None
    run.conclude_requested_at = None
    run.ended_early = ""
    run.queued_at = now()
    run.finished_at = None
    runs.session.flush()
    runs.requeue_unfinished(run.id)


def _locked(work: Work, principal: Principal, run_id: uuid.UUID) -> Run:
    run = RunRepository(work.session, principal.organization_id).get(run_id, lock=True)
    if run is None:
        raise NotFoundError("run")
    return run

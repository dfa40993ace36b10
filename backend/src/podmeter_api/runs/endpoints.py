"""/runs: read, cancel, retry, resume, delete."""

import uuid
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import StringConstraints, TypeAdapter

from podmeter.db.repositories.runs import RunFilter
from podmeter.domain.run import Outcome, Reopening, RunState
from podmeter.services.runs import read, repeat, run_control
from podmeter_api.audited import CHANGES_NOTHING
from podmeter_api.documents import answer
from podmeter_api.experiments.schemas import PlanView
from podmeter_api.fields import OfferedKind
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.marks.list_filters import ListFilterDep
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.runs.accepted import accepted
from podmeter_api.runs.schemas import (
    CaseView,
    LogLine,
    NewRepetition,
    RunDetail,
    RunPlan,
    RunSummary,
)
from podmeter_api.runs.waiting import MOST_SECONDS, Awaited, shown
from podmeter_api.security import Operator, Viewer
from podmeter_api.state import StateDep
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/runs", tags=["runs"], route_class=IdempotentRoute)
ACCEPTED = HTTPStatus.ACCEPTED
Label = Annotated[str, StringConstraints(pattern=r"^[a-z][^=\x00]{0,62}=[^\x00]{1,200}$")]
_RUNS = TypeAdapter(ListOf[RunSummary])


@router.get("", operation_id="list_runs", response_model=ListOf[RunSummary])
def list_runs(
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    wanted: ListFilterDep,
    state: Annotated[tuple[RunState, ...], Query(description="one of these states")] = (),
    outcome: Annotated[
        tuple[Outcome, ...],
        Query(description="one of these outcomes; from cleaning on a run has the one it ends with"),
    ] = (),
    kind: Annotated[OfferedKind | None, Query()] = None,
    experiment_id: Annotated[uuid.UUID | None, Query()] = None,
    cluster_id: Annotated[uuid.UUID | None, Query()] = None,
    label: Annotated[
        tuple[Label, ...], Query(max_length=20, description="key=value; it has all of these")
    ] = (),
) -> Response:
    """Runs, newest first unless `sort` says otherwise."""
    asked = RunFilter(state, outcome, kind, experiment_id, cluster_id, wanted, label)
    return answer(_RUNS, listed(read.page(work, principal, asked, page), RunSummary.of))


@router.get("/{run_id}", operation_id="get_run", response_model=RunDetail, responses=may(304))
def get_run(
    run_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    request: Request,
    wait: Annotated[
        int,
        Query(
            ge=0,
            le=MOST_SECONDS,
            description="how many seconds to wait for the run to finish; it is answered as it is "
            "then. A wait counts as one of its user's streams",
        ),
    ] = 0,
    if_none_match: Annotated[
        str | None, Header(description="an ETag; 304 where the run is still what it is of")
    ] = None,
) -> Response:
    """One run with the spec and environment it ran with, and its blocks."""
    if not wait:
        return shown(work, principal, run_id, if_none_match)
    run = read.get(work, principal, run_id).run
    if run.state is RunState.FINISHED:
        return shown(work, principal, run_id, if_none_match)
    return Awaited(request, principal, run_id, run.last_event, wait)


@router.delete(
    "/{run_id}", operation_id="delete_run", responses=may(409), status_code=HTTPStatus.NO_CONTENT
)
def delete_run(run_id: uuid.UUID, principal: Operator, work: WorkDep) -> None:
    """Delete a finished run with all it measured."""
    run_control.delete(work, principal, run_id)


@router.get("/{run_id}/cases", operation_id="list_cases")
def list_cases(
    run_id: uuid.UUID, principal: Viewer, work: WorkDep, page: PageDep
) -> ListOf[CaseView]:
    """A run's cases in the order of the matrix."""
    return listed(read.cases(work, principal, run_id, page), CaseView.of)


@router.get("/{run_id}/plan", operation_id="get_run_plan", responses=may(409))
def get_run_plan(run_id: uuid.UUID, principal: Viewer, work: WorkDep) -> RunPlan:
    """What a run was planned to do when it was started: blocks, cases, trials, time."""
    return RunPlan.of(read.plan(work, principal, run_id))


@router.get("/{run_id}/log", operation_id="list_log")
def list_log(run_id: uuid.UUID, principal: Viewer, work: WorkDep, page: PageDep) -> ListOf[LogLine]:
    """A run's log, oldest line first."""
    return listed(read.log(work, principal, run_id, page), LogLine.of)


@router.post(
    "/{run_id}/cancel",
    operation_id="cancel_run",
    responses=may(409),
    status_code=ACCEPTED,
    dependencies=[Idempotent],
)
def cancel_run(
    run_id: uuid.UUID, principal: Operator, work: WorkDep, response: Response
) -> RunSummary:
    """Cancel a run: it stops measuring, cleans up and restores what it switched."""
    run_control.cancel(work, principal, run_id)
    return accepted(read.get(work, principal, run_id), response)


@router.post(
    "/{run_id}/conclude",
    operation_id="conclude_run",
    responses=may(409),
    status_code=ACCEPTED,
    dependencies=[Idempotent],
)
def conclude_run(
    run_id: uuid.UUID, principal: Operator, work: WorkDep, response: Response
) -> RunSummary:
    """Conclude a run until decided.

    It ends after the round that is running, after the sixth at the earliest, with the verdicts that
    its results support. Cancelling does not wait, and leaves the run's cases unfinished.
    """
    run_control.conclude(work, principal, run_id)
    return accepted(read.get(work, principal, run_id), response)


@router.post(
    "/{run_id}/retry",
    operation_id="retry_run",
    responses=may(409),
    status_code=ACCEPTED,
    dependencies=[Idempotent],
)
def retry_run(
    run_id: uuid.UUID, principal: Operator, work: WorkDep, response: Response
) -> RunSummary:
    """Queue a new attempt of the cases that failed; what succeeded stays."""
    run_control.take_up(work, principal, run_id, Reopening.RETRY)
    return accepted(read.get(work, principal, run_id), response)


@router.post(
    "/{run_id}/resume",
    operation_id="resume_run",
    responses=may(409),
    status_code=ACCEPTED,
    dependencies=[Idempotent],
)
def resume_run(
    run_id: uuid.UUID, principal: Operator, work: WorkDep, response: Response
) -> RunSummary:
    """Go on with what an interruption or a cancel left."""
    run_control.take_up(work, principal, run_id, Reopening.RESUME)
    return accepted(read.get(work, principal, run_id), response)


@router.post(
    "/{run_id}/repeat",
    operation_id="repeat_run",
    responses=may(409),
    status_code=ACCEPTED,
    dependencies=[Idempotent],
)
def repeat_run(
    run_id: uuid.UUID,
    body: NewRepetition,
    principal: Operator,
    work: WorkDep,
    response: Response,
) -> RunSummary:
    """Queue a new run of what this one ran with, its repetition changed; it is judged by itself."""
    run = repeat.repeat(work, principal, run_id, body.changes, force=body.force)
    return accepted(read.get(work, principal, run.id), response)


@router.post(
    "/{run_id}/repeat/plan",
    operation_id="plan_repeated_run",
    responses=may(409),
    openapi_extra=CHANGES_NOTHING,
)
def plan_repeated_run(
    run_id: uuid.UUID, body: NewRepetition, principal: Viewer, work: WorkDep, state: StateDep
) -> PlanView:
    """What such a run would do, and see; nothing is kept and nothing runs."""
    plan, known = repeat.plan(work, principal, run_id, body.changes)
    return PlanView.of(plan, known, outside=state.settings.outside_client)

"""/experiments: keep, read, replace, forget, plan, run."""

import uuid
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response

from podmeter.services.experiments import library
from podmeter.services.experiments.on_cluster import plan_at
from podmeter.services.noise_floor.read import of_plan
from podmeter.services.runs import read
from podmeter.services.runs.start import start
from podmeter.services.search import annotations
from podmeter_api.audited import CHANGES_NOTHING
from podmeter_api.experiments.body_parser import DOCUMENT_BODY, Document
from podmeter_api.experiments.named import ExperimentId, NamePath
from podmeter_api.experiments.schemas import ExperimentView, ListedExperiment, PlanView, shown
from podmeter_api.fields import OfferedKind
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.marks.list_filters import ListFilterDep
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.runs.accepted import accepted
from podmeter_api.runs.schemas import NewRun, RunSummary
from podmeter_api.security import Operator, Viewer
from podmeter_api.state import StateDep
from podmeter_api.unit_of_work import WorkDep
from podmeter_api.versions import IfMatch, PreconditionDep, etag

router = APIRouter(prefix="/experiments", tags=["experiments"], route_class=IdempotentRoute)


@router.post(
    "",
    operation_id="create_experiment",
    status_code=HTTPStatus.CREATED,
    dependencies=[Idempotent],
    openapi_extra=DOCUMENT_BODY,
)
def create_experiment(
    principal: Operator, document: Document, work: WorkDep, response: Response
) -> ExperimentView:
    """Keep an experiment."""
    row = library.create(work, principal, document)
    response.headers["Location"] = f"/api/v1/experiments/{row.id}"
    response.headers["ETag"] = etag(row.version)
    return shown(work, principal, row)


@router.post(
    "/plan",
    operation_id="plan_experiment",
    responses=may(404),
    openapi_extra={**DOCUMENT_BODY, **CHANGES_NOTHING},
)
def plan_experiment(
    principal: Viewer,
    document: Document,
    work: WorkDep,
    state: StateDep,
    cluster_id: Annotated[
        uuid.UUID | None,
        Query(description="where it would run: whose noise floor, nodes and room to plan with"),
    ] = None,
) -> PlanView:
    """What an experiment would do; nothing is kept and nothing runs."""
    plan = plan_at(work, principal, document, cluster_id)
    known = None if cluster_id is None else of_plan(work, principal, cluster_id, plan.spec)
    return PlanView.of(plan, known, outside=state.settings.outside_client)


@router.get("", operation_id="list_experiments")
def list_experiments(
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    wanted: ListFilterDep,
    kind: Annotated[OfferedKind | None, Query()] = None,
) -> ListOf[ListedExperiment]:
    """Experiments, newest first unless `sort` says otherwise."""
    found = library.page(work, principal, page, wanted, kind)
    said = annotations.of(work, principal, found.items)
    return listed(found, lambda row: ListedExperiment.of(row, said[row.id]))


@router.get("/{experiment_id}", operation_id="get_experiment")
def get_experiment(
    experiment_id: ExperimentId, principal: Viewer, work: WorkDep, response: Response
) -> ExperimentView:
    """One experiment."""
    row = library.get(work, principal, experiment_id)
    response.headers["ETag"] = etag(row.version)
    return shown(work, principal, row)


@router.put(
    "/{experiment_id}",
    operation_id="replace_experiment",
    openapi_extra=DOCUMENT_BODY,
    responses={201: {"model": ExperimentView, "description": "created"}},
)
def replace_experiment(
    experiment_id: NamePath,
    principal: Operator,
    document: Document,
    work: WorkDep,
    precondition: PreconditionDep,
    response: Response,
) -> ExperimentView:
    """Update an experiment (`If-Match`), or create it under a slug (`If-None-Match: *`).

    Its runs keep the spec they ran with. An update that changes nothing keeps the version.
    """
    if precondition.creates:
        row = library.create_at(work, principal, experiment_id, document)
        response.status_code = HTTPStatus.CREATED
        response.headers["Location"] = f"/api/v1/experiments/{row.id}"
    else:
        named = library.find(work, principal, experiment_id)
        row = library.replace(work, principal, named, document, precondition.version)
    response.headers["ETag"] = etag(row.version)
    return shown(work, principal, row)


@router.delete(
    "/{experiment_id}", operation_id="delete_experiment", status_code=HTTPStatus.NO_CONTENT
)
def delete_experiment(
    experiment_id: ExperimentId, principal: Operator, work: WorkDep, version: IfMatch
) -> None:
    """Forget an experiment; its runs stay."""
    library.delete(work, principal, experiment_id, version)


@router.post(
    "/{experiment_id}/runs",
    operation_id="create_run",
    responses=may(409, 412),
    status_code=HTTPStatus.ACCEPTED,
    dependencies=[Idempotent],
)
def create_run(
    experiment_id: ExperimentId,
    body: NewRun,
    principal: Operator,
    work: WorkDep,
    response: Response,
) -> RunSummary:
    """Queue a run of the experiment, with its spec frozen as it is now."""
    run = start(
        work,
        principal,
        experiment_id,
        body.cluster_id,
        version=body.version,
        force=body.force,
        labels=body.labels,
    )
    return accepted(read.view(work, principal, run), response)

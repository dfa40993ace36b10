"""GET /runs/{id}/export and GET /comparisons/{id}/export."""

import uuid

from fastapi import APIRouter, Response

from podmeter.services.comparisons import compare
from podmeter.services.exports.formats import COMPARISON_WRITERS, RUN_WRITERS, Format
from podmeter.services.summaries.report import run_report
from podmeter_api.exports.files import RESPONSES, FormatQuery, file
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(tags=["exports"])


@router.get(
    "/runs/{run_id}/export",
    operation_id="export_run",
    response_class=Response,
    responses=RESPONSES,
)
def export_run(
    run_id: uuid.UUID, principal: Viewer, work: WorkDep, format_: FormatQuery = Format.JSON
) -> Response:
    """A run's summaries as a file, every figure with its interval."""
    report = run_report(work, principal, run_id)
    return file(RUN_WRITERS[format_](report), format_, report.run.name)


@router.get(
    "/comparisons/{comparison_id}/export",
    operation_id="export_comparison",
    response_class=Response,
    responses=RESPONSES,
)
def export_comparison(
    comparison_id: uuid.UUID, principal: Viewer, work: WorkDep, format_: FormatQuery = Format.JSON
) -> Response:
    """A comparison as a file, every effect with its interval."""
    found = compare.get(work, principal, comparison_id)
    return file(COMPARISON_WRITERS[format_](found), format_, f"comparison {found.id}")

"""GET /runs/{id}/export and /rows, and the same of comparisons."""

import uuid

from fastapi import APIRouter, Response

from podmeter.services.comparisons import compare
from podmeter.services.exports import results_table
from podmeter.services.exports.formats import COMPARISON_WRITERS, RUN_WRITERS, Format
from podmeter.services.summaries.report import run_report
from podmeter_api.exports.files import RESPONSES, FormatQuery, file
from podmeter_api.exports.rows_file import RESPONSES as ROWS
from podmeter_api.exports.rows_file import RowsFormat, RowsFormatQuery, rows_file
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import ExportSlot, WorkDep

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


@router.get(
    "/runs/{run_id}/rows",
    operation_id="export_run_rows",
    response_class=Response,
    responses=ROWS,
    # The turn comes first: anyone who waits for it holds no connection.
    dependencies=[ExportSlot],
)
def export_run_rows(
    run_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    format_: RowsFormatQuery = RowsFormat.CSV,
) -> Response:
    """Every measurement of a run as a row, in base units; failed and void trials without a value.

    Rows in state `counted` are evidence; `warmup` ones are kept and never counted.
    """
    return rows_file(results_table.of_run(work, principal, run_id), format_)


@router.get(
    "/comparisons/{comparison_id}/rows",
    operation_id="export_comparison_rows",
    response_class=Response,
    responses=ROWS,
    dependencies=[ExportSlot],
)
def export_comparison_rows(
    comparison_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    format_: RowsFormatQuery = RowsFormat.CSV,
) -> Response:
    """The rows of the cases that a comparison's sides are of, as they are stored now.

    404 where one of its runs was deleted.
    """
    return rows_file(results_table.of_comparison(work, principal, comparison_id), format_)

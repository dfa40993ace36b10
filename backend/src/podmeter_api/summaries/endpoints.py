"""GET /runs/{id}/summaries."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query, Response

from podmeter.services.run_results.runs import MetricChoice
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.report import DOCUMENT, run_report
from podmeter_api.documents import answer
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/runs/{run_id}", tags=["runs"])


@router.get("/summaries", operation_id="get_summaries", response_model=RunReport)
def get_summaries(
    run_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    metrics: Annotated[
        MetricChoice,
        Query(
            description="which summaries: `main`, of what the cases are about, a tenth of a large "
            "run's, or `all`. All else is the same"
        ),
    ] = MetricChoice.ALL,
) -> Response:
    """What a run measured, case by case with every counted trial, and what it found."""
    return answer(DOCUMENT, run_report(work, principal, run_id, metrics))

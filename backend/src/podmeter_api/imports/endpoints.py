"""/imports: see what would be recognised in a paste, and keep it as a run."""

from http import HTTPStatus

from fastapi import APIRouter, Response

from podmeter.kinds.imported.environment import GivenEnvironment
from podmeter.services.imports.document import ImportPreview
from podmeter.services.imports.keep import keep
from podmeter.services.imports.recognise import preview
from podmeter.services.runs import read
from podmeter_api.audited import CHANGES_NOTHING
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.imports.schemas import NewImport, PastedOutputs
from podmeter_api.runs.accepted import accepted
from podmeter_api.runs.schemas import RunSummary
from podmeter_api.security import Operator
from podmeter_api.unit_of_work import ComputeSlot, WorkDep

router = APIRouter(prefix="/imports", tags=["runs"], route_class=IdempotentRoute)


@router.post(
    "/preview",
    operation_id="preview_import",
    dependencies=[ComputeSlot],
    openapi_extra=CHANGES_NOTHING,
)
def preview_import(body: PastedOutputs, _: Operator) -> ImportPreview:
    """What is recognised in a paste, line by line; nothing is kept.

    `refused` is the first line that cannot be read. What is above it is recognised all the same.
    """
    return preview(body.request("", GivenEnvironment()))


@router.post(
    "",
    operation_id="create_import",
    status_code=HTTPStatus.CREATED,
    # The turn comes first: anyone who waits for it holds no connection.
    dependencies=[ComputeSlot, Idempotent],
)
def create_import(
    body: NewImport, principal: Operator, work: WorkDep, response: Response
) -> RunSummary:
    """Keep a paste as a finished run of kind `import`.

    Each output is a trial, outputs at one point are one case. Its environment is as it was given:
    comparisons say so, and never more than `undecided`.
    """
    run = keep(work, principal, body.request(body.name, body.environment))
    return accepted(read.view(work, principal, run), response)

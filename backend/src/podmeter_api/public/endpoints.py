"""GET /public/snapshots/{token} and its files. No account is needed, the token is enough."""

from fastapi import APIRouter, Response
from pydantic import TypeAdapter

from podmeter.services.exports.formats import (
    CLUSTER_WRITERS,
    COMPARISON_WRITERS,
    EXPERIMENT_WRITERS,
    REPRODUCTION_WRITERS,
    RUN_WRITERS,
    Format,
)
from podmeter.services.snapshots.document import SnapshotContent
from podmeter_api.documents import answer
from podmeter_api.exports.files import RESPONSES, FormatQuery, file
from podmeter_api.problems import may
from podmeter_api.public.reading import HEADERS, shown
from podmeter_api.public.schemas import PublicSnapshot
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/public/snapshots", tags=["snapshots"])
_DOCUMENT = TypeAdapter(PublicSnapshot)


@router.get(
    "/{token}",
    operation_id="get_public_snapshot",
    response_model=PublicSnapshot,
    responses=may(409),
)
def get_public_snapshot(token: str, work: WorkDep) -> Response:
    """What a snapshot's link shows."""
    row, content = shown(work, token)
    found = PublicSnapshot(
        title=row.title, created_at=row.created_at, expires_at=row.expires_at, content=content
    )
    return answer(_DOCUMENT, found, HEADERS)


@router.get(
    "/{token}/export",
    operation_id="export_public_snapshot",
    response_class=Response,
    responses={**RESPONSES, **may(409)},
)
def export_public_snapshot(
    token: str, work: WorkDep, format_: FormatQuery = Format.JSON
) -> Response:
    """What a snapshot is of as a file."""
    row, content = shown(work, token)
    return file(_text(content, format_), format_, row.title, HEADERS)


def _text(content: SnapshotContent, format_: Format) -> str:
    if content.comparison is not None:
        return COMPARISON_WRITERS[format_](content.comparison)
    if content.run is not None:
        return RUN_WRITERS[format_](content.run)
    if content.experiment is not None:
        return EXPERIMENT_WRITERS[format_](content.experiment)
    if content.cluster is not None:
        return CLUSTER_WRITERS[format_](content.cluster)
    if content.reproduction is not None:
        return REPRODUCTION_WRITERS[format_](content.reproduction)
    raise ValueError("a snapshot is of something")

"""POST /snapshots/preview, POST and GET /snapshots, DELETE /snapshots/{id}, its picture."""

import uuid
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from pydantic import TypeAdapter

from podmeter.services.snapshots import picture, shares
from podmeter.services.snapshots.document import SubjectName
from podmeter_api.audited import CHANGES_NOTHING
from podmeter_api.documents import answer
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.marks.list_filters import SearchQueryDep
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.security import Operator, Viewer
from podmeter_api.snapshots.schemas import (
    NewSnapshot,
    ReplacementView,
    SharedSnapshot,
    SnapshotBody,
    SnapshotPicture,
    SnapshotPreview,
    SnapshotView,
)
from podmeter_api.state import AppState, get_state
from podmeter_api.unit_of_work import ComputeSlot, WorkDep

router = APIRouter(prefix="/snapshots", tags=["snapshots"], route_class=IdempotentRoute)
_PREVIEW = TypeAdapter(SnapshotPreview)


@router.post(
    "/preview",
    operation_id="preview_snapshot",
    responses=may(404),
    response_model=SnapshotPreview,
    openapi_extra=CHANGES_NOTHING,
    # The turn comes first: anyone who waits for it holds no connection.
    dependencies=[ComputeSlot],
)
def preview_snapshot(body: SnapshotBody, principal: Operator, work: WorkDep) -> Response:
    """What a snapshot would show and what of it would be replaced; nothing is kept."""
    frozen = shares.preview(work, principal, body.subject(), body.title, body.kept())
    found = SnapshotPreview(
        content=frozen.content,
        replacements=[ReplacementView.of(one) for one in frozen.replacements],
    )
    return answer(_PREVIEW, found)


@router.post(
    "",
    operation_id="create_snapshot",
    responses=may(404),
    status_code=HTTPStatus.CREATED,
    dependencies=[ComputeSlot, Idempotent],
)
def create_snapshot(
    body: NewSnapshot,
    principal: Operator,
    work: WorkDep,
    response: Response,
    state: Annotated[AppState, Depends(get_state)],
) -> SharedSnapshot:
    """Freeze a redacted copy behind a link; the link is in this answer alone."""
    row, token = shares.create(
        work, principal, body.subject(), body.title, body.kept(), body.expires_in_days
    )
    url = f"{state.settings.public_url.rstrip('/')}/s/{token}"
    response.headers["Location"] = f"/api/v1/public/snapshots/{token}"
    return SharedSnapshot(**SnapshotView.of(row).model_dump(), token=token, url=url)


@router.get("", operation_id="list_snapshots")
def list_snapshots(
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    wanted: SearchQueryDep,
    subject: Annotated[SubjectName | None, Query(description="what it is of")] = None,
    live: Annotated[
        bool | None, Query(description="whether the link still shows anything; both are listed")
    ] = None,
) -> ListOf[SnapshotView]:
    """Snapshots, newest first unless `sort` says otherwise; revoked and expired ones too."""
    found = shares.page(work, principal, page, wanted, subject=subject, live=live)
    return listed(found, SnapshotView.of)


@router.put(
    "/{snapshot_id}/picture",
    operation_id="set_snapshot_picture",
    status_code=HTTPStatus.NO_CONTENT,
)
def set_snapshot_picture(
    snapshot_id: uuid.UUID, body: SnapshotPicture, principal: Operator, work: WorkDep
) -> None:
    """Have previews of the link show this picture; without one they show its title and headline."""
    picture.keep(work, principal, snapshot_id, body.png)


@router.delete("/{snapshot_id}", operation_id="delete_snapshot", status_code=HTTPStatus.NO_CONTENT)
def delete_snapshot(snapshot_id: uuid.UUID, principal: Operator, work: WorkDep) -> None:
    """Revoke a snapshot: its link shows nothing from now on, and its content is forgotten."""
    shares.revoke(work, principal, snapshot_id)

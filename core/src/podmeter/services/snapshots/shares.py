"""Sharing snapshots: made, listed, revoked, read by anyone who has the link."""

import uuid
from datetime import timedelta

from podmeter.credentials.snapshot_tokens import (
    hash_snapshot_token,
    is_snapshot_token,
    make_snapshot_token,
)
from podmeter.db.base import now
from podmeter.db.models import Role, Snapshot
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.marks import ListFilter
from podmeter.db.repositories.sharing import SnapshotRepository, live_snapshot
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError
from podmeter.services.snapshots.document import SnapshotContent, SubjectName
from podmeter.services.snapshots.freeze import Frozen, RedactionExceptions, freeze, parse, stored
from podmeter.services.snapshots.subject import Articles, Subject
from podmeter.services.work import Work


def preview(
    work: Work,
    principal: Principal,
    subject: Subject | Articles,
    title: str,
    keep: RedactionExceptions,
) -> Frozen:
    """What a snapshot would show, and what would be replaced. Raises RoleError, NotFoundError."""
    principal.require(Role.OPERATOR)
    return freeze(work, principal, subject, title, keep)


def create(
    work: Work,
    principal: Principal,
    subject: Subject | Articles,
    title: str,
    keep: RedactionExceptions,
    days: int | None,
) -> tuple[Snapshot, str]:
    """Freeze a snapshot for `days`, or until it is revoked; the row and the link's token.

    The token is in this answer alone. Raises RoleError, NotFoundError.
    """
    principal.require(Role.OPERATOR)
    frozen = freeze(work, principal, subject, title, keep)
    token = make_snapshot_token()
    moment = now()
    row = Snapshot(
        id=uuid.uuid4(),
        organization_id=principal.organization_id,
        title=title,
        token_hash=hash_snapshot_token(token),
        request={**subject.request, "keep": keep.words},
        content=stored(frozen),
        created_by=principal.user_id,
        created_at=moment,
        expires_at=None if days is None else moment + timedelta(days=days),
    )
    SnapshotRepository(work.session, principal.organization_id).add(row)
    work.audit.to("snapshot", row.id, title, of=subject.name, keep=keep.words, days=days)
    return row, token


def page(
    work: Work,
    principal: Principal,
    request: PageRequest,
    wanted: ListFilter,
    *,
    subject: SubjectName | None = None,
    live: bool | None = None,
) -> Page[Snapshot]:
    """Snapshots without their content, in the order wanted; of one sort of subject.

    Revoked and expired ones are among them, unless `live` says which.
    """
    snapshots = SnapshotRepository(work.session, principal.organization_id)
    return snapshots.page(request, wanted, subject=subject, live=live)


def revoke(work: Work, principal: Principal, snapshot_id: uuid.UUID) -> None:
    """End a link at once, and forget what it showed. Asking again changes nothing.

    Raises RoleError, NotFoundError.
    """
    principal.require(Role.OPERATOR)
    row = SnapshotRepository(work.session, principal.organization_id).get(snapshot_id)
    if row is None:
        raise NotFoundError("snapshot")
    work.audit.to("snapshot", row.id, row.title)
    if row.revoked_at is None:
        row.revoked_at = now()
        row.content = {}
        row.picture = None
        work.session.flush()


def has_picture(work: Work, row: Snapshot) -> bool:
    """Whether there is a picture for previews of its link."""
    return SnapshotRepository(work.session, row.organization_id).has_picture(row.id)


def read(work: Work, token: str) -> tuple[Snapshot, SnapshotContent]:
    """What a link shows. Raises NotFoundError, the same for unknown, revoked and expired ones.

    Raises StoredDocumentError where the content's form cannot be read.
    """
    row = live_snapshot(work.session, hash_snapshot_token(token))
    if row is None or not is_snapshot_token(token):
        raise NotFoundError("snapshot")
    return row, parse(row.content)

"""Comparisons and snapshots of one organization, and the one query that needs none."""

import uuid
from datetime import datetime

from sqlalchemy import and_, bindparam, cast, func, insert, not_, or_, select
from sqlalchemy.dialects.postgresql import JSON, JSONB
from sqlalchemy.orm import Session, defer

from podmeter.db.base import Json
from podmeter.db.models import ComparisonRecord, Snapshot
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.db.repositories.marks import EVERYTHING, ListFilter, in_order

# Put together once, which takes as long as its execution. What is JSON already is not rewritten.
_ADD_COMPARISON = insert(ComparisonRecord).values(
    outline=cast(bindparam("outline_text"), JSONB), content=cast(bindparam("content_text"), JSON)
)
#: That a link shows something: neither revoked nor expired.
_SHOWN = and_(
    Snapshot.revoked_at.is_(None),
    or_(Snapshot.expires_at.is_(None), Snapshot.expires_at > func.clock_timestamp()),
)
_NO_CONTENT = defer(ComparisonRecord.content, raiseload=True)


class ComparisonRepository(OrganizationRepository):
    """The comparisons of one organization."""

    def add(
        self,
        comparison_id: uuid.UUID,
        created_by: uuid.UUID | None,
        created_at: datetime,
        name: str,
        kind: str,
        request: Json,
        outline: str,
        content: str,
    ) -> None:
        """Keep a comparison; `outline` and `content` are JSON text."""
        values = {
            "id": comparison_id,
            "organization_id": self.organization_id,
            "name": name,
            "kind": kind,
            "request": request,
            "outline_text": outline,
            "content_text": content,
            "created_by": created_by,
            "created_at": created_at,
        }
        self.session.connection().execute(_ADD_COMPARISON, values)

    def get(
        self, comparison_id: uuid.UUID, *, with_content: bool = True
    ) -> ComparisonRecord | None:
        """One comparison."""
        return self.session.scalar(
            select(ComparisonRecord)
            .where(
                ComparisonRecord.organization_id == self.organization_id,
                ComparisonRecord.id == comparison_id,
            )
            .options(*(() if with_content else (_NO_CONTENT,)))
        )

    def page(
        self,
        request: PageRequest,
        wanted: ListFilter = EVERYTHING,
        *,
        run_id: uuid.UUID | None = None,
        kind: str | None = None,
    ) -> Page[ComparisonRecord]:
        """Comparisons without their content; with a side that is of the run, of a kind."""
        query = (
            select(ComparisonRecord)
            .where(ComparisonRecord.organization_id == self.organization_id)
            .options(_NO_CONTENT)
        )
        if run_id is not None:
            side = {"run_id": str(run_id)}
            asked = ComparisonRecord.request
            query = query.where(
                or_(asked.contains({"baseline": side}), asked.contains({"contenders": [side]}))
            )
        if kind is not None:
            query = query.where(ComparisonRecord.kind == kind)
        return in_order(self.session, query, ComparisonRecord, wanted, request)

    def delete(self, comparison: ComparisonRecord) -> None:
        """Forget a comparison."""
        self.session.delete(comparison)
        self.session.flush()


class SnapshotRepository(OrganizationRepository):
    """The snapshots of one organization."""

    def add(self, snapshot: Snapshot) -> None:
        """Keep a snapshot."""
        self.session.add(snapshot)
        self.session.flush()

    def page(
        self,
        request: PageRequest,
        wanted: ListFilter = EVERYTHING,
        *,
        subject: str | None = None,
        live: bool | None = None,
    ) -> Page[Snapshot]:
        """Snapshots without their content; of one sort of subject, that show it still or not."""
        query = (
            select(Snapshot)
            .where(Snapshot.organization_id == self.organization_id)
            .options(defer(Snapshot.content, raiseload=True))
        )
        if subject is not None:
            names = (f"{subject}_id", subject)
            query = query.where(or_(*(Snapshot.request.has_key(name) for name in names)))
        if live is not None:
            query = query.where(_SHOWN if live else not_(_SHOWN))
        return in_order(self.session, query, Snapshot, wanted, request)

    def get(self, snapshot_id: uuid.UUID) -> Snapshot | None:
        """One snapshot, locked until the commit."""
        return self.session.scalar(
            select(Snapshot)
            .where(Snapshot.organization_id == self.organization_id, Snapshot.id == snapshot_id)
            .with_for_update()
        )

    def has_picture(self, snapshot_id: uuid.UUID) -> bool:
        """Whether a snapshot has a picture, which is not read for it."""
        query = select(Snapshot.picture.is_not(None)).where(
            Snapshot.organization_id == self.organization_id, Snapshot.id == snapshot_id
        )
        return bool(self.session.scalar(query))


def live_snapshot(session: Session, token_hash: str) -> Snapshot | None:
    """The snapshot of a link that is neither revoked nor expired, of any owner."""
    return session.scalar(select(Snapshot).where(Snapshot.token_hash == token_hash, _SHOWN))

"""Comparisons and snapshots of one organization, and the one query that needs none."""

import uuid
from datetime import datetime

from sqlalchemy import bindparam, cast, func, insert, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, defer

from podmeter.db.base import Json
from podmeter.db.models import ComparisonRecord, Snapshot
from podmeter.db.paging import Page, PageRequest, newest_first

# Put together once, which takes as long as its execution. The database parses the content.
_ADD_COMPARISON = insert(ComparisonRecord).values(content=cast(bindparam("text"), JSONB))


class ComparisonRepository:
    """The comparisons of one organization."""

    def __init__(self, session: Session, organization_id: uuid.UUID) -> None:
        self.session = session
        self.organization_id = organization_id

    def add(
        self,
        comparison_id: uuid.UUID,
        created_by: uuid.UUID | None,
        created_at: datetime,
        request: Json,
        content: str,
    ) -> None:
        """Keep a comparison; `content` is JSON text, which the database parses."""
        values = {
            "id": comparison_id,
            "organization_id": self.organization_id,
            "request": request,
            "text": content,
            "created_by": created_by,
            "created_at": created_at,
        }
        self.session.connection().execute(_ADD_COMPARISON, values)

    def get(self, comparison_id: uuid.UUID) -> ComparisonRecord | None:
        """One comparison."""
        return self.session.scalar(
            select(ComparisonRecord).where(
                ComparisonRecord.organization_id == self.organization_id,
                ComparisonRecord.id == comparison_id,
            )
        )


class SnapshotRepository:
    """The snapshots of one organization."""

    def __init__(self, session: Session, organization_id: uuid.UUID) -> None:
        self.session = session
        self.organization_id = organization_id

    def add(self, snapshot: Snapshot) -> None:
        """Keep a snapshot."""
        self.session.add(snapshot)
        self.session.flush()

    def page(self, request: PageRequest) -> Page[Snapshot]:
        """Snapshots without their content, newest first."""
        query = (
            select(Snapshot)
            .where(Snapshot.organization_id == self.organization_id)
            .options(defer(Snapshot.content, raiseload=True))
        )
        return newest_first(self.session, query, Snapshot, request)

    def get(self, snapshot_id: uuid.UUID) -> Snapshot | None:
        """One snapshot, locked until the commit."""
        return self.session.scalar(
            select(Snapshot)
            .where(Snapshot.organization_id == self.organization_id, Snapshot.id == snapshot_id)
            .with_for_update()
        )


def live_snapshot(session: Session, token_hash: str) -> Snapshot | None:
    """The snapshot behind a link that is neither revoked nor expired, whoever owns it."""
    return session.scalar(
        select(Snapshot).where(
            Snapshot.token_hash == token_hash,
            Snapshot.revoked_at.is_(None),
            or_(Snapshot.expires_at.is_(None), Snapshot.expires_at > func.clock_timestamp()),
        )
    )

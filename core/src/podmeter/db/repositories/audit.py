"""Writing and reading the audit log, and asking the database to drop what is over."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, insert, or_, select
from sqlalchemy.orm import Session

from podmeter.db.models import AuditEntry
from podmeter.db.paging import Page, PageRequest, newest_first


@dataclass(frozen=True)
class AuditFilter:
    """Which entries; None does not filter.

    `who` and `object_named` are parts of a name, whatever their case, or a whole id. `since` is
    included, `until` is not.
    """

    who: str | None = None
    operation: str | None = None
    object_kind: str | None = None
    object_named: str | None = None
    refused: bool | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditRepository:
    """The audit log of one organization; of None the installation's own, and everybody's."""

    def __init__(self, session: Session, organization_id: uuid.UUID | None) -> None:
        self.session = session
        self.organization_id = organization_id

    def page(self, wanted: AuditFilter, request: PageRequest) -> Page[AuditEntry]:
        """Entries, newest first."""
        return newest_first(self.session, self._query(wanted), AuditEntry, request)

    def _query(self, wanted: AuditFilter) -> Select[AuditEntry]:
        query = select(AuditEntry)
        if self.organization_id is not None:
            query = query.where(AuditEntry.organization_id == self.organization_id)
        if wanted.who is not None:
            names = (AuditEntry.who, AuditEntry.token_name)
            alike = [name.icontains(wanted.who, autoescape=True) for name in names]
            if (one := _uuid(wanted.who)) is not None:
                alike += [AuditEntry.user_id == one, AuditEntry.token_id == one]
            query = query.where(or_(*alike))
        if wanted.object_named is not None:
            part = AuditEntry.object_name.icontains(wanted.object_named, autoescape=True)
            query = query.where(or_(part, AuditEntry.object_id == wanted.object_named))
        for column, value in (
            (AuditEntry.operation, wanted.operation),
            (AuditEntry.object_kind, wanted.object_kind),
            (AuditEntry.refused, wanted.refused),
        ):
            if value is not None:
                query = query.where(column == value)
        if wanted.since is not None:
            query = query.where(AuditEntry.created_at >= wanted.since)
        if wanted.until is not None:
            query = query.where(AuditEntry.created_at < wanted.until)
        return query


# No row is asked back, so that it takes a third of the time that an object takes.
_ADD = insert(AuditEntry).inline()


def add(session: Session, entry: dict[str, Any]) -> None:
    """Add an entry, given by the names of its columns; the database dates and numbers it."""
    session.flush()
    session.connection().execute(_ADD, entry)


def prune(session: Session) -> int:
    """Drop entries whose time is over; how many. The database knows which these are."""
    return session.scalar(select(func.public.audit_prune())) or 0


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None

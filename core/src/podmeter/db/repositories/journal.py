"""Events and log lines of one organization's runs."""

import uuid
from collections.abc import Iterable, Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from podmeter.db.base import Json
from podmeter.db.models import Run, RunEvent, RunLogLine
from podmeter.db.notifications import notifying
from podmeter.db.paging import Page, PageRequest, fetch_page
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.domain.ports import LogLevel


class JournalRepository(OrganizationRepository):
    """What happened in one organization's runs."""

    def add_event(self, run_id: uuid.UUID, type_: str, content: Json) -> int:
        """Add an event, and have streams of it woken at the commit; its number.

        Counting locks the run's row until the commit, so that events appear in the order of
        their numbers and a reader who asks for what follows number n misses none.
        """
        number = self.session.execute(
            update(Run)
            .where(Run.organization_id == self.organization_id, Run.id == run_id)
            .values(last_event=Run.last_event + 1)
            .returning(Run.last_event, notifying(Run.id))
            .execution_options(synchronize_session=False)
        ).one()[0]
        self.session.add(
            RunEvent(
                organization_id=self.organization_id,
                run_id=run_id,
                number=number,
                type=type_,
                content=content,
            )
        )
        self.session.flush()
        return number

    def events_after(self, run_id: uuid.UUID, number: int, limit: int = 500) -> Sequence[RunEvent]:
        """The events that follow number `number`, in order."""
        return self.session.scalars(
            select(RunEvent)
            .where(
                RunEvent.organization_id == self.organization_id,
                RunEvent.run_id == run_id,
                RunEvent.number > number,
            )
            .order_by(RunEvent.number)
            .limit(limit)
        ).all()

    def add_line(self, run_id: uuid.UUID, attempt: int, level: LogLevel, message: str) -> None:
        """Add a line to the run's log."""
        self.session.add(
            RunLogLine(
                organization_id=self.organization_id,
                run_id=run_id,
                attempt=attempt,
                level=level,
                message=message,
            )
        )
        self.session.flush()

    def lines(self, run_id: uuid.UUID, request: PageRequest) -> Page[RunLogLine]:
        """A run's log, oldest line first."""
        query = select(RunLogLine).where(
            RunLogLine.organization_id == self.organization_id, RunLogLine.run_id == run_id
        )
        return fetch_page(self.session, query, [RunLogLine.id], lambda row: (row.id,), request)


def last_events_of(session: Session, run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, int]:
    """The number of each run's last event, whichever organization's they are; for streams that
    were let in when they began.
    """
    query = select(Run.id, Run.last_event).where(Run.id.in_(list(run_ids)))
    return {one.id: one.last_event for one in session.execute(query)}

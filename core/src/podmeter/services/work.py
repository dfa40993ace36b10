"""One unit of work: a session, and the jobs to enqueue once its changes are committed."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from podmeter.db.session import Sessions, unit_of_work
from podmeter.jobs import Job, Queue
from podmeter.services.audit.context import AuditContext
from podmeter.services.quotas import UNLIMITED, Quotas

logger = logging.getLogger(__name__)


@dataclass
class Work:
    """What a service works with during one request or one step of a task."""

    session: Session
    #: What an organization may have is asked where somebody asks for more, not where work is done.
    quotas: Quotas = UNLIMITED
    #: Whether a worker may be a client outside of what it measures; None where nobody says.
    outside_client: bool | None = None
    jobs: list[Job] = field(default_factory=list)
    #: What is done here, for the audit log.
    audit: AuditContext = field(default_factory=AuditContext)
    #: What is done once all else went well, right before the commit.
    at_end: list[Callable[[], object]] = field(default_factory=list)
    #: What is noted after the commit, in a transaction of its own: who called, not what they did.
    afterwards: list[Callable[[Session], object]] = field(default_factory=list)
    #: Whether nothing may be stored here, not even what would make the next reading faster.
    read_only: bool = False

    def later(self, job: Job) -> None:
        """Enqueue a job after the commit: before it, a worker would not see the rows."""
        self.jobs.append(job)


@contextmanager
def work_with(
    sessions: Sessions,
    queue: Queue,
    quotas: Quotas = UNLIMITED,
    *,
    reading: Sessions | None = None,
) -> Iterator[Work]:
    """A unit of work: commits at its end, then enqueues its jobs; an error undoes all.

    With `reading`, sessions that are read only, it stores nothing but what is noted afterwards.

    A broker that cannot be reached after the commit loses nothing: what the job is to do stands
    in the database, and the reaper enqueues it again.
    """
    with unit_of_work(reading or sessions) as session:
        work = Work(session, quotas, read_only=reading is not None)
        yield work
        for one in work.at_end:
            one()
    if work.afterwards:
        with unit_of_work(sessions) as session:
            for note in work.afterwards:
                note(session)
    for job in work.jobs:
        try:
            queue.send(job)
        except ConnectionError:
            logger.warning("%s waits for the reaper: the broker cannot be reached", job.name)

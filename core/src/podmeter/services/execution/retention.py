"""Forgetting what is kept for a time only."""

from datetime import timedelta

from podmeter.db.base import now
from podmeter.db.repositories import audit
from podmeter.db.repositories.expired import (
    delete_expired_job_tokens,
    delete_expired_sessions,
    delete_expired_snapshots,
    delete_orphaned_fingerprints,
)
from podmeter.db.repositories.idempotency import delete_expired_keys
from podmeter.db.repositories.members import delete_expired_links
from podmeter.db.repositories.trials import drop_old_output
from podmeter.services.work import Work


def forget_expired(work: Work) -> None:
    """Drop what lets in (logins, links), idempotency keys, snapshots and entries of the audit log
    past their time, and what nothing needs.
    """
    delete_expired_sessions(work.session)
    delete_expired_job_tokens(work.session)
    delete_expired_links(work.session, now())
    delete_expired_keys(work.session)
    delete_expired_snapshots(work.session)
    delete_orphaned_fingerprints(work.session)
    audit.prune(work.session)


def forget_output(work: Work, days: int) -> bool:
    """Drop a batch of raw output of trials stored more than `days` ago; False once none is left.

    What the trials measured, and the commands, stay.
    """
    return drop_old_output(work.session, now() - timedelta(days=days)) > 0

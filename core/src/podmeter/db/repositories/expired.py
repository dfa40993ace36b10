"""Forgetting what is past its time, in all organizations."""

from sqlalchemy import delete
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import LoginSession, Snapshot


def delete_expired_sessions(session: Session) -> None:
    """Forget logins whose time is over."""
    session.execute(delete(LoginSession).where(LoginSession.expires_at <= now()))


def delete_expired_snapshots(session: Session) -> None:
    """Forget snapshots whose link leads nowhere any more."""
    session.execute(delete(Snapshot).where(Snapshot.expires_at <= now()))

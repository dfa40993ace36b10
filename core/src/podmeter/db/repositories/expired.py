"""Forgetting what is past its time, in all organizations."""

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import (
    ApiToken,
    Block,
    CaseRecord,
    FingerprintRecord,
    LoginSession,
    Snapshot,
)


def delete_expired_sessions(session: Session) -> None:
    """Forget logins whose time is over."""
    session.execute(delete(LoginSession).where(LoginSession.expires_at <= now()))


def delete_expired_job_tokens(session: Session) -> None:
    """Forget what jobs of a CI were given; the audit log has that they were."""
    session.execute(
        delete(ApiToken).where(ApiToken.ci_trust_id.is_not(None), ApiToken.expires_at <= now())
    )


def delete_expired_snapshots(session: Session) -> None:
    """Forget snapshots whose time is over, and what revoked ones showed, which are still listed."""
    session.execute(delete(Snapshot).where(Snapshot.expires_at <= now()))
    shown = Snapshot.content != {}
    session.execute(
        update(Snapshot).where(Snapshot.revoked_at.is_not(None), shown).values(content={})
    )


def delete_orphaned_fingerprints(session: Session) -> None:
    """Forget what clusters were like that are not registered any more and have no run left."""
    of_runs = [
        select(model.id).where(model.fingerprint_id == FingerprintRecord.id).exists()
        for model in (Block, CaseRecord)
    ]
    session.execute(
        delete(FingerprintRecord).where(
            FingerprintRecord.cluster_id.is_(None), *(~used for used in of_runs)
        )
    )

"""Answers already given to a repeated POST."""

import uuid
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import IdempotencyKey
from podmeter.db.repositories.base import OrganizationRepository


class IdempotencyRepository(OrganizationRepository):
    """The keys that one user gave in one organization."""

    def __init__(self, session: Session, organization_id: uuid.UUID, user_id: uuid.UUID) -> None:
        super().__init__(session, organization_id)
        self.user_id = user_id

    def claim(self, key: str, request_hash: bytes, expires_at: datetime) -> IdempotencyKey | None:
        """Take the key; None if this very transaction took it again, else the row that has it.

        A second request with the key waits here until the first one's transaction has ended.
        """
        mine = (
            IdempotencyKey.organization_id == self.organization_id,
            IdempotencyKey.user_id == self.user_id,
            IdempotencyKey.key == key,
        )
        self.session.execute(
            delete(IdempotencyKey).where(*mine, IdempotencyKey.expires_at <= now())
        )
        taken = self.session.scalar(
            insert(IdempotencyKey)
            .values(
                organization_id=self.organization_id,
                user_id=self.user_id,
                key=key,
                request_hash=request_hash,
                expires_at=expires_at,
            )
            .on_conflict_do_nothing()
            .returning(IdempotencyKey.key)
        )
        return None if taken else self.session.scalar(select(IdempotencyKey).where(*mine))

    def row(self, key: str) -> IdempotencyKey:
        """The row of a key that was taken before in this transaction."""
        return self.session.get_one(IdempotencyKey, (self.organization_id, self.user_id, key))


def delete_expired_keys(session: Session) -> None:
    """Forget the keys whose time is over, in all organizations."""
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.expires_at <= now()))

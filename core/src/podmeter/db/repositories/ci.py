"""CI trusts: those of an organization, and a single trust that a job names."""

import uuid

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload

from podmeter.db.models import ApiToken, CiTrust
from podmeter.db.paging import Page, PageRequest, newest_first
from podmeter.db.repositories.base import OrganizationRepository


class CiTrustRepository(OrganizationRepository):
    """The trusts of one organization."""

    def page(self, request: PageRequest) -> Page[CiTrust]:
        """Trusts with who saved them, newest first."""
        query = (
            select(CiTrust)
            .where(CiTrust.organization_id == self.organization_id)
            .options(joinedload(CiTrust.user, innerjoin=True))
        )
        return newest_first(self.session, query, CiTrust, request)

    def get(self, trust_id: uuid.UUID) -> CiTrust | None:
        """One trust, locked until the commit."""
        query = select(CiTrust).where(
            CiTrust.organization_id == self.organization_id, CiTrust.id == trust_id
        )
        return self.session.scalar(
            query.with_for_update().execution_options(populate_existing=True)
        )

    def add(self, trust: CiTrust) -> None:
        """Add a trust."""
        self.session.add(trust)
        self.session.flush()

    def delete(self, trust: CiTrust) -> None:
        """Forget a trust; its tokens end with it."""
        self.session.execute(delete(CiTrust).where(CiTrust.id == trust.id))

    def delete_tokens(self, trust: CiTrust) -> None:
        """End the tokens that were exchanged by a trust."""
        self.session.execute(delete(ApiToken).where(ApiToken.ci_trust_id == trust.id))


def trust_of(session: Session, trust_id: uuid.UUID, *, lock: bool = False) -> CiTrust | None:
    """The trust that a job names, of whichever organization; with `lock` nobody changes it until
    the commit, and other jobs do not wait.
    """
    return session.get(CiTrust, trust_id, with_for_update={"read": True} if lock else None)

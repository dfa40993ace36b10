"""Saying of an account that it belongs to the owner of its address: who runs the installation may.

An administrator may not: anybody who administers an organization can make an account of any
address.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from podmeter.db.base import now
from podmeter.db.models import AddressProof
from podmeter.db.repositories import members as repository
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.services.errors import NotFoundError
from podmeter.services.work import Work


@dataclass(frozen=True)
class Confirmed:
    """An account whose address is confirmed, and what helps to know it by."""

    email: str
    created_at: datetime
    organizations: Sequence[str]


def confirm(work: Work, email: str) -> Confirmed:
    """Note that the address is the account owner's. Raises NotFoundError.

    Nobody is let in by it: at the owner's first sign-on all that was let in before ends.
    """
    accounts = AccountRepository(work.session)
    accounts.lock_accounts()
    found = accounts.user_by_email(email)
    if found is None:
        raise NotFoundError("user")
    user = accounts.user(found.id)
    if user.address_proof is None:
        user.address_proof, user.address_proved_at = AddressProof.COMMAND, now()
    memberships = repository.memberships_of(work.session, user.id)
    latest = accounts.latest_membership(user.id)
    work.audit.organization_id = latest.organization_id if latest else None
    work.audit.also_in |= {one.organization_id for one in memberships}
    work.audit.to("member", user.id, user.email, address_proof=user.address_proof)
    return Confirmed(user.email, user.created_at, [one.organization.name for one in memberships])

"""The first administrator, without whom nobody could log in."""

import secrets

from podmeter.credentials.passwords import Passwords
from podmeter.db.base import now
from podmeter.db.models import AddressProof, Membership, Organization, Role, User
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.services.accounts.principal import Principal
from podmeter.services.work import Work

ORGANIZATION = "Default"


def first_admin(work: Work) -> Principal | None:
    """The administrator who has been one for longest, for whom the service itself acts."""
    found = AccountRepository(work.session).first_admin()
    if found is None:
        return None
    user, organization = found.user, found.organization
    return Principal(user.id, user.email, organization.id, organization.name, found.role)


def ensure_first_admin(
    work: Work, passwords: Passwords, email: str, password: str | None
) -> str | None:
    """Make the first administrator if there is no user at all.

    Returns the random password that was made for lack of a given one, to be shown once; None
    where there was a user already or a password was given. Raises PasswordRefusedError.
    """
    accounts = AccountRepository(work.session)
    accounts.lock_accounts()
    if accounts.any_user():
        return None
    made = None if password else secrets.token_urlsafe(18)
    organization = Organization(name=ORGANIZATION)
    user = User(
        email=email,
        password_hash=passwords.hash(password or made or "", [email]),
        address_proof=AddressProof.SETUP,
        address_proved_at=now(),
    )
    accounts.add(organization)
    accounts.add(user)
    accounts.add(Membership(organization_id=organization.id, user_id=user.id, role=Role.ADMIN))
    work.audit.organization_id = organization.id
    work.audit.to("member", user.id, email, role=Role.ADMIN)
    return made

"""Which account somebody whom the provider knows gets, at their first sign-on.

An account is taken over only where its address was proved, or where anyone who signs on has shown
its password, too. Anyone who made an account of somebody else's address keeps nobody out by it: it
can be set aside, and a new one takes its address.
"""

import secrets
import uuid
from dataclasses import dataclass, field

from podmeter.db.base import now
from podmeter.db.models import AddressProof, User
from podmeter.db.repositories import members as repository
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.repositories.members import MemberRepository
from podmeter.domain.email_address import LONGEST, NOBODYS, address_key
from podmeter.domain.messages import say
from podmeter.services.accounts.password_logins import PasswordLogins
from podmeter.services.accounts.tokens import note_ended_trusts
from podmeter.services.audit.context import Detail
from podmeter.services.sign_on.errors import SignOnRefusedError
from podmeter.services.sign_on.identity import Identity
from podmeter.services.work import Work


@dataclass(frozen=True)
class Wish:
    """What anyone who signs on asks for, and has shown besides.

    `logged_in` is the account that the browser's session is of; `new_account` says that an account
    with the unproved address must be set aside.
    """

    logged_in: uuid.UUID | None = None
    new_account: bool = False


@dataclass
class Linked:
    """An account that is the provider's now, and what the audit log says of that."""

    user: User
    details: dict[str, Detail] = field(default_factory=dict)


def link(
    work: Work,
    identity: Identity,
    members: MemberRepository,
    passwords: PasswordLogins,
    wish: Wish,
) -> Linked:
    """The account of somebody who signs on for the first time.

    `members` are those of the organization that the provider is for, which is locked, as are the
    accounts. Anyone who was let in to an account that is linked or set aside is out at once.

    Raises SignOnRefusedError.
    """
    email = _proved_address(identity)
    accounts = AccountRepository(work.session)
    found = accounts.user_by_email(email)
    if found is None:
        return _new(accounts, identity, email)
    user = accounts.user(found.id)
    if user.issuer == identity.issuer:
        # It is another person's at this provider, who gave the address to this one since, or never
        # verified that it was the other's.
        if user.address_proof is not None and accounts.has_memberships(user.id):
            raise SignOnRefusedError(say("sign_on_address_taken", email=email))
    else:
        member = members.get(user.id)
        if user.disabled_at or (member is not None and member.deactivated_at):
            raise SignOnRefusedError(say("sign_on_deactivated"))
        if user.address_proof is not None or wish.logged_in == user.id:
            return _taken_over(work, user, identity, passwords)
        if not wish.new_account:
            raise SignOnRefusedError(say("sign_on_address_unproved", email=email))
    aside = _set_aside(work, user)
    made = _new(accounts, identity, email)
    made.details["set_aside"] = aside
    return made


def prove(work: Work, user: User, identity: Identity, wish: Wish) -> dict[str, Detail]:
    """Note that the address of an account of the provider's is proved, if it was not before.

    What the audit log says of that. Raises SignOnRefusedError where it still is not: then the
    account may be made of somebody else's address.
    """
    if user.address_proof is not None:
        return {}
    email = _proved_address(identity)
    details: dict[str, Detail] = {}
    if address_key(email) != address_key(user.email):
        other = AccountRepository(work.session).user_by_email(email)
        if other is not None:
            details["set_aside"] = _give_up(work, other, email, wish)
        user.email = email
    _note_proof(user)
    work.session.flush()
    return details


def _give_up(work: Work, other: User, email: str, wish: Wish) -> str:
    """Set aside an account of an address that is found to be somebody else's; its new name."""
    other = AccountRepository(work.session).user(other.id)
    if other.address_proof is not None:
        raise SignOnRefusedError(say("sign_on_address_taken", email=email))
    if not wish.new_account:
        raise SignOnRefusedError(say("sign_on_address_unproved", email=email))
    return _set_aside(work, other)


def _proved_address(identity: Identity) -> str:
    if identity.email is None:
        raise SignOnRefusedError(say("sign_on_no_address"))
    if not identity.email_verified:
        raise SignOnRefusedError(say("sign_on_address_unverified", email=identity.email))
    return identity.email


def _new(accounts: AccountRepository, identity: Identity, email: str) -> Linked:
    user = User(email=email, issuer=identity.issuer, subject=identity.subject)
    _note_proof(user)
    accounts.add(user)
    return Linked(user)


def _taken_over(work: Work, user: User, identity: Identity, passwords: PasswordLogins) -> Linked:
    _end_everything(work, user)
    # The password that is for when the provider is away is kept where it is the first
    # administrator's: of any other one nobody knows who has it.
    kept = user.address_proof is AddressProof.SETUP and passwords.is_break_glass(user.email)
    if not kept:
        user.password_hash = None
    before = user.address_proof
    user.issuer, user.subject = identity.issuer, identity.subject
    if before is not AddressProof.SETUP:
        _note_proof(user)
    work.session.flush()
    return Linked(user, {"linked": True, "address_proof": before or "password"})


def _set_aside(work: Work, user: User) -> str:
    """Take the address away from an account; its new name, which is nobody's address.

    Its password still lets in under that name, so that no organization loses its administrator.
    """
    _end_everything(work, user)
    name, _, host = user.email.partition("@")
    # Not to be foreseen: an account that has the name already would be in the way.
    rest = f"+{secrets.token_hex(8)}@{host}{NOBODYS}"[-LONGEST:]
    user.email = f"{name[: max(1, LONGEST - len(rest))]}{rest}"
    user.address_proof = user.address_proved_at = None
    work.session.flush()
    return user.email


def _end_everything(work: Work, user: User) -> None:
    """Have it in the log of every organization that the account belongs to, or made trust a CI."""
    note_ended_trusts(work, repository.end_everything(work.session, user))
    work.audit.also_in |= {
        one.organization_id for one in repository.memberships_of(work.session, user.id)
    }


def _note_proof(user: User) -> None:
    user.address_proof, user.address_proved_at = AddressProof.PROVIDER, now()

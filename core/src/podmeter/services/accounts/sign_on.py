"""Letting in somebody whom the provider knows: their account, and what their groups may do.

An account is known by the provider's own name for it, never by an address alone: `linking` says
which account somebody gets who signs on for the first time. What its groups give is followed at
each sign-on, in the one organization that the provider is for.
"""

import uuid
from dataclasses import dataclass

from sqlalchemy import Text, cast, or_, select

from podmeter.db.models import Membership, Organization, Role, User, Via
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.repositories.members import MemberRepository
from podmeter.domain.messages import say
from podmeter.services.accounts import linking
from podmeter.services.accounts.linking import Wish
from podmeter.services.accounts.login import Browser, enter
from podmeter.services.accounts.password_logins import PasswordLogins
from podmeter.services.accounts.principal import Principal
from podmeter.services.audit.context import Detail
from podmeter.services.sign_on.configuration import Configuration
from podmeter.services.sign_on.errors import SignOnRefusedError
from podmeter.services.sign_on.identity import Identity
from podmeter.services.work import Work

NOTHING_BESIDES = Wish()


@dataclass(frozen=True)
class Rules:
    """What the settings say of who signs on."""

    configuration: Configuration
    passwords: PasswordLogins
    session_hours: int


def sign_on(
    work: Work,
    found: Identity | SignOnRefusedError,
    rules: Rules,
    browser: Browser,
    wish: Wish = NOTHING_BESIDES,
) -> tuple[Principal, str]:
    """A new session of whom the provider let in; the principal, and the token for the cookie.

    Whom the groups let in no more loses the membership, with its sessions and tokens, though
    the sign-on is refused then: what was done stands in the session of `work`.

    Raises SignOnRefusedError, also the one in `found`.
    """
    configuration = rules.configuration
    work.audit.via = Via.PROVIDER
    organization_id = _organization(work, configuration.organization)
    work.audit.organization_id = organization_id
    if isinstance(found, SignOnRefusedError):
        raise found
    work.audit.who = found.email or found.subject
    accounts = AccountRepository(work.session)
    # Two browsers in which somebody signs on for the first time. Always in this order: accounts,
    # organization, user.
    accounts.lock_accounts()
    members = MemberRepository(work.session, organization_id)
    members.lock()
    role = configuration.role_of(found.groups)
    user = accounts.user_by_subject(found.issuer, found.subject)
    details: dict[str, Detail] = {}
    known = user is not None
    if user is not None and role is not None:
        details = linking.prove(work, user, found, wish)
    elif role is not None:
        linked = linking.link(work, found, members, rules.passwords, wish)
        user, details = linked.user, linked.details
    if user is None:
        raise SignOnRefusedError(say("sign_on_no_group"))
    work.audit.user_id, work.audit.who = user.id, user.email
    if user.disabled_at is not None:
        raise SignOnRefusedError(say("sign_on_deactivated"))
    refusal = _follow(work, members, user, role)
    work.audit.details |= details
    # Anyone who had the account before may have been in organizations of their own, by any name.
    there = members.get(user.id) if refusal is None else None
    membership = accounts.latest_membership(user.id) if known else there
    if membership is None:
        raise refusal or SignOnRefusedError(say("sign_on_no_group"))
    if role is None:
        # Let in by a membership that was kept, or elsewhere.
        work.audit.details |= linking.prove(work, user, found, wish)
    return enter(
        work, membership, rules.session_hours, browser, Via.PROVIDER, leave_url=found.leave_url
    )


def _organization(work: Work, named: str | None) -> uuid.UUID:
    """The organization that the setting names, or the installation's first."""
    query = select(Organization.id).order_by(Organization.created_at, Organization.id).limit(2)
    if named is not None:
        query = query.where(
            or_(Organization.name == named, cast(Organization.id, Text) == named.lower())
        )
    found = work.session.scalars(query).all()
    if not found or (named is not None and len(found) > 1):
        raise SignOnRefusedError(say("sign_on_organization", name=named or ""))
    return found[0]


def _follow(
    work: Work, members: MemberRepository, user: User, role: Role | None
) -> SignOnRefusedError | None:
    """Let the membership be what the groups give; the refusal where they give none.

    The last administrator stays one, and whom an administrator deactivated stays so.
    """
    member = members.get(user.id)
    before = member.role if member else None
    if member is None:
        work.audit.to("member", user.id, user.email, role=role)
        if role is None:
            return SignOnRefusedError(say("sign_on_no_group"))
        work.session.add(
            Membership(
                organization_id=members.organization_id, user_id=user.id, role=role, version=1
            )
        )
        work.session.flush()
        return None
    kept = before is Role.ADMIN and role is not Role.ADMIN and not members.other_admin(user.id)
    changed = {} if before is role else {"before": before, "last_admin_kept": kept}
    work.audit.to("member", user.id, user.email, role=before if kept else role, **changed)
    if member.deactivated_at is not None:
        return SignOnRefusedError(say("sign_on_deactivated"))
    if kept or before is role:
        return None
    if role is None:
        members.revoke_access(user.id)
        work.session.delete(member)
        work.session.flush()
        return SignOnRefusedError(say("sign_on_no_group"))
    member.role = role
    member.version += 1
    work.session.flush()
    return None

"""API tokens: made by a person, shown once, never stronger than anyone who made them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from podmeter.db.base import now
from podmeter.db.models import ApiToken, Role, User
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories import members
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.scopes import restrict_session
from podmeter.domain.api_tokens import (
    hash_api_token,
    hint,
    is_well_formed,
    make_api_token,
)
from podmeter.domain.messages import say
from podmeter.services.accounts.active_principals import lock_user as hold_account
from podmeter.services.accounts.principal import Principal
from podmeter.services.audit.context import Detail
from podmeter.services.clusters import registry
from podmeter.services.errors import AuthenticationError, NotFoundError, RoleError
from podmeter.services.experiments import library
from podmeter.services.work import Work

#: The id of the token that the operator declares (PODMETER_FIRST_TOKEN): there is at most one.
FIRST_TOKEN = uuid.UUID("3f7ab9c7-3243-49a4-8241-cce5aff28c79")
#: Noting each use would write on every request.
_TOUCH_AFTER = timedelta(minutes=1)


@dataclass(frozen=True)
class TokenScope:
    """All that a token reaches, where it is held to one thing."""

    cluster_id: uuid.UUID | None = None
    experiment_id: uuid.UUID | None = None


EVERYTHING = TokenScope()


def mint(
    work: Work,
    principal: Principal,
    name: str,
    role: Role,
    days: int,
    held_to: TokenScope = EVERYTHING,
) -> tuple[ApiToken, str]:
    """A new token that lasts `days` and may do at most what `role` may; row and secret.

    Raises:
        RoleError: the principal is a token itself, or has a lesser role.
        NotFoundError: the cluster or experiment that limits it does not exist.
    """
    if principal.token_id is not None:
        raise RoleError(say("token_makes_token"))
    principal.require(role)
    user = hold_account(work, principal)
    return _made(work, principal, user, name, role, days, held_to)


def mint_by_command(
    work: Work, principal: Principal, name: str, role: Role, days: int
) -> tuple[ApiToken, str]:
    """A new token of an administrator's, by anyone who runs the installation: row and secret."""
    user = AccountRepository(work.session).user(principal.user_id)
    work.audit.organization_id = principal.organization_id
    return _made(work, principal, user, name, role, days, EVERYTHING)


def _made(
    work: Work,
    principal: Principal,
    user: User,
    name: str,
    role: Role,
    days: int,
    held_to: TokenScope,
) -> tuple[ApiToken, str]:
    named = _named(work, principal, held_to)
    secret = make_api_token()
    moment = now()
    row = ApiToken(
        organization_id=principal.organization_id,
        user_id=principal.user_id,
        name=name,
        hint=hint(secret),
        token_hash=hash_api_token(secret),
        role=role,
        cluster_id=held_to.cluster_id,
        experiment_id=held_to.experiment_id,
        created_at=moment,
        expires_at=moment + timedelta(days=days),
    )
    row.user = user
    AccountRepository(work.session).add(row)
    work.audit.to("token", row.id, name, role=role, days=days, **named)
    return row, secret


def _named(work: Work, principal: Principal, held_to: TokenScope) -> dict[str, str]:
    if held_to.cluster_id is not None:
        return {"cluster": registry.get(work, principal, held_to.cluster_id).name}
    if held_to.experiment_id is not None:
        return {"experiment": library.get(work, principal, held_to.experiment_id).name}
    return {}


def authenticate(work: Work, secret: str) -> Principal:
    """Anyone who made the token, with the lesser role of the two. Raises AuthenticationError.

    The session finds nothing from then on that the token does not reach.
    """
    accounts = AccountRepository(work.session)
    # The checksum detects a mistyped token without a database query.
    known = accounts.api_token(hash_api_token(secret)) if is_well_formed(secret) else None
    if known is None or known.disabled_at is not None:
        raise AuthenticationError(say("token_unknown"))
    moment = now()
    if known.last_used_at is None or known.last_used_at < moment - _TOUCH_AFTER:
        work.afterwards.append(
            lambda session: AccountRepository(session).touch_token(known.id, moment)
        )
    if known.scope is not None:
        restrict_session(work.session, known.scope)
    return Principal(
        user_id=known.user_id,
        email=known.email,
        organization_id=known.organization_id,
        organization=known.organization,
        role=known.effective_role,
        of_provider=known.of_provider,
        token_id=known.id,
        token_name=known.token_name,
        scope=known.scope,
        expires_at=known.expires_at,
    )


def page(
    work: Work, principal: Principal, request: PageRequest, *, everyones: bool = False
) -> Page[ApiToken]:
    """The principal's own tokens, newest first; or all of the organization, for who administers it.

    Raises RoleError.
    """
    if everyones:
        principal.require(Role.ADMIN)
    accounts = AccountRepository(work.session)
    whose = None if everyones else principal.user_id
    return accounts.api_tokens(principal.organization_id, whose, request)


def revoke(work: Work, principal: Principal, token_id: uuid.UUID) -> None:
    """Revoke a token: for people who logged in one of their own, or as an administrator anybody's;
    for a token itself. Raises NotFoundError.
    """
    accounts = AccountRepository(work.session)
    found = accounts.api_token_of(principal.organization_id, token_id)
    if found is None or not _may_revoke(principal, found):
        raise NotFoundError("token")
    work.audit.to("token", found.id, found.name, of=found.user.email)
    if found.id == FIRST_TOKEN:
        # Its secret is still declared: without the row, the next upgrade would register it again.
        found.expires_at = now()
    else:
        accounts.delete_api_token(found)


def _may_revoke(principal: Principal, found: ApiToken) -> bool:
    if principal.session_id is None:
        # What leaked must not take other tokens away.
        return found.id == principal.token_id
    return found.user_id == principal.user_id or principal.role is Role.ADMIN


def revoke_all(work: Work, user_id: uuid.UUID) -> dict[str, Detail]:
    """Revoke the API tokens of a user, and end the CI trusts that they saved, in all organizations.

    Anyone who had the password may have made some. What the audit log says of that; the log of each
    organization whose CI is trusted no more names its trusts besides.
    """
    revoked = members.revoke_tokens(work.session, user_id)
    note_ended_trusts(work, members.delete_ci_trusts(work.session, user_id))
    return {"revoked_tokens": revoked}


def note_ended_trusts(work: Work, ended: Mapping[uuid.UUID, Sequence[str]]) -> None:
    """Have the log of each organization name its CI trusts that ended, and no other's."""
    for organization_id, names in ended.items():
        work.audit.note_in(organization_id, ended_ci_trusts=sorted(names))

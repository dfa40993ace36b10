"""API tokens: made by a person, shown once, never stronger than whoever made them."""

import uuid
from datetime import timedelta

from podmeter.credentials.api_tokens import (
    hash_api_token,
    hint,
    is_well_formed,
    make_api_token,
)
from podmeter.db.base import now
from podmeter.db.models import ApiToken, Role
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError, NotFoundError, RoleError
from podmeter.services.work import Work

#: Noting each use would write on every request.
_TOUCH_AFTER = timedelta(minutes=1)


def mint(
    work: Work, principal: Principal, name: str, role: Role, days: int
) -> tuple[ApiToken, str]:
    """A new token that lasts `days` and may do at most what `role` may; row and secret.

    Raises:
        RoleError: the principal is a token itself, or has a lesser role.
    """
    if principal.token_id is not None:
        raise RoleError(say("token_makes_token"))
    principal.require(role)
    secret = make_api_token()
    moment = now()
    row = ApiToken(
        organization_id=principal.organization_id,
        user_id=principal.user_id,
        name=name,
        hint=hint(secret),
        token_hash=hash_api_token(secret),
        role=role,
        created_at=moment,
        expires_at=moment + timedelta(days=days),
    )
    AccountRepository(work.session).add(row)
    work.act.to("token", row.id, name, role=role, days=days)
    return row, secret


def authenticate(work: Work, secret: str) -> Principal:
    """Whoever made the token, with the lesser role of the two. Raises AuthenticationError."""
    accounts = AccountRepository(work.session)
    # A mistyped token is told by its checksum, without asking the database.
    known = accounts.api_token(hash_api_token(secret)) if is_well_formed(secret) else None
    if known is None or known.disabled_at is not None:
        raise AuthenticationError(say("token_unknown"))
    moment = now()
    if known.last_used_at is None or known.last_used_at < moment - _TOUCH_AFTER:
        accounts.touch_token(known.id, moment)
    return Principal(
        user_id=known.user_id,
        email=known.email,
        organization_id=known.organization_id,
        organization=known.organization,
        role=min(known.role, known.most_role or known.role, key=lambda role: role.rank),
        token_id=known.id,
        token_name=known.token_name,
        expires_at=known.expires_at,
    )


def page(work: Work, principal: Principal, request: PageRequest) -> Page[ApiToken]:
    """The principal's own tokens, newest first."""
    accounts = AccountRepository(work.session)
    return accounts.api_tokens(principal.organization_id, principal.user_id, request)


def revoke(work: Work, principal: Principal, token_id: uuid.UUID) -> None:
    """Revoke one of the principal's own tokens. Raises NotFoundError."""
    accounts = AccountRepository(work.session)
    if not accounts.delete_api_token(principal.organization_id, principal.user_id, token_id):
        raise NotFoundError("token")

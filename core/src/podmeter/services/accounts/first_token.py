"""The token that an installation's operator declares, for installations without a browser."""

from datetime import timedelta

from podmeter.db.base import now
from podmeter.db.models import ApiToken, Role
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.domain.api_tokens import hash_api_token, hint
from podmeter.services.accounts.principal import Principal
from podmeter.services.accounts.tokens import FIRST_TOKEN
from podmeter.services.work import Work

NAME = "first token"


def ensure_first_token(
    work: Work, principal: Principal | None, secret: str | None, role: Role, days: int
) -> None:
    """Make the declared token valid, and the previously declared token invalid.

    A token that is registered already keeps its expiry date, and a revoked one stays revoked:
    only another secret makes another token. Without an administrator there is none to act for.
    Raises IntegrityError where the secret is another token's.
    """
    accounts = AccountRepository(work.session)
    accounts.lock_accounts()
    known = accounts.token_by_id(FIRST_TOKEN)
    token_hash = None if secret is None else hash_api_token(secret)
    if known is not None and known.token_hash == token_hash:
        if known.role is not role:
            known.role = role
            work.audit.organization_id = known.organization_id
            work.audit.to("token", known.id, known.name, role=role)
        return
    if known is not None:
        work.audit.organization_id = known.organization_id
        work.audit.to("token", known.id, known.name, revoked=True)
        accounts.delete_api_token(known)
    if principal is None or secret is None or token_hash is None:
        return
    moment = now()
    row = ApiToken(
        id=FIRST_TOKEN,
        organization_id=principal.organization_id,
        user_id=principal.user_id,
        name=NAME,
        hint=hint(secret),
        token_hash=token_hash,
        role=role,
        created_at=moment,
        expires_at=moment + timedelta(days=days),
    )
    accounts.add(row)
    work.audit.organization_id = principal.organization_id
    work.audit.to("token", row.id, row.name, role=role, days=days, replaced=known is not None)

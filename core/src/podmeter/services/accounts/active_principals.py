"""Whether somebody who was let in is still to be: for what continues after its request was let
in.
"""

import uuid
from collections.abc import Iterable

from podmeter.db.models import ApiToken, LoginSession, User
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError
from podmeter.services.work import Work


def active_principals(work: Work, principals: Iterable[Principal]) -> set[Principal]:
    """Those who are still let in, asked for all of them together.

    Not so once the session ended or acts in another organization, the token was revoked, or the
    user is no member any more.
    """
    requested = set(principals)
    accounts = AccountRepository(work.session)
    sessions = accounts.active(
        LoginSession, [one.session_id for one in requested if one.session_id is not None]
    )
    tokens = accounts.active(
        ApiToken, [one.token_id for one in requested if one.token_id is not None]
    )
    return {
        one
        for one in requested
        if (one.session_id, one.organization_id) in sessions
        or (one.token_id, one.organization_id) in tokens
    }


def lock_user(work: Work, principal: Principal, *others: uuid.UUID) -> User:
    """The principal's user, locked: anyone who was let in still is, until the commit.

    For what outlives the request: a token that is made while the account is linked, or while its
    password is changed, would otherwise stay. `others` are users whom it is made for, who are
    locked as well. Raises AuthenticationError.
    """
    accounts = AccountRepository(work.session)
    # In the order of their ids: of two who lock each other both would wait.
    locked = {one: accounts.user(one) for one in sorted({principal.user_id, *others})}
    if principal not in active_principals(work, [principal]):
        raise AuthenticationError(say("session_ended"))
    return locked[principal.user_id]

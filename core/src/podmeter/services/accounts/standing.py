"""Whether somebody who was let in is still to be: for what goes on after its request was let in."""

from podmeter.db.models import ApiToken, LoginSession, User
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError
from podmeter.services.work import Work


def stands(work: Work, principal: Principal) -> bool:
    """False once the session ended or acts in another organization, the token was revoked, or the
    user is no member any more.
    """
    accounts, where = AccountRepository(work.session), principal.organization_id
    if principal.session_id is not None:
        return accounts.stands(LoginSession, principal.session_id, where)
    return principal.token_id is not None and accounts.stands(ApiToken, principal.token_id, where)


def hold(work: Work, principal: Principal) -> User:
    """The principal's user, locked: whoever was let in still is, until the commit.

    For what outlives the request: a token that is made while the account is linked, or while its
    password is changed, would otherwise stay. Raises AuthenticationError.
    """
    user = AccountRepository(work.session).user(principal.user_id)
    if not stands(work, principal):
        raise AuthenticationError(say("session_ended"))
    return user

"""Single sign-on: what there is, to begin it, and to finish it with what the provider answered."""

from fastapi import APIRouter, Depends, Request, Response

from podmeter.services.accounts import login
from podmeter.services.accounts.linking import Wish
from podmeter.services.accounts.sign_on import Rules, sign_on
from podmeter.services.audit.record import record_refused_sign_on
from podmeter.services.sign_on.errors import SignOnRefusedError
from podmeter.services.work import Work
from podmeter_api.audited import CHANGES_NOTHING, operation_of, origin_of, refusals_of
from podmeter_api.me.schemas import Me
from podmeter_api.problems import may
from podmeter_api.security import COOKIE, browser_of, csrf_token, set_session
from podmeter_api.sign_on.provider import AnsweredDep, Begun, own_origin
from podmeter_api.sign_on.schemas import BegunSignOn, SignedOn, SignOnOffer
from podmeter_api.state import StateDep
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/auth/sign-on", tags=["accounts"])


@router.get("", operation_id="get_sign_on")
async def get_sign_on(state: StateDep) -> SignOnOffer:
    """Whether a single sign-on provider lets people in, and nothing else does."""
    return SignOnOffer(
        name=state.sign_on.configuration.name if state.sign_on else None,
        only=state.settings.oidc_only,
    )


@router.post(
    "/start",
    operation_id="start_sign_on",
    openapi_extra=CHANGES_NOTHING,
    responses=may(403, 409, 502),
    dependencies=[Depends(own_origin)],
)
async def start_sign_on(location: Begun) -> BegunSignOn:
    """Begin to sign on: the browser keeps in a cookie what it began, and goes where it is said.

    The provider sends it back to the page /sign-on, which hands its answer to the next operation.
    """
    return BegunSignOn(location=location)


@router.post(
    "/finish",
    operation_id="finish_sign_on",
    responses=may(401, 403, 409, 429, 502),
    dependencies=[Depends(own_origin)],
)
def finish_sign_on(
    answered: AnsweredDep, request: Request, response: Response, work: WorkDep, state: StateDep
) -> SignedOn:
    """Start a session with what the provider answered, in the browser that began, once.

    Who signs on for the first time gets an account, and becomes a member if a group of theirs
    gives a role; the role follows the groups. The provider must have verified the address. An
    account that is there already becomes the provider's only if its address was proved, or if the
    browser is logged in to it: then all its other sessions, API tokens, CI trusts and links end.
    """
    assert state.sign_on is not None  # noqa: S101 (else there were no answer)
    rules = Rules(state.sign_on.configuration, state.password_logins, state.settings.session_hours)
    session_token = request.cookies.get(COOKIE)
    logged_in = login.session_user(work, session_token) if session_token else None
    wish = Wish(logged_in, answered.new_account)
    try:
        principal, token = sign_on(work, answered.found, rules, browser_of(request), wish)
    except SignOnRefusedError:
        _note_refused(work, request)
        raise
    set_session(request, response, token, state.settings)
    me = Me.of(principal, csrf_token(token, principal.organization_id))
    return SignedOn(me=me, next=answered.way_back)


def _note_refused(work: Work, request: Request) -> None:
    operation = operation_of(request.scope["route"])
    record_refused_sign_on(work, operation, origin_of(request), refusals_of(request))

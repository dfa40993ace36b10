"""/ci-trusts, for administrators; /auth/ci, for jobs."""

import uuid
from http import HTTPStatus

from fastapi import APIRouter, Request, Response

from podmeter.services.audit.record import record_refused_sign_on
from podmeter.services.ci import admission, trusts
from podmeter.services.ci.errors import CiRefusedError
from podmeter_api.audited import operation_of, origin_of, refusals_of
from podmeter_api.ci.schemas import CiTrustView, JobToken, NewCiTrust
from podmeter_api.ci.verified import Refused, VerifiedDep
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.security import Admin
from podmeter_api.state import AppState, StateDep
from podmeter_api.unit_of_work import WorkDep
from podmeter_api.versions import IfMatch, etag

router = APIRouter(tags=["accounts"], route_class=IdempotentRoute)


@router.get("/ci-trusts", operation_id="list_ci_trusts", responses=may(403))
def list_ci_trusts(principal: Admin, work: WorkDep, page: PageDep) -> ListOf[CiTrustView]:
    """Whose jobs are let in without a stored secret, newest first."""
    return listed(trusts.page(work, principal, page), CiTrustView.of)


@router.post(
    "/ci-trusts",
    operation_id="create_ci_trust",
    status_code=HTTPStatus.CREATED,
    responses=may(404),
    dependencies=[Idempotent],
)
def create_ci_trust(
    body: NewCiTrust, principal: Admin, work: WorkDep, state: StateDep, response: Response
) -> CiTrustView:
    """Let jobs in by the tokens of an issuer. For people who logged in, not for tokens."""
    row = trusts.create(work, principal, body.terms(_own_address(state)))
    response.headers["ETag"] = etag(row.version)
    return CiTrustView.of(row)


@router.put("/ci-trusts/{trust_id}", operation_id="replace_ci_trust")
def replace_ci_trust(
    trust_id: uuid.UUID,
    body: NewCiTrust,
    principal: Admin,
    work: WorkDep,
    state: StateDep,
    version: IfMatch,
    response: Response,
) -> CiTrustView:
    """Change whose jobs are let in, and to what; they act as who changes it from now on."""
    terms = body.terms(_own_address(state))
    row = trusts.replace(work, principal, trust_id, terms, version)
    response.headers["ETag"] = etag(row.version)
    return CiTrustView.of(row)


@router.delete(
    "/ci-trusts/{trust_id}", operation_id="delete_ci_trust", status_code=HTTPStatus.NO_CONTENT
)
def delete_ci_trust(trust_id: uuid.UUID, principal: Admin, work: WorkDep, version: IfMatch) -> None:
    """Let no more jobs in; what they were given ends at once."""
    trusts.delete(work, principal, trust_id, version)


@router.post(
    "/auth/ci",
    operation_id="exchange_ci_token",
    status_code=HTTPStatus.CREATED,
    responses=may(401, 429, 502),
)
def exchange_ci_token(verified: VerifiedDep, request: Request, work: WorkDep) -> JobToken:
    """Exchange the token that a CI gave a job for one that lasts 15 min.

    It reaches the experiments of the trust, and their runs. A token that was taken may be exchanged
    again until it expires.
    """
    try:
        if isinstance(verified, Refused):
            admission.note(work, verified.asked)
            raise verified.error
        return JobToken.of(*admission.admit(work, verified))
    except CiRefusedError:
        operation = operation_of(request.scope["route"])
        record_refused_sign_on(work, operation, origin_of(request), refusals_of(request))
        raise


def _own_address(state: AppState) -> str:
    return state.settings.public_url.rstrip("/")

"""/organizations and /organization: create one; the caller's current organization."""

from http import HTTPStatus

from fastapi import APIRouter, Response

from podmeter.db.models import Organization
from podmeter.services.accounts import organizations
from podmeter.services.quotas import quota_usages
from podmeter.services.work import Work
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.organizations.schemas import NewOrganization, OrganizationView
from podmeter_api.problems import may
from podmeter_api.security import Admin, Viewer
from podmeter_api.state import AppState, StateDep
from podmeter_api.unit_of_work import WorkDep
from podmeter_api.versions import IfMatch, etag

router = APIRouter(tags=["accounts"], route_class=IdempotentRoute)


@router.post(
    "/organizations",
    operation_id="create_organization",
    status_code=HTTPStatus.CREATED,
    dependencies=[Idempotent],
    responses=may(409),
)
def create_organization(
    body: NewOrganization, principal: Admin, work: WorkDep, state: StateDep, response: Response
) -> OrganizationView:
    """Make an organization, which the caller administers. The session stays where it is.

    For administrators of their current organization.
    """
    return _shown(
        work, organizations.create(work, principal, body.name, _reserved(state)), response
    )


@router.get("/organization", operation_id="get_organization")
def get_organization(principal: Viewer, work: WorkDep, response: Response) -> OrganizationView:
    """The organization that the caller acts in, and how much of what it may have is used."""
    return _shown(work, organizations.get(work, principal), response)


@router.patch("/organization", operation_id="update_organization", responses=may(409))
def update_organization(
    body: NewOrganization,
    principal: Admin,
    work: WorkDep,
    version: IfMatch,
    state: StateDep,
    response: Response,
) -> OrganizationView:
    """Name the organization again."""
    reserved = _reserved(state)
    row = organizations.rename(work, principal, body.name, version, reserved)
    return _shown(work, row, response)


def _reserved(state: AppState) -> str | None:
    """The name that single sign-on knows its organization by."""
    return state.sign_on.configuration.organization if state.sign_on else None


def _shown(work: Work, row: Organization, response: Response) -> OrganizationView:
    response.headers["ETag"] = etag(row.version)
    return OrganizationView.of(row, quota_usages(work.session, row.id, work.quotas))

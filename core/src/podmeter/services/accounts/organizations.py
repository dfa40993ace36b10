"""Organizations: made by a user, who administers them; named again by those who do."""

from podmeter.db.base import now
from podmeter.db.models import Membership, Organization, Role
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.repositories.members import MemberRepository, count_administered
from podmeter.domain.messages import say
from podmeter.services.accounts.active_principals import lock_user
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, StaleVersionError
from podmeter.services.work import Work


def create(
    work: Work, principal: Principal, name: str, reserved: str | None = None
) -> Organization:
    """A new organization that the principal administers; the session stays where it is.

    `reserved` is the name by which single sign-on knows its organization: a second one of that
    name would keep everybody out, or let them in to the wrong one.

    Raises:
        RoleError: the principal administers none yet, or is a token.
        ConflictError: they administer as many as a user may, or the name is reserved.
    """
    principal.require_person()
    principal.require(Role.ADMIN)
    if name == reserved:
        raise ConflictError(say("organization_name_reserved"))
    accounts = AccountRepository(work.session)
    lock_user(work, principal)  # locked: they make one after the other
    most = work.quotas.organizations
    if most is not None and count_administered(work.session, principal.user_id) >= most:
        raise ConflictError(say("quota_organizations", most=most))
    organization = Organization(name=name, created_at=now(), version=1)
    accounts.add(organization)
    accounts.add(
        Membership(organization_id=organization.id, user_id=principal.user_id, role=Role.ADMIN)
    )
    work.audit.organization_id = organization.id
    work.audit.to("organization", organization.id, name)
    return organization


def get(work: Work, principal: Principal) -> Organization:
    """The principal's organization."""
    return work.session.get_one(Organization, principal.organization_id)


def rename(
    work: Work,
    principal: Principal,
    name: str,
    version: int | None,
    reserved: str | None = None,
) -> Organization:
    """Name the principal's organization again.

    Raises RoleError, StaleVersionError, and ConflictError for a name that is `reserved` as in
    `create`.
    """
    principal.require_person()
    principal.require(Role.ADMIN)
    organization = MemberRepository(work.session, principal.organization_id).lock()
    if version is not None and version != organization.version:
        raise StaleVersionError("organization", organization.version)
    if name == reserved and organization.name != name and str(organization.id) != reserved.lower():
        raise ConflictError(say("organization_name_reserved"))
    work.audit.to("organization", organization.id, name, before=organization.name)
    organization.name = name
    organization.version += 1
    work.session.flush()
    return organization

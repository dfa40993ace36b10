"""Which CIs an organization trusts: made, changed and ended by its administrators."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podmeter.db.base import now
from podmeter.db.models import CiTrust, CiTrustExperiment, Role, User
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.ci import CiTrustRepository
from podmeter.services.accounts.active_principals import lock_user
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError, StaleVersionError
from podmeter.services.experiments import library
from podmeter.services.work import Work


@dataclass(frozen=True)
class Terms:
    """What a trust says; `claims` has a pattern for each claim."""

    name: str
    issuer: str
    audience: str
    claims: Mapping[str, str]
    pull_requests: bool
    role: Role
    experiment_ids: Sequence[uuid.UUID]


def create(work: Work, principal: Principal, terms: Terms) -> CiTrust:
    """Trust a CI. Raises RoleError, NotFoundError."""
    _require_admin(principal)
    user = lock_user(work, principal)
    trust = CiTrust(organization_id=principal.organization_id, created_at=now(), version=1)
    _write(work, principal, user, trust, terms)
    CiTrustRepository(work.session, principal.organization_id).add(trust)
    _note(work, trust, terms)
    return trust


def replace(
    work: Work, principal: Principal, trust_id: uuid.UUID, terms: Terms, version: int | None
) -> CiTrust:
    """Replace a trust, and end every token that was exchanged by it: its job may not be let in any
    more, or not to do as much.

    Raises RoleError, NotFoundError, StaleVersionError.
    """
    _require_admin(principal)
    # The user first, as wherever what is theirs is ended.
    user = lock_user(work, principal)
    trust = _locked(work, principal, trust_id, version)
    _write(work, principal, user, trust, terms)
    trust.version += 1
    CiTrustRepository(work.session, principal.organization_id).delete_tokens(trust)
    work.session.flush()
    _note(work, trust, terms)
    return trust


def delete(work: Work, principal: Principal, trust_id: uuid.UUID, version: int | None) -> None:
    """End a trust, and every token that was exchanged by it, at once.

    Raises RoleError, NotFoundError, StaleVersionError.
    """
    _require_admin(principal)
    trust = _locked(work, principal, trust_id, version)
    work.audit.to("ci_trust", trust.id, trust.name)
    CiTrustRepository(work.session, principal.organization_id).delete(trust)


def page(work: Work, principal: Principal, request: PageRequest) -> Page[CiTrust]:
    """Trusts, newest first. Raises RoleError."""
    principal.require(Role.ADMIN)
    return CiTrustRepository(work.session, principal.organization_id).page(request)


def _require_admin(principal: Principal) -> None:
    # Who may enter is for people: a token that trusts a CI would outlive itself.
    principal.require_person()
    principal.require(Role.ADMIN)


def _locked(work: Work, principal: Principal, trust_id: uuid.UUID, version: int | None) -> CiTrust:
    trust = CiTrustRepository(work.session, principal.organization_id).get(trust_id)
    if trust is None:
        raise NotFoundError("ci_trust")
    if version is not None and version != trust.version:
        raise StaleVersionError("ci_trust", trust.version)
    return trust


def _write(work: Work, principal: Principal, user: User, trust: CiTrust, terms: Terms) -> None:
    trust.user = user
    trust.name, trust.issuer, trust.audience = terms.name, terms.issuer, terms.audience
    trust.claims, trust.pull_requests = dict(terms.claims), terms.pull_requests
    trust.role, trust.updated_at = terms.role, now()
    kept = {one.experiment_id: one for one in trust.experiments}
    trust.experiments = [
        kept.get(one)
        or CiTrustExperiment(
            organization_id=principal.organization_id,
            experiment_id=library.get(work, principal, one).id,
        )
        for one in dict.fromkeys(terms.experiment_ids)
    ]


def _note(work: Work, trust: CiTrust, terms: Terms) -> None:
    work.audit.to(
        "ci_trust",
        trust.id,
        trust.name,
        issuer=terms.issuer,
        audience=terms.audience,
        claims=[f"{name}={pattern}" for name, pattern in sorted(terms.claims.items())],
        pull_requests=terms.pull_requests,
        role=terms.role,
        experiments=[str(one) for one in terms.experiment_ids],
    )

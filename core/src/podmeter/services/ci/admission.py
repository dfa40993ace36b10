"""A job's token is exchanged for one of Podmeter's that lasts a quarter of an hour."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import ApiToken, CiTrust, Via
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.repositories.ci import trust_of
from podmeter.db.repositories.members import MemberRepository
from podmeter.domain.api_tokens import hash_api_token, hint, make_api_token
from podmeter.domain.ci_claims import EVENT, unmatched
from podmeter.domain.messages import say
from podmeter.services.ci.errors import CiRefusedError
from podmeter.services.work import Work

LIFETIME = timedelta(minutes=15)
#: What the audit log notes of a job, where its token says it.
_NOTED = (
    *("sub", "repository", "project_path", "ref", "event_name", "pipeline_source"),
    *("run_id", "job_id"),
)


@dataclass(frozen=True)
class TrustLookup:
    """The trust that a job names, with what its token is verified against."""

    trust_id: uuid.UUID
    organization_id: uuid.UUID
    issuer: str
    audience: str


@dataclass(frozen=True)
class Job:
    """A job whose token its issuer signed, and what the token says."""

    asked: TrustLookup
    claims: Mapping[str, Any]


def find(session: Session, trust_id: uuid.UUID) -> TrustLookup | None:
    """The trust that a job names."""
    found = trust_of(session, trust_id)
    if found is None:
        return None
    return TrustLookup(found.id, found.organization_id, found.issuer, found.audience)


def admit(work: Work, job: Job) -> tuple[ApiToken, str]:
    """A token for the job, held to the trust's experiments; row and secret.

    What is noted of it is there where it is refused, too. Raises CiRefusedError.
    """
    note(work, job.asked)
    trust = trust_of(work.session, job.asked.trust_id, lock=True)
    if trust is None or (trust.issuer, trust.audience) != (job.asked.issuer, job.asked.audience):
        raise CiRefusedError(say("ci_trust_unknown"))
    noted = {name: str(job.claims[name])[:200] for name in _NOTED if name in job.claims}
    work.audit.to("ci_trust", trust.id, trust.name, role=trust.role, **noted)
    _check(trust, job.claims)
    member = MemberRepository(work.session, trust.organization_id).get(trust.user_id)
    if member is None or member.deactivated_at or member.user.disabled_at:
        raise CiRefusedError(say("ci_trust_orphaned"))
    if trust.updated_at < member.created_at:
        # What they trusted before ended with the membership.
        raise CiRefusedError(say("ci_trust_interrupted"))
    secret, moment = make_api_token(), now()
    row = ApiToken(
        organization_id=trust.organization_id,
        user_id=trust.user_id,
        name=f"CI: {job.claims['sub']}"[:200],
        hint=hint(secret),
        token_hash=hash_api_token(secret),
        role=trust.role,
        ci_trust_id=trust.id,
        created_at=moment,
        expires_at=moment + LIFETIME,
    )
    AccountRepository(work.session).add(row)
    work.audit.who, work.audit.user_id = member.user.email, trust.user_id
    work.audit.token_id, work.audit.token_name = row.id, row.name
    return row, secret


def note(work: Work, asked: TrustLookup) -> None:
    """Have the audit log say which trust was asked."""
    work.audit.via, work.audit.organization_id = Via.PROVIDER, asked.organization_id
    work.audit.to("ci_trust", asked.trust_id)


def _check(trust: CiTrust, claims: Mapping[str, Any]) -> None:
    name = unmatched(trust.claims, claims, pull_requests=trust.pull_requests)
    if name == EVENT:
        raise CiRefusedError(say("ci_event_refused"))
    if name is not None:
        value = str(claims.get(name, ""))[:200]
        raise CiRefusedError(say("ci_claim_refused", claim=name, value=value))
    if not trust.experiments:
        raise CiRefusedError(say("ci_trust_empty"))

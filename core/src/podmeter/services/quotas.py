"""How much one organization may have, and how much it has."""

import uuid
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.orm import Session

from podmeter.db.repositories.quotas import lock_organization, quota_usage
from podmeter.domain.messages import say
from podmeter.services.errors import ConflictError


class Quota(StrEnum):
    """What is limited."""

    CLUSTERS = "clusters"
    QUEUED_RUNS = "queued_runs"
    PREFLIGHTS = "preflights"


@dataclass(frozen=True)
class Quotas:
    """The most that each organization may have; None is as much as it likes.

    Of preflights those at a time are limited: more wait. `organizations` is how many a user may
    administer and still make another.
    """

    clusters: int | None = None
    queued_runs: int | None = None
    preflights: int | None = None
    organizations: int | None = None


UNLIMITED = Quotas()


@dataclass(frozen=True)
class QuotaUsage:
    """One limit and how much of it is used."""

    quota: Quota
    most: int | None
    used: int


def quota_usages(session: Session, organization_id: uuid.UUID, quotas: Quotas) -> list[QuotaUsage]:
    """Each limit of an organization."""
    return [
        QuotaUsage(quota, getattr(quotas, quota), quota_usage(session, organization_id, quota))
        for quota in Quota
    ]


def require_room(
    session: Session, organization_id: uuid.UUID, quota: Quota, quotas: Quotas
) -> None:
    """Raises ConflictError where an organization has as much as it may.

    Until the commit nobody else adds to what it has.
    """
    most: int | None = getattr(quotas, quota)
    if most is None:
        return
    lock_organization(session, organization_id)
    if quota_usage(session, organization_id, quota) >= most:
        raise ConflictError(say(_FULL[quota], most=most))


_FULL = {Quota.CLUSTERS: "quota_clusters", Quota.QUEUED_RUNS: "quota_queued_runs"}

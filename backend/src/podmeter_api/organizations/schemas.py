"""Organizations, in the API's shape."""

import uuid
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

from podmeter.db.models import Organization
from podmeter.domain.moment import Moment
from podmeter.services.quotas import Quota, QuotaUsage
from podmeter_api.fields import Name


class NewOrganization(BaseModel):
    """What an organization is called. Several may be called the same."""

    model_config = ConfigDict(extra="forbid")

    name: Name


class QuotaView(BaseModel):
    """How much of something an organization may have, and has."""

    quota: Quota
    most: int | None = Field(description="null for as much as it likes")
    used: int


class OrganizationView(BaseModel):
    """An organization, and what it may have."""

    id: uuid.UUID
    name: str
    version: int
    created_at: Moment
    quotas: list[QuotaView]

    @classmethod
    def of(cls, row: Organization, standings: Iterable[QuotaUsage]) -> "OrganizationView":
        """The row's shape."""
        return cls(
            id=row.id,
            name=row.name,
            version=row.version,
            created_at=row.created_at,
            quotas=[QuotaView.model_validate(one, from_attributes=True) for one in standings],
        )

"""Who is asking, in the API's shape."""

import uuid

from pydantic import BaseModel, Field

from podmeter.db.models import Role
from podmeter.domain.moment import Moment
from podmeter.services.accounts.principal import Principal


class Me(BaseModel):
    """The caller, their organization and the most they may do there."""

    user_id: uuid.UUID
    email: str
    organization_id: uuid.UUID
    organization: str
    role: Role
    expires_at: Moment | None = Field(description="when the session or token ends")
    csrf_token: str | None = Field(
        description="for the header X-CSRF-Token on every change; null for API tokens"
    )

    @classmethod
    def of(cls, principal: Principal, csrf_token: str | None) -> "Me":
        """The principal's shape."""
        return cls(
            user_id=principal.user_id,
            email=principal.email,
            organization_id=principal.organization_id,
            organization=principal.organization,
            role=principal.role,
            expires_at=principal.expires_at,
            csrf_token=csrf_token,
        )

"""Who is asking, in the API's shape."""

import uuid

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from podmeter.credentials.passwords import LEAST_LENGTH
from podmeter.db.models import LoginSession, Membership, Role
from podmeter.domain.moment import Moment
from podmeter.services.accounts.principal import Principal


class Me(BaseModel):
    """The caller, their organization and the most they may do there."""

    user_id: uuid.UUID
    email: str
    organization_id: uuid.UUID
    organization: str
    role: Role
    of_provider: bool = Field(
        description="whether the account is the single sign-on provider's, whose groups give the "
        "role"
    )
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
            of_provider=principal.of_provider,
            expires_at=principal.expires_at,
            csrf_token=csrf_token,
        )


class NewPassword(BaseModel):
    """The current and the new password."""

    model_config = ConfigDict(extra="forbid")

    current_password: SecretStr = Field(min_length=1, max_length=1024)
    new_password: SecretStr = Field(
        min_length=1,
        max_length=1024,
        description=f"at least {LEAST_LENGTH} characters, and not easily guessed",
    )
    keep_tokens: bool = Field(
        default=False,
        description="whether the user's API tokens and CI trusts stay; they end otherwise, in all "
        "organizations",
    )


class SessionView(BaseModel):
    """A logged-in browser. `current` is the session of this request."""

    id: uuid.UUID
    organization: str
    address: str | None = Field(description="where it was seen last; null for an old login")
    agent: str | None = Field(description="what the browser calls itself")
    created_at: Moment
    last_seen_at: Moment | None = Field(description="to the minute")
    expires_at: Moment
    current: bool

    @classmethod
    def of(cls, row: LoginSession, organization: str, *, current: bool) -> "SessionView":
        """The row's shape."""
        return cls(
            id=row.id,
            organization=organization,
            address=row.address,
            agent=row.agent,
            created_at=row.created_at,
            last_seen_at=row.last_seen_at,
            expires_at=row.expires_at,
            current=current,
        )


class SessionViews(BaseModel):
    """All of a user's sessions."""

    items: list[SessionView]


class OwnOrganization(BaseModel):
    """An organization of the user. `current` is the session's organization."""

    id: uuid.UUID
    name: str
    role: Role
    current: bool

    @classmethod
    def of(cls, row: Membership, *, current: bool) -> "OwnOrganization":
        """The row's shape."""
        return cls(
            id=row.organization_id, name=row.organization.name, role=row.role, current=current
        )


class OwnOrganizations(BaseModel):
    """All organizations that a user belongs to."""

    items: list[OwnOrganization]


class Switch(BaseModel):
    """The organization that the session is to act in."""

    model_config = ConfigDict(extra="forbid")

    organization_id: uuid.UUID

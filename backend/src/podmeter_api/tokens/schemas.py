"""API tokens, in the API's shape."""

import uuid

from pydantic import BaseModel, ConfigDict, Field, model_validator

from podmeter.db.models import ApiToken, Role
from podmeter.domain.messages import say
from podmeter.domain.moment import Moment
from podmeter_api.fields import Name


class NewToken(BaseModel):
    """What a token is for, the most it may do, and how long."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    role: Role = Role.VIEWER
    expires_in_days: int = Field(default=90, ge=1, le=365)
    cluster_id: uuid.UUID | None = Field(default=None, description="all that it reaches")
    experiment_id: uuid.UUID | None = Field(default=None, description="all that it reaches")

    @model_validator(mode="after")
    def _one_scope(self) -> "NewToken":
        if self.cluster_id is not None and self.experiment_id is not None:
            raise ValueError(say("token_two_scopes"))
        return self


class Token(BaseModel):
    """A token without its secret; `hint` is how it begins."""

    id: uuid.UUID
    user_id: uuid.UUID
    email: str = Field(description="of who made it, and whose role it cannot exceed")
    name: str
    hint: str
    role: Role
    cluster_id: uuid.UUID | None
    experiment_id: uuid.UUID | None
    ci_trust_id: uuid.UUID | None = Field(description="by which a job of a CI was given it")
    created_at: Moment
    expires_at: Moment
    last_used_at: Moment | None

    @classmethod
    def of(cls, row: ApiToken) -> "Token":
        """The row's shape."""
        values = {name: getattr(row, name) for name in cls.model_fields if name != "email"}
        return cls(**values, email=row.user.email)


class MintedToken(Token):
    """A token just made: the only answer that has its secret."""

    token: str

"""API tokens, in the API's shape."""

import uuid

from pydantic import BaseModel, ConfigDict, Field

from podmeter.db.models import ApiToken, Role
from podmeter.domain.moment import Moment
from podmeter_api.fields import Name


class NewToken(BaseModel):
    """What a token is for, the most it may do, and how long."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    role: Role = Role.VIEWER
    expires_in_days: int = Field(default=90, ge=1, le=365)


class Token(BaseModel):
    """A token without its secret; `hint` is how it begins."""

    id: uuid.UUID
    name: str
    hint: str
    role: Role
    created_at: Moment
    expires_at: Moment
    last_used_at: Moment | None

    @classmethod
    def of(cls, row: ApiToken) -> "Token":
        """The row's shape."""
        return cls.model_validate(row, from_attributes=True)


class MintedToken(Token):
    """A token just made: the only answer that has its secret."""

    token: str

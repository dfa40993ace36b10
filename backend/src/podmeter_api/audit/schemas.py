"""Entries of the audit log, in the API's shape."""

import uuid
from typing import Any

from pydantic import BaseModel, Field

from podmeter.db.models import AuditEntry, Via
from podmeter.domain.moment import Moment


class AuditEntryView(BaseModel):
    """One operation that changed something, or one login."""

    id: int
    created_at: Moment
    who: str = Field(
        description="the user's address; of a command the account and machine that gave it; empty "
        "where a login named no account"
    )
    via: Via
    user_id: uuid.UUID | None
    token_id: uuid.UUID | None
    token_name: str | None
    operation: str = Field(
        max_length=64, description="the operation's id here, or the command: `podmeter keys rotate`"
    )
    refused: bool = Field(description="a login that was not let in; other refusals leave no entry")
    object_kind: str | None = Field(description="what it was done to: cluster, run, member …")
    object_id: str | None
    object_name: str | None = Field(description="as it was called then")
    details: dict[str, Any] = Field(description="what was changed; never a secret")
    address: str | None = Field(description="the client's, as trusted proxies let it be seen")
    request_id: str | None = Field(description="X-Request-ID, which the service's log has too")

    @classmethod
    def of(cls, row: AuditEntry) -> "AuditEntryView":
        """The row's shape."""
        return cls.model_validate(row, from_attributes=True)

"""What a link shows, in the API's shape."""

from datetime import datetime

from pydantic import BaseModel

from podmeter.services.snapshots.document import SnapshotContent


class PublicSnapshot(BaseModel):
    """A frozen, redacted copy of results."""

    title: str
    created_at: datetime
    expires_at: datetime | None
    content: SnapshotContent

"""What a link shows, in the API's shape."""

from pydantic import BaseModel

from podmeter.domain.moment import Moment
from podmeter.services.snapshots.document import SnapshotContent


class PublicSnapshot(BaseModel):
    """A frozen, redacted copy of results."""

    title: str
    created_at: Moment
    expires_at: Moment | None
    content: SnapshotContent

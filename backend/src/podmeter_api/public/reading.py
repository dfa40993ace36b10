"""Reading a snapshot by its link: the same answer for unknown, revoked and expired ones."""

from http import HTTPStatus

from podmeter.db.models import Snapshot
from podmeter.domain.messages import say
from podmeter.domain.stored import StoredDocumentError
from podmeter.services.errors import NotFoundError
from podmeter.services.snapshots import shares
from podmeter.services.snapshots.document import SnapshotContent
from podmeter.services.work import Work
from podmeter_api.errors import HttpProblemError

#: Nobody indexes, keeps or passes on what a link shows, errors included.
HEADERS = {
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
}


def shown(work: Work, token: str) -> tuple[Snapshot, SnapshotContent]:
    """The snapshot behind a token. Raises HttpProblemError."""
    try:
        return shares.read(work, token)
    except NotFoundError as error:
        raise HttpProblemError(
            HTTPStatus.NOT_FOUND,
            error.code,
            say("snapshot_gone"),
            headers=HEADERS,
        ) from error
    except StoredDocumentError as error:
        raise HttpProblemError(
            HTTPStatus.CONFLICT, error.code, error.said, headers=HEADERS, document=error.document
        ) from error

"""The picture that link previews show: drawn by the browser of anyone who shares, checked here."""

import uuid

from podmeter.db.models import Role
from podmeter.db.repositories.sharing import SnapshotRepository
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.messages import say
from podmeter.domain.problems import Problem
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError
from podmeter.services.work import Work

#: As link previews want it, in pixels; and how large a PNG of it may be, in bytes.
WIDTH, HEIGHT = 1200, 630
MOST_BYTES = 256 * 1024
#: How a PNG of that size begins: its signature, then the header chunk with width and height.
_BEGINNING = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + WIDTH.to_bytes(4, "big") + HEIGHT.to_bytes(4, "big")
)


class InvalidPictureError(InvalidSpecError):
    """What was given is no picture of a link."""

    code = "invalid_picture"


def keep(work: Work, principal: Principal, snapshot_id: uuid.UUID, png: bytes) -> None:
    """Show the picture beside a snapshot's link, instead of one from before.

    Raises RoleError, InvalidPictureError, and NotFoundError, also for a revoked one.
    """
    principal.require(Role.OPERATOR)
    if len(png) > MOST_BYTES or not png.startswith(_BEGINNING):
        text = say("picture_invalid", width=WIDTH, height=HEIGHT, most=MOST_BYTES // 1024)
        raise InvalidPictureError([Problem("/png", text)])
    row = SnapshotRepository(work.session, principal.organization_id).get(snapshot_id)
    if row is None or row.revoked_at is not None:
        raise NotFoundError("snapshot")
    work.audit.to("snapshot", row.id, row.title)
    row.picture = png

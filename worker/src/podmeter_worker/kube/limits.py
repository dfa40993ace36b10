"""Limits for responses of an API server, which may be broken or hostile."""

from __future__ import annotations

from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiUnavailableError

#: The longest answer: a page of 250 nodes with all their images takes some 8 MB.
LARGEST_BYTES = 16 << 20
#: Objects on a page of a list.
PAGE = 250
#: Limits of a list that is kept whole, and of a list read page by page.
KEPT_BYTES, PASSED_BYTES = 64 << 20, 256 << 20
#: Status line and headers, and what chunks add to a body.
HEAD_BYTES = 512 << 10
#: Names and values in an answer: an empty one takes three bytes there, and a hundred here.
MOST_VALUES = 500_000
#: One message of an exec connection: the API server passes on 32 KiB at a time.
MESSAGE_BYTES = 1 << 20
#: What a cluster says about something ends up in logs and pages.
SAID_CHARACTERS = 2000


def clipped(said: object) -> str:
    """What an API server said, on one line and not too long."""
    return " ".join(str(said)[: 2 * SAID_CHARACTERS].split())[:SAID_CHARACTERS]


class Meter:
    """Counts what may still come in several answers together."""

    def __init__(self, most_bytes: int) -> None:
        self._left = most_bytes

    def count(self, more: int) -> None:
        """Note that so many bytes came. Raises ApiUnavailableError for one too many."""
        self._left -= more
        if self._left < 0:
            raise ApiUnavailableError(say("api_too_long"))

"""Digests of finished runs, made while nobody waits for them."""

import logging
import time
from threading import Event

from sqlalchemy.exc import SQLAlchemyError

from podmeter.db.session import Sessions
from podmeter.services.run_aggregates.precompute import AggregatePrecompute

logger = logging.getLogger(__name__)

#: How often runs that ended are looked for, in seconds.
_LOOK_SECONDS = 5.0
#: It rests so many times as long as it worked: requests of this process wait for it else.
_REST = 3.0


def make_digests(sessions: Sessions, over: Event) -> None:
    """Make digests of runs as they end, until it is over."""
    ahead = AggregatePrecompute(sessions)
    pause = 0.0
    while not over.wait(pause):
        begun = time.monotonic()
        try:
            made = ahead.make_one()
        except SQLAlchemyError as error:
            logger.info("no digests are made ahead: %s", error)
            made = False
        pause = _REST * (time.monotonic() - begun) if made else _LOOK_SECONDS

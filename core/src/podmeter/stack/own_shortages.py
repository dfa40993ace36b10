"""What a process itself runs out of, without anybody else's help.

Redis takes no report while it refuses writes, which is when a full disk matters most. So a process
logs what begins and ends, and the API shows its own shortages without asking Redis.
"""

from __future__ import annotations

import logging
from pathlib import Path

from podmeter.stack import shortages
from podmeter.stack.shortages import Resource, Shortage

logger = logging.getLogger(__name__)


class OwnShortages:
    """Looks, and logs each change. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where the process writes."""
        self._folder = folder
        self._latest: set[Resource] = set()

    def look(self) -> list[Shortage]:
        """What is short now."""
        found = list(shortages.of_process(self._folder))
        before, self._latest = self._latest, {one.resource for one in found}
        for one in found:
            if one.resource not in before:
                logger.warning("this process runs out of %s: %s", one.resource, one.said)
        for resource in sorted(before - self._latest):
            logger.info("this process has enough of %s again", resource)
        return found

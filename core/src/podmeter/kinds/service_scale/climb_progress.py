"""Lines of the log that say how far a long climb or a long removal has got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.ports import LogLevel

if TYPE_CHECKING:
    from podmeter.domain.messages import Message
    from podmeter.domain.ports import Lab

#: Between two lines, and before the first: what is short says nothing.
_SECONDS_BETWEEN = 10.0


class _Lines:
    """Of the log, a few of those that there could be."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._logged = lab.monotonic()

    def log(self, line: Message) -> None:
        """Log a line if it is time for one."""
        now = self._lab.monotonic()
        if now - self._logged >= _SECONDS_BETWEEN:
            self._logged = now
            self._lab.log(LogLevel.INFO, line)


class ClimbProgress:
    """Of one climb to a rung of `height` Service ports on so many `nodes`."""

    def __init__(self, lab: Lab, height: int, nodes: int) -> None:
        self._lines, self._height, self._nodes = _Lines(lab), height, nodes

    def created(self, ports: int) -> None:
        """So many Service ports exist; no kernel can hold the rung before all of them do."""
        self._log(ports, 0)

    def in_kernels(self, nodes: int) -> None:
        """All Service ports exist, and the kernels of so many nodes hold them."""
        self._log(self._height, nodes)

    def _log(self, ports: int, nodes: int) -> None:
        self._lines.log(
            say(
                "service_ports_created",
                ports=f"{ports:,}",
                planned=f"{self._height:,}",
                nodes=nodes,
                all_nodes=self._nodes,
            )
        )


class RemovalProgress:
    """Of removing so many Services."""

    def __init__(self, lab: Lab, services: int) -> None:
        self._lines, self._services = _Lines(lab), services

    def removed(self, count: int) -> None:
        """So many are gone."""
        left = f"{self._services - count:,}"
        self._lines.log(say("services_left", left=left, all=f"{self._services:,}"))

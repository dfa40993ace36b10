"""Lines of the log that say how far a long climb has got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.ports import LogLevel

if TYPE_CHECKING:
    from podmeter.domain.ports import Lab

#: Between two lines, and before the first: short climbs say nothing.
_SECONDS_BETWEEN = 10.0


class ClimbProgress:
    """Of one climb to a rung of `height` Service ports on so many `nodes`."""

    def __init__(self, lab: Lab, height: int, nodes: int) -> None:
        self._lab, self._height, self._nodes = lab, height, nodes
        self._logged = lab.monotonic()

    def created(self, ports: int) -> None:
        """So many Service ports exist; no kernel can hold the rung before all of them do."""
        self._log(ports, 0)

    def in_kernels(self, nodes: int) -> None:
        """All Service ports exist, and the kernels of so many nodes hold them."""
        self._log(self._height, nodes)

    def _log(self, ports: int, nodes: int) -> None:
        now = self._lab.monotonic()
        if now - self._logged < _SECONDS_BETWEEN:
            return
        self._logged = now
        progress = say(
            "service_ports_created",
            ports=f"{ports:,}",
            planned=f"{self._height:,}",
            nodes=nodes,
            all_nodes=self._nodes,
        )
        self._lab.log(LogLevel.INFO, progress)

"""How the Service ports of a ladder are spread over Services.

Each rung adds Services of its own, with as many ports each as the experiment asks for; a rung's
last one has what is left. So every rung has exactly its number of Service ports, and no Service
ever changes: growing one would take a right to update Services, which no registered cluster has
granted, and replacing it would make kube-proxy write one rung twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from podmeter.domain.ports import Service, ServicePort


class LadderPort(NamedTuple):
    """A Service port: what a rung counts, and what a trial asks."""

    service: Service
    port: ServicePort


@dataclass(frozen=True, slots=True)
class Layout:
    """How many ports the Services of a ladder have.

    `rungs` are numbers of Service ports, in any order. Services lead to the `backends` in turn, so
    the lowest rung has one Service for each at least.
    """

    rungs: tuple[int, ...]
    ports_per_service: int = 1
    backends: int = 1

    def port_counts(self) -> tuple[int, ...]:
        """How many ports each Service has, up to the last rung.

        The Services of a lower rung come first, so they are the beginning of what any higher rung
        has.
        """
        found: list[int] = []
        for below, rung in pairwise((0, *sorted(set(self.rungs)))):
            ports, services = rung - below, self._services(below, rung)
            if services > ceil(ports / self.ports_per_service):
                whole, rest = divmod(ports, services)
                found += [whole + (number < rest) for number in range(services)]
            else:
                found += [self.ports_per_service] * (services - 1)
                found.append(ports - (services - 1) * self.ports_per_service)
        return tuple(found)

    def service_count(self, height: int) -> int:
        """How many Services a rung has; 0 on the ground."""
        if height <= 0:
            return 0
        ascending = (0, *sorted({rung for rung in self.rungs if rung < height} | {height}))
        return sum(self._services(below, rung) for below, rung in pairwise(ascending))

    def _services(self, below: int, rung: int) -> int:
        """How many Services a rung adds to the one below."""
        needed = ceil((rung - below) / self.ports_per_service)
        return max(needed, min(self.backends, rung)) if below == 0 else needed

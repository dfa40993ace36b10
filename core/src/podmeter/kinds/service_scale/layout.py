"""How the Service ports of a ladder are spread over Services.

Each rung adds Services of its own, with as many ports each as the experiment asks for; a rung's
last one has what is left. So every rung has exactly its number of Service ports, and no Service
ever changes: growing one would take a right to update Services, which no registered cluster has
granted, and replacing it would make kube-proxy write one rung twice.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.ports import Service, ServicePort


class LadderPort(NamedTuple):
    """A Service port: what a rung counts, and what a trial asks."""

    service: Service
    port: ServicePort


def port_counts(rungs: Iterable[int], ports_per_service: int) -> tuple[int, ...]:
    """How many ports each Service of a ladder has, up to its last rung.

    `rungs` are numbers of Service ports, in any order. The Services of a lower rung come first, so
    they are the beginning of what any higher rung has.
    """
    found: list[int] = []
    for below, rung in pairwise((0, *sorted(set(rungs)))):
        whole, rest = divmod(rung - below, ports_per_service)
        found += [ports_per_service] * whole
        if rest:
            found.append(rest)
    return tuple(found)


def service_count(height: int, rungs: Iterable[int], ports_per_service: int) -> int:
    """How many Services a rung of a ladder has; 0 on the ground."""
    ascending = (0, *sorted({rung for rung in rungs if rung < height} | {height}))
    return sum(ceil((rung - below) / ports_per_service) for below, rung in pairwise(ascending))

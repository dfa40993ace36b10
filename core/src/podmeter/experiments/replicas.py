"""A Service over several servers on one node, each of which tells that it was the one asked."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.ports import Access, PodRequest
from podmeter.experiments.path_ends import PathEnds, Servers, service_over
from podmeter.experiments.paths import SERVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter.domain.ports import Lab, Place


@dataclass(frozen=True, slots=True)
class Replicas:
    """Servers behind one Service; `address` is the Service's."""

    places: tuple[Place, ...]
    address: str


@contextmanager
def set_up_replicas(lab: Lab, ends: PathEnds, servers: Servers, count: int) -> Iterator[Replicas]:
    """Start servers beside the one that is there, so many in all, and a Service over them.

    Takes away again what it made.
    """
    first = ends.places[SERVER]
    stem = f"pm-{lab.run_label}"
    requests = [
        PodRequest(f"{stem}-{SERVER}-{number}", str(first.node), Access.POD, servers.argv)
        for number in range(2, count + 1)
    ]
    with ExitStack() as stack:
        more = lab.start_pods(requests) if requests else ()
        stack.callback(lab.remove_pods, more)
        service = f"{stem}-replicas"
        stack.callback(lab.remove_services, [service])
        places = (first, *more)
        yield Replicas(places, service_over(lab, service, places, servers))

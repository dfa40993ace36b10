"""A Service over several servers on one node."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.ports import Access, PodRequest
from podmeter.experiments.path_ends import PathEnds, Servers, service_over
from podmeter.experiments.paths import CLIENT, SERVER
from podmeter.experiments.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from podmeter.domain.ports import CommandOutput, Place

#: How long a replica may take to answer, and their Service to lead there.
_REACH_SECONDS = 60.0
_ASK_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Replicas:
    """Servers behind one Service; `address` is the Service's. There may be none."""

    places: tuple[Place, ...]
    address: str

    def reach_all(
        self,
        ends: PathEnds,
        argv_to: Callable[[str], Sequence[str]],
        reached: Callable[[CommandOutput], bool],
    ) -> None:
        """Wait until each replica answers the client by itself, and then one through the Service.

        Raises ConvergenceError for one that never does.
        """
        for address in (*(place.address for place in self.places), self.address):
            if not address:
                continue

            def answers(address: str = address) -> bool:
                argv, client = argv_to(address), ends.places[CLIENT]
                return reached(ends.lab.execute(client, argv, timeout_seconds=_ASK_SECONDS))

            until(
                ends.lab,
                f"a replica answers at {address}:{ends.port}",
                answers,
                deadline_seconds=_REACH_SECONDS,
            )


@contextmanager
def set_up_replicas(ends: PathEnds, servers: Servers, count: int) -> Iterator[Replicas]:
    """Start servers beside the one that is there, so many in all, and a Service over them.

    Takes away again what it made.
    """
    lab, first = ends.lab, ends.places[SERVER]
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

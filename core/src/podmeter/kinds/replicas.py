"""Which replica of a Service answers, and a Service over several servers on one node."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from podmeter.domain.errors import VoidTrialError
from podmeter.domain.measurement import Direction, MetricDefinition, Unit
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, PodRequest
from podmeter.kinds.paths import CLIENT, SERVER
from podmeter.kinds.services import Destination, service_over
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from podmeter.domain.ports import CommandOutput, ExecTarget
    from podmeter.kinds.path_ends import PathEnds
    from podmeter.kinds.recording import Recorder
    from podmeter.kinds.services import Servers

#: How long a replica may take to answer, and their Service to lead there.
_REACH_SECONDS = 60.0
_ASK_SECONDS = 15.0
#: So many standard deviations from an even split are no chance.
_NO_CHANCE = 4.0

REPLICA_SHARE = MetricDefinition(
    name="replica_share",
    unit=Unit.RATIO,
    direction=Direction.NONE,
)
REPLICA_EXCESS = MetricDefinition(
    name="replica_excess",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    main=True,
    # Of 100 connections to two replicas chance alone gives 0.04, now and then 0.1.
    noise=0.1,
)


def record_split(recorder: Recorder, hosts: Mapping[str, str], answered: Iterable[str]) -> float:
    """Record which replica answered how many connections; the busiest one's share beyond even.

    `hosts` are the names by which the replicas answer, by their pods' names. Raises VoidTrialError
    where another name answered.
    """
    by_host = Counter(answered)
    for stranger in sorted(by_host.keys() - set(hosts.values())):
        raise VoidTrialError(say("replica_unknown", host=stranger))
    counts = {name: by_host[host] for name, host in hosts.items()}
    recorder.facts["answered"] = ", ".join(f"{name}: {count}" for name, count in counts.items())
    times, even = by_host.total(), 1 / len(counts)
    for number, count in enumerate(counts.values(), 1):
        recorder.measure(REPLICA_SHARE.name, count / times, f"replica-{number}")
    farthest = max(abs(count / times - even) for count in counts.values())
    if farthest > _NO_CHANCE * sqrt(even * (1 - even) / times):
        recorder.warnings.append(say("replicas_uneven", answered=recorder.facts["answered"]))
    return max(counts.values()) / times - even


@dataclass(frozen=True, slots=True)
class Replicas:
    """Servers behind one Service; `address` is the Service's. There may be none."""

    places: tuple[ExecTarget, ...]
    address: str
    port: int

    def reach_all(
        self,
        ends: PathEnds,
        argv_to: Callable[[Destination], Sequence[str]],
        reached: Callable[[CommandOutput], bool],
    ) -> None:
        """Wait until each replica answers the client by itself, and then one through the Service.

        Raises ConvergenceError for one that never does.
        """
        for address in (*(place.address for place in self.places), self.address):
            if not address:
                continue

            def answers(address: str = address) -> bool:
                argv = argv_to(Destination.at(address, self.port))
                client = ends.places[CLIENT]
                return reached(ends.lab.execute(client, argv, timeout_seconds=_ASK_SECONDS))

            until(
                ends.lab,
                f"a replica answers at {address}:{self.port}",
                answers,
                deadline_seconds=_REACH_SECONDS,
            )


@contextmanager
def set_up_replicas(ends: PathEnds, servers: Servers, count: int) -> Iterator[Replicas]:
    """Start more servers, up to the given number, and a Service over them.

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
        made = service_over(lab, service, places, servers)
        yield Replicas(places, made.cluster_ip, servers.port)

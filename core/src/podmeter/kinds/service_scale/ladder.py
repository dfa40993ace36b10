"""Climbing: creating only the difference, and waiting until every kernel holds it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.domain.ports import Service, ServiceBatch, ServiceType
from podmeter.drivers import curl
from podmeter.kinds.convergence import Convergence
from podmeter.kinds.service_scale.climb_progress import ClimbProgress, RemovalProgress
from podmeter.kinds.service_scale.layout import LadderPort, Layout
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from podmeter.domain.ports import ExecTarget, Lab
    from podmeter.kinds.service_scale.kernel import Kernel

#: Of a Service's first port; further ones have the numbers after it.
SERVICE_PORT = 80
#: Rest after a look whose moment is of no figure, in times of what the look took. With thousands of
#: Services it takes a slow node seconds, which kube-proxy then lacks.
_REST = 9
BACKEND_PORT = 8080
#: No rung reaches this number; the Service that `service-ready` creates has it.
_EXTRA = 99_999


@dataclass(frozen=True, slots=True)
class LadderAscent:
    """One way up: Services created with how many ports, seconds the API took, and until all of it
    worked.

    `services_before` are the run's Services that it began with, `services_total` those of the
    whole cluster at its end.
    """

    created: int
    ports: int
    services_before: int
    create_seconds: float
    convergence: Convergence
    services_total: int


class Ladder:
    """The run's Services, all of one type; its rungs are Service ports.

    They lead to the `backends` in turn. Trials ask those alone that lead to the backend of a
    number, `own`: their names all begin with `own_names`.
    """

    def __init__(
        self,
        lab: Lab,
        kernels: Sequence[Kernel],
        client: ExecTarget,
        entry: ExecTarget,
        backends: Sequence[ExecTarget],
        deadline_seconds: float,
        *,
        layout: Layout,
        own: int = 0,
        gentle: bool = False,
    ) -> None:
        """`gentle`: how long it takes is not measured, so that it is not held up by looking."""
        self._lab = lab
        self._kernels = kernels
        self._client = client
        self._entry = entry
        self._backends = backends
        self._own = own
        self._deadline = deadline_seconds
        self._gentle = gentle
        self._layout = layout
        self._port_counts = {
            self._name(number): count for number, count in enumerate(layout.port_counts())
        }
        self._names = tuple(self._port_counts)
        #: Whether any Service of the run may exist.
        self._may_exist = False
        #: Whether the kernels were seen to hold exactly `services`; not after a failed wait.
        self._settled = False
        self.type = ServiceType.CLUSTER_IP
        self.services: list[Service] = []
        #: How often Services were created or removed.
        self.moves = 0

    @property
    def ports(self) -> list[LadderPort]:
        """The Service ports that stand, those of the first Service first."""
        return [LadderPort(service, port) for service in self.services for port in service.ports]

    @property
    def own_names(self) -> str:
        """What the names of the Services that trials ask begin with."""
        return self._stem(self._own)

    @property
    def own_ports(self) -> list[LadderPort]:
        """Those that trials ask."""
        return [one for one in self.ports if one.service.name.startswith(self.own_names)]

    @property
    def first(self) -> LadderPort:
        """The first port of the first Service that trials ask."""
        return self.own_ports[0]

    @property
    def last(self) -> LadderPort:
        """The last port of the last Service that trials ask."""
        return self.own_ports[-1]

    @property
    def height(self) -> int:
        """How many Service ports stand."""
        return sum(len(service.ports) for service in self.services)

    def reach(self, type_: ServiceType, height: int) -> LadderAscent | None:
        """Stand on a rung; None if the way was not up. Raises ConvergenceError, LabError."""
        wanted = self._layout.service_count(height)
        if type_ is not self.type:
            self._descend(0)
            self.type = type_
        if len(self.services) > wanted:
            self._descend(wanted)
        if not self._settled:
            # What an earlier block left must be gone, what an earlier climb began must stand.
            self._hold(f"every kernel holds {self.height} Service ports of the run")
        if len(self.services) == wanted:
            return None
        before, stood = len(self.services), self.height
        progress = ClimbProgress(self._lab, height, len(self._places))
        begun = self._lab.monotonic()
        create_seconds = self._create(self._names[before:wanted], progress)
        accepted = self._lab.monotonic()
        wanting = self._hold(f"every kernel holds {height} Service ports", progress=progress)
        self.answers(self.last)
        took = Convergence.over(self._lab.monotonic(), begun, accepted, wanting)
        created, ports = wanted - before, self.height - stood
        total = self._checked_total()
        return LadderAscent(created, ports, before, create_seconds, took, total)

    def adopt(self, type_: ServiceType) -> None:
        """Stand where an earlier block of the run left the ladder; what does not fit is removed.

        That is a Service of another backend or with other ports, and any above a gap.
        """
        found = self._lab.existing_services(self._batch(self._names, type_))
        alike = {service.name: service for service in found.alike}
        rising = takewhile(alike.__contains__, self._names)
        self.type, self.services = type_, [alike.pop(name) for name in rising]
        self._may_exist = self._may_exist or bool(self.services)
        if unfit := [*alike, *found.others]:
            self._lab.remove_services(unfit)

    def destination(self, target: LadderPort) -> tuple[str, int]:
        """Where the client asks for a Service port: the Service's address, or the client node's."""
        if self.type is ServiceType.NODE_PORT and target.port.node_port is not None:
            return self._entry.address, target.port.node_port
        return target.service.cluster_ip, target.port.number

    def answers(self, target: LadderPort) -> float | None:
        """Wait until a Service port answers the client; seconds since it last did not, or None."""
        address, port = self.destination(target)
        url = f"http://{address}:{port}/"
        argv = curl.until_answered_argv(url, int(self._deadline) + 1)
        output = self._lab.execute(self._client, argv, timeout_seconds=self._deadline + 30)
        if output.exit_code != 0:
            name = target.service.name
            raise ToolError(say("service_silent", service=name, seconds=self._deadline))
        return curl.parse_until_answered(output)

    def _falls_silent(self, target: LadderPort) -> curl.Silence:
        """Wait until a Service port answers the client no more."""
        address, port = self.destination(target)
        argv = curl.until_silent_argv(f"http://{address}:{port}/", int(self._deadline) + 1)
        output = self._lab.execute(self._client, argv, timeout_seconds=self._deadline + 30)
        if output.exit_code != 0:
            name = target.service.name
            raise ToolError(say("service_still_answers", service=name, seconds=self._deadline))
        return curl.parse_until_silent(output)

    def time_one_more(self) -> tuple[Convergence, Convergence]:
        """From creating one more Service until it answers; from removing it until it does not.

        It has one port, however many those of the ladder have.
        """
        stood = len(self.services)
        begun = self._lab.monotonic()
        self._create([f"{self.own_names}{_EXTRA}"])
        accepted = self._lab.monotonic()
        try:
            silent = self.answers(self.last)
            now = self._lab.monotonic()
            wanting = None if silent is None else now - silent
            return Convergence.over(now, begun, accepted, wanting), self._time_removal(stood)
        finally:
            self._descend(stood)

    @contextmanager
    def one_more(self, removed: Callable[[], object]) -> Iterator[None]:
        """While in it, one more Service stands and answers; with one port, as that of
        `time_one_more`. `removed` waits for its removal before all kernels are checked, which
        takes a node with many Services far longer.
        """
        stood = len(self.services)
        self._create([f"{self.own_names}{_EXTRA}"])
        try:
            self.answers(self.last)
            yield
        finally:
            if len(self.services) > stood:
                ports = self.ports
                self._remove_above(stood)
                removed()
                self._let_go(ports)

    def _time_removal(self, count: int) -> Convergence:
        known, last = self.ports, self.last
        begun = self._lab.monotonic()
        self._remove_above(count)
        accepted = self._lab.monotonic()
        silence = self._falls_silent(last)
        now = self._lab.monotonic()
        self._let_go(known)
        answered = None if silence.answered is None else now - silence.answered
        return Convergence.over(now - silence.since, begun, accepted, answered)

    def set_up_anew(self) -> None:
        """Note that the kernels' rules were rewritten: they have to be seen once more."""
        self._settled = False
        self.moves += 1

    def remove_all(self) -> None:
        """Remove the run's Services that exist, without waiting for the kernels.

        A climb that was cut short has created some of its Services, or none.
        """
        if self._may_exist:
            found = self._lab.existing_services(self._batch(self._names, self.type))
            names = [*(service.name for service in found.alike), *found.others]
            self._lab.remove_services(names, RemovalProgress(self._lab, len(names)).removed)
        self.services = []
        self._may_exist = False

    def _create(self, names: Sequence[str], progress: ClimbProgress | None = None) -> float:
        self._may_exist = True
        self._settled = False
        self.moves += 1
        batch, stood = self._batch(names, self.type), self.height

        def show(created: int) -> None:
            """Services are created in the order of their names, a few at the same time."""
            if progress is not None:
                ports = (batch.port_counts.get(name, 1) for name in names[:created])
                progress.created(stood + sum(ports))

        created = self._lab.create_services(batch, show)
        self.services += created.services
        return created.seconds

    def _batch(self, names: Sequence[str], type_: ServiceType) -> ServiceBatch:
        counts = {name: self._port_counts.get(name, 1) for name in names}
        addresses = [(self._stem(number), one.address) for number, one in enumerate(self._backends)]
        return ServiceBatch(
            names=tuple(names),
            type=type_,
            port=SERVICE_PORT,
            backend_addresses=(self._backends[0].address,),
            backend_port=BACKEND_PORT,
            port_counts={name: count for name, count in counts.items() if count > 1},
            own_backends={
                name: (address,)
                for name in names
                for stem, address in addresses[1:]
                if name.startswith(stem)
            },
        )

    def _checked_total(self) -> int:
        room, wanted = self._lab.service_room(), len(self.services)
        if (room.of_run, room.endpoint_slices) != (wanted, wanted):
            raise ToolError(
                say(
                    "services_unlike",
                    services=room.of_run,
                    slices=room.endpoint_slices,
                    wanted=wanted,
                )
            )
        return room.total

    def _descend(self, count: int) -> None:
        if len(self.services) > count:
            known = self.ports
            self._remove_above(count)
            self._let_go(known)

    def _remove_above(self, count: int) -> None:
        self._settled = False
        self.moves += 1
        self._lab.remove_services([service.name for service in self.services[count:]])
        del self.services[count:]

    def _let_go(self, known: list[LadderPort]) -> None:
        """Wait until no kernel holds any of those known but the ones that are left."""
        self._hold(f"every kernel has let go of all but {self.height} Service ports", known)

    def _hold(
        self,
        what: str,
        known: list[LadderPort] | None = None,
        progress: ClimbProgress | None = None,
    ) -> float | None:
        """Wait for every kernel; when the last look began that found one wanting, or None."""
        height, asked = self.height, known or self.ports
        wanting: float | None = None

        def held() -> bool:
            nonlocal wanting
            begun = self._lab.monotonic()
            found = [
                held == (height, 0)
                for one in self._kernels
                for held in one.ports_held(self.type, asked)
            ]
            if all(found):
                return True
            wanting = begun
            if progress is not None:
                progress.in_kernels(sum(found))
            if self._gentle:
                self._lab.sleep(_REST * (self._lab.monotonic() - begun))
            return False

        until(self._lab, what, held, deadline_seconds=self._deadline, poll_seconds=0.5)
        self._settled = True
        return wanting

    @property
    def _places(self) -> list[ExecTarget]:
        return [place for kernel in self._kernels for place in kernel.places]

    def _name(self, number: int) -> str:
        return f"{self._stem(number % len(self._backends))}{number:05}"

    def _stem(self, backend: int) -> str:
        """What the names of the Services of a backend begin with; its number, if it is not alone.

        No stem is the beginning of another one.
        """
        stem = f"pm-{self._lab.run_label}-"
        return stem if len(self._backends) == 1 else f"{stem}to{backend + 1}-"

"""Climbing: creating only the difference, and waiting until every kernel holds it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, takewhile
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.domain.ports import Service, ServiceBatch, ServiceType
from podmeter.drivers import curl
from podmeter.kinds.convergence import Convergence
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.ports import ExecTarget, Lab
    from podmeter.kinds.service_scale.kernel import Kernel

SERVICE_PORT = 80
#: Rest after a look whose moment is of no figure, in times of what the look took. With thousands of
#: Services it takes a slow node seconds, which kube-proxy then lacks.
_REST = 9
BACKEND_PORT = 8080
#: No rung reaches this number; the Service that `service-ready` creates has it.
_EXTRA = 99_999


@dataclass(frozen=True, slots=True)
class LadderAscent:
    """One way up: Services created, seconds the API took, and until all of it worked.

    `services_total` are those of the whole cluster then.
    """

    created: int
    create_seconds: float
    convergence: Convergence
    services_total: int


class Ladder:
    """The run's Services, all of one type and to one backend."""

    def __init__(
        self,
        lab: Lab,
        kernels: Sequence[Kernel],
        client: ExecTarget,
        entry: ExecTarget,
        backend: ExecTarget,
        deadline_seconds: float,
        *,
        gentle: bool = False,
    ) -> None:
        """`gentle`: how long it takes is not measured, so that it is not held up by looking."""
        self._lab = lab
        self._kernels = kernels
        self._client = client
        self._entry = entry
        self._backend = backend
        self._deadline = deadline_seconds
        self._gentle = gentle
        self._attempted: dict[str, None] = {}
        #: Whether the kernels were seen to hold exactly `services`; not after a failed wait.
        self._settled = False
        self.type = ServiceType.CLUSTER_IP
        self.services: list[Service] = []
        #: How often Services were created or removed.
        self.moves = 0

    def reach(self, type_: ServiceType, height: int) -> LadderAscent | None:
        """Stand on a rung; None if the way was not up. Raises ConvergenceError, LabError."""
        if type_ is not self.type:
            self._descend(0)
            self.type = type_
        if len(self.services) > height:
            self._descend(height)
        if not self._settled:
            # What an earlier block left must be gone, what an earlier climb began must stand.
            self._hold(f"every kernel holds {len(self.services)} Services of the run")
        if len(self.services) == height:
            return None
        missing = range(len(self.services), height)
        begun = self._lab.monotonic()
        create_seconds = self._create([self._name(number) for number in missing])
        accepted = self._lab.monotonic()
        wanting = self._hold(f"every kernel holds {height} Services")
        self.answers(self.services[-1])
        took = Convergence.over(self._lab.monotonic(), begun, accepted, wanting)
        return LadderAscent(len(missing), create_seconds, took, self._checked_total())

    def adopt(self, type_: ServiceType) -> None:
        """Stand where an earlier block of the run left the ladder; what does not fit is removed.

        That is a Service of another backend, and any above a gap.
        """
        found = self._lab.existing_services(self._batch((), type_))
        alike = {service.name: service for service in found.alike}
        rising = takewhile(alike.__contains__, map(self._name, count()))
        self.type, self.services = type_, [alike.pop(name) for name in rising]
        self._attempted |= dict.fromkeys(service.name for service in self.services)
        if unfit := [*alike, *found.others]:
            self._lab.remove_services(unfit)

    def destination(self, service: Service) -> tuple[str, int]:
        """Where the client asks for a Service: its address, or the client node's port."""
        if self.type is ServiceType.NODE_PORT and service.node_port is not None:
            return self._entry.address, service.node_port
        return service.cluster_ip, service.port

    def answers(self, service: Service) -> float | None:
        """Wait until a Service answers the client; seconds since it last did not, or None."""
        address, port = self.destination(service)
        url = f"http://{address}:{port}/"
        argv = curl.until_answered_argv(url, int(self._deadline) + 1)
        output = self._lab.execute(self._client, argv, timeout_seconds=self._deadline + 30)
        if output.exit_code != 0:
            raise ToolError(say("service_silent", service=service.name, seconds=self._deadline))
        return curl.parse_until_answered(output)

    def _falls_silent(self, service: Service) -> curl.Silence:
        """Wait until a Service answers the client no more."""
        address, port = self.destination(service)
        argv = curl.until_silent_argv(f"http://{address}:{port}/", int(self._deadline) + 1)
        output = self._lab.execute(self._client, argv, timeout_seconds=self._deadline + 30)
        if output.exit_code != 0:
            said = say("service_still_answers", service=service.name, seconds=self._deadline)
            raise ToolError(said)
        return curl.parse_until_silent(output)

    def time_one_more(self) -> tuple[Convergence, Convergence]:
        """From creating one more Service until it answers; from removing it until it does not."""
        stood = len(self.services)
        begun = self._lab.monotonic()
        self._create([self._name(_EXTRA)])
        accepted = self._lab.monotonic()
        try:
            silent = self.answers(self.services[-1])
            now = self._lab.monotonic()
            wanting = None if silent is None else now - silent
            return Convergence.over(now, begun, accepted, wanting), self._time_removal(stood)
        finally:
            self._descend(stood)

    def _time_removal(self, height: int) -> Convergence:
        known, last = list(self.services), self.services[-1]
        begun = self._lab.monotonic()
        self._remove_above(height)
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
        """Remove whatever may have been created, without waiting for the kernels."""
        if self._attempted:
            self._lab.remove_services(list(self._attempted))
        self.services = []
        self._attempted = {}

    def _create(self, names: list[str]) -> float:
        self._attempted |= dict.fromkeys(names)
        self._settled = False
        self.moves += 1
        created = self._lab.create_services(self._batch(names, self.type))
        self.services += created.services
        return created.seconds

    def _batch(self, names: Sequence[str], type_: ServiceType) -> ServiceBatch:
        return ServiceBatch(
            names=tuple(names),
            type=type_,
            port=SERVICE_PORT,
            backend_addresses=(self._backend.address,),
            backend_port=BACKEND_PORT,
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

    def _descend(self, height: int) -> None:
        if len(self.services) > height:
            known = list(self.services)
            self._remove_above(height)
            self._let_go(known)

    def _remove_above(self, height: int) -> None:
        self._settled = False
        self.moves += 1
        self._lab.remove_services([service.name for service in self.services[height:]])
        del self.services[height:]

    def _let_go(self, known: list[Service]) -> None:
        """Wait until no kernel holds any of those known but the ones that are left."""
        left = len(self.services)
        self._hold(f"every kernel has let go of all but {left} Services", known)

    def _hold(self, what: str, known: list[Service] | None = None) -> float | None:
        """Wait for every kernel; when the last look began that found one wanting, or None."""
        height, asked = len(self.services), known or self.services
        wanting: float | None = None

        def held() -> bool:
            nonlocal wanting
            begun = self._lab.monotonic()
            found = [one.services_held(self.type, asked) for one in self._kernels]
            if all(held == (height, 0) for each in found for held in each):
                return True
            wanting = begun
            if self._gentle:
                self._lab.sleep(_REST * (self._lab.monotonic() - begun))
            return False

        until(self._lab, what, held, deadline_seconds=self._deadline, poll_seconds=0.5)
        self._settled = True
        return wanting

    def _name(self, number: int) -> str:
        return f"pm-{self._lab.run_label}-{number:05}"

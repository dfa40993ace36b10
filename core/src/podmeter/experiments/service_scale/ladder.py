"""Climbing: creating only the difference, and waiting until every kernel holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.domain.ports import Service, ServiceBatch, ServiceType
from podmeter.drivers import curl
from podmeter.experiments.waiting import until

if TYPE_CHECKING:
    from podmeter.domain.ports import Lab, Place
    from podmeter.experiments.service_scale.kernel import Kernel

SERVICE_PORT = 80
BACKEND_PORT = 8080
#: No rung reaches this number; the Service that `service-ready` creates has it.
_EXTRA = 99_999


@dataclass(frozen=True, slots=True)
class Climb:
    """One way up: Services created, seconds the API took, seconds until all of it worked.

    `services_total` are those of the whole cluster then.
    """

    created: int
    create_seconds: float
    convergence_seconds: float
    services_total: int


class Ladder:
    """The run's Services, all of one type and to one backend."""

    def __init__(
        self,
        lab: Lab,
        kernel: Kernel,
        client: Place,
        entry: Place,
        backend: Place,
        deadline_seconds: float,
    ) -> None:
        self._lab = lab
        self._kernel = kernel
        self._client = client
        self._entry = entry
        self._backend = backend
        self._deadline = deadline_seconds
        self._attempted: dict[str, None] = {}
        #: Whether the kernels were seen to hold exactly `services`; not after a failed wait.
        self._settled = False
        self.type = ServiceType.CLUSTER_IP
        self.services: list[Service] = []
        #: How often Services were created or removed.
        self.moves = 0

    def reach(self, type_: ServiceType, height: int) -> Climb | None:
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
        self._hold(f"every kernel holds {height} Services")
        self.answers(self.services[-1])
        seconds = self._lab.monotonic() - begun
        return Climb(len(missing), create_seconds, seconds, self._checked_total())

    def url(self, service: Service) -> str:
        """Where the client asks for a Service: its address, or the client node's port."""
        if self.type is ServiceType.NODE_PORT:
            return f"http://{self._entry.address}:{service.node_port}/"
        return f"http://{service.cluster_ip}:{service.port}/"

    def destination(self, service: Service) -> tuple[str, int]:
        """The address and port that `url` sends packets to."""
        if self.type is ServiceType.NODE_PORT and service.node_port is not None:
            return self._entry.address, service.node_port
        return service.cluster_ip, service.port

    def answers(self, service: Service) -> None:
        """Wait until a Service answers the client."""
        argv = curl.until_answered_argv(self.url(service), int(self._deadline) + 1)
        output = self._lab.execute(self._client, argv, timeout_seconds=self._deadline + 30)
        if output.exit_code != 0:
            raise ToolError(say("service_silent", service=service.name, seconds=self._deadline))

    def time_one_more(self) -> float:
        """Seconds from creating one more Service until it answers; it is gone again afterwards."""
        begun = self._lab.monotonic()
        self._create([self._name(_EXTRA)])
        try:
            self.answers(self.services[-1])
            return self._lab.monotonic() - begun
        finally:
            self._descend(len(self.services) - 1)

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
        created = self._lab.create_services(
            ServiceBatch(
                names=tuple(names),
                type=self.type,
                port=SERVICE_PORT,
                backend_address=self._backend.address,
                backend_port=BACKEND_PORT,
            )
        )
        self.services += created.services
        return created.seconds

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
        surplus = self.services[height:]
        if not surplus:
            return
        known = list(self.services)
        self._settled = False
        self.moves += 1
        self._lab.remove_services([service.name for service in surplus])
        del self.services[height:]
        self._hold(f"every kernel has let go of all but {height} Services", known)

    def _hold(self, what: str, known: list[Service] | None = None) -> None:
        height, asked = len(self.services), known or self.services

        def held() -> bool:
            return all(count == height for count in self._kernel.services_held(self.type, asked))

        until(self._lab, what, held, deadline_seconds=self._deadline, poll_seconds=0.5)
        self._settled = True

    def _name(self, number: int) -> str:
        return f"pm-{self._lab.run_label}-{number:05}"

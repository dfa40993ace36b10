"""FakeLab: a cluster in memory behind the `Lab` port, with a clock of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from bench.scripted import outputs
from bench.scripted.commands import Argv, tool_of
from bench.scripted.tools import BACKENDS, CONTROLLER, HeldPort, Tools
from podmeter.domain.errors import LabError, RunCancelledError
from podmeter.domain.ports import (
    Access,
    BackgroundCommand,
    Command,
    CommandOutput,
    CreatedServices,
    ExecTarget,
    ExistingServices,
    Ingress,
    IngressPolicy,
    IngressRoute,
    LogLevel,
    ModeSwitch,
    Node,
    PodRequest,
    Service,
    ServiceBatch,
    ServicePort,
    ServiceRoom,
    ServiceType,
)
from podmeter.domain.switching import NodeWatch, Switched
from podmeter.drivers import program


@dataclass
class FakeLab(Tools):
    """Implements domain.ports.Lab.

    `answers` maps a tool to what it says next, a list, the last one for ever; an exception in
    it is raised. `order` is the order of Services in the chain, as kube-proxy might choose.
    `lag` is how many looks at the kernel come before it follows the API server.
    """

    run_label: str = "ab12cd"
    backend: str = "iptables-nft"
    node_names: tuple[str, ...] = ("n1", "n2")
    outside_place: ExecTarget | None = None
    free_cluster_ips: int | None = 60_000
    free_node_ports: int | None = 2_700
    answers: dict[str, list[CommandOutput | Exception]] = field(default_factory=dict)
    batches: list[ServiceBatch] = field(default_factory=list)
    shells: dict[str, ExecTarget] = field(default_factory=dict)
    log_lines: list[tuple[LogLevel, str]] = field(default_factory=list)
    commands: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    watched: list[tuple[str, str]] = field(default_factory=list)
    cancelled: bool = False
    cancel_on: str = ""
    order: Callable[[Iterable[str]], list[str]] = sorted
    lag: int = 0
    now: float = 0.0
    switches: list[ModeSwitch] = field(default_factory=list)
    restarts: bool = True
    enforces: bool = True
    foreign: tuple[str, ...] = ()
    policies: dict[str, IngressPolicy] = field(default_factory=dict)
    controller: Exception | None = None

    # What tools answer

    def backends_here(self) -> Iterable[str]:
        return [self.backend]

    def _prepared(self, tool: str) -> CommandOutput | None:
        queue = self.answers.get(tool)
        if not queue:
            return None
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _asked(self, argv: Argv) -> CommandOutput:
        if self.lag:
            self.lag -= 1
        else:
            self.enforced = dict(self.policies) if self.enforces else {}
        return super()._asked(argv)

    def _held(self) -> Sequence[HeldPort]:
        if self.lag:
            self.lag -= 1
            return []
        services = [self.services[name] for name in self.order(self.services)]
        return [HeldPort(service, port) for service in services for port in service.ports]

    # The Lab

    def nodes(self) -> tuple[Node, ...]:
        return tuple(
            Node(n, f"192.168.0.{i}", "amd64", f"boot-{n}")
            for i, n in enumerate(self.node_names, 1)
        )

    def end_nodes(self) -> tuple[Node, ...]:
        return self.nodes()

    def keep(self, names: Iterable[str]) -> None:
        """Called with the names of all that is made, before it is there."""

    def drop(self, names: Iterable[str]) -> None:
        """Called with the names of all that is removed."""

    def start_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        self.keep([request.name for request in requests])
        for request in requests:
            address = f"10.244.0.{len(self.places) + 2}"
            if request.access is not Access.POD:
                address = next(n.address for n in self.nodes() if n.name == request.node)
            self.places[request.name] = ExecTarget(
                request.name, address, request.node, request.access
            )
            self.pod_commands[request.name] = request.argv
        return tuple(self.places[request.name] for request in requests)

    def keep_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        self.start_pods([request for request in requests if request.name not in self.places])
        return tuple(self.places[request.name] for request in requests)

    def remove_pods(self, places: Sequence[ExecTarget]) -> None:
        self.drop([place.name for place in places])
        for place in places:
            self.places.pop(place.name, None)

    def node_shells(self) -> tuple[ExecTarget, ...]:
        for i, node in enumerate(self.nodes()):
            place = ExecTarget(f"shell-{i}", node.address, node.name, Access.HOST_ADMIN)
            self.shells[place.name] = place
        self.keep(self.shells)
        return tuple(self.shells.values())

    def outside(self) -> ExecTarget | None:
        return self.outside_place

    def create_services(
        self, batch: ServiceBatch, progress: Callable[[int], None] | None = None
    ) -> CreatedServices:
        """In a second, and the kernels hold them two looks later."""
        self.now += 1.0
        self.keep(batch.names)
        for name in batch.names:
            i = len(self.services)
            first = 30_000 + sum(len(one.ports) for one in self.services.values())
            given = "192.0.2.100" if batch.type is ServiceType.LOAD_BALANCER else None
            inside = batch.type is ServiceType.CLUSTER_IP
            ports = tuple(
                ServicePort(port_name, number, None if inside else first + nth)
                for nth, (port_name, _, number, _) in enumerate(batch.ports_of(name))
            )
            self.services[name] = Service(name, f"10.96.{8 + i // 250}.{1 + i % 250}", ports, given)
            self.endpoints[self.services[name].cluster_ip] = batch.addresses_of(name)
        self.batches.append(batch)
        self.lag = 2
        return CreatedServices(tuple(self.services[name] for name in batch.names), 1.0)

    def remove_services(
        self, names: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> float:
        """They are gone at once, and it took half a second."""
        self.drop(names)
        for name in names:
            self.services.pop(name, None)
        return 0.5

    def existing_services(self, like: ServiceBatch) -> ExistingServices:
        alike = [
            name
            for name, one in self.services.items()
            if self.endpoints[one.cluster_ip] == like.addresses_of(name)
            and (one.node_port is None) == (like.type is ServiceType.CLUSTER_IP)
            and [port.name for port in one.ports] == [port[0] for port in like.ports_of(name)]
        ]
        others = sorted(self.services.keys() - set(alike))
        return ExistingServices(tuple(self.services[n] for n in sorted(alike)), tuple(others))

    def create_policies(self, policies: Sequence[IngressPolicy]) -> float:
        """They are enforced a few requests later."""
        self.now += 0.1
        self.keep([one.name for one in policies])
        self.policies |= {one.name: one for one in policies}
        self.lag = 2
        return 0.1

    def remove_policies(self, names: Sequence[str]) -> float:
        self.drop(names)
        for name in names:
            self.policies.pop(name, None)
        return 0.1

    def create_ingress(self, route: IngressRoute) -> Ingress:
        if isinstance(self.controller, Exception):
            raise self.controller
        self.keep([f"ingress/{route.name}"])
        self.ingresses[route.name] = route
        address = route.address or CONTROLLER
        return Ingress(route.name, route.host, route.class_name or "usual", "x/y", address)

    def remove_ingress(self, name: str) -> None:
        self.drop([f"ingress/{name}"])
        self.ingresses.pop(name, None)

    def foreign_policies(self, places: Sequence[ExecTarget]) -> tuple[str, ...]:
        return self.foreign

    def service_room(self) -> ServiceRoom:
        """Seven Services are not the run's."""
        held = len(self.services)
        return ServiceRoom(held + 7, held, held, self.free_cluster_ips, self.free_node_ports)

    def execute(
        self, place: ExecTarget, argv: Sequence[str], *, timeout_seconds: float
    ) -> CommandOutput:
        """Answer a command; its time and 50 ms pass."""
        self.check_cancelled()
        if not self.is_there(place):
            raise LabError(f"{place.name} is gone")
        self.commands.append((place.name, tuple(argv)))
        self.place = place
        if self.cancel_on and self.cancel_on in argv:
            self.cancelled = True
            raise RunCancelledError("by ada")
        output = self.answer(tuple(argv))
        self.now += output.seconds + 0.05
        return output

    def is_there(self, place: ExecTarget) -> bool:
        return place.access is Access.OUTSIDE or place.name in self.places | self.shells

    def execute_all(
        self, commands: Sequence[Command], *, timeout_seconds: float
    ) -> tuple[CommandOutput, ...]:
        return tuple(
            self.execute(c.place, c.argv, timeout_seconds=timeout_seconds) for c in commands
        )

    @contextmanager
    def background(self, place: ExecTarget, argv: Sequence[str]) -> Iterator[BackgroundCommand]:
        self.watched.append((place.name, tool_of(argv)))
        lab = self

        class Running:
            def finish(self, timeout_seconds: float) -> CommandOutput:
                return lab.answer(argv)

        yield Running()

    def switch_mode(self, asked: ModeSwitch) -> tuple[Switched, tuple[NodeWatch, ...]]:
        """Every node sees the Services fail for half a second, a second after it was accepted.

        A node that is restarted alone is not watched.
        """
        self.check_cancelled()
        answers: list[Any] = self.answers.get("switch", [])
        if answers:
            raise answers.pop(0)
        self.switches.append(asked)
        before, self.backend = self.backend, BACKENDS[asked.value]
        begun = self.now
        accepted = begun + 1
        self.now = begun + 6
        if asked.node is not None:
            self.proxy_restarts += self.restarts
            times = {asked.node: accepted}
            return Switched(asked.axis, asked.value, False, times, begun + 4, (asked.node,)), ()
        output = outputs.service_watch(
            (begun - 0.4, begun + 0.8, begun + 5, begun + 6),
            0.1,
            asked.services,
            [
                ("ok", begun - 0.4, begun + 1.9, 115),
                ("fail", begun + 2, begun + 2.48, 25),
                ("ok", begun + 2.5, begun + 5.99, 170),
            ],
        )
        watches = tuple(
            NodeWatch(
                node=node.name,
                place=f"shell-{node.name}",
                argv=(program.NAME,),
                services=asked.services,
                output=output,
                why_unknown="",
                begun=begun - 0.5,
                told=begun + 0.9,
                asked=begun + 5,
                answered=begun + 6,
            )
            for node in self.nodes()
        )
        times = {node.name: accepted for node in self.nodes()}
        changed = before != self.backend
        return Switched(asked.axis, asked.value, changed, times, begun + 4), watches

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.check_cancelled()
        self.now += seconds

    def check_cancelled(self) -> None:
        if self.cancelled:
            raise RunCancelledError("by ada")

    def log(self, level: LogLevel, message: str) -> None:
        self.log_lines.append((level, message))

"""FakeLab: a cluster in memory."""

from contextlib import contextmanager
from dataclasses import dataclass, field

from core.tests.captures import captured

from podmeter.domain.errors import LabError, RunCancelledError
from podmeter.domain.ports import (
    Access,
    CreatedServices,
    ExecTarget,
    ExistingServices,
    Ingress,
    Node,
    Service,
    ServicePort,
    ServiceRoom,
    ServiceType,
)
from podmeter.domain.switching import NodeWatch, Switched
from podmeter.drivers import datagrams, proc, program

from .fake_tools import FakeTools, said

#: By kube-proxy's mode.
BACKENDS = {"iptables": "iptables-nft", "nftables": "nftables"}


@dataclass
class FakeLab(FakeTools):
    """`answers` maps a tool to what it says next, a list, the last one for ever; an exception in
    it is raised. `order` is the order of Services in the chain, as kube-proxy might choose.
    """

    run_label: str = "ab12cd"
    backend: str = "iptables-nft"
    node_names: tuple = ("n1", "n2")
    outside_place: ExecTarget | None = None
    free_cluster_ips: int | None = 60_000
    free_node_ports: int | None = 2_700
    answers: dict = field(default_factory=dict)
    services: dict = field(default_factory=dict)
    backends: dict = field(default_factory=dict)
    batches: list = field(default_factory=list)
    places: dict = field(default_factory=dict)
    shells: dict = field(default_factory=dict)
    log_lines: list = field(default_factory=list)
    commands: list = field(default_factory=list)
    watched: list = field(default_factory=list)
    cancelled: bool = False
    cancel_on: str = ""
    order: object = sorted
    lag: int = 0
    now: float = 0.0
    accepted: int = 0
    heard: str = ""
    place: ExecTarget | None = None
    conf_asked: int = 0
    asked: int = 0
    body_bytes: int = 9
    switches: list = field(default_factory=list)
    enforces: bool = True
    names_policies: bool = True
    foreign: tuple = ()
    policies: dict = field(default_factory=dict)
    enforced: dict = field(default_factory=dict)
    capacity: int = 8000
    ingresses: dict = field(default_factory=dict)
    controller: object = None

    def nodes(self):
        return tuple(
            Node(n, f"192.168.0.{i}", "amd64", f"boot-{n}")
            for i, n in enumerate(self.node_names, 1)
        )

    def start_pods(self, requests):
        for request in requests:
            address = f"10.244.0.{len(self.places) + 2}"
            if request.access is not Access.POD:
                address = next(n.address for n in self.nodes() if n.name == request.node)
            self.places[request.name] = ExecTarget(
                request.name, address, request.node, request.access
            )
        return tuple(self.places[request.name] for request in requests)

    def keep_pods(self, requests):
        self.start_pods([request for request in requests if request.name not in self.places])
        return tuple(self.places[request.name] for request in requests)

    def remove_pods(self, places):
        for place in places:
            self.places.pop(place.name, None)

    def node_shells(self):
        for i, node in enumerate(self.nodes()):
            place = ExecTarget(f"shell-{i}", node.address, node.name, Access.HOST_ADMIN)
            self.shells[place.name] = place
        return tuple(self.shells.values())

    def outside(self):
        return self.outside_place

    def create_services(self, batch, progress=None):
        self.now += 1.0
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
            self.backends[self.services[name].cluster_ip] = batch.addresses_of(name)
        self.batches.append(batch)
        self.lag = 2
        return CreatedServices(tuple(self.services[name] for name in batch.names), 1.0)

    def remove_services(self, names):
        for name in names:
            self.services.pop(name, None)
        return 0.5

    def existing_services(self, like):
        alike = [
            name
            for name, one in self.services.items()
            if self.backends[one.cluster_ip] == like.addresses_of(name)
            and (one.node_port is None) == (like.type is ServiceType.CLUSTER_IP)
            and [port.name for port in one.ports] == [port[0] for port in like.ports_of(name)]
        ]
        others = sorted(self.services.keys() - set(alike))
        return ExistingServices(tuple(self.services[n] for n in sorted(alike)), tuple(others))

    def create_policies(self, policies):
        self.now += 0.1
        self.policies |= {one.name: one for one in policies}
        self.lag = 2
        return 0.1

    def remove_policies(self, names):
        for name in names:
            self.policies.pop(name, None)
        return 0.1

    def create_ingress(self, route):
        if isinstance(self.controller, Exception):
            raise self.controller
        self.ingresses[route.name] = route
        address = route.address or "192.0.2.80"
        return Ingress(route.name, route.host, route.class_name or "usual", "x/y", address)

    def remove_ingress(self, name):
        self.ingresses.pop(name, None)

    def foreign_policies(self, places):
        return self.foreign

    def service_room(self):
        held = len(self.services)
        return ServiceRoom(held + 7, held, held, self.free_cluster_ips, self.free_node_ports)

    def execute(self, place, argv, *, timeout_seconds):
        self.check_cancelled()
        if place.access is not Access.OUTSIDE and place.name not in self.places | self.shells:
            raise LabError(f"{place.name} is gone")
        self.commands.append((place.name, tuple(argv)))
        self.place = place
        if self.cancel_on and self.cancel_on in argv:
            self.cancelled = True
            raise RunCancelledError("by ada")
        output = self._answer(tuple(argv))
        self.now += output.seconds + 0.05
        return output

    def execute_all(self, commands, *, timeout_seconds):
        return tuple(
            self.execute(c.place, c.argv, timeout_seconds=timeout_seconds) for c in commands
        )

    @contextmanager
    def background(self, place, argv):
        tool, usual = {
            proc.SAMPLER_ARGV: ("sampler", "samples"),
            datagrams.WATCH_ARGV: ("watch", "datagrams"),
        }[tuple(argv)]
        self.watched.append((place.name, tool))
        lab = self

        class Running:
            def finish(self, timeout_seconds):
                return lab._scripted(tool) or captured("proc-6.18", usual)

        yield Running()

    def switch_mode(self, asked):
        """Every node sees the Services fail for half a second, a second after it was accepted."""
        self.check_cancelled()
        answers = self.answers.get("switch")
        if answers:
            raise answers.pop(0)
        self.switches.append(asked)
        before, self.backend = self.backend, BACKENDS[asked.value]
        begun = self.now
        accepted = begun + 1
        self.now = begun + 6
        services = [
            f"service {one}\nok {begun - 0.4:.6f} {begun + 1.9:.6f} 115\n"
            f"fail {begun + 2:.6f} {begun + 2.48:.6f} 25\n"
            f"ok {begun + 2.5:.6f} {begun + 5.99:.6f} 170\n"
            for one in asked.services
        ]
        text = (
            f"begin {begun - 0.4:.6f}\ntold {begun + 0.8:.6f}\nasked {begun + 5:.6f}\n"
            f"ended {begun + 6:.6f}\ngap 0.100000\n"
            f"{''.join(services)}end\n"
        )
        watches = tuple(
            NodeWatch(
                node=node.name,
                place=f"shell-{node.name}",
                argv=(program.NAME,),
                services=asked.services,
                output=said(text),
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

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.check_cancelled()
        self.now += seconds

    def check_cancelled(self):
        if self.cancelled:
            raise RunCancelledError("by ada")

    def log(self, level, message):
        self.log_lines.append((level, message))

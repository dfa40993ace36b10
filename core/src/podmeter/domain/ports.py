"""Lab: what a kind may ask of a cluster, and nothing else.

A kind knows tools, paths and rules; a Lab knows pods, Services and how to run a command in one of
them. Whatever can be had by a command (kernel rules, counters, CPU) is not in here: the kinds ask
for it with `execute`, so that any cluster with an exec of its own can carry a Lab. Everything a
Lab makes carries the run's label and is swept by it when the run ends, however it ends.

All methods block. All may raise LabError (temporary) and RunCancelledError.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podmeter.domain.switching import NodeWatch, Switched


#: The two namespaces that the cluster's owner made; nothing is ever created in another one.
POD_NAMESPACE = "podmeter"
HOST_NAMESPACE = "podmeter-host"


@dataclass(frozen=True, slots=True)
class Node:
    """A node that measuring pods may be placed on. `address` is its internal IPv4 address."""

    name: str
    address: str
    architecture: str
    boot_id: str


class Access(StrEnum):
    """How close to its node a place is; each step needs more rights in the cluster.

    pod: the pod network, namespace `podmeter` (restricted). host: the node's network, namespace
    `podmeter-host`. host_admin: besides, may read and change the node's netfilter rules, with the
    node's /run/xtables.lock mounted. outside: a client outside the cluster.
    """

    POD = "pod"
    HOST = "host"
    HOST_ADMIN = "host_admin"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class PodRequest:
    """A measuring pod to start: `name` is unique in the run, `argv` its only container's command.

    The pod has no Service links, no CPU limit, and is recreated, never reused.
    """

    name: str
    node: str
    access: Access
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExecTarget:
    """Somewhere a command can run. `node` is None outside the cluster.

    `address` is the IPv4 address others reach it at: the pod's, or the node's for a host pod.
    """

    name: str
    address: str
    node: str | None
    access: Access


@dataclass(frozen=True, slots=True)
class Command:
    """A command and the place to run it in."""

    place: ExecTarget
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommandUsage:
    """What a command took of the CPU, in seconds; None is unknown.

    `cpu_seconds` is the CPU time of its own process and of those that it waited for.
    `throttled_seconds` is how long a CPU quota (a cgroup's) stopped the pod that it ran in.
    """

    cpu_seconds: float | None = None
    throttled_seconds: float | None = None


#: Of a command that an older program ran, or nobody counted.
UNKNOWN_USAGE = CommandUsage()


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """A command that ended. Output is whole: its frame (length and digest) was verified.

    `seconds` is the command's own time, measured where it ran by a monotonic clock.
    """

    stdout: str
    stderr: str
    exit_code: int
    seconds: float
    usage: CommandUsage = UNKNOWN_USAGE


class BackgroundCommand(Protocol):
    """A command that continues while others run."""

    def finish(self, timeout_seconds: float) -> CommandOutput:
        """Write one newline to its standard input, wait for its end, and give its output.

        Raises CommandTimeoutError, and kills it, when it does not end in time.
        """


class ServiceType(StrEnum):
    """How a Service is reached."""

    CLUSTER_IP = "ClusterIP"
    NODE_PORT = "NodePort"
    LOAD_BALANCER = "LoadBalancer"


@dataclass(frozen=True, slots=True)
class ServiceBatch:
    """Services to create: no selector, one EndpointSlice each that names `backend_addresses`.

    `protocols` are TCP and UDP, or one of them; each gives the Service a port of the same number.
    `further_ports` lead to backends' ports of their own number. `port_counts` has the Services, by
    name, that have more ports than one: numbered from `port`, all of them lead to `backend_port`.
    `own_backends` has those, by name, that lead to other addresses than `backend_addresses`.
    """

    names: tuple[str, ...]
    type: ServiceType
    port: int
    backend_addresses: tuple[str, ...]
    backend_port: int
    protocols: tuple[str, ...] = ("TCP",)
    further_ports: tuple[int, ...] = ()
    port_counts: Mapping[str, int] = field(default_factory=dict)
    own_backends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def addresses_of(self, name: str) -> tuple[str, ...]:
        """The addresses that a Service leads to."""
        return self.own_backends.get(name, self.backend_addresses)

    def ports_of(self, name: str) -> tuple[tuple[str, str, int, int], ...]:
        """Name, protocol, port of the Service and of its backends, of each port of a Service."""
        count = self.port_counts.get(name, 1)
        numbers = [("", self.port, self.backend_port)]
        numbers += [
            (f"-{port}", port, self.backend_port)
            for port in range(self.port + 1, self.port + count)
        ]
        numbers += [(f"-{one}", one, one) for one in self.further_ports]
        return tuple(
            (f"{protocol.lower()}{ending}", protocol, port, backend_port)
            for ending, port, backend_port in numbers
            for protocol in self.protocols
        )


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port of a Service; its name is unique in the Service."""

    name: str
    number: int
    node_port: int | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """A Service as the API server made it, in POD_NAMESPACE, with at least one port.

    A LoadBalancer's address is `load_balancer`; its ports have node ports as well.
    """

    name: str
    cluster_ip: str
    ports: tuple[ServicePort, ...]
    load_balancer: str | None = None

    @property
    def port(self) -> int:
        """The number of its first port."""
        return self.ports[0].number

    @property
    def node_port(self) -> int | None:
        """The node port of its first port."""
        return self.ports[0].node_port


@dataclass(frozen=True, slots=True)
class CreatedServices:
    """All of a batch, in the order of its names, and how long the API took for it."""

    services: tuple[Service, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class ExistingServices:
    """Services of a run: those that are as was asked, by name, and the names of all others."""

    alike: tuple[Service, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServiceRoom:
    """What is in the cluster and what fits; None where the API server does not tell.

    `total` counts all Services of the cluster, `of_run` those of this run, `endpoint_slices`
    the EndpointSlices of this run. What this run has taken counts as free: it is the run's room.
    """

    total: int
    of_run: int
    endpoint_slices: int
    free_cluster_ips: int | None
    free_node_ports: int | None


@dataclass(frozen=True, slots=True)
class ModeSwitch:
    """A mode to set up: its axis and value, and what depends on it.

    `services`, each `address:port`, are asked from every node until they answer for good, for
    `patience_seconds` once every kernel shows the mode. `added` is how many Service ports exist
    besides the cluster's own: with many of them everything takes longer. `node` alone has its
    component restarted in this mode, which it is in already, and Services are not watched; None
    for all nodes.
    """

    axis: str
    value: str
    services: tuple[str, ...]
    added: int
    patience_seconds: float
    node: str | None = None


@dataclass(frozen=True, slots=True)
class IngressPolicy:
    """A NetworkPolicy to create: into the pod `server` it lets the pod `client`, on one TCP port.

    `server` and `client` are names of measuring pods with access `pod`; whatever no policy of a
    pod's lets in is refused there.
    """

    name: str
    server: str
    client: str
    port: int


@dataclass(frozen=True, slots=True)
class IngressRoute:
    """An Ingress to create: what asks for `host` at its controller is led to a Service's port.

    `class_name` is its IngressClass, None for the cluster's default one. `address` is where its
    controller is asked, None for what the controller writes into the Ingress's status.
    """

    name: str
    host: str
    service: str
    port: int
    class_name: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Ingress:
    """An Ingress that was created: its class, who sees to that, and where that one is asked."""

    name: str
    host: str
    class_name: str
    controller: str
    address: str


class LogLevel(StrEnum):
    """How much a line of the run's log matters."""

    INFO = "info"
    WARNING = "warning"


class Lab(Protocol):
    """The execution edge, seen from a kind."""

    @property
    def run_label(self) -> str:
        """The run's label, `[a-z0-9-]{1,20}`; a part of every name a kind makes in the cluster.

        Whatever is left over is swept by it: objects by their label, kernel rules by a comment
        that is `podmeter/` and this label, alone or with more after a slash.
        """

    def nodes(self) -> tuple[Node, ...]:
        """The Linux nodes that are ready and take measuring pods, sorted by name."""

    def end_nodes(self) -> tuple[Node, ...]:
        """Those of `nodes` that the ends of paths may sit on: where a run switches some nodes
        alone, these, as no other node is in its mode.
        """

    def start_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        """Start pods and wait until each runs and has its address, in the order asked for.

        All or none: on an error those already made are removed. Raises PreconditionError where
        the cluster would refuse or change a pod (a quota, a LimitRange, a sidecar injector).
        """

    def keep_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        """As `start_pods`; but those of the run that run already as asked for stay as they are."""

    def remove_pods(self, places: Sequence[ExecTarget]) -> None:
        """Remove pods and wait until they are gone; missing pods are no error.

        Goes through even when the run is cancelled: this is how a kind cleans up.
        """

    def node_shells(self) -> tuple[ExecTarget, ...]:
        """A place with host_admin access on each of `end_nodes`, in their order.

        One set for the whole run: a kind neither starts nor removes them. Their pods do nothing
        of themselves.
        """

    def outside(self) -> ExecTarget | None:
        """The client outside the cluster, if the run has one."""

    def execute(
        self, place: ExecTarget, argv: Sequence[str], *, timeout_seconds: float
    ) -> CommandOutput:
        """Run a command to its end; any exit code is an answer.

        Raises TruncatedOutputError for an incomplete answer and CommandTimeoutError, after
        killing the command, when it does not end in time.
        """

    def execute_all(
        self, commands: Sequence[Command], *, timeout_seconds: float
    ) -> tuple[CommandOutput, ...]:
        """Run commands at the same time, in as many places; outputs in the order asked for.

        What a single `execute` raises, this raises after all have ended.
        """

    def background(
        self, place: ExecTarget, argv: Sequence[str]
    ) -> AbstractContextManager[BackgroundCommand]:
        """Start a command and return once it runs; it is killed when the context is left."""

    def create_services(
        self, batch: ServiceBatch, progress: Callable[[int], None] | None = None
    ) -> CreatedServices:
        """Create Services and their EndpointSlices, in bulk.

        All or none: on an error those already made are removed before LabError is raised.
        `progress` is called now and then, on the caller's thread, with how many exist so far.
        """

    def remove_services(
        self, names: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> float:
        """Remove Services of this run with their slices and wait until they are gone; seconds.

        `progress` is called now and then with how many are gone so far.
        Goes through even when the run is cancelled; missing objects are no error.
        """

    def existing_services(self, like: ServiceBatch) -> ExistingServices:
        """The Services of this run that stand, and whether they are as `like`, names apart.

        They are with the same type, port, and one slice that names the same backends.
        """

    def create_policies(self, policies: Sequence[IngressPolicy]) -> float:
        """Create NetworkPolicies, in bulk; seconds that the API took for all of them.

        All or none: on an error those already made are removed before LabError is raised.
        """

    def remove_policies(self, names: Sequence[str]) -> float:
        """Remove NetworkPolicies of this run; seconds.

        Goes through even when the run is cancelled; missing objects are no error.
        """

    def create_ingress(self, route: IngressRoute) -> Ingress:
        """Create an Ingress, and wait until it is known where its controller is asked.

        That it leads anywhere yet is not waited for. On an error nothing is left. Raises
        PreconditionError where there is no such class, or the controller tells no IPv4 address.
        """

    def remove_ingress(self, name: str) -> None:
        """Remove an Ingress of this run.

        Goes through even when the run is cancelled; missing objects are no error.
        """

    def foreign_policies(self, places: Sequence[ExecTarget]) -> tuple[str, ...]:
        """The names of NetworkPolicies that this run did not make and that select a place's pod."""

    def service_room(self) -> ServiceRoom:
        """What the cluster holds and has room for."""

    def switch_mode(self, asked: ModeSwitch) -> tuple[Switched, tuple[NodeWatch, ...]]:
        """Set one of the block's modes up again while all that was made stands.

        The report includes what nodes observed of Services meanwhile. The kind leaves the block in
        its own mode. Raises PreconditionError where the run switches no such mode,
        ConvergenceError.
        """

    def monotonic(self) -> float:
        """Seconds on one monotonic clock."""

    def sleep(self, seconds: float) -> None:
        """Wait, at most so long; ends early with RunCancelledError when the run is cancelled."""

    def check_cancelled(self) -> None:
        """Raise RunCancelledError if the run was cancelled."""

    def log(self, level: LogLevel, message: str) -> None:
        """Add a line to the run's log."""

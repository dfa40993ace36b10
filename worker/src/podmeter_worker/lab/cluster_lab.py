"""The Lab of a run on a cluster."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from podmeter.domain.errors import LabError, PreconditionError, RunCancelledError
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE, Access, Node, PodRequest
from podmeter_worker.kube import exec as pod_exec
from podmeter_worker.kube import ingresses, manifests, network_policies, pods, services
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError
from podmeter_worker.kube.facts.nodes import measuring_nodes
from podmeter_worker.kube.facts.service_room import service_room
from podmeter_worker.kube.reading import reader
from podmeter_worker.lab.outside_client import PLACE

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterator, Sequence

    from podmeter.domain.bench_image import BenchImage
    from podmeter.domain.ports import (
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
        ServiceBatch,
        ServiceRoom,
    )
    from podmeter.domain.switching import NodeWatch, Switched
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.node_shells import NodeShells
    from podmeter_worker.kube.shells import Shells, Streams
    from podmeter_worker.lab.outside_client import OutsideClient


@reader
class ClusterLab:
    """Implements podmeter.domain.ports.Lab; one for each block of a run.

    `cancelled` is set when a cancel is noticed; every wait and command then ends. `write`
    takes the lines of the run's log. `image` is that of the measuring pods. `shells` are the
    connections to pods, those of `node_shells` included, `outside` runs commands of the client
    outside, where the worker is one. `switched` are the nodes that the run switches alone, None
    where it switches all or none: ends sit and shells run on these alone, as no other node has
    the run's modes.
    """

    def __init__(
        self,
        client: KubeClient,
        shells: Shells,
        node_shells: NodeShells,
        *,
        run_label: str,
        image: BenchImage,
        cancelled: threading.Event,
        write: Callable[[LogLevel, str], None],
        outside: OutsideClient | None = None,
        switched: Collection[str] | None = None,
    ) -> None:
        self._client = client
        self._shells = shells
        self._node_shells = node_shells
        self._run_label = run_label
        self._image = image
        self._cancelled = cancelled
        self._write = write
        self._outside = outside
        self._switched = switched
        self._nodes: tuple[Node, ...] | None = None

    @property
    def run_label(self) -> str:
        """The run's label."""
        return self._run_label

    def nodes(self) -> tuple[Node, ...]:
        """The Linux nodes that are ready and take measuring pods, sorted by name."""
        if self._nodes is None:
            self._nodes = measuring_nodes(self._client)
        return self._nodes

    def end_nodes(self) -> tuple[Node, ...]:
        """Those that the run switches: nodes may come and go since."""
        return tuple(
            node for node in self.nodes() if self._switched is None or node.name in self._switched
        )

    def start_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        """Start pods and wait until each runs and has its address, in the order asked for."""
        self.check_cancelled()
        self._check_architectures(requests)
        return pods.start(
            self._client,
            requests,
            image=self._image,
            run_label=self._run_label,
            check=self.check_cancelled,
        )

    def keep_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        """Those of the run that run already as asked for, and the others started."""
        self.check_cancelled()
        self._check_architectures(requests)
        return pods.keep(
            self._client,
            requests,
            image=self._image,
            run_label=self._run_label,
            check=self.check_cancelled,
        )

    def remove_pods(self, places: Sequence[ExecTarget]) -> None:
        """Remove pods and wait until they are gone, cancelled or not."""
        keys = [(manifests.namespace_of(place.access), place.name) for place in places]
        self._shells.close(keys)
        pods.remove(self._client, keys, run_label=self._run_label)

    def node_shells(self) -> tuple[ExecTarget, ...]:
        """On each of `end_nodes`; a stopped watch is restarted."""
        names = [node.name for node in self.end_nodes()]
        return tuple(shell.place for shell in self._node_shells.on(names).values())

    def outside(self) -> ExecTarget | None:
        """The worker's machine, where it is declared as one; a run's preflight looked at it."""
        return None if self._outside is None else PLACE

    def execute(
        self, place: ExecTarget, argv: Sequence[str], *, timeout_seconds: float
    ) -> CommandOutput:
        """Run a command to its end; any exit code is an answer."""
        with self._started(place, argv, timeout_seconds) as command:
            return command.wait()

    def execute_all(
        self, commands: Sequence[Command], *, timeout_seconds: float
    ) -> tuple[CommandOutput, ...]:
        """Run commands at the same time; the first error is raised after all have ended."""
        if not commands:
            return ()
        with ThreadPoolExecutor(len(commands)) as pool:
            running = [
                pool.submit(
                    self.execute, command.place, command.argv, timeout_seconds=timeout_seconds
                )
                for command in commands
            ]
        return tuple(future.result() for future in running)

    @contextmanager
    def background(self, place: ExecTarget, argv: Sequence[str]) -> Iterator[BackgroundCommand]:
        """Start a command and return once it runs; it is killed when the context is left."""
        with self._started(place, argv, None) as command:
            yield command

    def create_services(
        self, batch: ServiceBatch, progress: Callable[[int], None] | None = None
    ) -> CreatedServices:
        """Create Services and their EndpointSlices, in bulk, all or none."""
        created = services.create(
            self._client, POD_NAMESPACE, self._run_label, batch, self.check_cancelled, progress
        )
        for service in created.services:
            if self._outside is not None and service.load_balancer is not None:
                try:
                    self._outside.must_not_ask(service.name, service.load_balancer)
                except PreconditionError:
                    services.remove(self._client, POD_NAMESPACE, batch.names)
                    raise
        return created

    def remove_services(
        self, names: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> float:
        """Remove Services of this run with their slices; seconds."""
        return services.remove(self._client, POD_NAMESPACE, names, progress=progress)

    def existing_services(self, like: ServiceBatch) -> ExistingServices:
        """The Services of this run that stand, and whether they are as `like`."""
        return services.existing_services(self._client, POD_NAMESPACE, self._run_label, like)

    def create_policies(self, policies: Sequence[IngressPolicy]) -> float:
        """Create NetworkPolicies, in bulk, all or none; seconds."""
        return network_policies.create(
            self._client, self._run_label, policies, self.check_cancelled
        )

    def remove_policies(self, names: Sequence[str]) -> float:
        """Remove NetworkPolicies of this run; seconds."""
        return network_policies.remove(self._client, names)

    def create_ingress(self, route: IngressRoute) -> Ingress:
        """Create an Ingress, and wait until it is known where its controller is asked."""
        made = ingresses.create(self._client, self._run_label, route, self.check_cancelled)
        if self._outside is not None:
            try:
                self._outside.must_not_ask(made.name, made.address)
            except PreconditionError:
                ingresses.remove(self._client, made.name)
                raise
        return made

    def remove_ingress(self, name: str) -> None:
        """Remove an Ingress of this run."""
        ingresses.remove(self._client, name)

    def foreign_policies(self, places: Sequence[ExecTarget]) -> tuple[str, ...]:
        """The NetworkPolicies of others that select a place's pod."""
        return network_policies.of_others(self._client, self._run_label, places)

    def service_room(self) -> ServiceRoom:
        """What the cluster holds and has room for."""
        return service_room(self._client, self._run_label)

    def switch_mode(self, asked: ModeSwitch) -> tuple[Switched, tuple[NodeWatch, ...]]:
        """The runner switches modes; see `runner.tracked_lab`."""
        raise PreconditionError(say("mode_not_of_run", axis=asked.axis))

    def monotonic(self) -> float:
        """Seconds on the worker's monotonic clock."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait, at most so long; ends early with RunCancelledError when the run is cancelled."""
        self._cancelled.wait(seconds)
        self.check_cancelled()

    def check_cancelled(self) -> None:
        """Raise RunCancelledError if the run was cancelled."""
        if self._cancelled.is_set():
            raise RunCancelledError(say("run_cancelled"))

    def log(self, level: LogLevel, message: str) -> None:
        """Add a line to the run's log."""
        self._write(level, message)

    def _started(
        self, place: ExecTarget, argv: Sequence[str], limit_seconds: float | None
    ) -> pod_exec.RunningCommand:
        """Start a command; while nothing was run yet, an API server that is away is waited for."""
        shells: Streams = self._shells
        if place.access is Access.OUTSIDE and self._outside is not None:
            shells = self._outside.shells
        pod = (manifests.namespace_of(place.access), place.name)
        deadline = time.monotonic() + self._client.patience_seconds
        limit = {} if limit_seconds is None else {"limit_seconds": limit_seconds}
        while True:
            self.check_cancelled()
            try:
                return pod_exec.RunningCommand(
                    shells, pod, argv, check=self.check_cancelled, **limit
                )
            except ApiUnavailableError:
                if time.monotonic() > deadline:
                    raise
                self.sleep(0.5)
            except ApiRefusedError as error:
                if error.status == 404:
                    raise LabError(say("pod_gone", pod=place.name, said=error.said)) from error
                raise

    def _check_architectures(self, requests: Sequence[PodRequest]) -> None:
        by_name = {node.name: node.architecture for node in self.nodes()}
        found = {by_name[request.node] for request in requests if request.node in by_name}
        if len(found) > 1:
            raise PreconditionError(say("architectures_differ", architectures=sorted(found)))

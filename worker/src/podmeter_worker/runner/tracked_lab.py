"""A Lab that records the running pods, to detect a pod that somebody deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import LabError
from podmeter.domain.messages import Message
from podmeter.domain.ports import Access, Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from podmeter.domain.ports import (
        BackgroundCommand,
        CommandOutput,
        CreatedServices,
        ExecTarget,
        ExistingServices,
        Ingress,
        IngressPolicy,
        IngressRoute,
        Lab,
        LogLevel,
        ModeSwitch,
        Node,
        PodRequest,
        ServiceBatch,
        ServiceRoom,
    )
    from podmeter.domain.safety import NodeCondition
    from podmeter.domain.switching import NodeWatch, Switched
    from podmeter_worker.runner.cluster_guard import ClusterGuard

    Switch = Callable[[ModeSwitch], tuple[Switched, tuple[NodeWatch, ...]]]

_ASK_SECONDS = 20.0


class TrackedLab:
    """Passes everything on to a Lab, but for switching modes, which is `switch`'s.

    While something is waited for, the cluster is checked by `guard`, which knows the nodes'
    conditions by `conditions`.
    """

    def __init__(
        self,
        lab: Lab,
        switch: Switch,
        guard: ClusterGuard,
        conditions: Callable[[], Iterable[NodeCondition]],
    ) -> None:
        self._lab = lab
        self._switch = switch
        self._guard = guard
        self._conditions = conditions
        self._standing: dict[tuple[Access, str], ExecTarget] = {}

    def settle(self, wait: Callable[[float], object]) -> None:
        """Check the cluster between trials. Raises UnsafeClusterError where the run has to stop."""
        self._guard.settle(self._conditions, self._lab, self._standing.values(), wait)

    def stop(self, why: str) -> None:
        """Stop the run for what a trial ran into. Raises UnsafeClusterError."""
        self._guard.stop(Message.of(why))
        self._check()

    def _check(self) -> None:
        self._guard.check(self._conditions, self._lab, self._standing.values())

    def why_broken(self) -> str | None:
        """Why one of the pods that were started does not answer, or None if all do."""
        commands = [Command(place, ("true",)) for place in self._standing.values()]
        try:
            self._lab.execute_all(commands, timeout_seconds=_ASK_SECONDS)
        except LabError as error:
            return error.said
        return None

    @property
    def run_label(self) -> str:
        """The run's label."""
        return self._lab.run_label

    def nodes(self) -> tuple[Node, ...]:
        """As the Lab's."""
        return self._lab.nodes()

    def end_nodes(self) -> tuple[Node, ...]:
        """As the Lab's."""
        return self._lab.end_nodes()

    def start_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        """As the Lab's."""
        places = self._lab.start_pods(requests)
        self._standing |= {(place.access, place.name): place for place in places}
        return places

    def keep_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        """As the Lab's."""
        places = self._lab.keep_pods(requests)
        self._standing |= {(place.access, place.name): place for place in places}
        return places

    def remove_pods(self, places: Sequence[ExecTarget]) -> None:
        """As the Lab's."""
        self._lab.remove_pods(places)
        for place in places:
            self._standing.pop((place.access, place.name), None)

    def node_shells(self) -> tuple[ExecTarget, ...]:
        """As the Lab's."""
        places = self._lab.node_shells()
        self._standing |= {(place.access, place.name): place for place in places}
        return places

    def outside(self) -> ExecTarget | None:
        """As the Lab's."""
        return self._lab.outside()

    def execute(
        self, place: ExecTarget, argv: Sequence[str], *, timeout_seconds: float
    ) -> CommandOutput:
        """As the Lab's."""
        return self._lab.execute(place, argv, timeout_seconds=timeout_seconds)

    def execute_all(
        self, commands: Sequence[Command], *, timeout_seconds: float
    ) -> tuple[CommandOutput, ...]:
        """As the Lab's."""
        return self._lab.execute_all(commands, timeout_seconds=timeout_seconds)

    def background(
        self, place: ExecTarget, argv: Sequence[str]
    ) -> AbstractContextManager[BackgroundCommand]:
        """As the Lab's."""
        return self._lab.background(place, argv)

    def create_services(
        self, batch: ServiceBatch, progress: Callable[[int], None] | None = None
    ) -> CreatedServices:
        """As the Lab's."""

        def show(created: int) -> None:
            self._check()
            if progress is not None:
                progress(created)

        return self._lab.create_services(batch, show)

    def remove_services(
        self, names: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> float:
        """As the Lab's."""
        return self._lab.remove_services(names, progress)

    def existing_services(self, like: ServiceBatch) -> ExistingServices:
        """As the Lab's."""
        return self._lab.existing_services(like)

    def create_policies(self, policies: Sequence[IngressPolicy]) -> float:
        """As the Lab's."""
        return self._lab.create_policies(policies)

    def remove_policies(self, names: Sequence[str]) -> float:
        """As the Lab's."""
        return self._lab.remove_policies(names)

    def create_ingress(self, route: IngressRoute) -> Ingress:
        """As the Lab's."""
        return self._lab.create_ingress(route)

    def remove_ingress(self, name: str) -> None:
        """As the Lab's."""
        self._lab.remove_ingress(name)

    def foreign_policies(self, places: Sequence[ExecTarget]) -> tuple[str, ...]:
        """As the Lab's."""
        return self._lab.foreign_policies(places)

    def service_room(self) -> ServiceRoom:
        """As the Lab's."""
        return self._lab.service_room()

    def switch_mode(self, asked: ModeSwitch) -> tuple[Switched, tuple[NodeWatch, ...]]:
        """Set one of the block's modes up again."""
        return self._switch(asked)

    def monotonic(self) -> float:
        """As the Lab's."""
        return self._lab.monotonic()

    def sleep(self, seconds: float) -> None:
        """As the Lab's."""
        self._check()
        self._lab.sleep(seconds)

    def check_cancelled(self) -> None:
        """As the Lab's."""
        self._lab.check_cancelled()
        self._check()

    def log(self, level: LogLevel, message: str) -> None:
        """As the Lab's."""
        self._lab.log(level, message)

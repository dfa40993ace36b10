"""The Lab of a FakeCluster, for throughput."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from podmeter.domain.errors import LabError
from podmeter.domain.ports import (
    Access,
    CommandOutput,
    CreatedServices,
    ExecTarget,
    ExistingServices,
    Ingress,
    ModeSwitch,
    Node,
    Service,
    ServicePort,
    ServiceRoom,
)
from podmeter.domain.switching import NodeWatch, Switched
from podmeter.drivers import node_room, route

from .fake_cluster import printed

if TYPE_CHECKING:
    from .fake_link import FakeLink


def _scaled(number: str, share: float) -> float | int:
    """A number in iperf3's output, whole where it was."""
    return round(int(number) * share) if number.isdecimal() else float(number) * share


@dataclass
class FakeLab:
    """Implements domain.ports.Lab for throughput."""

    link: FakeLink
    write: Any
    trials: list[str] = field(default_factory=list)
    seconds: int = 3
    share: float | None = None

    @property
    def run_label(self) -> str:
        return self.link.run_label

    def nodes(self) -> tuple[Node, ...]:
        names = self.link.cluster.now().get("nodes", ("n1", "n2"))
        return tuple(Node(n, f"192.168.0.{n[1]}", "amd64", f"boot-{n}") for n in names)

    def start_pods(self, requests: Any) -> tuple[ExecTarget, ...]:
        self.check_cancelled()
        with self.link.changing() as state:
            state["objects"] |= {request.name: self.run_label for request in requests}
            state["n"] += 1
        self.link.steps("preparing")
        self.check_cancelled()
        return tuple(ExecTarget(one.name, "10.244.0.2", one.node, one.access) for one in requests)

    def keep_pods(self, requests: Any) -> tuple[ExecTarget, ...]:
        raise AssertionError(f"throughput keeps no pods from block to block: {requests}")

    def remove_pods(self, places: Any) -> None:
        with self.link.cluster.change() as state:
            for place in places:
                state["objects"].pop(place.name, None)

    def node_shells(self) -> tuple[ExecTarget, ...]:
        with self.link.cluster.change() as state:
            state["objects"] |= {f"shell-{node.name}": self.run_label for node in self.nodes()}
        return tuple(
            ExecTarget(f"shell-{node.name}", node.address, node.name, Access.HOST_ADMIN)
            for node in self.nodes()
        )

    def outside(self) -> ExecTarget | None:
        return None

    def switch_mode(self, asked: ModeSwitch) -> tuple[Switched, tuple[NodeWatch, ...]]:
        raise AssertionError(f"throughput switches nothing inside of a block: {asked}")

    def execute(self, place: ExecTarget, argv: Any, *, timeout_seconds: float) -> CommandOutput:
        self.check_cancelled()
        self.link._reach()
        if place.name not in self.link.cluster.now()["objects"]:
            raise LabError(f"pod {place.name} is gone")
        if argv == node_room.ARGV:
            return CommandOutput(self._room(str(place.node)), "", 0, 0.001)
        if argv[0] == "true":
            return CommandOutput("", "", 0, 0.001)
        if "--version" in argv:
            return printed("iperf3-3.18", "version")
        if "--bytes" in argv:
            return printed("iperf3-3.18", "tcp")
        if argv == route.argv(*argv[-2:]):
            return printed("iproute2-6.15", "route")
        if argv[0] != "iperf3":
            return self._at_rate(self._for_seconds("tcp-seen"))
        self.link.steps("trial")
        self.check_cancelled()
        if place.name not in self.link.cluster.now()["objects"]:
            raise LabError(f"pod {place.name} was deleted")
        self.seconds = int(argv[argv.index("--time") + 1])
        self._set_rate(place)
        return self._at_rate(self._for_seconds("tcp"))

    def _room(self, node: str) -> str:
        """Half of everything is free on a node, unless the cluster's state says otherwise."""
        room = {"memory": 50, "disk": 50, "conntrack": 50, **self.link.cluster.now().get(node, {})}
        files = (
            f"== /proc/meminfo\nMemTotal:        100 kB\nMemAvailable:    {room['memory']} kB\n"
            f"== /proc/sys/net/netfilter/nf_conntrack_count\n{room['conntrack']}\n"
            "== /proc/sys/net/netfilter/nf_conntrack_max\n100\n== end\n"
        )
        disk = f"4096 100 {room['disk']}\n"
        framed = [f"ran 0 {len(one)}\n{one}\n" for one in (files, disk)]
        return "".join([*framed, "end\n"])

    def _for_seconds(self, name: str) -> CommandOutput:
        """As if it had been asked to last as long as it was; it lasted three."""
        output = printed("iperf3-3.18", name)
        asked = re.sub(r'("duration":\s*)\d+', rf"\g<1>{self.seconds}", output.stdout)
        return replace(output, stdout=asked)

    def _set_rate(self, place: ExecTarget) -> None:
        """As slow as the node that sends, by the cluster's `slow`; then no two are quite alike."""
        slow = self.link.cluster.now().get("slow")
        self.trials.append(place.name)
        if slow is not None:
            self.share = slow.get(place.node, 1.0) * (1 + 0.002 * (len(self.trials) % 3))

    def _at_rate(self, output: CommandOutput) -> CommandOutput:
        """What both ends saw of the latest trial, at its share of the captured rate."""
        share = self.share
        if share is None:
            return output
        figures = re.compile(r'("(?:bits_per_second|bytes)":\s*)([0-9.e+]+)')
        text = figures.sub(lambda one: f"{one[1]}{_scaled(one[2], share)}", output.stdout)
        return replace(output, stdout=text)

    def execute_all(self, commands: Any, *, timeout_seconds: float) -> tuple[CommandOutput, ...]:
        return tuple(
            self.execute(one.place, one.argv, timeout_seconds=timeout_seconds) for one in commands
        )

    @contextmanager
    def background(self, place: ExecTarget, argv: Any) -> Iterator[Any]:
        class Running:
            def finish(self, timeout_seconds: float) -> CommandOutput:
                return printed("proc-6.18", "samples")

        yield Running()

    def create_services(self, batch: Any, progress: Any = None) -> CreatedServices:
        with self.link.cluster.change() as state:
            state["objects"] |= dict.fromkeys(batch.names, self.run_label)
        ports = (ServicePort("tcp", batch.port),)
        made = tuple(Service(name, "10.96.0.9", ports) for name in batch.names)
        return CreatedServices(made, 0.1)

    def remove_services(self, names: Any) -> float:
        with self.link.cluster.change() as state:
            for name in names:
                state["objects"].pop(name, None)
        return 0.1

    def existing_services(self, like: Any) -> ExistingServices:
        raise AssertionError(f"throughput leaves no Services to a later block: {like}")

    def create_policies(self, policies: Any) -> float:
        with self.link.cluster.change() as state:
            state["objects"] |= {one.name: self.run_label for one in policies}
        return 0.1

    def remove_policies(self, names: Any) -> float:
        return self.remove_services(names)

    def create_ingress(self, route: Any) -> Ingress:
        with self.link.cluster.change() as state:
            state["objects"][f"ingress/{route.name}"] = self.run_label
        return Ingress(route.name, route.host, "usual", "x/y", route.address or "192.0.2.80")

    def remove_ingress(self, name: str) -> None:
        self.remove_services([f"ingress/{name}"])

    def foreign_policies(self, places: Any) -> tuple[str, ...]:
        return ()

    def service_room(self) -> ServiceRoom:
        return ServiceRoom(7, 0, 0, 60_000, 2_700)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        self.link.stop.wait(min(seconds, 0.01))
        self.check_cancelled()

    def check_cancelled(self) -> None:
        self.link.check()

    def log(self, level: Any, message: str) -> None:
        self.write(level, message)

"""The Lab of a FakeCluster: what it makes is written there, and time is real."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bench.scripted import lab, outputs
from bench.scripted.commands import Argv

from podmeter.domain.errors import LabError
from podmeter.domain.ports import Access, CommandOutput, ExecTarget, LogLevel, Node, PodRequest

if TYPE_CHECKING:
    from .fake_link import FakeLink


def _scaled(number: str, share: float) -> float | int:
    """A number in iperf3's output, whole where it was."""
    return round(int(number) * share) if number.isdecimal() else float(number) * share


class FakeLab(lab.FakeLab):
    """Implements domain.ports.Lab on the cluster that `link` leads to."""

    def __init__(self, link: FakeLink, write: Any) -> None:
        super().__init__(run_label=link.run_label)
        self.link = link
        self.write = write
        self.trials: list[str] = []
        self.share: float | None = None
        #: One command at a time: a guard asks all nodes at once, and `place` is the one asked.
        self.answering = threading.RLock()

    # What is made is in the cluster

    def keep(self, names: Iterable[str]) -> None:
        with self.link.cluster.change() as state:
            state["objects"] |= dict.fromkeys(names, self.run_label)

    def drop(self, names: Iterable[str]) -> None:
        with self.link.cluster.change() as state:
            for name in names:
                state["objects"].pop(name, None)

    def nodes(self) -> tuple[Node, ...]:
        self.node_names = tuple(self.link.cluster.now().get("nodes", ("n1", "n2")))
        return super().nodes()

    def start_pods(self, requests: Sequence[PodRequest]) -> tuple[ExecTarget, ...]:
        self.check_cancelled()
        with self.link.changing() as state:
            state["n"] += 1
        places = super().start_pods(requests)
        self.link.steps("preparing")
        self.check_cancelled()
        return places

    # What commands answer

    def execute(self, place: ExecTarget, argv: Argv, *, timeout_seconds: float) -> CommandOutput:
        self.link._reach()
        with self.answering:
            output = super().execute(place, argv, timeout_seconds=timeout_seconds)
        # So that none of a trial's time is the tool's own.
        return replace(output, seconds=0.0)

    def is_there(self, place: ExecTarget) -> bool:
        is_shell = place.access is Access.HOST_ADMIN
        return is_shell or place.name in self.link.cluster.now()["objects"]

    def _room(self, argv: Argv) -> CommandOutput:
        """Half of everything is free on a node, unless the cluster's state says otherwise."""
        return outputs.room(**self.link.cluster.now().get(str(self.place.node), {}))

    def _iperf3(self, argv: Argv) -> CommandOutput:
        self.link.steps("trial")
        self.check_cancelled()
        if not self.is_there(self.place):
            raise LabError(f"pod {self.place.name} was deleted")
        self._set_rate()
        return super()._iperf3(argv)

    def _set_rate(self) -> None:
        """As slow as the node that sends, by the cluster's `slow`; then no two are quite alike."""
        slow = self.link.cluster.now().get("slow")
        self.trials.append(self.place.name)
        if slow is not None:
            self.share = slow.get(self.place.node, 1.0) * (1 + 0.002 * (len(self.trials) % 3))

    def _iperf3_end(self, name: str, seconds: int, cookie: str) -> CommandOutput:
        """At the latest trial's share of the captured rate."""
        output, share = super()._iperf3_end(name, seconds, cookie), self.share
        if share is None:
            return output
        figures = re.compile(r'("(?:bits_per_second|bytes)":\s*)([0-9.e+]+)')
        text = figures.sub(lambda one: f"{one[1]}{_scaled(one[2], share)}", output.stdout)
        return replace(output, stdout=text)

    # Time, and the run's log

    def log(self, level: LogLevel, message: str) -> None:
        self.write(level, message)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        self.link.stop.wait(min(seconds, 0.01))
        self.check_cancelled()

    def check_cancelled(self) -> None:
        self.link.check()

"""The modes of a FakeCluster, and what its nodes see of a switch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bench.scripted.outputs import service_watch

from podmeter.domain.cluster_report import UnrestoredSwitch
from podmeter.domain.messages import Message, say
from podmeter.domain.switching import NodeWatch, Switched
from podmeter.drivers import program
from podmeter.services.execution.modes import BY_HAND
from podmeter_worker.modes.evidence import LeftByHandError

if TYPE_CHECKING:
    from .fake_link import FakeLink

#: The Service that is watched, and for how long connections to it fail on each node.
STANDING, NODE_OUTAGES = "10.96.0.1:443", {"n1": 0.3, "n2": 0.4}


@dataclass
class FakeModes:
    """Implements runner.ports.ModeControl; a switch has the steps of a real one.

    Setting the current mode up again has no step at which a test can stop it.
    """

    link: FakeLink
    progress: Callable[[str], None]
    guard: Callable[[], None] = lambda: None

    def why_fixed(self, axis: str) -> Message | None:
        return say("proxy_built_in", version="v1") if self.link.cluster.now().get("fixed") else None

    def why_not(self, axis: str, value: str, *, by_hand: bool = False) -> str | None:
        if not by_hand and (fixed := self.why_fixed(axis)):
            return fixed
        return "the kernel has no ip_vs" if value == "ipvs" else None

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(self.link.cluster.now().get("seats", ("n1", "n2", "n3", "n4")))

    def observe(self, axis: str, on: str | None = None) -> str:
        state = self.link.cluster.now()
        own = state.get("assigned", {}) if on is not None else {}
        return str(own.get(on, state["modes"][axis]))

    def assign(self, axis: str, values: Mapping[str, str]) -> bool:
        if self.link.cluster.now().get("assigned") == dict(values):
            return False
        self._step("saved")
        with self.link.changing() as state:
            state["assigned"] = {}
            state["set_up"].append(dict(values))
            state["touched"] += 1
        self._step("assigning")
        with self.link.changing() as state:
            state["assigned"] = dict(values)
        self.progress("effective")
        self._step("assigned")
        return True

    def component_state(self, axis: str) -> dict[str, Any]:
        return {"touched": self.link.cluster.now()["touched"]}

    def why_touched(self, axis: str, before: dict[str, Any]) -> str | None:
        return None if before == self.component_state(axis) else "its pods were replaced"

    def save(self, axis: str) -> dict[str, Any]:
        return {"value": self.observe(axis)}

    def note(self, axis: str, saved: dict[str, Any]) -> None:
        note = UnrestoredSwitch(
            axis=axis,
            component="kube-proxy",
            saved=saved,
            holder=self.link.holder,
            since=datetime.now(UTC),
        )
        with self.link.changing() as state:
            state["notes"].setdefault(axis, note.model_dump(mode="json"))

    def switch(self, axis: str, value: str, added: int = 0) -> Switched:
        with self.link.changing() as state:
            state["set_up"].append(value)
            stands = state["modes"][axis] == value
            state["touched"] += stands
        accepted = dict.fromkeys(("n1", "n2"), time.monotonic())
        if not stands:
            self._change(axis, value)
        return Switched(axis, value, not stands, accepted, time.monotonic())

    def restart(self, axis: str, value: str, node: str, added: int) -> Switched:
        with self.link.changing() as state:
            state["touched"] += 1
        now = time.monotonic()
        return Switched(axis, value, False, {node: now}, now, (node,))

    @contextmanager
    def watch(self, patience_seconds: float, services: Sequence[str] = ()) -> Iterator[FakeWatch]:
        with self.link.cluster.change() as state:
            state["watched"] = state.get("watched", 0) + 1
        try:
            yield FakeWatch(self.link, time.monotonic())
        finally:
            with self.link.cluster.change() as state:
                state["watched"] -= 1

    def _change(self, axis: str, value: str) -> None:
        self._step("saved")
        with self.link.changing() as state:
            state["modes"][axis] = f"{value}, half-way"
        self._step("patched")
        self._step("rolling")
        with self.link.changing() as state:
            state["modes"][axis] = value
            state["touched"] += 1
        self.progress("effective")
        self._step("switched")

    def restore(self, axis: str, saved: dict[str, Any]) -> None:
        self.link.steps("restoring")
        if (stood := saved.get(BY_HAND)) is not None:
            if (seen := self.observe(axis)) != stood:
                raise LeftByHandError(
                    say("left_by_hand", axis=axis, mode=stood, seen=seen, how=say("no_reason"))
                )
            return
        with self.link.changing() as state:
            note = state["notes"].pop(axis, None)
            if saved.get("confirmed") and note is None:
                return
            state["modes"][axis] = saved.get("saved", saved)["value"]
            state.pop("assigned", None)
        self.link.steps("restored")

    def _step(self, name: str) -> None:
        self.link.steps(name)
        self.link.check()
        while self.link.cluster.now().get("waits") == name:
            self.link.check()
            self.guard()


@dataclass
class FakeWatch:
    """Implements runner.ports.Watch: connections fail for 0.3 s in the middle, on n2 for 0.4 s.

    Nodes in `deaf` of the cluster's state do not tell.
    """

    link: FakeLink
    begun: float

    def finish(self) -> tuple[NodeWatch, ...]:
        deaf = self.link.cluster.now().get("deaf", ())
        return tuple(self._of(node, failed, node in deaf) for node, failed in NODE_OUTAGES.items())

    def _of(self, node: str, failed: float, deaf: bool) -> NodeWatch:
        # As a node whose clock is 1,000 s ahead saw it, a good while after it was asked to begin.
        begin = self.begun + 1000 - 2
        accepted = time.monotonic() + 1000
        ended = accepted + failed + 2
        output = service_watch(
            (begin, begin + 2, ended - 0.001, ended),
            0.02,
            [STANDING],
            [
                ("ok", begin, accepted + 0.1, 50),
                ("fail", accepted + 0.11, accepted + 0.1 + failed, 20),
                ("ok", accepted + 0.11 + failed, ended, 50),
            ],
        )
        return NodeWatch(
            node=node,
            place=f"shell-{node}",
            argv=(program.NAME,),
            services=(STANDING,),
            output=None if deaf else output,
            why_unknown="the pod is gone" if deaf else "",
            begun=self.begun - 2,
            told=self.begun + 0.001,
            asked=ended - 1000 - 0.002,
            answered=ended - 1000 + 0.001,
        )

"""What a run does with a cluster's modes: each axis by the switcher that can act on it there."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from podmeter.domain.by_hand import can_be_switched, how_to
from podmeter.domain.cluster_report import UnrestoredSwitch
from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.messages import Message, say
from podmeter.domain.switching import Switched
from podmeter.services.execution.modes import BY_HAND
from podmeter_worker.kube.facts.component_state import why_touched
from podmeter_worker.kube.facts.service_room import service_ports
from podmeter_worker.kube.reading import reader
from podmeter_worker.kube.service_watch import ServiceWatch, standing_service
from podmeter_worker.modes import evidence, switch_record
from podmeter_worker.modes.evidence import LeftByHandError
from podmeter_worker.modes.registry import by_component, switcher_for
from podmeter_worker.modes.switcher import SwitchContext

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podmeter_worker.modes.switcher import Switcher


@reader
class SwitcherModeControl:
    """Implements `runner.ports.ModeControl` by the switchers; what is saved names its switcher."""

    def __init__(
        self, context: SwitchContext, check_watch: Callable[[], None] | None = None
    ) -> None:
        """`check_watch` is called while Services are watched, instead of the context's check."""
        self._site = context
        self._check_watch = check_watch or context.check

    def why_fixed(self, axis: str) -> Message | None:
        """Why no switcher can act on the axis here, or None."""
        try:
            self._switcher(axis)
        except PreconditionError as error:
            return error.said
        return None

    def why_not(self, axis: str, value: str, *, by_hand: bool = False) -> str | None:
        """Why the axis cannot be switched to a value here."""
        fixed = self.why_fixed(axis)
        if fixed is None:
            values = self._switcher(axis).values(self._site)
        elif by_hand and can_be_switched(fixed):
            values = evidence.values(self._site, axis)
        else:
            return fixed
        if value not in values:
            return say("values_known", values=list(values))
        return values[value]

    @property
    def seats(self) -> tuple[str, ...]:
        """The nodes that are switched alone."""
        return tuple(sorted(self._site.nodes or ()))

    def observe(self, axis: str, on: str | None = None) -> str:
        """The value in effect on every node, or on one of the seats."""
        if self.why_fixed(axis) is not None:
            return evidence.observe(self._sized, axis)
        context = self._sized if on is None else replace(self._sized, nodes=frozenset({on}))
        return self._switcher(axis).observe(context)

    def component_state(self, axis: str) -> dict[str, Any]:
        """The current state of the mode's component; empty if no switcher knows it."""
        if self.why_fixed(axis) is not None:
            return {}
        return self._switcher(axis).component_state(self._site)

    def why_touched(self, axis: str, before: dict[str, Any]) -> str | None:
        """What happened since to what brings the mode about."""
        standing = self.component_state(axis)
        return why_touched(before, standing) if before and standing else None

    def save(self, axis: str) -> dict[str, Any]:
        """The current mode, and the switcher that can restore it."""
        switcher = self._switcher(axis)
        saved = switcher.save(self._site)
        # In this order: a note is written before a switch, so none yet means none was switched.
        for path in self._noted_at(switcher):
            switch_record.require_own(self._site.client, path, self._site.holder)
        return {"component": switcher.component, "saved": saved}

    def note(self, axis: str, saved: dict[str, Any]) -> None:
        """Also write the current mode into the cluster."""
        switcher = by_component(saved["component"])
        for path in self._noted_at(switcher):
            switch_record.write(self._site.client, path, self._note(axis, saved))

    def switch(self, axis: str, value: str, added: int = 0) -> Switched:
        """Switch, and wait until the value is in effect on every node."""
        accepted: dict[str, float] = {}

        def accept(node: str) -> None:
            # What has to be started once more is still the same switch.
            accepted.setdefault(node, time.monotonic())

        context = replace(self._site, accepted=accept, service_ports=max(added, self._ports()))
        switcher = self._switcher(axis)
        changed = switcher.switch(context, value)
        alone = switcher.supports_per_node and context.nodes is not None
        nodes = tuple(sorted(context.nodes or ())) if alone else None
        return Switched(axis, value, changed, accepted, time.monotonic(), nodes)

    def assign(self, axis: str, values: Mapping[str, str]) -> bool:
        """Have each of these seats in a value of its own."""
        return self._switcher(axis).assign(self._sized, values)

    def restart(self, axis: str, value: str, node: str, added: int) -> Switched:
        """Restart what brings a value about on one node that has it."""
        accepted: dict[str, float] = {}

        def accept(name: str) -> None:
            accepted.setdefault(name, time.monotonic())

        ports = max(added, self._ports())
        context = replace(self._site, nodes=frozenset({node}), accepted=accept, service_ports=ports)
        self._switcher(axis).restart(context, value)
        if node not in accepted:
            raise ConvergenceError(say("not_restarted", node=node))
        return Switched(axis, value, False, accepted, time.monotonic(), (node,))

    def watch(self, patience_seconds: float, services: Sequence[str] = ()) -> ServiceWatch:
        """Watch Services, or one that always stands, from every node."""
        if not services and (found := standing_service(self._site.client)) is not None:
            services = (found,)
        shells = self._site.here.shells.values()
        return ServiceWatch(shells, services, self._check_watch, patience_seconds)

    def restore(self, axis: str, saved: dict[str, Any]) -> None:
        """Restore the original mode, and remove its note."""
        if BY_HAND in saved:
            self._require_back(axis, str(saved[BY_HAND]))
            return
        switcher, note = by_component(saved["component"]), self._note(axis, saved)
        client, paths = self._site.client, self._noted_at(switcher)
        if saved.get("confirmed"):
            standing = switch_record.read_all(client, paths)
            if [one.values for one in standing] != [note.values]:
                return
        restarts = max([switch_record.claim(client, path, note) for path in paths])

        def count_mtu_restart() -> None:
            for path in paths:
                switch_record.count_mtu_restart(client, path, self._site.holder)

        context = replace(self._sized, mtu_restarts=restarts, count_mtu_restart=count_mtu_restart)
        switcher.restore(context, saved["saved"])
        if not self._site.missing:
            for path in paths:
                switch_record.forget(client, path)

    def _require_back(self, axis: str, mode: str) -> None:
        """Raise LeftByHandError unless an axis is as it was, which somebody else has to see to."""
        try:
            seen: str | Message = self.observe(axis)
        except PreconditionError as error:
            seen = error.said
        if seen != mode:
            how = how_to(self.why_fixed(axis), axis, mode)
            raise LeftByHandError(say("left_by_hand", axis=axis, mode=mode, seen=seen, how=how))

    @property
    def _sized(self) -> SwitchContext:
        """The site with how many Service ports exist: a switch rewrites their rules, and a look
        reads them.
        """
        return replace(self._site, service_ports=self._ports())

    def _ports(self) -> int:
        return service_ports(self._site.client)

    def _note(self, axis: str, saved: dict[str, Any]) -> UnrestoredSwitch:
        return UnrestoredSwitch(
            axis=axis,
            component=saved["component"],
            saved=saved["saved"],
            holder=str(self._site.holder),
            since=datetime.now(UTC),
        )

    def _noted_at(self, switcher: Switcher) -> tuple[str, ...]:
        paths = switcher.configurations(self._site.client)
        if not paths:
            raise PreconditionError(say("component_gone", component=switcher.component))
        return paths

    def _switcher(self, axis: str) -> Switcher:
        return switcher_for(self._site, axis)

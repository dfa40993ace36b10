"""What a switcher is, and what it works with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.kube.lease import Holder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from podmeter.domain.messages import Message
    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.component_state import ComponentState
    from podmeter_worker.kube.node_shells import NodeShell

#: What stood before a switch, as plain data.
Saved = dict[str, JsonValue]
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class SwitchContext:
    """A cluster while a switcher works on it.

    `shells` has one for each Linux node of the cluster, by name. `check` may raise to end a
    wait. `progress` takes the name of each step as it is done: patched, rolled, cleaned,
    effective, recreated. `missing` are nodes without a shell, dead ones: the other
    nodes are restored in the meantime. `holder` is the run or preflight. `accepted` takes a node's
    name when the API server has accepted what restarts the component there. `service_ports` is how
    many Service ports exist at most: their rules take their time to write and to read.
    `sync_periods` are those that kube-proxy is to
    run with in any mode that is switched to; None leaves them as they are. `nodes` are those that
    are switched, where a component can be on some of them alone; None for all. `mtu_restarts` is
    how often restores have restarted the pod network for pods' MTU alone; `count_mtu_restart` notes
    one more.
    """

    client: KubeClient
    shells: Mapping[str, NodeShell]
    check: Callable[[], None]
    progress: Callable[[str], None]
    missing: frozenset[str] = frozenset()
    holder: Holder = field(default_factory=lambda: Holder(""))
    accepted: Callable[[str], None] = lambda node: None
    service_ports: int = 0
    sync_periods: SyncPeriods | None = None
    nodes: frozenset[str] | None = None
    mtu_restarts: int = 0
    count_mtu_restart: Callable[[], None] = lambda: None

    @property
    def here(self) -> SwitchContext:
        """The context of the nodes alone that are switched."""
        if self.nodes is None:
            return self
        shells = {node: shell for node, shell in self.shells.items() if node in self.nodes}
        return replace(self, shells=shells)


class Switcher(Protocol):
    """Switches one axis of a cluster by one component; each inherits from this class. Stateless.

    The caller stores what `save` gives before it calls `switch`, and gives it to `restore`
    whatever happened since, as often as it takes: each method may be interrupted at any point
    and called again. Methods raise LabError for what may pass, PreconditionError for a cluster
    that cannot be switched here, ConvergenceError where the mode does not take effect.
    """

    @property
    def axis(self) -> str:
        """The axis it switches."""

    @property
    def component(self) -> str:
        """What it switches it by, for people."""

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """The paths of the objects that it is set by here; none where it is not there.

        What stood before a switch is noted on each of them.
        """

    def why_absent(self, context: SwitchContext) -> str | None:
        """Why the component cannot be switched here at all, or None."""

    def values(self, context: SwitchContext) -> dict[str, str | None]:
        """Every value it knows, with why it cannot be switched to here, or None if it can."""

    def save(self, context: SwitchContext) -> Saved:
        """The current mode. Changes nothing."""

    def observe(self, context: SwitchContext) -> str:
        """The value that is in effect on every node, asked of the nodes themselves.

        Raises PreconditionError where nodes differ, or what they do fits no value.
        """

    def component_state(self, context: SwitchContext) -> ComponentState:
        """The current state of the mode's component."""

    def switch(self, context: SwitchContext, value: str) -> bool:
        """Switch, wait until the value is in effect on every node, leave nothing of the old.

        The component is restarted even if it already has the value, so that what was
        switched to is set up like what was not. True where another value was set before.
        A value that `values` refuses is refused before anything is changed.
        """

    def restore(self, context: SwitchContext, saved: Saved) -> None:
        """Restore the original mode, and wait until it is in effect."""

    # Hooks: what most switchers have nothing to say about. A switcher inherits these answers.

    @property
    def supports_per_node(self) -> bool:
        """Whether it can be switched on some nodes alone, where the cluster lets it."""
        return False

    def assign(self, context: SwitchContext, values: Mapping[str, str]) -> bool:
        """Have each of these nodes in a value of its own, one that `supports_per_node`.

        As `switch`, but a node that is in its value already is left alone. False where all were.
        """
        raise PreconditionError(say("no_switcher"))

    def restart(self, context: SwitchContext, value: str) -> None:
        """Restart the component on the nodes of the context, which are in this value, and wait
        until they are again. Changes nothing else.
        """
        raise PreconditionError(say("no_switcher"))

    def why_not_per_node(self, client: KubeClient) -> Message | None:
        """Why one that `supports_per_node` is switched on all nodes here nevertheless, or None."""
        return None

    def begun_per_node(self, client: KubeClient) -> bool:
        """Whether some nodes alone are switched here, and have not been restored since."""
        return False

    def why_built_in(self, client: KubeClient) -> Message | None:
        """That it is part of something else here, with no objects that it is set by.

        None where nothing shows that. Asked where no pod network is recognised.
        """
        return None

    def observe_by_hand(self, context: SwitchContext) -> str | None:
        """As `observe`, where only somebody else can switch it; None where nothing shows it."""
        return None

    def values_by_hand(self, context: SwitchContext) -> dict[str, str | None]:
        """As `values`, where only somebody else can switch it."""
        return {}


def read_saved(model: type[Model], saved: Saved, component: str) -> Model:
    """What a component's `save` gave. Raises PreconditionError for anything else."""
    try:
        return model.model_validate(saved)
    except ValidationError as error:
        raise PreconditionError(say("saved_unusable", component=component)) from error


def require(switcher: Switcher, context: SwitchContext, value: str) -> None:
    """Raise PreconditionError, before anything is changed, if a value cannot be had here."""
    values = switcher.values(context)
    if value not in values:
        raise PreconditionError(
            say("value_unknown", component=switcher.component, value=value, values=list(values))
        )
    if reason := values[value]:
        raise PreconditionError(
            say("value_impossible", component=switcher.component, value=value, why=reason)
        )

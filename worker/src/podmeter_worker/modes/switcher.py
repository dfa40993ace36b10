"""What a switcher is, and what it works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pydantic import JsonValue

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.kube.lease import Holder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.standing import Standing
    from podmeter_worker.kube.node_shells import NodeShell

#: What stood before a switch, as plain data.
Saved = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Site:
    """A cluster while a switcher works on it.

    `shells` has one for each Linux node of the cluster, by name. `check` may raise to end a
    wait. `progress` takes the name of each step as it is done: patched, rolled, cleaned,
    effective, recreated. `missing` are nodes without a shell, dead ones: the other
    nodes are restored in the meantime. `holder` is the run or preflight. `accepted` takes a node's
    name when the API server has accepted what restarts the component there. `added` is how many
    Services exist in addition to the cluster's own. `sync_periods` are those that kube-proxy is to
    run with in any mode that is switched to; None leaves them as they are. `nodes` are those that
    are switched, where a component can be on some of them alone; None for all.
    """

    client: KubeClient
    shells: Mapping[str, NodeShell]
    check: Callable[[], None]
    progress: Callable[[str], None]
    missing: frozenset[str] = frozenset()
    holder: Holder = field(default_factory=lambda: Holder(""))
    accepted: Callable[[str], None] = lambda node: None
    added: int = 0
    sync_periods: SyncPeriods | None = None
    nodes: frozenset[str] | None = None


class Switcher(Protocol):
    """Switches one axis of a cluster by one component. Stateless.

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

    def why_absent(self, site: Site) -> str | None:
        """Why the component cannot be switched here at all, or None."""

    def values(self, site: Site) -> dict[str, str | None]:
        """Every value it knows, with why it cannot be switched to here, or None if it can."""

    def save(self, site: Site) -> Saved:
        """The current mode. Changes nothing."""

    def observe(self, site: Site) -> str:
        """The value that is in effect on every node, asked of the nodes themselves.

        Raises PreconditionError where nodes differ, or what they do fits no value.
        """

    def standing(self, site: Site) -> Standing:
        """The current state of the mode's component."""

    def switch(self, site: Site, value: str) -> bool:
        """Switch, wait until the value is in effect on every node, leave nothing of the old.

        The component is restarted even if it already has the value, so that what was
        switched to is set up like what was not. True where another value was set before.
        A value that `values` refuses is refused before anything is changed.
        """

    def restore(self, site: Site, saved: Saved) -> None:
        """Restore the original mode, and wait until it is in effect."""


def require(switcher: Switcher, site: Site, value: str) -> None:
    """Raise PreconditionError, before anything is changed, if a value cannot be had here."""
    values = switcher.values(site)
    if value not in values:
        raise PreconditionError(
            say("value_unknown", component=switcher.component, value=value, values=list(values))
        )
    if reason := values[value]:
        raise PreconditionError(
            say("value_impossible", component=switcher.component, value=value, why=reason)
        )

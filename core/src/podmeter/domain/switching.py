"""What is known of a switch of modes once it is over, before anything is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter.domain.messages import Message
    from podmeter.domain.ports import CommandOutput


@dataclass(frozen=True, slots=True)
class SyncPeriods:
    """kube-proxy's sync period and the least time between two syncs, in seconds; None leaves it."""

    period: float | None = None
    minimum: float | None = None


@dataclass(frozen=True, slots=True)
class Switched:
    """A mode that was set up again; times are the worker's monotonic ones, in seconds.

    `changed` tells a switch from a mode that stood already and was only rolled. `accepted` is when
    the API server had taken what starts the component again, by node; `effective` when every node
    was seen in the mode, and whatever is renewed with it stood again. `nodes` are those that alone
    were switched, None for all.
    """

    axis: str
    value: str
    changed: bool
    accepted: Mapping[str, float]
    effective: float
    nodes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NodeWatch:
    """What watched the Services from a node, `output` None and `why_unknown` where nothing did.

    On the worker's clock it was asked to begin at `begun`, had told by `told` that connections
    succeed for good, was asked to end at `asked`, and had answered by `answered`: what brings the
    node's clock and the worker's together. `told` is infinite where it did not.
    """

    node: str
    place: str
    argv: tuple[str, ...]
    services: tuple[str, ...]
    output: CommandOutput | None
    why_unknown: Message | str
    begun: float
    told: float
    asked: float
    answered: float

"""A right in a cluster: what Podmeter asks its owner for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from podmeter.domain.messages import Message


class Feature(StrEnum):
    """What of measuring takes rights of its own, for anyone who measures it."""

    INGRESS = "ingress"
    PROXY_ON_NODES = "proxy_on_nodes"


@dataclass(frozen=True, slots=True)
class Right:
    """Verbs on a resource (with its subresource after a slash), in a namespace or everywhere.

    `names` limits it to objects of these names; `why` is for the cluster's owner. Without an
    `optional` one nearly all can be measured; what cannot is refused when it is asked for, by a
    run's preflight where it is for a `feature`.
    """

    group: str
    resource: str
    verbs: tuple[str, ...]
    why: Message
    namespace: str | None = None
    names: tuple[str, ...] = ()
    optional: bool = False
    feature: Feature | None = None

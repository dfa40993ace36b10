"""A right in a cluster: what Podmeter asks its owner for."""

from __future__ import annotations

from dataclasses import dataclass

from podmeter.domain.messages import Message


@dataclass(frozen=True, slots=True)
class Right:
    """Verbs on a resource (with its subresource after a slash), in a namespace or everywhere.

    `names` limits it to objects of these names; `why` is for the cluster's owner. Without an
    `optional` one nearly all can be measured; what cannot is refused when it is asked for.
    """

    group: str
    resource: str
    verbs: tuple[str, ...]
    why: Message
    namespace: str | None = None
    names: tuple[str, ...] = ()
    optional: bool = False

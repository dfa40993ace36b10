"""Parameters that name a host, which may be somebody's live one: its cluster's owner is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.named_hosts import NamesHost
from podmeter.kinds.registry import kind_of

if TYPE_CHECKING:
    from podmeter.domain.experiment import ResolvedSpec


def named_hosts(spec: ResolvedSpec) -> list[str]:
    """The hosts that a spec names."""
    fields = kind_of(spec).parameters.model_fields
    return [
        str(spec.parameters[name])
        for name, field in fields.items()
        if any(isinstance(one, NamesHost) for one in field.metadata)
        and spec.parameters.get(name) is not None
    ]

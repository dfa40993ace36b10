"""Which modes of a specification a cluster can have, by what its preflight found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MODE_AXES = ("encapsulation", "kube_proxy_mode")
#: Parameters that mean something while modes are switched alone.
WITH_A_SWITCH = (
    *("services_stay", "rung_by_rung"),
    *("sync_period_seconds", "min_sync_period_seconds"),
)
_Document = dict[str, Any]


def possible(cluster: _Document, axis: str, values: Iterable[str]) -> list[str]:
    """Those of an axis's modes that the registered cluster may be switched to, in their order."""
    known = (cluster["capabilities"] or {}).get("modes", {}).get(axis)
    if not cluster["allow_mode_switch"] or known is None or known["why_not"] is not None:
        return []
    # None is the reason of a mode that nothing speaks against.
    return [one for one in values if known["values"].get(one, "") is None]


def compared_axis(spec: _Document) -> str | None:
    """The axis whose modes a specification compares; None where it takes them as they stand."""
    return next((axis for axis in MODE_AXES if spec["axes"].get(axis)), None)


def in_reach(cluster: _Document, spec: _Document) -> _Document:
    """The specification with the modes that the cluster can have; as it stands if that is one."""
    axis = compared_axis(spec)
    if axis is None:
        return spec
    modes = possible(cluster, axis, spec["axes"][axis])
    if len(modes) < 2:
        return as_it_stands(spec)
    return {**spec, "axes": {**spec["axes"], axis: modes}}


def as_it_stands(spec: _Document) -> _Document:
    """The specification without what switches modes."""
    found = {**spec, "axes": _without(MODE_AXES, spec["axes"])}
    if "parameters" in spec:
        found["parameters"] = _without(WITH_A_SWITCH, spec["parameters"])
    return found


def _without(names: Iterable[str], given: _Document) -> _Document:
    return {name: value for name, value in given.items() if name not in names}

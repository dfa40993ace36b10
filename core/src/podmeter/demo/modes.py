"""Which modes of a specification a cluster can have, as its plan there says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MODE_AXES = ("encapsulation", "kube_proxy_mode")
#: Parameters that mean something while modes are switched alone.
WITH_A_SWITCH = ("assignment", "sync_period_seconds", "min_sync_period_seconds")
#: Obstacles that are about switching as such.
_SWITCHING = ("switch_not_allowed", "rights_missing")
#: What is said of a mode that stays.
_NOTE = "note"
_Document = dict[str, Any]


def compared_axis(spec: _Document) -> str | None:
    """The axis whose modes a specification compares; None where it takes them as they are."""
    return next((axis for axis in MODE_AXES if spec["axes"].get(axis)), None)


@dataclass(frozen=True)
class Fitted:
    """A specification with the modes that a cluster can have, and why others are left out.

    `foreign` says that some belong to a component that this cluster does not have.
    """

    spec: _Document
    left_out: tuple[str, ...]
    foreign: bool

    @property
    def compares(self) -> bool:
        """Whether two modes are left to compare."""
        axis = compared_axis(self.spec)
        return axis is not None and len(self.spec["axes"][axis]) > 1


def fitted(plan: _Document, spec: _Document) -> Fitted:
    """The specification as its plan on a cluster has it."""
    if plan["fitted"] is None:
        return Fitted(spec, (), foreign=False)
    said = [
        one
        for one in plan["obstacles"]
        if one["level"] != _NOTE and (one["axis"] is not None or one["code"] in _SWITCHING)
    ]
    whys = tuple(dict.fromkeys(one["cause"]["text"] for one in said))
    return Fitted(plan["fitted"], whys, any(one["code"] == "mode_unknown" for one in said))


def as_it_stands(spec: _Document) -> _Document:
    """The specification without what switches modes."""
    found = {**spec, "axes": _without(MODE_AXES, spec["axes"])}
    if "parameters" in spec:
        found["parameters"] = _without(WITH_A_SWITCH, spec["parameters"])
    return found


def _without(names: Iterable[str], given: _Document) -> _Document:
    return {name: value for name, value in given.items() if name not in names}

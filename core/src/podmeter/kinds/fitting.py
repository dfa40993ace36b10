"""An experiment without the modes that its clusters cannot have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.axes import MODE_AXES
from podmeter.domain.feasibility import Level
from podmeter.domain.modes import ENCAPSULATION, Encapsulation

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ExperimentSpec
    from podmeter.domain.feasibility import Feasibility, Obstacle

#: Parameters that mean something while modes are switched alone.
_WITH_A_SWITCH = ("assignment", "sync_period_seconds", "min_sync_period_seconds")
#: Codes of obstacles that are about switching as such.
_SWITCHING = ("switch_not_allowed",)


def fitted(spec: ExperimentSpec, found: Feasibility) -> ExperimentSpec | None:
    """The experiment with the modes that are left; None where nothing stands against them.

    An axis that is left with fewer than two of several modes is left out: the cluster is measured
    as it is. On one subnet a cross-subnet mode wraps nothing, so that `none` stands for it.
    """
    refused = [one for one in found.obstacles if one.level is not Level.NOTE]
    axes = dict(spec.axes)
    for axis in MODE_AXES:
        if values := axes.get(axis):
            left = _left(axis, values, refused, found)
            if left is None or (len(left) < 2 <= len(values)) or not left:
                del axes[axis]
            else:
                axes[axis] = left
    if axes == spec.axes:
        return None
    parameters = dict(spec.parameters)
    if not any(axis in axes for axis in MODE_AXES):
        parameters = {k: v for k, v in parameters.items() if k not in _WITH_A_SWITCH}
    return spec.model_copy(update={"axes": axes, "parameters": parameters})


def _left(
    axis: str, values: tuple[AxisValue, ...], refused: list[Obstacle], found: Feasibility
) -> tuple[AxisValue, ...] | None:
    """The modes of an axis that are left; None where it cannot be switched at all."""
    for one in refused:
        whole = one.axis == axis and one.value is None
        if whole or one.code in _SWITCHING or one.subject == "switch_modes":
            return None
    gone = {one.value for one in refused if one.axis == axis}
    left = [value for value in values if value not in gone]
    if axis == ENCAPSULATION and _one_subnet(refused) and Encapsulation.NONE not in left:
        none = Encapsulation.NONE
        if not any(one.axis == axis and one.value == none for one in found.unavailable):
            left.insert(0, none.value)
    return tuple(left)


def _one_subnet(refused: list[Obstacle]) -> bool:
    """Whether a cross-subnet mode was refused because no packet leaves a subnet."""
    return any(one.code == "mode_like_none" for one in refused)

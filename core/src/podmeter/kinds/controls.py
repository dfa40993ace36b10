"""Controls: cases that nothing which is compared can change, measured beside the others.

What moves a control is the machine, or the time, and as much of it is in the cases beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.kinds.registry import described

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from podmeter.domain.axes import AxisDefinition, AxisValue


def control_values(kind: str, compared: Collection[str]) -> dict[str, AxisValue]:
    """By axis of a kind, the values of cases that nothing of the `compared` axes can change.

    Empty where there are none.
    """
    return {
        name: value
        for axis in _axes_of_controls(kind, compared)
        for name, value in ((axis.name, axis.control), *axis.control_with.items())
        if value is not None
    }


def control_path(kind: str, compared: Collection[str]) -> dict[str, AxisValue]:
    """The value that a control has on its own axis, whatever it has on others; empty without one.

    Cases there do not take the path that a kind asks about, though what is compared may reach them.
    """
    axes = _axes_of_controls(kind, compared)
    return {axis.name: axis.control for axis in axes if axis.control is not None}


def _axes_of_controls(kind: str, compared: Collection[str]) -> list[AxisDefinition]:
    known = described(kind)
    return [
        axis
        for axis in (() if known is None else known.axes)
        if axis.control is not None and set(compared) <= set(axis.control_for)
    ]


def is_control(point: Mapping[str, AxisValue], controls: Mapping[str, AxisValue]) -> bool:
    """Whether a case has the values of a control, where there is one."""
    return bool(controls) and controls.items() <= point.items()


def control_beside(
    point: Mapping[str, AxisValue], controls: Mapping[str, AxisValue]
) -> dict[str, AxisValue] | None:
    """Where the control of a case lies: as the case on all axes that are not the control's.

    None for a control itself, and for a case that is not on the control's axes.
    """
    if not controls or not controls.keys() <= point.keys() or is_control(point, controls):
        return None
    return {**point, **controls}

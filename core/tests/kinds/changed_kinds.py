"""What becomes of a kind after runs of it were started: defaults, parameters, axes, version."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import Field, create_model

from podmeter.domain import experiment
from podmeter.domain.axes import AxisDefinition
from podmeter.domain.experiment import Profile
from podmeter.kinds.registry import KINDS

Change = Callable[[pytest.MonkeyPatch], None]


def _patch(patch: pytest.MonkeyPatch, **changed: Any) -> None:
    """Both kinds, each with these attributes."""
    for name, kind in KINDS.items():
        own = {field: make(kind) for field, make in changed.items()}
        patch.setitem(KINDS, name, type("Changed", (type(kind),), own)())


def _more_parameters(kind: Any) -> Any:
    fields: dict[str, Any] = {"congestion": (str, Field(default="bbr", description="new"))}
    return create_model("Parameters", __base__=kind.parameters, **fields)


def _other_defaults(kind: Any) -> Any:
    fields = {
        name: (field.annotation, 97)
        for name, field in kind.parameters.model_fields.items()
        if isinstance(field.default, (int, float))
    }
    return create_model("Parameters", __base__=kind.parameters, **fields)  # type: ignore[call-overload]


def _shorter_axes(kind: Any) -> tuple[AxisDefinition, ...]:
    return tuple(
        axis.model_copy(update={"default": axis.default[:1]}) if axis.default else axis
        for axis in kind.axes
    )


def _one_more_axis(kind: Any) -> tuple[AxisDefinition, ...]:
    new = AxisDefinition(name="qdisc", description="", choices=("a", "b"), default=("a", "b"))
    return (new, *kind.axes)


def defaults(patch: pytest.MonkeyPatch) -> None:
    """Every default of parameters, axes and profiles is another one."""
    _patch(patch, parameters=_other_defaults, axes=_shorter_axes)
    quick = experiment._PROFILES[Profile.QUICK]
    other = quick.model_copy(update={"trials": 9, "rounds": 2, "seconds": 60, "seed": 7})
    patch.setitem(experiment._PROFILES, Profile.QUICK, other)


def new_parameter(patch: pytest.MonkeyPatch) -> None:
    """Somebody forgot to raise the version."""
    _patch(patch, parameters=_more_parameters)


def new_axis(patch: pytest.MonkeyPatch) -> None:
    """Somebody forgot to raise the version."""
    _patch(patch, axes=_one_more_axis)


def new_version(patch: pytest.MonkeyPatch) -> None:
    """All of it, as it should be."""
    defaults(patch)
    _patch(
        patch,
        parameters=_more_parameters,
        axes=_one_more_axis,
        version=lambda kind: kind.version + 1,
    )

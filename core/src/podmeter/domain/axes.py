"""Axes: the dimensions of an experiment's matrix, and what values they take."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from podmeter.domain import modes
from podmeter.domain.problems import Problem, pointer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _word_or_whole_number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError("must be a word or a whole number")
    if isinstance(value, str) and not 0 < len(value) <= 200:
        raise ValueError("must have 1 to 200 characters")
    return value


#: A value on an axis. Booleans and floats are refused: a case's key must read the same everywhere.
AxisValue = Annotated[str | int, BeforeValidator(_word_or_whole_number)]


class AxisScope(StrEnum):
    """What a change of the axis touches."""

    CLUSTER = "cluster"
    CLUSTER_MODE = "cluster_mode"
    CASE = "case"


class AxisDefinition(BaseModel):
    """One axis a kind knows: its values, what stands when a spec does not name it.

    `choices` are the allowed words of an axis of words; an axis of whole numbers has none and
    `minimum`..`maximum` instead. An empty `default` leaves the axis out of the matrix: the
    cluster is measured in the mode that stands there. A `ladder` is climbed in ascending order;
    trials are interleaved inside one rung only. A `staged` axis changes what stands in the
    cluster: the cases of its first value are all done before those of the next begin.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    scope: AxisScope = AxisScope.CASE
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    default: tuple[AxisValue, ...] = ()
    ladder: bool = False
    staged: bool = False

    def problem(self, value: AxisValue) -> str | None:
        """Why `value` is not on this axis, or None."""
        if self.choices:
            if value in self.choices:
                return None
            return f"{value!r} is not one of {', '.join(self.choices)}"
        if self.scope is AxisScope.CLUSTER:
            return None if isinstance(value, str) else "must name a registered cluster"
        if not isinstance(value, int):
            return f"{value!r} is not a whole number"
        if self.minimum is not None and value < self.minimum:
            return f"{value} is less than {self.minimum}"
        if self.maximum is not None and value > self.maximum:
            return f"{value} is more than {self.maximum}"
        return None


KUBE_PROXY_MODE_AXIS = AxisDefinition(
    name=modes.KUBE_PROXY_MODE,
    description="How kube-proxy programs Services; switched on the cluster between blocks.",
    scope=AxisScope.CLUSTER_MODE,
    choices=tuple(modes.KubeProxyMode),
)
ENCAPSULATION_AXIS = AxisDefinition(
    name=modes.ENCAPSULATION,
    description="How the pod network crosses nodes; switched on the cluster between blocks.",
    scope=AxisScope.CLUSTER_MODE,
    choices=tuple(modes.Encapsulation),
)
CLUSTER_AXIS = AxisDefinition(
    name=modes.CLUSTER,
    description="Registered clusters, one for each mode: the way where nothing may be switched.",
    scope=AxisScope.CLUSTER,
)
#: Offered by every kind besides its own axes.
SHARED_AXES = (CLUSTER_AXIS, ENCAPSULATION_AXIS, KUBE_PROXY_MODE_AXIS)


class ResolvedAxis(BaseModel):
    """An axis of a run's matrix with all its values, in the planned order, ladders ascending.

    It carries what the plan and the report need to know of the axis, so that neither asks the
    kind once the run is started; `scope`, `ladder` and `staged` are as in `AxisDefinition`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    scope: AxisScope
    ladder: bool
    staged: bool
    values: tuple[AxisValue, ...]


def axis_problems(
    given: Mapping[str, Sequence[AxisValue]], known: Sequence[AxisDefinition]
) -> tuple[Problem, ...]:
    """Every fault of a spec's axes, with pointers below /axes; () if there is none."""
    definitions = {axis.name: axis for axis in known}
    faults: list[Problem] = []
    for name, values in given.items():
        axis = definitions.get(name)
        if axis is None:
            message = f"unknown axis; this kind knows {', '.join(sorted(definitions))}"
            faults.append(Problem(pointer(["axes", name]), message))
            continue
        for index, value in enumerate(values):
            where = pointer(["axes", name, index])
            message = axis.problem(value) or ""
            if not message and value in values[:index]:
                message = f"{value!r} is given twice"
            if message:
                faults.append(Problem(where, message))
    return tuple(faults)


def complete(
    given: Mapping[str, Sequence[AxisValue]], known: Sequence[AxisDefinition]
) -> tuple[ResolvedAxis, ...]:
    """The matrix's axes in the kind's order, defaults filled in, ladders ascending."""
    matrix = []
    for axis in known:
        values = tuple(given.get(axis.name, axis.default))
        if values:
            matrix.append(
                ResolvedAxis(
                    name=axis.name,
                    scope=axis.scope,
                    ladder=axis.ladder,
                    staged=axis.staged,
                    values=tuple(sorted(values, key=int)) if axis.ladder else values,
                )
            )
    return tuple(matrix)

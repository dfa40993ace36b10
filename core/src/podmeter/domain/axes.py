"""Axes: the dimensions of an experiment's matrix, and what values they take."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from podmeter.domain import modes, node_pairs
from podmeter.domain.components.registry import COMPONENTS
from podmeter.domain.messages import Message, say
from podmeter.domain.problems import Problem, pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podmeter.domain.components.component import Component

#: A word on an axis; a pair of nodes has two names of 253 characters at most.
LONGEST_VALUE = 510
#: Values that a spec may name on one axis, pairs of nodes apart.
MOST_VALUES = 50


def _word_or_whole_number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError(say("value_quote"))
    if not isinstance(value, (str, int)):
        raise ValueError(say("value_word_or_whole"))
    if isinstance(value, str) and not 0 < len(value) <= LONGEST_VALUE:
        raise ValueError(say("value_length", most=LONGEST_VALUE))
    return value


#: A value on an axis. Booleans and floats are refused: a case's key must read the same everywhere.
AxisValue = Annotated[str | int, BeforeValidator(_word_or_whole_number)]


class AxisScope(StrEnum):
    """What a change of the axis touches: `block` is setting up again, and nothing else."""

    CLUSTER = "cluster"
    CLUSTER_MODE = "cluster_mode"
    BLOCK = "block"
    CASE = "case"


class AxisRole(StrEnum):
    """What an axis is in a chart.

    curve: a line is drawn over its numbers, where there are enough of them. apart: its values
    do not share a scale, so each has its own chart. series: its values are
    the series of one chart. ordered: they are as well, and ascend; together with the numbers of
    a curve they make a grid. pair: each value is of two things, and they make a grid by
    themselves.
    """

    CURVE = "curve"
    APART = "apart"
    SERIES = "series"
    ORDERED = "ordered"
    PAIR = "pair"


class AxisDefinition(BaseModel):
    """One axis of a kind: its values, and the default if a spec does not name it.

    `choices` are the allowed words of an axis of words; an axis of whole numbers has none and
    `minimum`..`maximum` instead. Those of an axis of pairs stand for pairs that only a cluster
    tells (`podmeter.domain.node_pairs`), each for all that is measured. An empty `default` leaves
    the axis out of the matrix: the cluster is measured in the mode that stands there. `quick`
    stands instead of it in the quick profile, where it is not empty. A `ladder` is climbed in
    ascending order; trials are interleaved inside one rung only. A `staged` axis changes the
    objects in the cluster: the cases of its first value are all done before those of the next
    begin.

    Its `control` is the value that is measured beside the others as what they are set against: what
    changes it does not come from the axis. `control_for` are the axes whose values cannot change
    what is measured there: what moves it between two of them is the machine. `control_with` is
    where the control lies on other axes, if only a case there is one.

    `follows` are the fields of a fingerprint that may differ where values of this axis are
    compared, because they follow from it, and `absent_with` those that one value has and another
    has not, while two known ones must agree; both are patterns of dotted names.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    scope: AxisScope = AxisScope.CASE
    role: AxisRole = AxisRole.SERIES
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    default: tuple[AxisValue, ...] = ()
    quick: tuple[AxisValue, ...] = ()
    ladder: bool = False
    staged: bool = False
    control: str | None = None
    control_for: tuple[str, ...] = ()
    control_with: dict[str, AxisValue] = {}
    follows: tuple[str, ...] = ()
    absent_with: tuple[str, ...] = ()

    @property
    def names_pairs(self) -> bool:
        """Whether pairs of nodes are values; a kind may only let rounds take them in turn."""
        return self.role is AxisRole.PAIR and node_pairs.ALL in self.choices

    def problem(self, value: AxisValue) -> Message | None:
        """Why `value` is not on this axis, or None."""
        if self.role is AxisRole.PAIR:
            return node_pairs.problem(value, self.choices)
        if self.choices:
            if value in self.choices:
                return None
            return say("axis_not_choice", value=repr(value), choices=self.choices)
        if self.scope is AxisScope.CLUSTER:
            return None if isinstance(value, str) else say("axis_no_cluster")
        if not isinstance(value, int):
            return say("axis_not_whole", value=repr(value))
        if self.minimum is not None and value < self.minimum:
            return say("axis_too_small", value=value, least=self.minimum)
        if self.maximum is not None and value > self.maximum:
            return say("axis_too_large", value=value, most=self.maximum)
        return None


CLUSTER_AXIS = AxisDefinition(
    name=modes.CLUSTER,
    description="Registered clusters, one for each mode: for clusters whose modes may not be "
    "switched.",
    scope=AxisScope.CLUSTER,
    follows=("cluster_uid",),
)
ARM_AXIS = AxisDefinition(
    name=modes.ARM,
    description="Two groups that are measured in the same way: any difference between them "
    "is noise (A/A).",
    scope=AxisScope.BLOCK,
    choices=("a", "b"),
)
NODE_PAIR_AXIS = AxisDefinition(
    name=node_pairs.NODE_PAIR,
    description="The nodes that the two ends sit on, sending end first: pairs by name such as "
    "`node-1~node-2`, or alone `all` ordered pairs, `zones` (one pair within each zone and one "
    "between each two), `sample-20` (20 pairs drawn by the seed) or `one`, the pair that the "
    "parameters name. Only what joins two nodes by one connection is measured of these pairs. "
    "`rotate` makes no cases: each round measures all cases on another pair.",
    role=AxisRole.PAIR,
    choices=node_pairs.SELECTORS,
    # A pair decides on which node each end sits.
    follows=("placement.client_node", "placement.server_node", "placement.nic"),
)
#: That of kinds that measure no pairs beside each other.
ROTATION_AXIS = NODE_PAIR_AXIS.model_copy(
    update={
        "description": "The nodes that the two ends sit on: `one` is the pair that the parameters "
        "name; with `rotate` each round measures all cases on another ordered pair of nodes.",
        "choices": (node_pairs.ONE, node_pairs.ROTATE),
    }
)
#: The axes that a switcher changes.
MODE_AXES = (modes.ENCAPSULATION, modes.KUBE_PROXY_MODE)
BLOCK_AXES = (modes.CLUSTER, *MODE_AXES, modes.ARM)


def shared_axes() -> tuple[AxisDefinition, ...]:
    """Those that every kind offers besides its own, with what each component adds to them.

    Their values belong to a whole block: the modes need a switcher, `cluster` is the manual way,
    one registered cluster for each mode, and `arm` sets the current mode up once more.
    """
    return _shared_axes(tuple(COMPONENTS.values()))


def mode_axes() -> tuple[AxisDefinition, ...]:
    """Those of `MODE_AXES`."""
    return tuple(axis for axis in shared_axes() if axis.name in MODE_AXES)


@cache
def _shared_axes(components: tuple[Component, ...]) -> tuple[AxisDefinition, ...]:
    encapsulation = _mode_axis(
        modes.ENCAPSULATION,
        "How the pod network crosses nodes; switched on the cluster between blocks. "
        "WireGuard encrypts what crosses nodes, the others do not.",
        modes.Encapsulation,
        (
            "cni.encapsulation",
            "cni.pod_mtu",
            "cni.features.encapsulation*",
            "cni.features.routing*",
            "cni.features.tunnel*",
            "cni.features.auto-direct-node-routes",
            "cni.features.ipv4-native-routing-cidr",
            # The devices of pod networks that Podmeter recognizes and does not switch yet.
            "nodes.*.mtus.vxlan*",
            "nodes.*.mtus.geneve*",
            "nodes.*.mtus.cilium_*",
        ),
        components,
    )
    kube_proxy_mode = _mode_axis(
        modes.KUBE_PROXY_MODE,
        "How kube-proxy programs Services; switched on the cluster between blocks.",
        modes.KubeProxyMode,
        (),
        components,
    )
    return CLUSTER_AXIS, encapsulation, kube_proxy_mode, ARM_AXIS


def _mode_axis(
    name: str,
    description: str,
    known: Iterable[str],
    follows: tuple[str, ...],
    components: tuple[Component, ...],
) -> AxisDefinition:
    """An axis of modes: the values that are known, and those of its components besides them."""
    own = [component for component in components if component.axis == name]
    values = (*known, *(value for component in own for value in component.values))
    return AxisDefinition(
        name=name,
        description=description,
        scope=AxisScope.CLUSTER_MODE,
        choices=tuple(dict.fromkeys(values)),
        follows=(*follows, *(field for component in own for field in component.fields)),
        absent_with=tuple(field for component in own for field in component.absent_with),
    )


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
            unknown = say("axis_unknown", axes=sorted(definitions))
            faults.append(Problem(pointer(["axes", name]), unknown))
            continue
        pairs = axis.role is AxisRole.PAIR
        if not pairs and len(values) > MOST_VALUES:
            faults.append(Problem(pointer(["axes", name]), say("values_count", most=MOST_VALUES)))
            continue
        if pairs and len(values) > 1 and node_pairs.selector_of(values) is not None:
            selects = say("pairs_selected_alone", value=str(node_pairs.selector_of(values)))
            faults.append(Problem(pointer(["axes", name]), selects))
            continue
        for index, value in enumerate(values):
            where = pointer(["axes", name, index])
            message = axis.problem(value)
            if message is None and value in values[:index]:
                message = say("axis_value_twice", value=repr(value))
            if message is not None:
                faults.append(Problem(where, message))
    return tuple(faults)


def complete(
    given: Mapping[str, Sequence[AxisValue]], known: Sequence[AxisDefinition], *, quick: bool
) -> tuple[ResolvedAxis, ...]:
    """The matrix's axes in the kind's order, defaults filled in, ladders ascending."""
    matrix = []
    for axis in known:
        default = (quick and axis.quick) or axis.default
        values = tuple(given.get(axis.name, default))
        if axis.role is AxisRole.PAIR and values in ((node_pairs.ONE,), (node_pairs.ROTATE,)):
            # These make no cases.
            continue
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

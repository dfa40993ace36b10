"""Every kind, and reading a spec against its kind. A new kind is one line in `_REGISTERED`."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from pydantic import ValidationError

from podmeter.domain.axes import AxisScope, axis_problems, complete, shared_axes
from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.experiment import (
    MOST_ROUNDS,
    ExperimentSpec,
    Profile,
    ResolvedSpec,
    parse_shape,
)
from podmeter.domain.feasibility import Demand
from podmeter.domain.messages import Message, say
from podmeter.domain.modes import ARM, CLUSTER
from podmeter.domain.node_pairs import (
    NODE_PAIR,
    ROTATE,
    KnownNode,
    rotated,
    selected,
    selector_of,
)
from podmeter.domain.planning import Block, Case, LadderOrder, plan_blocks, slot_of
from podmeter.domain.problems import Problem, from_validation, is_within, masked, pointer
from podmeter.kinds import rotation, switching, sync_periods, usage
from podmeter.kinds.failed_trials import FAILED_TRIALS
from podmeter.kinds.imported.kind import Imported
from podmeter.kinds.network_policy.kind import NetworkPolicy
from podmeter.kinds.request_latency.kind import RequestLatency
from podmeter.kinds.service_scale.kind import ServiceScale
from podmeter.kinds.throughput.kind import Throughput
from podmeter.kinds.transport.kind import Transport

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from podmeter.domain.axes import AxisDefinition, AxisValue, ResolvedAxis
    from podmeter.domain.cluster_report import RoomReport
    from podmeter.domain.measurement import MetricDefinition
    from podmeter.domain.planning import RoundModes
    from podmeter.domain.ports import Access
    from podmeter.drivers.tool import Tool
    from podmeter.kinds.kind import Described, Kind
    from podmeter.kinds.limits import LoadShape

_REGISTERED: tuple[Kind, ...] = (
    Throughput(),
    Transport(),
    RequestLatency(),
    ServiceScale(),
    NetworkPolicy(),
)
KINDS = {kind.name: kind for kind in _REGISTERED}
#: What is pasted lies on the axes of all kinds, and has their metrics.
IMPORTED = Imported(
    (axis for kind in _REGISTERED for axis in kind.axes),
    (metric for kind in _REGISTERED for metric in kind.metrics),
)

#: What a matrix may have at most: combinations of its axes' values, cases among them that mean
#: something, and trials of all rounds. A run of so many takes weeks; its plan takes seconds.
MOST_POINTS, MOST_CASES, MOST_TRIALS = 10_000, 2_000, 50_000


def tools() -> tuple[Tool, ...]:
    """The tools of all kinds, each once."""
    return tuple({tool.name: tool for kind in KINDS.values() for tool in kind.tools}.values())


def outside_tools() -> tuple[Tool, ...]:
    """The tools that a client outside of a cluster needs for all kinds, each once."""
    found = (tool for kind in KINDS.values() for tool in kind.outside_tools)
    return tuple({tool.name: tool for tool in found}.values())


def kind_of(spec: ExperimentSpec | ResolvedSpec) -> Kind:
    """The spec's kind; raises InvalidSpecError for one that this version does not run."""
    kind = KINDS.get(spec.kind)
    if kind is None:
        raise _unknown(spec.kind)
    return kind


def _unknown(name: str) -> InvalidSpecError:
    message = say("kind_unknown", kind=name, offered=list(KINDS))
    return InvalidSpecError([Problem("/kind", message)])


def every() -> tuple[Described, ...]:
    """The kinds that runs may be of: those that are measured, and what is imported."""
    return (*KINDS.values(), IMPORTED)


def names() -> tuple[str, ...]:
    """Their names."""
    return tuple(kind.name for kind in every())


def described(name: str) -> Described | None:
    """What a kind's runs are about; None for one that this version does not know."""
    return next((kind for kind in every() if kind.name == name), None)


def measured_kind(*kinds: str) -> str:
    """The kind of several that was measured, where what was imported is compared with it."""
    return next((one for one in kinds if one != IMPORTED.name), kinds[0])


def axes_of(*kinds: str) -> tuple[AxisDefinition, ...]:
    """Every axis of the kinds, each once; raises InvalidSpecError for a kind that is not known."""
    found: dict[str, AxisDefinition] = {}
    for name in kinds:
        kind = described(name)
        if kind is None:
            raise _unknown(name)
        found |= {axis.name: axis for axis in kind.axes if axis.name not in found}
    return tuple(found.values())


def metrics_of(name: str) -> dict[str, MetricDefinition]:
    """Every metric of a kind's runs by its name; none for a kind that this version does not know.

    Those of failed trials, of what limits a trial and of setting up a block come last, whatever
    the kind that is run.
    """
    kind = described(name)
    if kind is None:
        return {}
    besides = (FAILED_TRIALS, *usage.COUNTERS, *switching.METRICS) if name in KINDS else ()
    return {one.name: one for one in (*kind.metrics, *besides)}


def demands_of(spec: ResolvedSpec, cases: Iterable[Case]) -> list[Demand]:
    """What each of the cases takes; setting up a block's modes takes nothing besides."""
    kind = kind_of(spec)
    return [
        Demand(case, kind.access(spec, [case]), kind.nodes(spec, case), kind.load(spec, case))
        for case in cases
        if not case.sets_up
    ]


def access_of(spec: ResolvedSpec, cases: Iterable[Case] | None = None) -> frozenset[Access]:
    """How close to the nodes the cases come, or all cases of the spec."""
    kind = kind_of(spec)
    asked = kind.cases(spec) if cases is None else [one for one in cases if not one.sets_up]
    return kind.access(spec, asked)


def cases_of(spec: ResolvedSpec) -> tuple[Case, ...]:
    """The cases of a spec: its kind's, then of each set of modes that is switched to the set-up."""
    found = kind_of(spec).cases(spec)
    if walk_of(spec) is not LadderOrder.RESTART:
        # Blocks find what the one before them left: each switch has another load.
        return found
    return (*found, *switching.cases(spec, found))


def read_spec(document: object) -> ExperimentSpec:
    """Read a parsed YAML or JSON document and check it whole: shape, parameters, axes, cases.

    Raises InvalidSpecError with all faults by JSON pointer.
    """
    if problems := spec_problems(document):
        raise InvalidSpecError(problems)
    return parse_shape(document)


def spec_problems(document: object) -> list[Problem]:
    """Every fault of a parsed document: of its shape, of single values, of them together.

    Each layer checks what the one before it left without a fault, so that no fault causes another.
    """
    found: list[Problem] = []
    spec: ExperimentSpec | None = None
    try:
        spec = parse_shape(document)
    except InvalidSpecError as error:
        found += error.problems
        spec = _right_shape(document, found)
    if spec is None:
        return found
    kind = KINDS.get(spec.kind)
    if kind is None:
        return [*found, *_unknown(spec.kind).problems]
    found += _apart(axis_problems(spec.axes, kind.axes), found)
    try:
        kind.parameters.model_validate(dict(spec.parameters))
    except ValidationError as error:
        found += from_validation(error, "parameters")
    if found:
        spec = _right_values(spec, kind, document, {one.pointer for one in found})
    resolved = resolve(spec)
    together = _pair_problems(resolved) or _size_problems(resolved) or _decision_problems(resolved)
    together += sync_periods.problems(resolved) + kind.problems(resolved)
    return [*found, *_apart(together, found)]


def _apart(found: Iterable[Problem], known: Sequence[Problem]) -> list[Problem]:
    """The problems of parts that have none yet: others may follow from what is known."""
    where = [one.pointer for one in known]
    return [
        one
        for one in found
        if not any(
            is_within(one.pointer, other) or is_within(other, one.pointer) for other in where
        )
    ]


def _right_shape(document: object, found: Sequence[Problem]) -> ExperimentSpec | None:
    """The fields whose shape is right; None where these make no experiment."""
    left = masked(document, {one.pointer for one in found})
    if not isinstance(left, dict):
        return None
    try:
        return parse_shape({"name": "unnamed"} | left)
    except InvalidSpecError:
        return None


def _right_values(
    spec: ExperimentSpec, kind: Kind, document: object, wrong: Collection[str]
) -> ExperimentSpec:
    """The spec without its wrong values, some other value on each axis that is left without any."""
    written = document.get("axes") if isinstance(document, dict) else None
    axes: dict[str, tuple[AxisValue, ...]] = {}
    for axis in kind.axes:
        if not isinstance(written, dict) or axis.name not in written:
            continue
        where = pointer(["axes", axis.name])
        given = () if where in wrong else spec.axes.get(axis.name, ())
        left = tuple(one for at, one in enumerate(given) if f"{where}/{at}" not in wrong)
        axes[axis.name] = left or axis.default or axis.choices[:1] or (axis.minimum or 0,)
    left_parameters = {
        name: value
        for name, value in spec.parameters.items()
        if not any(
            is_within(one, pointer(["parameters", name])) or one == "/parameters" for one in wrong
        )
    }
    try:
        kind.parameters.model_validate(left_parameters)
    except ValidationError:
        # What is left does not fit the default of what is not.
        left_parameters = {}
    return spec.model_copy(update={"axes": axes, "parameters": left_parameters})


def _pair_problems(spec: ResolvedSpec) -> list[Problem]:
    """Why one cluster does not tell which pairs of nodes are measured, or parameters place ends."""
    if pairs_left_open(spec) is not None and len(spec.matrix.get(CLUSTER, ())) > 1:
        return [Problem(pointer(["axes", NODE_PAIR]), say("pairs_of_clusters"))]
    return rotation.problems(spec, kind_of(spec).parameters, walk_of(spec))


def _size_problems(spec: ResolvedSpec) -> list[Problem]:
    """Why the matrix has too few or too many cases or trials; counted before any is made."""
    points = prod(len(axis.values) for axis in spec.axes)
    if points > MOST_POINTS:
        return [Problem("/axes", say("too_many_points", points=points, most=MOST_POINTS))]
    cases = cases_of(spec)
    if not cases:
        return [Problem("/axes", say("no_case"))]
    if len(cases) > MOST_CASES:
        return [Problem("/axes", say("too_many_cases", cases=len(cases), most=MOST_CASES))]
    repeated = spec.repetition.trials + spec.repetition.warmup
    trials = spec.repetition.rounds * sum(1 if case.once else repeated for case in cases)
    if trials > MOST_TRIALS:
        return [Problem("/repetition", say("too_many_trials", trials=trials, most=MOST_TRIALS))]
    return []


def _decision_problems(spec: ResolvedSpec) -> list[Problem]:
    """Why a run cannot go on until it is decided: it would compare nothing."""
    if spec.repetition.until_decided is None or compares(spec):
        return []
    names = [axis.name for axis in shared_axes() if axis.name != ARM]
    return [Problem("/repetition/until_decided", say("nothing_to_decide", names=names))]


def compares(spec: ResolvedSpec, impossible: Collection[str] = ()) -> bool:
    """Whether a run yields verdicts without these cases: of modes or clusters, or of losses.

    A loss on a ladder has no say of its own: it is a point of a curve.
    """
    if any(axis.scope is not AxisScope.CASE and len(axis.values) > 1 for axis in spec.axes):
        return True
    if any(axis.ladder for axis in spec.axes):
        return False
    points = {frozenset(case.point) for case in possible_cases(spec, impossible)}
    return any(
        (one.axis, one.baseline) not in point
        and frozenset({**dict(point), one.axis: one.baseline}.items()) in points
        for metric in kind_of(spec).metrics
        if (one := metric.derivation) is not None
        for point in points
        if one.axis in dict(point)
    )


def resolve(spec: ExperimentSpec, room: RoomReport | None = None) -> ResolvedSpec:
    """A spec that `read_spec` read, with today's defaults of its kind and profile filled in.

    This is the only place where they are. Default values that the clusters have no `room` for are
    left out, where the room is known.
    """
    kind = kind_of(spec)
    axes = _defaults(spec, kind)
    if room is not None:
        axes = kind.fitted(spec, axes, room)
    return ResolvedSpec(
        name=spec.name,
        kind=spec.kind,
        kind_version=kind.version,
        description=spec.description,
        parameters=kind.parameters.model_validate(dict(spec.parameters)).model_dump(mode="json"),
        axes=axes,
        repetition=spec.repetition.resolve(compares_modes=any(map(_compares_modes, axes))),
        rotation=() if spec.axes.get(NODE_PAIR) == (ROTATE,) else None,
    )


def _compares_modes(axis: ResolvedAxis) -> bool:
    """Whether it is an axis of modes with several of them; arms are alike on purpose."""
    return axis.scope is not AxisScope.CASE and axis.name != ARM and len(axis.values) > 1


def room_notes(
    spec: ExperimentSpec, resolved: ResolvedSpec, room: RoomReport | None
) -> tuple[Message, ...]:
    """What a plan says of the room that the kind needs; nothing for most kinds."""
    kind = kind_of(spec)
    return kind.room_notes(spec, resolved.axes, _defaults(spec, kind), room)


def walk_of(spec: ResolvedSpec) -> LadderOrder:
    """How a spec's blocks come to their cases; of a spec of any kind and version."""
    kind = KINDS.get(spec.kind)
    return LadderOrder.RESTART if kind is None else kind.walk(spec)


def rests_on_one_seating(spec: ResolvedSpec, point: Mapping[str, AxisValue], rounds: int) -> bool:
    """Whether nodes kept their modes in all of so many rounds at a point, which were side by side.

    What the nodes are by themselves is then in the difference of the modes.
    """
    if walk_of(spec) is not LadderOrder.SIDE_BY_SIDE:
        return False
    in_place = KINDS[spec.kind].rounds_in_place(spec, point)
    return slot_of(max(1, rounds), in_place) == 0


def parts_axis(spec: ResolvedSpec) -> str | None:
    """The axis along which a run measures its cases part by part (`Kind.parts_axis`)."""
    kind = KINDS.get(spec.kind)
    return None if kind is None else kind.parts_axis(spec)


def load_shape_of(spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> LoadShape | None:
    """How trials at a point of a run load the path (`Kind.load_shape`); None of an unknown kind."""
    kind = KINDS.get(spec.kind)
    return None if kind is None else kind.load_shape(spec, point)


def asks_service(point: Mapping[str, object]) -> bool | None:
    """Whether a pod asks a Service by its cluster IP in a case, where its kind tells."""
    answers = (kind.asks_service(point) for kind in KINDS.values())
    return next((answer for answer in answers if answer is not None), None)


def stand_ins() -> dict[tuple[str, str], str]:
    """(axis, value) that a cluster may lack, and the value that replaces it: those of all kinds."""
    return {lacking: other for kind in KINDS.values() for lacking, other in kind.stand_ins.items()}


def _defaults(spec: ExperimentSpec, kind: Kind) -> tuple[ResolvedAxis, ...]:
    return complete(spec.axes, kind.axes, quick=spec.repetition.profile is Profile.QUICK)


def pairs_left_open(spec: ResolvedSpec) -> str | None:
    """The selector of node pairs that only a cluster can resolve; None if there is none."""
    if spec.rotation == ():
        return ROTATE
    return selector_of(spec.matrix.get(NODE_PAIR, ()))


def with_pairs(spec: ResolvedSpec, nodes: Sequence[KnownNode]) -> ResolvedSpec:
    """The spec with the pairs of a cluster's `nodes` that it leaves open, named.

    Raises InvalidSpecError where these are none or too many, or make too large a matrix.
    """
    selector = pairs_left_open(spec)
    if selector is None:
        return spec
    if selector == ROTATE:
        return _with_rotation(spec, nodes)
    # Counted before any is made: a large cluster has millions of pairs.
    most = MOST_CASES // max(1, len(cases_of(spec)))
    pairs = tuple(selected(selector, nodes, seed=spec.repetition.seed, most=most))
    axes = tuple(
        axis.model_copy(update={"values": pairs}) if axis.name == NODE_PAIR else axis
        for axis in spec.axes
    )
    found = spec.model_copy(update={"axes": axes})
    if problems := _size_problems(found):
        raise InvalidSpecError(problems)
    return found


def _with_rotation(spec: ResolvedSpec, nodes: Sequence[KnownNode]) -> ResolvedSpec:
    server = None
    # Too few nodes, or a missing node, is an obstacle of its own.
    with suppress(PreconditionError):
        server = rotation.fixed_server(spec, kind_of(spec).parameters, walk_of(spec), nodes)
    order = rotated(nodes, seed=spec.repetition.seed, rounds=MOST_ROUNDS, server=server)
    return spec.model_copy(update={"rotation": order})


def placed(spec: ResolvedSpec, block: Block) -> ResolvedSpec:
    """The spec as a block runs it: with both ends on its pair of nodes, where it has one."""
    return rotation.on_pair(spec, kind_of(spec).parameters, block.node_pair)


def plan(spec: ResolvedSpec, impossible: Collection[str] = ()) -> tuple[Block, ...]:
    """The blocks of a spec, with their cases and the order of their trials.

    For a run that is not started yet; a started one's follow from the cases it keeps. Cases whose
    keys are `impossible` are left out.
    """
    return blocks_of(spec, possible_cases(spec, impossible))


def blocks_of(
    spec: ResolvedSpec, cases: Iterable[Case], turns: Sequence[RoundModes] | None = None
) -> tuple[Block, ...]:
    """The blocks of these cases of a spec, in the order of `turns` where that is known."""
    kind = KINDS.get(spec.kind)
    in_place = (lambda point: None) if kind is None else partial(kind.rounds_in_place, spec)
    return plan_blocks(
        cases, spec.axes, spec.repetition, turns, walk_of(spec), in_place, spec.node_pair
    )


def possible_cases(spec: ResolvedSpec, impossible: Collection[str] = ()) -> tuple[Case, ...]:
    """The cases of a spec but these, and no set-up of modes in which none is left."""
    left = [case for case in cases_of(spec) if case.key not in impossible]
    measured = {case.modes for case in left if not case.sets_up}
    return tuple(case for case in left if not case.sets_up or case.modes in measured)


def why_not_measured(spec: ResolvedSpec) -> Message | None:
    """Why this version cannot measure what a run has left to do, or None."""
    if spec.kind == IMPORTED.name:
        return say("import_not_measured")
    kind = KINDS.get(spec.kind)
    if kind is None:
        return say("kind_not_offered", kind=spec.kind)
    if kind.version != spec.kind_version:
        return say("kind_version_unlike", kind=spec.kind, began=spec.kind_version, now=kind.version)
    always = {axis.name for axis in kind.axes if axis.default}
    if not always <= spec.matrix.keys() <= {axis.name for axis in kind.axes}:
        return say("axes_unlike", kind=spec.kind)
    try:
        spec.parameters_as(kind.parameters)
    except PreconditionError as error:
        return say("start_new_run", why=error.said)
    return None

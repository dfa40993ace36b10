"""What an experiment would do before anything runs, and what a run was planned to do."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from podmeter.domain.axes import AxisValue
from podmeter.domain.cluster_report import RoomReport
from podmeter.domain.experiment import ExperimentSpec, ResolvedSpec
from podmeter.domain.feasibility import NOTHING_AGAINST, Feasibility
from podmeter.domain.messages import Message, say
from podmeter.domain.modes import CLUSTER
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.domain.planning import Block
from podmeter.domain.ports import Access
from podmeter.kinds.registry import (
    access_of,
    compares,
    pairs_left_open,
    plan,
    read_spec,
    resolve,
    room_notes,
    why_not_measured,
)
from podmeter.rbac.capabilities import Capability
from podmeter.services.experiments.duration import AROUND_SECONDS, BlockSeconds
from podmeter.services.experiments.mode_changes import (
    ModeChange,
    Occasion,
    mode_changes,
    switching_blocks,
)
from podmeter.services.experiments.pace import ASSUMED, Pace
from podmeter.services.experiments.rungs import Rung, least_rounds_of, least_seconds

#: With so many rounds on each pair of nodes, a slow pair differs from a slow round.
ROUNDS_OF_A_PAIR = 2


@dataclass(frozen=True)
class ModeSwitch:
    """Before which block what is switched to."""

    block: int
    axis: str
    value: AxisValue


@dataclass(frozen=True)
class Plan:
    """Blocks with their cases and trials, and the mode switches between them.

    Each block sets its modes up again, those that stand already too; where modes are side by side,
    only when nodes change them. Restoring at the end adds one more switch for each axis on each
    cluster, and trials may switch too; `pace` says how long it all takes. `notes` say what else
    there is to know before: where a ladder ends, that only a cluster tells how many pairs of nodes
    there are, and that no modes are compared. Cases that its clusters cannot measure are not in it;
    `feasibility` says which. `fitted` is the experiment without the modes that have obstacles,
    where there are any; `written` the experiment itself with its defaults, in a plan that is made
    of one. `impact` says what a run does to its clusters.
    """

    spec: ResolvedSpec
    blocks: tuple[Block, ...]
    notes: tuple[Message, ...] = ()
    pace: Pace = ASSUMED
    feasibility: Feasibility = NOTHING_AGAINST
    fitted: ExperimentSpec | None = None
    written: ExperimentSpec | None = None
    impact: tuple[Message, ...] = ()

    @property
    def trials(self) -> int:
        """How many trials there are, warm-up included."""
        return sum(len(block.trials) for block in self.blocks)

    @cached_property
    def switches(self) -> tuple[ModeSwitch, ...]:
        """In the order of the blocks."""
        return _switches(self.blocks, self.spec.switched_axes)

    @cached_property
    def mode_changes(self) -> tuple[ModeChange, ...]:
        """Every switch of a mode, those in trials and restoring included."""
        return tuple(mode_changes(self.spec, self.blocks))

    @property
    def mode_switches(self) -> int:
        """How often modes are switched, as the impact counts them."""
        return len(self.mode_changes)

    @property
    def switching_seconds(self) -> float:
        """What switching before blocks and restoring take; trials have the time of their own."""
        outside = [one for one in self.mode_changes if one.occasion is not Occasion.TRIAL]
        return sum(map(self.pace.seconds_of, outside))

    @cached_property
    def block_seconds(self) -> tuple[BlockSeconds, ...]:
        """How long each block takes, at the cluster's pace.

        Raises for a run that this version does not measure.
        """
        return tuple(self.pace.reckoning.of_blocks(self.spec, self.blocks))

    @property
    def around_seconds(self) -> float:
        """What comes before the first block and after the last one, on each cluster."""
        return AROUND_SECONDS * len(self.spec.matrix.get(CLUSTER, ("the only one",)))


def plan_document(document: object) -> Plan:
    """The plan of an experiment's document, wherever it is to run. Raises InvalidSpecError."""
    written = read_spec(document)
    return plan_spec(written, resolve(written))


def plan_spec(
    written: ExperimentSpec,
    spec: ResolvedSpec,
    room: RoomReport | None = None,
    pace: Pace = ASSUMED,
    feasibility: Feasibility = NOTHING_AGAINST,
) -> Plan:
    """The plan of what was written and resolved, in a cluster's room, at its pace of switching."""
    spec = pace.planned(spec)
    notes = (*room_notes(written, spec, room), *_rotation_notes(spec))
    selector = pairs_left_open(spec)
    if selector is not None:
        notes = (*notes, say("plan_pairs_open", value=selector))
    planned = Plan(
        spec, plan(spec, feasibility.impossible), notes, pace, feasibility, written=written
    )
    return replace(planned, notes=(*notes, *_decision_notes(planned)))


def _rotation_notes(spec: ResolvedSpec) -> Iterator[Message]:
    """How many pairs of nodes rounds take in turn, and how many rounds show how they differ."""
    pairs, rounds = len(spec.rotated_pairs), spec.repetition.rounds
    if not pairs:
        return
    yield say("plan_rotates", pairs=pairs, rounds=rounds)
    needed = ROUNDS_OF_A_PAIR * pairs
    if rounds < needed:
        yield say("plan_rotates_few", pairs=pairs, rounds=rounds, needed=needed)


def _decision_notes(plan: Plan) -> Iterator[Message]:
    """That no modes are compared, or that the fewest rounds take longer than their time."""
    spec, impossible = plan.spec, plan.feasibility.impossible
    until = spec.repetition.until_decided
    # Of pairs of nodes the report says which links stand out.
    pairs = NODE_PAIR in spec.written_axes
    if until is None and not pairs and not compares(spec, impossible):
        rounds = spec.repetition.rounds
        part = next((one for one in spec.axes if len(one.values) > 1), None)
        if part is None:
            yield say("plan_compares_no_modes", rounds=rounds)
        else:
            first, last = part.values[0], part.values[-1]
            yield say(
                "plan_compares_parts", rounds=rounds, axis_name=part.name, first=first, last=last
            )
    if until is not None and until.most_minutes is not None:
        yield from _time_notes(plan, until.most_minutes)


def _time_notes(plan: Plan, minutes: int) -> Iterator[Message]:
    """That the fewest rounds take longer than their time, or which rungs of a ladder are left."""
    seconds, missed = _least_seconds(plan, 60.0 * minutes)
    rounds, expected = least_rounds_of(plan.spec), ceil(seconds / 60)
    if missed:
        ((axis, _),) = missed[0]
        yield say(
            "plan_rungs_out_of_time",
            rounds=rounds,
            expected=expected,
            minutes=minutes,
            axis=axis,
            values=[value for rung in missed for _, value in rung],
        )
    elif seconds > 60 * minutes:
        yield say("plan_until_decided_short", rounds=rounds, expected=expected, minutes=minutes)


def _least_seconds(plan: Plan, within: float) -> tuple[float, list[Rung]]:
    """What as many rounds take as can decide, and the rungs that are not begun for that."""
    seconds = [one.total for one in plan.block_seconds]
    return least_seconds(plan.spec, plan.blocks, seconds, least_rounds_of(plan.spec), within)


def access(plan: Plan) -> frozenset[Access]:
    """How close to the nodes the cases need to come; of an experiment's plan."""
    return access_of(plan.spec, {c.key: c for b in plan.blocks for c in b.cases}.values())


def capability(plan: Plan) -> Capability:
    """The greatest that it takes in a cluster."""
    if plan.switches:
        return Capability.SWITCH_MODES
    near = access(plan) & {Access.HOST, Access.HOST_ADMIN}
    return Capability.HOST_ACCESS if near else Capability.MEASURE


def needs_outside(plan: Plan) -> Message | None:
    """The note for cases with an outside client, if no worker is one."""
    return say("plan_needs_outside") if Access.OUTSIDE in access(plan) else None


def measuring_seconds(plan: Plan) -> float:
    """About how long blocks take, setting their pods up included and switching apart.

    Of an experiment's plan.
    """
    return sum(one.measuring for one in plan.block_seconds)


def expected_seconds(plan: Plan) -> float:
    """About how long all of it takes at most: preflight, switching, restoring, cleaning up too.

    Of an experiment's plan. One that runs until it is decided has more rounds than its time has
    room for where nobody knows how quick the cluster is.
    """
    seconds = measuring_seconds(plan) + plan.switching_seconds
    until = plan.spec.repetition.until_decided
    if until is not None and until.most_minutes is not None:
        most = 60.0 * until.most_minutes
        least, _ = _least_seconds(plan, most)
        seconds = min(seconds, max(most, least))
    return plan.around_seconds + seconds


def measuring_seconds_of_run(plan: Plan) -> float | None:
    """The same of a run's plan; None where this version cannot measure such a run any more."""
    return None if block_seconds_of_run(plan) is None else measuring_seconds(plan)


def block_seconds_of_run(plan: Plan) -> tuple[BlockSeconds, ...] | None:
    """How long each block takes; None where this version cannot measure such a run any more."""
    return plan.block_seconds if why_not_measured(plan.spec) is None else None


def _switches(blocks: tuple[Block, ...], modes: set[str]) -> tuple[ModeSwitch, ...]:
    return tuple(
        ModeSwitch(block.index, axis, value)
        for block in switching_blocks(blocks)
        for axis, value in block.modes
        if axis in modes
    )

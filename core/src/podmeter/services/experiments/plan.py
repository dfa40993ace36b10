"""What an experiment would do, before anything runs."""

from dataclasses import dataclass

from podmeter.domain.axes import AxisScope, AxisValue
from podmeter.domain.experiment import ExperimentSpec
from podmeter.domain.planning import Block
from podmeter.domain.ports import Access
from podmeter.experiments.registry import kind_of, plan, read_spec

#: An assumption, said as such: rolling kube-proxy or the CNI and waiting for every node.
SWITCHING_SECONDS = 60.0


@dataclass(frozen=True)
class ModeSwitch:
    """Before which block what is switched to."""

    block: int
    axis: str
    value: AxisValue


@dataclass(frozen=True)
class Plan:
    """Blocks with their cases and trials, mode switches, what access they need, how long.

    `switches` counts the first block's modes too: whether they stand already shows only on the
    cluster. Restoring at the end adds one more switch for each axis.
    """

    spec: ExperimentSpec
    blocks: tuple[Block, ...]
    switches: tuple[ModeSwitch, ...]
    access: frozenset[Access]
    trials: int
    measuring_seconds: float
    switching_seconds: float


def plan_document(document: object) -> Plan:
    """The plan of an experiment's document. Raises InvalidSpecError."""
    spec = read_spec(document)
    kind, blocks = kind_of(spec), plan(spec)
    repetition = spec.repetition.resolve()
    modes = {axis.name for axis in kind.axes if axis.scope is AxisScope.CLUSTER_MODE}
    switches = _switches(blocks, modes)
    axes = {switch.axis for switch in switches}
    trials = [trial for block in blocks for trial in block.trials]
    return Plan(
        spec=spec,
        blocks=blocks,
        switches=switches,
        access=kind.access(spec),
        trials=len(trials),
        measuring_seconds=sum(kind.trial_seconds(t.case, spec, repetition) for t in trials),
        switching_seconds=SWITCHING_SECONDS * (len(switches) + len(axes)),
    )


def switched_axes(spec: ExperimentSpec) -> set[str]:
    """The axes of a spec that need the owner's leave to switch modes."""
    kind = kind_of(spec)
    modes = {axis.name for axis in kind.axes if axis.scope is AxisScope.CLUSTER_MODE}
    return modes & set(spec.axes)


def _switches(blocks: tuple[Block, ...], modes: set[str]) -> tuple[ModeSwitch, ...]:
    standing: dict[str, AxisValue] = {}
    found = []
    for block in blocks:
        for axis, value in block.modes:
            if axis in modes and standing.get(axis) != value:
                found.append(ModeSwitch(block.index, axis, value))
                standing[axis] = value
    return tuple(found)

"""Each mode switch that a run makes: what plans count, and what their impact lists."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.modes import CLUSTER, KUBE_PROXY_MODE
from podmeter.domain.planning import Block
from podmeter.kinds.registry import kind_of, why_not_measured
from podmeter.services.experiments.duration import switching_blocks


class Occasion(StrEnum):
    """When a run switches a mode."""

    BLOCK = "block"
    TRIAL = "trial"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class ModeChange:
    """One switch of an axis. `cluster` is None where the run has no axis of clusters.

    `ports` says how many Service ports of the run exist meanwhile, for kube-proxy's mode.
    """

    occasion: Occasion
    axis: str
    cluster: AxisValue | None
    ports: int = 0


def mode_changes(spec: ResolvedSpec, blocks: tuple[Block, ...]) -> Iterator[ModeChange]:
    """Every switch of a run's plan: before blocks, in trials, and to restore the modes.

    Of a run that this version does not measure it is unknown what its trials switch.
    """
    axes = spec.switched_axes
    kind = kind_of(spec) if why_not_measured(spec) is None else None
    changed: dict[tuple[str, AxisValue | None], None] = {}
    for block in switching_blocks(blocks):
        modes = dict(block.modes)
        cluster = modes.get(CLUSTER)
        for axis in [axis for axis in modes if axis in axes]:
            ports = 0
            if kind is not None and axis == KUBE_PROXY_MODE:
                ports = kind.ports_at_switch(spec, block.of_kind)
            changed[axis, cluster] = None
            yield ModeChange(Occasion.BLOCK, axis, cluster, ports)
    if kind is not None and KUBE_PROXY_MODE in axes:
        for block in blocks:
            cluster = dict(block.modes).get(CLUSTER)
            for ports in kind.ports_at_switches_in_trials(spec, block.of_kind):
                yield ModeChange(Occasion.TRIAL, KUBE_PROXY_MODE, cluster, ports)
    # The original modes are restored once all Services of the run are gone.
    for axis, cluster in changed:
        yield ModeChange(Occasion.RESTORE, axis, cluster)

"""Each mode switch that a run makes: what plans count, and what their impact lists."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.modes import CLUSTER, KUBE_PROXY_MODE
from podmeter.domain.planning import Block, Modes
from podmeter.kinds.registry import kind_of, why_not_measured


class Occasion(StrEnum):
    """When a run switches a mode."""

    BLOCK = "block"
    TRIAL = "trial"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class ModeChange:
    """One switch of an axis. `cluster` is None where the run has no axis of clusters.

    `block` is the index of the block that it is made for, None for the restore. `ports` says how
    many Service ports of the run exist meanwhile, for kube-proxy's mode.
    """

    occasion: Occasion
    axis: str
    cluster: AxisValue | None
    ports: int = 0
    block: int | None = None


def switching_blocks(blocks: Iterable[Block]) -> list[Block]:
    """Those that switch modes: all, but of modes side by side those alone that begin a slot."""
    found: list[Block] = []
    stand: tuple[Modes, ...] = ()
    for block in blocks:
        if not block.seating or block.modes_by_seat != stand:
            found.append(block)
        stand = block.modes_by_seat
    return found


def mode_changes(
    spec: ResolvedSpec, blocks: Sequence[Block], failed: Collection[int] = ()
) -> Iterator[ModeChange]:
    """Every switch of a run's plan: before blocks, in trials, and to restore the modes.

    No Services are left by the blocks whose index is in `failed`.

    Of a run that this version does not measure it is unknown what its trials switch.
    """
    axes = spec.switched_axes
    kind = kind_of(spec) if why_not_measured(spec) is None else None
    changed: dict[tuple[str, AxisValue | None], None] = {}
    latest: dict[AxisValue | None, Block] = {}
    switching = {block.index for block in switching_blocks(blocks)}
    for block in blocks:
        modes = dict(block.modes)
        cluster = modes.get(CLUSTER)
        before, own = latest.get(cluster), block.of_kind
        if block.index in failed:
            latest.pop(cluster, None)
        elif own.trials:
            latest[cluster] = own
        if block.index not in switching:
            continue
        for axis in [axis for axis in modes if axis in axes]:
            ports = 0
            if kind is not None and axis == KUBE_PROXY_MODE:
                ports = kind.ports_at_switch(spec, own, before)
            changed[axis, cluster] = None
            yield ModeChange(Occasion.BLOCK, axis, cluster, ports, block.index)
    if kind is not None and KUBE_PROXY_MODE in axes:
        for block in blocks:
            cluster = dict(block.modes).get(CLUSTER)
            for ports in kind.ports_at_switches_in_trials(spec, block.of_kind):
                yield ModeChange(Occasion.TRIAL, KUBE_PROXY_MODE, cluster, ports, block.index)
    # The original modes are restored once all Services of the run are gone.
    for axis, cluster in changed:
        yield ModeChange(Occasion.RESTORE, axis, cluster)

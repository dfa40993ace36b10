"""Rungs of a ladder that is climbed once: which one a block is on, and which the time is for."""

from collections.abc import Collection, Sequence

from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import Block

#: Where a block is on the axes that are ladders; empty where it is on several rungs.
Rung = tuple[tuple[str, AxisValue], ...]


def rung_of(spec: ResolvedSpec, block: Block) -> Rung:
    """The one rung that a block was set up on."""
    ladders = {axis.name for axis in spec.axes if axis.ladder}
    return tuple(item for item in block.modes if item[0] in ladders)


def rungs_left(
    spec: ResolvedSpec, blocks: Sequence[Block], begun: Collection[int]
) -> dict[Rung, int]:
    """The rungs below the highest one that was begun, and the last round that was begun of each.

    `begun` are the indices of blocks that any attempt began. A run that continues until it is
    decided has left these rungs: no later round of them is measured, also not by a later attempt.
    """
    last: dict[Rung, int] = {}
    for block in blocks:
        if block.index in begun:
            rung = rung_of(spec, block)
            last[rung] = max(block.round, last.get(rung, 0))
    return dict(list(last.items())[:-1])


def least_rounds_of(spec: ResolvedSpec) -> int:
    """The fewest rounds that can decide: time alone does not end a run, or a rung, before them."""
    # These take numpy, which an idle worker does without.
    from podmeter.services.headlines.headline import ALPHA
    from podmeter.statistics import least_rounds

    return least_rounds(ALPHA, spec.repetition.rounds)


def least_seconds(
    spec: ResolvedSpec,
    blocks: Sequence[Block],
    seconds: Sequence[float],
    rounds: int,
    within: float,
    begun: Collection[Rung] = (),
) -> tuple[float, list[Rung]]:
    """What `rounds` rounds of these blocks take, of each rung; and the rungs that are not begun.

    A run measures as many rounds however long they take, but it begins no rung once `within`
    seconds are over. Those in `begun` are begun already.
    """
    passed = 0.0
    reached, missed = list(begun), list[Rung]()
    for block, took in zip(blocks, seconds, strict=True):
        rung = rung_of(spec, block)
        if rung not in (*reached, *missed):
            (missed if rung and passed > within else reached).append(rung)
        if rung in reached and block.round <= rounds:
            passed += took
    return passed, missed

"""When blocks that fail tell of the cluster, not of their modes: the run then ends at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.modes import ARM
from podmeter.services.experiments.rungs import rung_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from podmeter.domain.messages import Message
    from podmeter.domain.planning import Block, Modes
    from podmeter.services.execution.environment import Assignment


class FailingBlocks:
    """Compares each block's failure with that of the block before it.

    Two in a row that fail alike, in different modes where the run has several, are not these modes'
    doing: the other blocks would fail the same way. Blocks that differ only in their rung on one
    of the `ladders`, or in their arm, have the same modes.
    """

    def __init__(self, blocks: Iterable[Block], ladders: Iterable[str]) -> None:
        self._no_modes = {*ladders, ARM}
        self._one_mode = len({self._modes_of(block) for block in blocks}) == 1
        self._last: tuple[Modes, str] | None = None

    def fail_alike(self, block: Block, failure: Message | None) -> bool:
        """Add a block that ended, with its failure if any; tell whether the run should end."""
        last, modes = self._last, self._modes_of(block)
        self._last = None if failure is None else (modes, failure.code)
        if last is None or failure is None or last[1] != failure.code:
            return False
        return self._one_mode or last[0] != modes

    def _modes_of(self, block: Block) -> Modes:
        return tuple(item for item in block.modes if item[0] not in self._no_modes)


def why_alike(
    assignment: Assignment, block: Block, failure: str, measured: Collection[str]
) -> Message:
    """Why the run ends with this block; on a ladder also up to which rung there are results.

    `measured` are the keys of the cases that have some. The failing rung itself may have results
    too, of earlier rounds.
    """
    spec, rung = assignment.spec, rung_of(assignment.spec, block)
    with_results = [
        rung_of(spec, other)
        for other in assignment.blocks
        if any(case.key in measured for case in other.cases)
    ]
    # A block that climbs the whole ladder is on no rung.
    if not rung or not with_results:
        return say("blocks_fail_alike", why=failure)
    ((axis, value),), ((_, reached),) = rung, with_results[-1]
    return say("rung_fails_alike", axis=axis, value=value, reached=reached, why=failure)

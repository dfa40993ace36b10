"""When blocks that fail tell of the cluster, not of their modes: the run then ends at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.modes import ARM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.messages import Message
    from podmeter.domain.planning import Block, Modes


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

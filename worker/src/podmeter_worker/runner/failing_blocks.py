"""When blocks that fail tell of the cluster, not of their modes: the run then ends at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.messages import Message

    Modes = tuple[tuple[str, AxisValue], ...]


class FailingBlocks:
    """Compares each block's failure with that of the block before it.

    Two in a row that fail alike, in different modes where the run has several, are not these modes'
    doing: the other blocks would fail the same way.
    """

    def __init__(self, modes: Iterable[Modes]) -> None:
        self._one_mode = len(set(modes)) == 1
        self._last: tuple[Modes, str] | None = None

    def fail_alike(self, modes: Modes, failure: Message | None) -> bool:
        """Add a block that ended, with its failure if any; tell whether the run should end."""
        last = self._last
        self._last = None if failure is None else (modes, failure.code)
        if last is None or failure is None or last[1] != failure.code:
            return False
        return self._one_mode or last[0] != modes

"""What a started run plans. Its cases stand in the database, so no kind is asked again."""

from collections.abc import Iterable

from podmeter.db.models import Block as BlockRecord
from podmeter.db.models import CaseRecord
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import Block, Case
from podmeter.kinds.registry import blocks_of


def planned_cases(rows: Iterable[CaseRecord]) -> tuple[Case, ...]:
    """The cases as they were planned when the run was started."""
    return tuple(Case.at(row.point, once=row.once) for row in rows)


def planned_blocks(
    spec: ResolvedSpec, rows: Iterable[CaseRecord], blocks: Iterable[BlockRecord]
) -> tuple[Block, ...]:
    """The run's blocks in the order of their rows, the same in every attempt and version."""
    turns = [(block.round, tuple(sorted(block.modes.items()))) for block in blocks]
    return blocks_of(spec, planned_cases(rows), turns)

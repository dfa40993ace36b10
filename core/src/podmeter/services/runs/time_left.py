"""How long a run still measures: the one formula for its page, the terminal, and its log."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from podmeter.db.models import Block as BlockRecord
from podmeter.db.models import Run
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.experiment import FIRST_LOOK, FROZEN, ResolvedSpec
from podmeter.domain.planning import Block
from podmeter.domain.run import CaseStatus, RunState
from podmeter.kinds.registry import why_not_measured
from podmeter.services.experiments.duration import BlockSeconds, Reckoning
from podmeter.services.experiments.pace import of_run
from podmeter.services.experiments.planned import planned_blocks
from podmeter.services.experiments.rungs import least_seconds, rung_of
from podmeter.services.lru_cache import LruCache
from podmeter.services.work import Work

_AHEAD = (CaseStatus.PENDING, CaseStatus.RUNNING)
#: By the run and how its blocks stand: a page asks for a run at each of its events.
_KEPT: LruCache[tuple[uuid.UUID, int, tuple[CaseStatus, ...]], "TimeLeft"] = LruCache(256)


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """Until `block_until` the current block is expected to run, None where none does; after it the
    others run for `seconds_after`.

    Between two blocks it stays the same, so that pages and terminals count down by a clock.
    """

    block_until: datetime | None
    seconds_after: float

    def seconds(self, now: datetime) -> float:
        """How long that is; a block that runs for longer than expected adds nothing."""
        running = 0.0 if self.block_until is None else (self.block_until - now).total_seconds()
        return max(0.0, running) + self.seconds_after


def time_left(
    work: Work, organization_id: uuid.UUID, run: Run, planned: Sequence[Block] = ()
) -> TimeLeft | None:
    """How long a run still measures; None where nothing is measured any more, or nothing tells.

    Nothing tells of a run that this version cannot measure. `planned` are all its blocks, where
    the caller has them.
    """
    over = run.state in (RunState.CLEANING, RunState.FINISHED)
    if over or run.cancel_requested_at is not None:
        return None
    spec = FROZEN.read(run.spec)
    if why_not_measured(spec) is not None:
        return None
    runs = RunRepository(work.session, organization_id)
    rows = runs.blocks(run.id)
    key = run.id, run.attempt, tuple(row.status for row in rows)
    if (kept := _KEPT.get(key)) is not None:
        return kept
    planned = planned or planned_blocks(spec, runs.all_cases(run.id), rows)
    pace = of_run(work, organization_id, run.id, spec)
    # A run that is queued again has the beginning of the attempt before.
    began = run.queued_at if run.state is RunState.QUEUED else run.started_at
    return _KEPT.put(key, left_of(spec, planned, rows, pace.reckoning, began))


def left_of(
    spec: ResolvedSpec,
    planned: Sequence[Block],
    rows: Sequence[BlockRecord],
    reckoning: Reckoning,
    attempt_began: datetime | None,
) -> TimeLeft:
    """What is reckoned for the blocks ahead, times what the earlier blocks took against what is
    reckoned for them; switching and measuring apart. Skipped blocks take no time.

    A run that ends once it is decided takes its minutes at most, or as long as the rounds take that
    it measures in any case.
    """
    reckoned = _reckoned(spec, planned, rows, reckoning, attempt_began)
    measuring, switching = _ratios(rows, reckoned)
    seconds = {
        at: measuring * one.measuring + switching * one.switching for at, one in reckoned.items()
    }
    current = next((row for row in rows if row.status is CaseStatus.RUNNING), None)
    ahead = [planned[row.position] for row in rows if row.status in _AHEAD and row is not current]
    block_until = None
    spent = _spent(rows)
    if current is not None and current.started_at is not None:
        block_until = current.started_at + timedelta(seconds=seconds[current.position])
        spent += seconds[current.position]
    after = sum(seconds[block.index] for block in ahead)
    until = spec.repetition.until_decided
    if until is not None and until.most_minutes is not None:
        free = 60.0 * until.most_minutes - spent
        begun = {rung_of(spec, planned[row.position]) for row in rows if row.started_at}
        each = [seconds[block.index] for block in ahead]
        least, _ = least_seconds(spec, ahead, each, FIRST_LOOK, free, begun)
        after = min(after, max(free, least))
    return TimeLeft(block_until, after)


def _reckoned(
    spec: ResolvedSpec,
    planned: Sequence[Block],
    rows: Sequence[BlockRecord],
    reckoning: Reckoning,
    attempt_began: datetime | None,
) -> dict[int, BlockSeconds]:
    """By position. Each attempt climbs a ladder from the ground: the one before cleaned up."""
    earlier, own = list[Block](), list[Block]()
    for row in rows:
        if row.status is CaseStatus.SKIPPED:
            continue
        before = row.ended_at and attempt_began and row.ended_at < attempt_began
        (earlier if before and row.status not in _AHEAD else own).append(planned[row.position])
    return {
        block.index: seconds
        for blocks in (earlier, own)
        for block, seconds in zip(blocks, reckoning.of_blocks(spec, blocks), strict=True)
    }


def _ratios(
    rows: Iterable[BlockRecord], reckoned: Mapping[int, BlockSeconds]
) -> tuple[float, float]:
    """What measuring and switching took against what is reckoned, in the blocks that succeeded."""
    measuring, switching = list[tuple[float, float]](), list[tuple[float, float]]()
    for row in rows:
        if row.status is not CaseStatus.SUCCEEDED or not (row.started_at and row.ended_at):
            continue
        switched = row.switching_seconds or 0.0
        took = (row.ended_at - row.started_at).total_seconds() - switched
        measuring.append((took, reckoned[row.position].measuring))
        switching.append((switched, reckoned[row.position].switching))
    return _ratio(measuring), _ratio(switching)


def _ratio(seen: Collection[tuple[float, float]]) -> float:
    took, reckoned = (sum(one[side] for one in seen) for side in (0, 1))
    return took / reckoned if reckoned > 0 and took > 0 else 1.0


def _spent(rows: Iterable[BlockRecord]) -> float:
    return sum(
        (row.ended_at - row.started_at).total_seconds()
        for row in rows
        if row.started_at and row.ended_at
    )

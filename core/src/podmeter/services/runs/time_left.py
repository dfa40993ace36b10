"""How long a run still measures: the one formula for its page, the terminal, and its log."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from podmeter.db.models import Block as BlockRecord
from podmeter.db.models import Run
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.experiment import FROZEN, ResolvedSpec
from podmeter.domain.modes import CLUSTER
from podmeter.domain.planning import Block
from podmeter.domain.run import CaseStatus, RunState
from podmeter.kinds.registry import why_not_measured
from podmeter.services.execution.progress import kept_trials
from podmeter.services.execution.remaining import TrialKey, left_to_run, trial_key
from podmeter.services.experiments.duration import BlockSeconds, Reckoning
from podmeter.services.experiments.pace import of_run
from podmeter.services.experiments.planned import planned_blocks
from podmeter.services.experiments.rungs import (
    Rung,
    least_rounds_of,
    least_seconds,
    rung_of,
    rungs_left,
)
from podmeter.services.lru_cache import LruCache
from podmeter.services.work import Work

#: By the run, its attempt and when that began, how far it came, and the status of its blocks: a
#: page asks for a run at each of its events. A block that a retry runs again succeeds once more.
_Key = tuple[uuid.UUID, int, datetime | None, int, tuple[CaseStatus, ...]]
_KEPT: LruCache[_Key, "TimeLeft"] = LruCache(256)


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
    # A run that is queued again has the beginning of the attempt before.
    began = run.queued_at if run.state is RunState.QUEUED else run.started_at
    passed = max((row.position for row in _begun(rows, began)), default=-1)
    key = run.id, run.attempt, began, passed, tuple(row.status for row in rows)
    if (known := _KEPT.get(key)) is not None:
        return known
    planned = planned or planned_blocks(spec, runs.all_cases(run.id), rows)
    kept = dict[TrialKey, int]()
    if run.attempt > 1:
        trials = kept_trials(work, organization_id, run.id)
        kept = {trial: attempt for trial, attempt in trials.items() if attempt < run.attempt}
    pace = of_run(work, organization_id, run.id, spec)
    return _KEPT.put(key, left_of(spec, planned, rows, pace.reckoning, began, kept))


def left_of(
    spec: ResolvedSpec,
    planned: Sequence[Block],
    rows: Sequence[BlockRecord],
    reckoning: Reckoning,
    attempt_began: datetime | None,
    kept: Mapping[TrialKey, int] = MappingProxyType({}),
) -> TimeLeft:
    """What is reckoned for the blocks ahead, times what the earlier blocks took against what is
    reckoned for them; switching and measuring apart. Skipped blocks take no time.

    `kept` are the trials that earlier attempts kept, by attempt. As the worker does, this one
    measures the others alone, also those of blocks that succeeded: a failed trial fails no block.

    A run that ends once it is decided takes its minutes at most, or as long as the rounds take that
    it measures in any case.
    """
    left = {block.index: block for block in left_to_run(planned, kept)}
    begun = _begun(rows, attempt_began)
    rungs = rungs_left(spec, planned, {row.position for row in rows if row.started_at})
    # Blocks run in their order: one that was passed over is not run any more.
    passed = max((row.position for row in begun), default=-1)
    ahead = [
        left[row.position]
        for row in rows
        if row.position > passed
        and row.position in left
        and row.status is not CaseStatus.SKIPPED
        and not _is_left(spec, planned[row.position], rungs)
    ]
    # Each attempt climbs a ladder from the ground: the one before cleaned up.
    own = [*(left[row.position] for row in begun), *ahead]
    failed = {row.position for row in begun if row.status is CaseStatus.FAILED}
    reckoned = _reckoned(spec, own, reckoning, failed)
    attempts = _measured_before(planned, rows, left, kept)
    for attempt in set(attempts.values()):
        blocks = [planned[at] for at, one in attempts.items() if one == attempt]
        reckoned |= _reckoned(spec, blocks, reckoning)
    succeeded = {row.position: 0 for row in begun if row.status is CaseStatus.SUCCEEDED}
    started = [row for row in rows if row.started_at]
    comparable = _comparable(begun, succeeded) | _comparable(started, attempts)
    measuring, switching = _ratios(rows, {at: reckoned[at] for at in comparable})
    seconds = {
        at: measuring * one.measuring + switching * one.switching for at, one in reckoned.items()
    }
    current = next((row for row in begun if row.status is CaseStatus.RUNNING), None)
    block_until = None
    spent = _spent(rows)
    if current is not None and current.started_at is not None:
        block_until = current.started_at + timedelta(seconds=seconds[current.position])
        spent += seconds[current.position]
    after = sum(seconds[block.index] for block in ahead)
    until = spec.repetition.until_decided
    if until is not None and until.most_minutes is not None:
        free = 60.0 * until.most_minutes - spent
        reached = {rung_of(spec, planned[row.position]) for row in rows if row.started_at}
        each = [seconds[block.index] for block in ahead]
        least, _ = least_seconds(spec, ahead, each, least_rounds_of(spec), free, reached)
        after = min(after, max(free, least))
    return TimeLeft(block_until, after)


def _begun(rows: Iterable[BlockRecord], attempt_began: datetime | None) -> list[BlockRecord]:
    """The blocks that this attempt began. Those that are queued again keep their earlier times."""
    return [
        row
        for row in rows
        if row.status is not CaseStatus.PENDING
        and row.started_at
        and attempt_began
        and row.started_at >= attempt_began
    ]


def _is_left(spec: ResolvedSpec, block: Block, rungs: Mapping[Rung, int]) -> bool:
    """Whether a block is of a round that is not measured any more on its rung."""
    last_round = rungs.get(rung_of(spec, block))
    is_open = spec.repetition.until_decided is not None
    return is_open and last_round is not None and block.round > last_round


def _measured_before(
    planned: Sequence[Block],
    rows: Iterable[BlockRecord],
    left: Collection[int],
    kept: Mapping[TrialKey, int],
) -> dict[int, int]:
    """The blocks of which earlier attempts measured all, each in one go: attempts by position.

    The times of others are those of a part, which nothing tells from here.
    """
    found = {}
    for row in rows:
        if row.status is not CaseStatus.SUCCEEDED or row.position in left:
            continue
        trials = (trial for trial in planned[row.position].trials if not trial.warmup)
        attempts = {kept[trial_key(trial)] for trial in trials}
        if len(attempts) == 1:
            found[row.position] = attempts.pop()
    return found


def _comparable(rows: Iterable[BlockRecord], attempts: Mapping[int, int]) -> set[int]:
    """The blocks in `attempts` of which it is known what existed before them on their cluster.

    They are the first of these rows there, or come after another block of their attempt. A block
    that failed removed all Services, or was stopped before it could.
    """
    found = set[int]()
    latest: dict[object, int] = {}
    for row in rows:
        cluster = row.modes.get(CLUSTER)
        before = latest.get(cluster)
        latest[cluster] = row.position
        attempt = attempts.get(row.position)
        if attempt is not None and (before is None or attempts.get(before) == attempt):
            found.add(row.position)
    return found


def _reckoned(
    spec: ResolvedSpec,
    blocks: Sequence[Block],
    reckoning: Reckoning,
    failed: Collection[int] = (),
) -> dict[int, BlockSeconds]:
    """By position, of blocks that one attempt runs in this order."""
    seconds = reckoning.of_blocks(spec, blocks, failed)
    return {block.index: one for block, one in zip(blocks, seconds, strict=True)}


def _ratios(
    rows: Iterable[BlockRecord], reckoned: Mapping[int, BlockSeconds]
) -> tuple[float, float]:
    """What measuring and switching took against what is reckoned, in the blocks in `reckoned`."""
    measuring, switching = list[tuple[float, float]](), list[tuple[float, float]]()
    for row in rows:
        if row.position not in reckoned or not (row.started_at and row.ended_at):
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

"""How long a run still measures, on a ladder whose higher rungs take much longer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from podmeter.db.models import Block as BlockRecord
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import Block
from podmeter.domain.run import CaseStatus
from podmeter.kinds.registry import plan, read_spec, resolve
from podmeter.kinds.service_scale.creating import CreatedFacts
from podmeter.services.execution.remaining import TrialKey, left_to_run, trial_key
from podmeter.services.experiments.duration import BlockSeconds
from podmeter.services.experiments.pace import Pace, of_nodes, weighted_pace, with_switches
from podmeter.services.runs.time_left import TimeLeft, left_of

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
#: By rung, in seconds, as on the testbed: all Services created and in the kernel, a full sync, and
#: a switch, pods and two trials besides.
RUNGS = (1_000, 5_000, 10_000, 15_000)
CREATED = dict(zip(RUNGS, (44.0, 157.0, 281.0, 393.0), strict=True))
SYNC = {0: 0.0} | dict(zip(RUNGS, (1.0, 12.0, 44.0, 289.0), strict=True))
BESIDES = dict(zip(RUNGS, (10.0, 14.0, 15.0, 20.0), strict=True))
#: Of that, rolling kube-proxy.
ROLLED = 8.0


def ladder(rounds: int, until: dict[str, Any] | None = None) -> ResolvedSpec:
    axes = {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [*RUNGS],
        "probe": ["qps"],
        "target": ["last", "pod"],
    }
    written: dict[str, Any] = {
        "name": "ladder",
        "kind": "service_scale",
        "axes": axes,
        "repetition": {"trials": 1, "warmup": 0, "until_decided": until},
    }
    if until is None:
        written["repetition"]["rounds"] = rounds
    spec = resolve(read_spec(written))
    repetition = spec.repetition.model_copy(update={"rounds": rounds})
    return spec.model_copy(update={"repetition": repetition})


def rung(block: Block) -> int:
    return int(dict(block.modes)["services"])


@dataclass
class Climb:
    """A run of the ladder that has ended on some of its rungs."""

    spec: ResolvedSpec

    def __post_init__(self) -> None:
        self.blocks = plan(self.spec)
        self.rows = [
            BlockRecord(
                position=block.index,
                round=block.round,
                modes=dict(block.modes),
                status=CaseStatus.PENDING,
            )
            for block in self.blocks
        ]
        self.now = self.attempt_began = BEGAN
        self.attempt = 1
        self.kept = dict[TrialKey, int]()

    def stood(self, block: Block) -> int:
        """How many Services exist when a block begins: one that fails removes all."""
        if not block.index or self.rows[block.index - 1].status is CaseStatus.FAILED:
            return 0
        return rung(self.blocks[block.index - 1])

    def took(self, block: Block) -> tuple[float, float]:
        """What switching and measuring takes."""
        height, stood = rung(block), self.stood(block)
        climb = sum(CREATED[one] for one in RUNGS if stood < one <= height)
        return ROLLED + SYNC[stood], climb + BESIDES[height] - ROLLED

    def begin(self, row: BlockRecord) -> None:
        row.status, row.started_at = CaseStatus.RUNNING, self.now

    def end(self, row: BlockRecord) -> None:
        row.switching_seconds, measuring = self.took(self.blocks[row.position])
        self.now += timedelta(seconds=row.switching_seconds + measuring)
        row.status, row.ended_at = CaseStatus.SUCCEEDED, self.now

    def fail(self, row: BlockRecord) -> None:
        self.begin(row)
        self.now += timedelta(seconds=30)
        row.status, row.ended_at = CaseStatus.FAILED, self.now

    def to_the_end_of(self, height: int) -> None:
        for row in self.rows:
            if row.status is CaseStatus.PENDING and int(row.modes["services"]) <= height:
                self.begin(row)
                self.end(row)

    @property
    def rest(self) -> float:
        """What the rest takes in truth."""
        ahead = [row for row in self.rows if row.status is CaseStatus.PENDING]
        return sum(sum(self.took(self.blocks[row.position])) for row in ahead)

    @property
    def pace(self) -> Pace:
        """What is known of the cluster by the blocks that ended, as `pace.on_cluster` reads it."""
        ended = [row for row in self.rows if row.switching_seconds is not None]
        seen = [
            (self.stood(self.blocks[row.position]), row.switching_seconds or 0.0) for row in ended
        ]
        climbed = [height for height in RUNGS if height in {row.modes["services"] for row in ended}]
        created = [
            CreatedFacts(height - below, below, height - below, CREATED[height]).pace
            for below, height in zip((0, *RUNGS), climbed, strict=False)
        ]
        pace = with_switches(of_nodes(2), ["kube_proxy_mode"], seen)
        creating = weighted_pace(one for one in created if one is not None)
        return Pace(
            pace.switch_seconds, pace.switches_seen, creating=creating, outages=pace.outages
        )

    def left(self, pace: Pace) -> TimeLeft:
        return left_of(
            self.spec, self.blocks, self.rows, pace.reckoning, self.attempt_began, self.kept
        )

    def end_attempt(self, *failed_in: int) -> None:
        """The run is queued again; in these blocks a trial failed, which fails no block."""
        ended = [row for row in self.rows if row.status is CaseStatus.SUCCEEDED]
        self.attempt += 1
        for row in ended:
            for trial in self.blocks[row.position].trials:
                self.kept.setdefault(trial_key(trial), self.attempt - 1)
        for position in failed_in:
            del self.kept[trial_key(self.blocks[position].trials[-1])]
        self.now += timedelta(hours=1)
        self.attempt_began = self.now


@pytest.mark.parametrize("rounds", [1, 2, 6, 20])
def test_after_the_rung_at_5000_the_rest_is_known_by_the_rungs_so_far(rounds: int) -> None:
    climb = Climb(ladder(rounds))
    climb.to_the_end_of(5_000)
    left = climb.left(climb.pace)
    assert left.block_until is None
    assert left.seconds(climb.now) == pytest.approx(climb.rest, rel=0.3)


@pytest.mark.parametrize("rounds", [1, 2, 6, 20])
@pytest.mark.parametrize("height", [0, 1_000, 5_000, 10_000])
def test_an_earlier_run_tells_how_long_each_rung_takes(rounds: int, height: int) -> None:
    earlier, climb = Climb(ladder(6)), Climb(ladder(rounds))
    earlier.to_the_end_of(15_000)
    climb.to_the_end_of(height)
    assert climb.left(earlier.pace).seconds(climb.now) == pytest.approx(climb.rest, rel=0.3)


def test_the_pace_of_low_rungs_is_not_taken_for_that_of_high_ones() -> None:
    climb = Climb(ladder(6))
    climb.to_the_end_of(5_000)
    passed = (climb.now - BEGAN).total_seconds()
    # Half of the blocks are over, and a tenth of the time.
    assert climb.left(climb.pace).seconds(climb.now) > 5 * passed


def test_a_block_counts_down_and_adds_nothing_once_it_takes_longer() -> None:
    climb = Climb(ladder(2))
    climb.to_the_end_of(5_000)
    before = climb.left(climb.pace)
    row = next(row for row in climb.rows if row.status is CaseStatus.PENDING)
    climb.begin(row)
    left = climb.left(climb.pace)
    assert left.block_until is not None
    assert left.seconds(climb.now) == pytest.approx(before.seconds_after)
    assert left.seconds(climb.now + timedelta(seconds=60)) == pytest.approx(
        before.seconds_after - 60
    )
    late = left.block_until + timedelta(minutes=15)
    assert left.seconds(late) == left.seconds_after


def skip(rows: Sequence[BlockRecord], height: int, after: int) -> None:
    for row in rows:
        if int(row.modes["services"]) == height and row.round > after:
            row.status = CaseStatus.SKIPPED


def test_skipped_blocks_take_no_time() -> None:
    climb, shorter = Climb(ladder(20)), Climb(ladder(6))
    skip(climb.rows, 10_000, after=6)
    skip(climb.rows, 15_000, after=6)
    assert climb.left(Pace()).seconds_after > 0
    for one in (climb, shorter):
        skip(one.rows, 1_000, after=0)
        skip(one.rows, 5_000, after=0)
    assert climb.left(Pace()) == shorter.left(Pace())


def test_a_resumed_run_climbs_from_the_ground_again() -> None:
    climb = Climb(ladder(6))
    climb.to_the_end_of(5_000)
    on = climb.left(Pace()).seconds_after
    climb.end_attempt()
    assert climb.left(Pace()).seconds_after > on + 60


def test_a_retry_measures_the_trials_that_failed_in_blocks_that_did_not() -> None:
    climb = Climb(ladder(6))
    climb.to_the_end_of(15_000)
    assert climb.left(climb.pace).seconds_after == 0
    first, second = 13, 40  # on the rungs at 5,000 and at 15,000
    climb.end_attempt(first, second)
    left = climb.left(climb.pace)
    assert left.block_until is None
    # The first climbs to its rung, the second from there to its own; no other is run again.
    besides = BESIDES[5_000] + BESIDES[15_000] + SYNC[5_000]
    expected = sum(CREATED.values()) + besides
    assert left.seconds_after == pytest.approx(expected, rel=0.3)

    row = climb.rows[first]
    climb.begin(row)
    running = climb.left(climb.pace)
    assert running.block_until is not None
    assert running.seconds(climb.now) == pytest.approx(left.seconds_after)
    # Of what a block of one trial took nothing is taken to be quicker than it is.
    climb.now = running.block_until
    row.status, row.ended_at, row.switching_seconds = CaseStatus.SUCCEEDED, climb.now, ROLLED
    assert climb.left(climb.pace).seconds_after == pytest.approx(running.seconds_after, rel=0.1)

    row = climb.rows[second]
    climb.begin(row)
    assert climb.left(climb.pace).seconds_after == 0


def test_a_block_whose_trials_are_all_there_is_not_run_again() -> None:
    """A worker that is killed after the last trial of a block leaves it as failed."""
    climb = Climb(ladder(6))
    climb.to_the_end_of(15_000)
    climb.end_attempt()
    climb.rows[-1].status = CaseStatus.PENDING
    assert climb.left(climb.pace) == TimeLeft(None, 0.0)


def test_a_third_attempt_is_told_nothing_by_the_part_that_the_second_measured() -> None:
    climb = Climb(ladder(6))
    climb.to_the_end_of(10_000)
    climb.end_attempt(30)
    row = climb.rows[30]
    climb.begin(row)
    climb.now += timedelta(seconds=1)
    row.status, row.ended_at, row.switching_seconds = CaseStatus.SUCCEEDED, climb.now, 0.5
    without = Climb(ladder(6))
    without.to_the_end_of(10_000)
    without.end_attempt(30)
    climb.end_attempt()
    # All that the retry has to do besides is the block that the other one did.
    left, more = climb.left(Pace()).seconds_after, without.left(Pace()).seconds_after
    assert left == pytest.approx(more, rel=0.05)


def test_a_resumed_run_does_not_continue_the_rungs_that_it_left() -> None:
    until = {"difference": 0.1, "most_minutes": 1_440}
    climb, shorter = Climb(ladder(20, until)), Climb(ladder(20, until))
    for one in (climb, shorter):
        skip(one.rows, 1_000, after=8)
        one.to_the_end_of(1_000)
        first_above = one.rows[40]
        one.begin(first_above)
        one.end(first_above)
        one.end_attempt()
    # What was skipped is queued again.
    for row in climb.rows:
        if row.status is CaseStatus.SKIPPED:
            row.status = CaseStatus.PENDING
    assert climb.left(Pace()) == shorter.left(Pace())
    # A block that failed is run again all the same.
    (failed,) = (row for row in climb.rows if row.position == 7)
    failed.status = CaseStatus.PENDING
    climb.kept = {
        key: one for key, one in climb.kept.items() if key[1] != 4 or "1000" not in key[0]
    }
    assert climb.left(Pace()).seconds_after > shorter.left(Pace()).seconds_after


def test_a_run_until_decided_takes_its_minutes_at_most() -> None:
    until = {"difference": 0.1, "most_minutes": 240}
    climb = Climb(ladder(20, until))
    assert climb.left(Pace()).seconds_after == 240 * 60
    climb.to_the_end_of(1_000)
    spent = (climb.now - BEGAN).total_seconds()
    assert climb.left(climb.pace).seconds_after == pytest.approx(240 * 60 - spent)


def test_once_its_minutes_are_over_a_run_measures_the_least_rounds_of_the_rung_it_is_on() -> None:
    until = {"difference": 0.1, "most_minutes": 1}
    climb, on_rung = Climb(ladder(20, until)), Climb(ladder(20))
    # Of 20 rounds eight are measured: fewer cannot decide.
    for height, after in zip(RUNGS, (8, 0, 0, 0), strict=True):
        skip(on_rung.rows, height, after=after)
    for one in (climb, on_rung):
        first = one.rows[0]
        one.begin(first)
        one.end(first)
    expected = on_rung.left(Pace()).seconds_after
    assert climb.left(Pace()).seconds_after == pytest.approx(expected)


def test_after_a_block_that_failed_the_next_one_climbs_from_the_ground() -> None:
    climb = Climb(ladder(6))
    climb.to_the_end_of(10_000)
    before = climb.left(climb.pace).seconds_after
    failing, following = climb.rows[36:38]
    climb.fail(failing)
    left, rest = climb.left(climb.pace).seconds_after, climb.rest
    # What the failed block would have climbed, and what stood before it.
    assert rest > 1.1 * before
    assert left == pytest.approx(rest, rel=0.3)
    pace = climb.pace
    climb.begin(following)
    climb.end(following)
    # That climb tells nothing of the blocks after it.
    assert climb.left(pace).seconds_after == pytest.approx(climb.rest, rel=0.3)


@pytest.mark.parametrize("again", [False, True])
def test_a_climb_after_a_failed_block_is_not_taken_for_the_pace_of_others(again: bool) -> None:
    """Also where that was in an earlier attempt, whose failed block is queued again."""
    climb, smooth = Climb(ladder(6)), Climb(ladder(6))
    # On the first rung, where the climb takes as long as all of its blocks besides.
    climb.begin(climb.rows[0])
    climb.end(climb.rows[0])
    climb.fail(climb.rows[1])
    climb.to_the_end_of(5_000)
    smooth.to_the_end_of(5_000)
    if again:
        for one in (climb, smooth):
            one.end_attempt()
        climb.rows[1].status = CaseStatus.PENDING
    left, expected = (one.left(Pace()).seconds_after for one in (climb, smooth))
    besides = sum(sum(climb.took(climb.blocks[1])) for _ in range(again))
    assert left == pytest.approx(expected + besides, rel=0.05)


def test_a_block_of_which_the_set_up_alone_is_left_makes_no_pods() -> None:
    axes = {"kube_proxy_mode": ["iptables", "nftables"], "service_type": ["ClusterIP", "NodePort"]}
    spec = resolve(read_spec({"name": "both", "kind": "service_scale", "axes": axes}))
    blocks = plan(spec)
    done = {
        trial_key(trial): 1 for block in blocks for trial in block.trials if not trial.case.sets_up
    }
    left = left_to_run(blocks, done)
    assert [len(block.trials) for block in left] == [1] * len(blocks)
    expected = BlockSeconds(0.0, Pace().switch_seconds)
    assert Pace().reckoning.of_blocks(spec, left) == [expected] * len(blocks)

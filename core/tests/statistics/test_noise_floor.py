"""How far a cluster differs from itself, by level, and two runs held against it."""

from math import log, sqrt

import numpy as np
import pytest
from scipy import stats

from podmeter.statistics import (
    RUNS_NEEDED,
    Comparison,
    Direction,
    FloorRun,
    Floors,
    Level,
    NoiseThreshold,
    Pairing,
    Reason,
    Sample,
    Verdict,
    compare_all,
    noise_floor,
)

THRESHOLD = NoiseThreshold(0.03)


def run(name: int, *arms: list[list[float]]) -> FloorRun:
    return FloorRun.of(name, *(Sample.of(*arm) for arm in arms))


def test_each_level_is_pooled_over_what_is_above_it() -> None:
    """By hand: two runs of two arms, two rounds each, two trials a block."""
    one = run(1, [[10, 12], [11, 13]], [[20, 22], [13, 15]])
    two = run(2, [[30, 34], [31, 31]], [[30, 30], [35, 35]])
    found = noise_floor([[one, two]], relative=False)
    assert found is not None
    within = [2, 2, 2, 2, 8, 0, 0, 0]
    assert found.within is not None
    assert found.within.deviation == pytest.approx(sqrt(sum(within) / 8))
    assert (found.within.freedom, found.within.n) == (8, 16)
    # Medians: 11, 12 | 21, 14 and 32, 31 | 30, 35; those of a round are alike but for noise.
    pairs = [(11, 21), (12, 14), (32, 30), (31, 35)]
    assert found.blocks is not None
    assert found.blocks.deviation == pytest.approx(
        sqrt(sum((a - b) ** 2 / 2 for a, b in pairs) / 4)
    )
    assert (found.blocks.freedom, found.blocks.n) == (4, 8)
    # Arms of one run share its day: two runs are one degree of freedom, however many arms.
    assert found.runs is not None
    centres = [(11.5, 31.5), (17.5, 32.5)]
    assert found.runs.deviation == pytest.approx(
        sqrt(sum((a - b) ** 2 / 2 for a, b in centres) / 2)
    )
    assert (found.runs.freedom, found.runs.n) == (1, 2)
    assert found.rounds == 2


def test_the_interval_is_that_of_a_normal_variance() -> None:
    values = [10.0, 12.0, 11.0, 15.0]
    found = noise_floor([[run(1, [[value] for value in values])]], relative=False)
    assert found is not None
    assert (found.within, found.runs) == (None, None)
    assert found.blocks is not None
    low, high = stats.chi2.ppf([0.975, 0.025], 3)
    squares = float(np.var(values, ddof=1)) * 3
    assert found.blocks.interval.low == pytest.approx(sqrt(squares / low))
    assert found.blocks.interval.high == pytest.approx(sqrt(squares / high))


def test_shares_are_of_logarithms_and_have_no_meaning_at_zero() -> None:
    blocks = [[100.0], [110.0]]
    found = noise_floor([[run(1, blocks)]], relative=True)
    assert found is not None
    assert found.blocks is not None
    assert found.blocks.deviation == pytest.approx(log(1.1) / sqrt(2))
    assert noise_floor([[run(1, [[0.0], [1.0]])]], relative=True) is None
    assert noise_floor([[run(1, [[], []])]], relative=False) is None


def test_conditions_may_differ_in_level_and_a_run_in_two_of_them_counts_once() -> None:
    slow = [run(n, [[100.0 + n]]) for n in range(3)]
    fast = [run(n, [[900.0 + n]]) for n in range(3)]
    found = noise_floor([slow, fast], relative=False)
    assert found is not None
    assert found.runs is not None
    assert (found.runs.deviation, found.runs.freedom, found.runs.n) == (1.0, 2, 3)
    others = [run(10 + n, [[900.0 + n]]) for n in range(3)]
    apart = noise_floor([slow, others], relative=False)
    assert apart is not None
    assert apart.runs is not None
    assert (apart.runs.freedom, apart.runs.n) == (4, 6)


def floors(*centres: float, covers: bool = True, rounds: int = 6) -> Floors:
    runs = [run(n, [[centre]] * rounds) for n, centre in enumerate(centres)]
    absolute = noise_floor([runs], relative=False)
    assert absolute is not None
    return Floors(noise_floor([runs], relative=True), absolute, covers)


def steady(centre: float, rounds: int = 6) -> Sample:
    return Sample.of(*[[centre * (1 + 0.002 * (n % 3 - 1))] for n in range(rounds)])


def judged(one: Sample, two: Sample, known: Floors | None) -> Comparison:
    (found,) = compare_all([Pairing(one, two, Direction.HIGHER, THRESHOLD, Level.RUN, known)])
    return found


RESTLESS = floors(90, 110, 95, 105, 100, 98)


def test_two_runs_differ_where_the_cluster_does_not_by_itself() -> None:
    """The textbook's prediction interval of a difference, from runs that are neither of the two."""
    found = judged(steady(100), steady(50), RESTLESS)
    assert (found.verdict, found.reason) == (Verdict.WORSE, Reason.CLEAR_EFFECT)
    assert found.ratio is not None
    assert found.ratio.interval is not None
    logs = [log(one) for one in (90, 110, 95, 105, 100, 98)]
    reach = stats.t.ppf(0.995, 5) * sqrt(2) * np.std(logs, ddof=1)
    assert found.ratio.interval.low == pytest.approx(0.5 * np.exp(-reach))
    assert found.ratio.interval.high == pytest.approx(0.5 * np.exp(reach))
    assert found.method == "noise_floor_t"
    assert found.p == pytest.approx(2 * stats.t.sf(log(2) / (reach / stats.t.ppf(0.995, 5)), 5))


def test_what_the_cluster_does_by_itself_is_no_difference_however_sure_it_is() -> None:
    found = judged(steady(100), steady(85), RESTLESS)
    assert (found.verdict, found.reason) == (Verdict.UNDECIDED, Reason.WITHIN_NOISE_FLOOR)
    assert found.p is not None
    assert found.p > 0.01
    assert judged(steady(100), steady(85), None).reason is Reason.NOISE_FLOOR_UNKNOWN


def test_same_takes_a_floor_that_is_far_inside_the_threshold() -> None:
    quiet = floors(100, 100.1, 99.9, 100, 100.05, 99.95)
    assert judged(steady(100), steady(100.1), quiet).verdict is Verdict.SAME
    assert judged(steady(100), steady(100.1), RESTLESS).reason is Reason.WITHIN_NOISE_FLOOR


def test_a_floor_of_few_runs_or_of_too_short_a_time_decides_nothing() -> None:
    few = floors(*[90, 110, 95, 105][: RUNS_NEEDED - 1])
    close = floors(90, 110, 95, 105, 100, 98, covers=False)
    for known in (few, close):
        found = judged(steady(100), steady(20), known)
        assert (found.verdict, found.reason) == (Verdict.UNDECIDED, Reason.NOISE_FLOOR_THIN)


def test_few_rounds_decide_nothing_between_runs_either() -> None:
    assert judged(steady(100, 5), steady(20, 5), RESTLESS).reason is Reason.TOO_FEW_ROUNDS
    assert judged(steady(100, 1), steady(20, 1), RESTLESS).reason is Reason.ONE_BLOCK


def test_runs_of_fewer_rounds_than_the_floors_carry_more_of_the_blocks() -> None:
    draw = np.random.default_rng(5)
    many = [run(n, [[float(v)] for v in 100 + 10 * draw.standard_normal(20)]) for n in range(6)]
    absolute = noise_floor([many], relative=False)
    assert absolute is not None
    known = Floors(noise_floor([many], relative=True), absolute)
    few, as_many = (
        judged(steady(100), steady(90), known),
        judged(steady(100, 20), steady(90, 20), known),
    )
    assert few.p is not None
    assert as_many.p is not None
    assert few.p > as_many.p


def test_zeros_are_judged_in_the_metrics_unit() -> None:
    known = floors(0, 4, 2, 0, 3, 1)
    assert known.relative is None
    zeros = Sample.of(*[[0.0]] * 6)
    assert judged(zeros, Sample.of(*[[3.0], [4.0]] * 3), known).verdict is Verdict.UNDECIDED
    assert judged(zeros, Sample.of(*[[300.0], [400.0]] * 3), known).verdict is Verdict.BETTER

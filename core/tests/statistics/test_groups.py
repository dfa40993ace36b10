"""Rounds in groups, such as pairs of nodes: the spread between groups is part of the interval."""

from math import log, sqrt
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy import stats

from podmeter.statistics import (
    Direction,
    NoiseThreshold,
    Pairing,
    Reason,
    Sample,
    Verdict,
    WarningCode,
    advise,
    centres,
    compare_all,
    corrected,
    outlying_rounds,
    round_tests,
    summarize,
)

NAMES = ("a~b", "a~c", "b~a", "b~c", "c~a", "c~b")
TWICE = NAMES + NAMES
NOISE = NoiseThreshold(0.03)
#: By how much each round of twelve is off, alike in none.
OFF = (3, -2, 1, -4, 2, 0, -1, 4, -3, 1, -2, 1)


def grouped(values, groups=TWICE):
    return Sample(tuple((float(value),) for value in values), tuple(groups))


def pair_of(effects, groups=TWICE, control=None):
    """Both sides of rounds in which the contender has so many times the baseline's value."""
    base = [1000.0 + off for off in OFF[: len(effects)]]
    other = [one * effect for one, effect in zip(base, effects, strict=True)]
    sides = (grouped(base, groups), grouped(other, groups))
    return Pairing(*sides, Direction.HIGHER, NOISE, control=control)


def judged(pairing):
    (found,) = corrected(compare_all([pairing]), alpha=0.05)
    return found


def test_of_groups_with_as_many_rounds_the_interval_is_that_of_the_groups_means():
    rng = np.random.default_rng(5)
    shifts = np.repeat(rng.normal(0.1, 0.2, 6), 3) + rng.normal(0, 0.01, 18)
    groups = [name for name in NAMES for _ in range(3)]
    means = round_tests.grouped(shifts[None, :], groups, 0.95)
    of_groups = shifts.reshape(6, 3).mean(axis=1)
    low, high = stats.t.interval(0.95, 5, of_groups.mean(), stdev(of_groups) / sqrt(6))
    assert means.estimate(0).interval.low == pytest.approx(low)
    assert means.estimate(0).interval.high == pytest.approx(high)
    assert means.p[0] == pytest.approx(stats.ttest_1samp(of_groups, 0).pvalue)


def test_of_groups_of_one_round_each_it_is_that_of_the_rounds():
    rng = np.random.default_rng(6)
    shifts = rng.normal(0, 1, (3, 7))
    names = [f"pair {number}" for number in range(7)]
    one, two = round_tests.grouped(shifts, names, 0.95), round_tests.paired(shifts, 0.95)
    assert one.reach == pytest.approx(two.reach)
    assert one.value == pytest.approx(two.value)


def test_with_controls_it_is_the_cluster_robust_error_of_the_lines_height_at_zero():
    rng = np.random.default_rng(7)
    controls = rng.normal(0.3, 1, (1, 12))
    shifts = 2 + 1.5 * controls + np.tile(rng.normal(0, 0.5, 6), 2) + rng.normal(0, 0.1, (1, 12))
    found = round_tests.grouped(shifts, TWICE, 0.95, controls)
    assert found.value == pytest.approx(round_tests.adjusted(shifts, controls, 0.95).means.value)
    # The sandwich, written out.
    x = np.column_stack([np.ones(12), controls[0]])
    bread = np.linalg.inv(x.T @ x)
    rest = shifts[0] - x @ (bread @ x.T @ shifts[0])
    scores = [x[np.array(TWICE) == name].T @ rest[np.array(TWICE) == name] for name in NAMES]
    meat = sum(np.outer(one, one) for one in scores)
    assert found.deviation[0] == pytest.approx(sqrt(6 / 5 * (bread @ meat @ bread)[0, 0]))
    assert found.freedom[0] == 5


def test_pairs_that_differ_in_the_effect_make_the_interval_wider_and_the_report_says_so():
    effects = [1.1, 1.1, 0.7, 1.1, 1.1, 1.1] * 2
    alone = judged(pair_of(effects, groups=()))
    found = judged(pair_of(effects))
    assert found.ratio.value == pytest.approx(alone.ratio.value)
    of_pairs = [log(one) for one in effects[:6]]
    reach = stats.t.ppf(0.975, 5) * stdev(of_pairs) / sqrt(6)
    assert log(found.ratio.interval.high) == pytest.approx(fmean(of_pairs) + reach, abs=1e-6)
    assert found.ratio.interval.low < alone.ratio.interval.low
    assert WarningCode.GROUPS_DIFFER in {one.code for one in found.warnings}
    assert WarningCode.GROUPS_DIFFER not in {one.code for one in alone.warnings}
    assert found.p > alone.p
    assert found.groups == TWICE


def test_the_wider_of_both_intervals_counts():
    # Pairs that agree exactly say nothing of how rounds vary.
    effects = [1.05, 1.2, 1.1, 1.1, 1.05, 1.2, 1.2, 1.05, 1.1, 1.1, 1.2, 1.05]
    found, alone = judged(pair_of(effects)), judged(pair_of(effects, groups=()))
    assert found.ratio.interval == alone.ratio.interval
    assert WarningCode.GROUPS_DIFFER not in {one.code for one in found.warnings}
    assert found.verdict is Verdict.BETTER


def test_rounds_on_one_pair_say_nothing_of_the_cluster():
    found = judged(pair_of([1.2] * 12, groups=["a~b"] * 12))
    assert (found.verdict, found.reason) == (Verdict.UNDECIDED, Reason.ONE_GROUP)
    assert found.ratio.interval is None
    assert found.p is None


def test_two_pairs_leave_one_degree_of_freedom():
    groups = ["a~b", "b~a"] * 6
    apart = judged(pair_of([1.2, 1.3] * 6, groups))
    assert apart.verdict is Verdict.UNDECIDED
    assert apart.ratio.interval.low < 1 < apart.ratio.interval.high
    alike = judged(pair_of([1.2, 1.201] * 6, groups))
    assert alike.verdict is Verdict.BETTER


def test_a_slow_pair_slows_both_modes_and_is_no_effect():
    base = [1000.0, 1000.0, 100.0, 1000.0, 1000.0, 1000.0] * 2
    base = [one + off / 100 for one, off in zip(base, OFF, strict=True)]
    other = [one * 1.2 for one in base]
    pairing = Pairing(grouped(base), grouped(other), Direction.HIGHER, NOISE)
    assert judged(pairing).verdict is Verdict.BETTER
    # The centres beside it have the spread of the pairs.
    between = centres(pairing.baseline, pairing.contender, judged(pairing))
    assert between.baseline.interval.low < 400 < between.baseline.value


def test_rounds_without_one_side_are_in_no_group():
    baseline = grouped([1000.0] * 12)
    rounds = [(1100.0 + off,) for off in OFF]
    rounds[3] = ()
    contender = Sample(tuple(rounds), TWICE)
    found = judged(Pairing(baseline, contender, Direction.HIGHER, NOISE))
    assert found.groups == TWICE[:3] + TWICE[4:]
    assert contender.filled_groups == found.groups


def test_a_mean_has_the_spread_of_the_pairs_and_a_median_encloses_the_slow_one():
    values = [920, 918, 310, 925, 921, 919, 922, 917, 312, 920, 923, 918]
    with_groups, without = summarize(grouped(values)), summarize(grouped(values, ()))
    assert with_groups.mean.interval.low < without.mean.interval.low
    assert with_groups.median.interval.low <= 310
    assert summarize(grouped([5.0, 6.0], ["a~b"] * 2)).mean.interval is None


def test_more_rounds_are_not_advised_where_pairs_differ():
    pairing = pair_of([1.1, 1.1, 0.7, 1.1, 1.1, 1.1] * 2)
    found = judged(pairing)
    assert found.verdict is Verdict.UNDECIDED
    (advice,) = advise([found], [(pairing.baseline, pairing.contender)], alpha=0.05, most_rounds=60)
    assert (advice.remedy, advice.rounds) == ("groups", None)


def by_pair(values, rounds=2):
    """Samples of pairs with so many rounds each, which vary a little."""
    return [
        Sample.of(*[[value * (1 + 0.002 * (-1) ** round_)] for round_ in range(rounds)])
        for value in values
    ]


@pytest.mark.parametrize(
    ("direction", "slow"), [(Direction.HIGHER, 310.0), (Direction.LOWER, 2000.0)]
)
def test_a_slow_pair_of_two_rounds_is_apart(direction, slow):
    samples = by_pair([920, 925, slow, 922, 918, 921])
    found = outlying_rounds(samples, {2}, direction=direction, threshold=NOISE)
    assert found.comparison.verdict is Verdict.WORSE
    assert found.member == 2
    assert found.comparison.ratio.interval.low <= found.comparison.ratio.value


def test_pairs_within_noise_are_not_apart_and_neither_are_single_rounds():
    alike = outlying_rounds(
        by_pair([920, 925, 900, 922]), {2}, direction=Direction.HIGHER, threshold=NOISE
    )
    assert alike.comparison.verdict is Verdict.UNDECIDED
    once = outlying_rounds(
        by_pair([920, 925, 310], 1), {2}, direction=Direction.HIGHER, threshold=NOISE
    )
    assert (once.comparison.verdict, once.comparison.reason) == (
        Verdict.UNDECIDED,
        Reason.TOO_FEW_ROUNDS,
    )
    assert once.comparison.p is None


@pytest.mark.parametrize(
    ("threshold", "steady"),
    [(NOISE, 1000), (NoiseThreshold(0, absolute=30), 1000), (NoiseThreshold(0.03), -1000)],
    ids=["share", "value", "negative"],
)
def test_a_pair_that_is_apart_within_the_noise_is_not_worse(threshold, steady):
    def slowest(centre):
        samples = [grouped([place + off for off in (-2, 0, 1, 1)], ()) for place in centre]
        return outlying_rounds(
            samples, {2}, direction=Direction.HIGHER, threshold=threshold
        ).comparison

    near = slowest([steady, steady, steady - 25])
    assert near.p <= 0.05
    assert (near.verdict, near.reason) == (Verdict.UNDECIDED, Reason.NEAR_THRESHOLD)
    beyond = slowest([steady, steady, steady - 35])
    assert (beyond.verdict, beyond.reason) == (Verdict.WORSE, Reason.CLEAR_EFFECT)


def test_one_pair_of_many_alike_ones_is_rarely_called_apart():
    rng = np.random.default_rng(11)
    wrong = 0
    for _ in range(400):
        samples = [Sample.of(*[[value] for value in rng.normal(1000, 100, 2)]) for _ in NAMES]
        worst = min(range(6), key=lambda at: samples[at].centre)
        found = outlying_rounds(
            samples, {worst}, direction=Direction.HIGHER, threshold=NoiseThreshold(0)
        )
        wrong += found.comparison.verdict is Verdict.WORSE
    # 20 are expected at most; 40 are more than four standard deviations beyond.
    assert wrong < 40


def test_each_round_is_in_one_group():
    with pytest.raises(ValueError, match="one group"):
        Sample(((1.0,), (2.0,)), ("a~b",))

"""Comparisons: verdicts at and around every border, degenerate samples, the A/A error rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.statistics import (
    Direction,
    NoiseThreshold,
    Reason,
    Sample,
    Verdict,
    WarningCode,
    compare,
)

THREE_PERCENT = NoiseThreshold(0.03)
HIGHER, LOWER = Direction.HIGHER, Direction.LOWER


def judged(baseline, contender, direction=HIGHER, threshold=THREE_PERCENT, **more):
    return compare(baseline, contender, direction=direction, threshold=threshold, **more)


def codes(comparison):
    return {one.code for one in comparison.warnings}


HUNDRED = Sample.of([98, 99, 100, 101, 102])
FIFTY = Sample.of([49, 49.5, 50, 50.5, 51])


@pytest.mark.parametrize(
    ("baseline", "contender", "direction", "verdict"),
    [
        (HUNDRED, FIFTY, HIGHER, Verdict.WORSE),
        (HUNDRED, FIFTY, LOWER, Verdict.BETTER),
        (FIFTY, HUNDRED, HIGHER, Verdict.BETTER),
        (FIFTY, HUNDRED, LOWER, Verdict.WORSE),
    ],
)
def test_direction_decides_what_is_better(baseline, contender, direction, verdict):
    found = judged(baseline, contender, direction)
    assert (found.verdict, found.reason) == (verdict, Reason.CLEAR_EFFECT)
    assert found.p == pytest.approx(2 / 252)


def test_golden_comparison_by_hand():
    found = judged(Sample.of([10, 11, 12, 13]), Sample.of([20, 22, 24, 26]))
    # The 16 differences, sorted: 7 8 9 9 10 10 11 11 | 12 12 13 13 14 14 15 16.
    assert found.shift.value == 11.5
    # Four against four: only the complete separation has 2/70 <= 0.05, so all pairs count.
    assert (found.shift.interval.low, found.shift.interval.high) == (7, 16)
    assert found.shift.interval.confidence == pytest.approx(1 - 2 / 70)
    assert found.p == found.least_p == pytest.approx(2 / 70)
    assert found.ratio.interval.low == pytest.approx(20 / 13)
    assert found.ratio.interval.high == pytest.approx(26 / 10)
    assert (found.n_baseline, found.n_contender, found.rounds) == (4, 4, 1)
    assert found.round_shifts == (11.5,)
    assert found.warnings == ()


def test_same_needs_the_whole_interval_inside_the_threshold():
    tight = Sample.of([100, 100.1, 100.2, 100.3, 100.4])
    close = Sample.of([100.05, 100.15, 100.25, 100.35, 100.45])
    found = judged(tight, close)
    assert (found.verdict, found.reason) == (Verdict.SAME, Reason.WITHIN_THRESHOLD)
    wide = Sample.of([90, 95, 100, 105, 110])
    also_wide = Sample.of([91, 94, 101, 104, 111])
    found = judged(wide, also_wide)
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE)


def test_a_certain_effect_too_small_to_matter_is_same():
    tight = Sample.of([100, 100.1, 100.2, 100.3, 100.4])
    found = judged(tight, Sample.of([101, 101.1, 101.2, 101.3, 101.4]))
    assert found.p < 0.01
    assert found.verdict is Verdict.SAME


def test_a_certain_effect_that_straddles_the_threshold_is_inconclusive():
    found = judged(HUNDRED, Sample.of([102.5, 102.6, 102.7, 102.8, 104]))
    assert found.p <= 0.05
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.NEAR_THRESHOLD)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_trials_are_never_a_verdict(n):
    found = judged(Sample.of([1.0, 1.01, 1.02][:n]), Sample.of([9.0, 9.01, 9.02][:n]))
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW_TRIALS)
    assert found.shift.interval is None
    assert found.shift.value == pytest.approx(8)
    assert WarningCode.TOO_FEW_TRIALS in codes(found)


def test_identical_single_trials_are_not_same():
    found = judged(Sample.of([5]), Sample.of([5]))
    assert found.verdict is Verdict.INCONCLUSIVE
    # Nothing was tested.
    assert found.p is None


@pytest.mark.parametrize(
    ("baseline", "contender", "reason"),
    [
        (Sample.of(), HUNDRED, Reason.NO_TRIALS),
        (HUNDRED, Sample.of([]), Reason.NO_TRIALS),
        (Sample.of(), Sample.of(), Reason.NO_TRIALS),
        (Sample.of([1, 2], []), Sample.of([], [3, 4]), Reason.NO_COMMON_ROUND),
    ],
)
def test_nothing_to_compare_is_defined(baseline, contender, reason):
    found = judged(baseline, contender)
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, reason)
    assert (found.shift, found.ratio, found.p, found.least_p) == (None, None, None, None)
    assert found.warnings


def test_constant_samples():
    five, six = Sample.of([5] * 5), Sample.of([6] * 5)
    same = judged(five, five)
    assert same.verdict is Verdict.SAME
    assert same.p == 1
    assert WarningCode.CONSTANT_SAMPLE in codes(same)
    apart = judged(five, six)
    assert apart.verdict is Verdict.BETTER
    assert apart.shift.value == apart.shift.interval.low == apart.shift.interval.high == 1


def test_zero_baselines_have_no_ratio_and_use_the_absolute_threshold():
    zero = Sample.of([0] * 5)
    loss = Sample.of([0.1, 0.12, 0.11, 0.13, 0.14])
    found = judged(zero, loss, LOWER)
    assert found.ratio is None
    assert WarningCode.RATIO_UNDEFINED in codes(found)
    assert found.verdict is Verdict.WORSE
    assert judged(zero, loss, LOWER, NoiseThreshold(0.03, absolute=0.2)).verdict is Verdict.SAME
    assert judged(zero, zero, LOWER).verdict is Verdict.SAME


def test_negative_values_are_compared_by_shift():
    found = judged(Sample.of([-5, -4, -6, -5.5, -4.5]), Sample.of([5, 4, 6, 5.5, 4.5]))
    assert found.verdict is Verdict.BETTER
    assert found.ratio is None


def test_ties_throughout_are_inconclusive_or_same_but_never_an_effect():
    found = judged(Sample.of([0, 0, 0, 0, 1]), Sample.of([0, 0, 0, 0, 0]), LOWER)
    assert found.p == 1
    assert found.verdict is Verdict.SAME or found.verdict is Verdict.INCONCLUSIVE


def test_rounds_without_counterpart_are_left_out_and_said():
    found = judged(
        Sample.of([98, 99, 100, 101, 102], [1, 2, 3]), Sample.of([49, 50, 51, 52, 53], [])
    )
    assert (found.n_baseline, found.rounds) == (5, 1)
    assert WarningCode.ROUND_WITHOUT_COUNTERPART in codes(found)
    assert found.verdict is Verdict.WORSE


def test_drift_between_rounds_is_not_taken_for_an_effect():
    # Both arms slow down alike from round to round; the mode makes no difference.
    rounds = [[100, 100.4, 100.8], [60, 60.3, 60.5], [30, 30.1, 30.2]]
    other = [[100.2, 100.5, 100.7], [60.1, 60.2, 60.4], [30.05, 30.12, 30.15]]
    found = judged(Sample.of(*rounds), Sample.of(*other))
    assert found.verdict is Verdict.SAME
    assert found.ratio.value == pytest.approx(1, abs=0.005)


def test_a_round_that_goes_clearly_the_other_way_forbids_a_verdict():
    baseline = Sample.of(*[[100, 101, 102, 103, 104, 105, 106]] * 4)
    contender = Sample.of(*[[200, 201, 202, 203, 204, 205, 206]] * 3, [80, 81, 82, 83, 84, 85, 86])
    found = judged(baseline, contender)
    assert found.p <= 0.05
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.ROUNDS_DISAGREE)
    assert WarningCode.ROUNDS_DISAGREE in codes(found)
    assert found.round_shifts == (100, 100, 100, -20)


@pytest.mark.parametrize("bad", [-0.1, 1.0, float("nan")])
def test_a_threshold_is_a_share(bad):
    with pytest.raises(ValueError, match="noise threshold"):
        NoiseThreshold(bad)


positive = st.lists(st.floats(0.5, 1e6), min_size=1, max_size=8)


@given(st.lists(st.tuples(positive, positive), min_size=1, max_size=3))
def test_what_holds_of_every_comparison(rounds):
    baseline = Sample.of(*[one for one, _ in rounds])
    contender = Sample.of(*[two for _, two in rounds])
    found = judged(baseline, contender)
    assert 0 < found.least_p <= 1
    single = sum(len(one) for one, _ in rounds) == 1 or sum(len(two) for _, two in rounds) == 1
    assert found.p is None if single else 0 < found.p <= 1
    if found.verdict in (Verdict.BETTER, Verdict.WORSE):
        assert found.p <= 0.05
        assert not found.shift.interval.contains(0)
        assert found.shift.interval.contains(found.shift.value)
    if found.verdict is Verdict.SAME:
        assert found.ratio.interval.lies_within(0.97, 1.03)
    mirrored = judged(baseline, contender, LOWER)
    opposite = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
    assert mirrored.verdict is opposite.get(found.verdict, found.verdict)


@pytest.mark.parametrize(("shape", "most"), [((1, 5), 0.05), ((1, 7), 0.05), ((3, 7), 0.05)])
def test_a_against_a_is_called_different_in_about_five_percent(shape, most):
    rng = np.random.default_rng(2024)
    drift = 1 + np.linspace(0, 0.5, shape[0])[:, None]
    draws, wrong, rejected = 2000, 0, 0
    for _ in range(draws):
        one, two = (drift * rng.lognormal(0, 0.2, shape) for _ in range(2))
        found = judged(
            Sample.of(*one.tolist()), Sample.of(*two.tolist()), threshold=NoiseThreshold(0)
        )
        rejected += found.p <= 0.05
        wrong += found.verdict is not Verdict.INCONCLUSIVE
    # Three standard errors of a share of 0.05 over 2,000 draws are 0.0146.
    assert rejected / draws <= most + 0.0146
    # Exact tests of five trials come in steps, the nearest below 0.05 being 0.032.
    assert rejected / draws >= 0.02
    assert wrong <= rejected


def test_a_real_effect_is_found():
    rng = np.random.default_rng(8)
    found = [
        judged(
            Sample.of(*(rng.normal(100, 3, (3, 7))).tolist()),
            Sample.of(*(rng.normal(92, 3, (3, 7))).tolist()),
        ).verdict
        for _ in range(200)
    ]
    assert found.count(Verdict.WORSE) >= 190


def test_a_metric_without_a_direction_has_no_verdict():
    assert judged(HUNDRED, FIFTY, "higher").verdict is Verdict.WORSE
    with pytest.raises(ValueError, match="none"):
        judged(HUNDRED, FIFTY, "none")

"""Summaries: against scipy, published order-statistic tables, hand-computed values, simulation."""

import random

import numpy as np
import pytest
from core.tests.sampling import sampled
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from podmeter.statistics import Sample, WarningCode, median, quantile, summarize
from podmeter.statistics.quantiles import median_interval_needs

values = st.lists(
    st.floats(-1e9, 1e9, allow_nan=False, allow_infinity=False), min_size=1, max_size=30
)


def codes(summary):
    return {one.code for one in summary.warnings}


def test_the_first_articles_ten_requests_by_hand():
    # time_total of the ten requests from a node to the ClusterIP, in ms.
    totals = [1.681, 3.137, 3.394, 1.847, 3.527, 2.390, 1.735, 3.117, 2.463, 2.120]
    summary = summarize(Sample.of(totals))
    assert summary.n == 10
    assert summary.mean.value == pytest.approx(2.5411)  # the article prints 2.541
    assert summary.median.value == pytest.approx((2.390 + 2.463) / 2)
    # n = 10: the 2nd and the 9th value, 1 - 2 * 11 / 1024.
    assert (summary.median.interval.low, summary.median.interval.high) == (1.735, 3.394)
    assert summary.median.interval.confidence == pytest.approx(0.978515625)
    assert summary.spread == pytest.approx(3.527 - 1.681)
    assert summary.warnings == ()


@pytest.mark.parametrize(
    ("n", "rank", "confidence"),
    # Ranks and levels as tabulated for the sign test's interval (e.g. Conover, table A3).
    [
        (6, 1, 0.96875),
        (7, 1, 0.984375),
        (8, 1, 0.9921875),
        (9, 2, 0.9609375),
        (10, 2, 0.978515625),
        (15, 4, 0.96484375),
        (20, 6, 0.95861053466796875),
        (21, 6, 0.9733963012695312),
    ],
)
def test_the_median_interval_uses_the_tabulated_ranks(n, rank, confidence):
    interval = median(Sample.of(range(1, n + 1))).interval
    assert interval.low == rank
    assert interval.high == n + 1 - rank
    assert interval.confidence == pytest.approx(confidence, abs=1e-6)


@pytest.mark.parametrize(("confidence", "needed"), [(0.9, 5), (0.95, 6), (0.99, 8), (0.5, 2)])
def test_how_many_trials_an_interval_needs(confidence, needed):
    assert median_interval_needs(confidence) == needed
    assert median(Sample.of(range(needed)), confidence).interval is not None
    assert median(Sample.of(range(needed - 1)), confidence).interval is None


@pytest.mark.parametrize("n", [1, 2, 5])
def test_below_six_there_is_no_median_interval_but_a_warning_with_numbers(n):
    summary = summarize(Sample.of(range(n)))
    assert summary.median.interval is None
    warning = next(one for one in summary.warnings if one.code is WarningCode.TOO_FEW_TRIALS)
    assert (warning.needed, warning.found) == (6, n)
    assert warning.message.endswith(f"(need 6, have {n})")


def test_empty_is_defined():
    for sample in (Sample.of(), Sample.of([]), Sample.of([], [])):
        summary = summarize(sample)
        assert (summary.n, summary.rounds, summary.median, summary.mean) == (0, 0, None, None)
        assert summary.standard_deviation is None
        assert codes(summary) == {WarningCode.NO_TRIALS}


def test_one_trial_is_defined():
    summary = summarize(Sample.of([5.0]))
    assert summary.median.value == summary.mean.value == 5
    assert summary.mean.interval is None
    assert summary.standard_deviation is None
    assert summary.spread == 0
    assert WarningCode.CONSTANT_SAMPLE not in codes(summary)


def test_a_constant_sample_has_intervals_of_no_width_and_says_so():
    summary = summarize(Sample.of([3] * 4, [3] * 4))
    assert (summary.median.interval.low, summary.median.interval.high) == (3, 3)
    assert (summary.mean.interval.low, summary.mean.interval.high) == (3, 3)
    assert summary.standard_deviation == 0
    assert codes(summary) == {WarningCode.CONSTANT_SAMPLE}


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_failed_trial_is_never_a_number(bad):
    with pytest.raises(ValueError, match="finite"):
        Sample.of([1.0, bad])


def test_the_mean_of_one_round_has_scipys_t_interval():
    data = [9.1, 9.4, 8.8, 9.9, 9.0]
    summary = summarize(Sample.of(data))
    low, high = stats.t.interval(0.95, 4, loc=np.mean(data), scale=stats.sem(data))
    assert summary.mean.interval.low == pytest.approx(low)
    assert summary.mean.interval.high == pytest.approx(high)
    assert summary.standard_deviation == pytest.approx(np.std(data, ddof=1))


def test_the_mean_of_rounds_takes_its_interval_from_the_rounds_not_the_trials():
    rounds = [[10, 11, 12], [20, 21, 22], [30, 31, 32]]
    summary = summarize(Sample.of(*rounds))
    means = [11, 21, 31]
    low, high = stats.t.interval(0.95, 2, loc=21, scale=stats.sem(means))
    assert summary.mean.interval.low == pytest.approx(low)
    assert summary.mean.interval.high == pytest.approx(high)
    # Within the rounds the trials differ by 1, however far the rounds are apart.
    assert summary.standard_deviation == pytest.approx(1)


def test_every_round_weighs_alike_in_the_centre():
    summary = summarize(Sample.of([1, 1, 1, 1, 1, 1, 1], [2], [3]))
    assert summary.round_medians == (1, 2, 3)
    assert summary.median.value == 2
    assert summary.mean.value == 2


def test_rounds_that_differ_are_said_and_enclosed():
    summary = summarize(Sample.of([1, 2, 3, 4], [1, 2, 3, 4.5], [101, 102, 103, 104]))
    assert WarningCode.ROUNDS_DIFFER in codes(summary)
    assert summary.median.interval.low <= 2.5
    assert summary.median.interval.high >= 102.5
    alike = summarize(Sample.of([1, 2, 3, 4], [1.1, 2.1, 3.1, 4.1], [0.9, 2.2, 3.3, 3.9]))
    assert WarningCode.ROUNDS_DIFFER not in codes(alike)


def test_a_round_without_trials_is_no_round():
    with_hole = summarize(Sample.of([1, 2, 3], [], [4, 5, 6]))
    assert with_hole.rounds == 2
    assert with_hole.round_medians == (2, 5)


def test_quantiles_that_so_few_trials_cannot_say_are_none():
    assert quantile([], 0.5) is None
    assert quantile([1, 2, 3], 0.25) is None
    assert quantile([1, 2, 3, 4], 0.25) == pytest.approx(1.75)
    assert quantile(list(range(99)), 0.99) is None
    assert quantile(list(range(101)), 0.99) == pytest.approx(99)
    assert quantile([7], 0.5) == quantile([7], 0) == quantile([7], 1) == 7
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile([1], 1.5)
    summary = summarize(Sample.of([1, 2, 3, 4, 5, 6]), probabilities=(0.5, 0.95))
    assert [one.value for one in summary.quantiles] == [3.5, None]
    assert codes(summary) == {WarningCode.QUANTILE_BEYOND_TRIALS}


@given(st.lists(values, min_size=1, max_size=4))
def test_what_holds_of_every_summary(rounds):
    summary = summarize(Sample.of(*rounds))
    assert summary.minimum <= summary.median.value <= summary.maximum
    margin = 1e-9 * max(abs(summary.minimum), abs(summary.maximum), 1)
    assert summary.minimum - margin <= summary.mean.value <= summary.maximum + margin
    if summary.median.interval is not None:
        assert summary.median.interval.contains(summary.median.value)
        assert summary.median.interval.confidence >= 0.95
    assert (summary.median.interval is None) == (summary.n < 6)
    reordered = summarize(Sample.of(*[sorted(one) for one in reversed(rounds)]))
    assert reordered.median == summary.median
    assert reordered.n == summary.n


@given(values, st.floats(0.1, 100), st.floats(-1e6, 1e6))
def test_a_change_of_unit_changes_nothing_else(data, scale, offset):
    plain = summarize(Sample.of(data)).median
    moved = summarize(Sample.of([scale * one + offset for one in data])).median
    assert moved.value == pytest.approx(scale * plain.value + offset, rel=1e-6, abs=1e-3)


DRAWS = {
    "normal": lambda rng, shape: rng.normal(0, 1, shape),
    "lognormal": lambda rng, shape: rng.lognormal(0, 1, shape) - 1,
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "cauchy": lambda rng, shape: rng.standard_cauchy(shape),
}


SHAPES = [*[(name, (1, 7)) for name in DRAWS], ("lognormal", (1, 20)), ("cauchy", (3, 7))]


@pytest.mark.parametrize(("name", "shape"), sampled(SHAPES, 2))
def test_the_median_interval_covers_the_median(name, shape):
    # The medians of all four are 0. 2,000 draws: the standard error of 0.95 is 0.005.
    draws = DRAWS[name](np.random.default_rng(20240607), (2000, *shape))
    covered = sum(summarize(Sample.of(*one.tolist())).median.interval.contains(0) for one in draws)
    assert covered / 2000 >= 0.94


def test_the_median_interval_covers_under_drift_between_rounds():
    # Rounds drift by two standard deviations around 0; the median over the three is 0.
    rng = np.random.default_rng(7)
    drift = np.array([-2.0, 0.0, 2.0])[:, None]
    draws = rng.normal(0, 1, (2000, 3, 7)) + drift
    covered = sum(summarize(Sample.of(*one.tolist())).median.interval.contains(0) for one in draws)
    assert covered / 2000 >= 0.94


def test_the_mean_interval_covers_even_where_rounds_differ_at_random():
    rng = np.random.default_rng(11)
    draws = rng.normal(0, 1, (2000, 3, 7)) + rng.normal(0, 3, (2000, 3, 1))
    covered = sum(summarize(Sample.of(*one.tolist())).mean.interval.contains(0) for one in draws)
    assert covered / 2000 >= 0.94


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("trials", [1, 2, 5, 6, 7, 20])
def test_the_median_alone_is_that_of_the_summary(rounds, trials):
    draw = random.Random(rounds * 100 + trials)
    sample = Sample.of(*[[draw.gauss(10, 3) for _ in range(trials)] for _ in range(rounds)])
    alone, summary = median(sample), summarize(sample)
    assert alone == summary.median
    assert alone.value == np.median([np.median(one) for one in sample.rounds])
    assert [np.median(one) for one in sample.rounds] == list(summary.round_medians)


def test_an_empty_sample_has_no_median():
    assert median(Sample.of([], [])) is None


def test_an_interval_stays_where_the_quantity_can_be() -> None:
    skewed = Sample.of([0.0, 0.0, 1.0, 9.0])
    free, cut = summarize(skewed).mean, summarize(skewed, least=0.0).mean
    assert free is not None
    assert free.interval is not None
    assert cut is not None
    assert cut.interval is not None
    assert free.interval.low < 0
    assert cut.interval.low == 0
    assert (cut.value, cut.interval.high) == (free.value, free.interval.high)
    below = summarize(Sample.of([-3.0, -1.0]), least=0.0).mean
    assert below is not None
    assert below.interval is not None
    assert below.interval.low <= below.value

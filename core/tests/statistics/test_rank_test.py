"""The stratified rank test: against scipy, against enumeration, against published figures."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from podmeter.statistics import hodges_lehmann
from podmeter.statistics.rank_test import Method, least_p, stratified_rank_test

# Hollander and Wolfe (1973), p. 69: permeability of the human chorioamnion at term and at 12 to
# 26 weeks. R's wilcox.test gives W = 35, one-sided p = 0.1272, so 0.2544 two-sided, and
# Hollander and Wolfe a shift of 0.305 with the interval (-0.15, 0.76).
AT_TERM = (0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
EARLIER = (1.15, 0.88, 0.90, 0.74, 1.21)


def test_hollander_and_wolfes_permeability():
    strata = [(EARLIER, AT_TERM)]
    assert stratified_rank_test(strata).p == pytest.approx(0.2544, abs=5e-5)
    shift = hodges_lehmann.shift(strata)
    assert shift.value == pytest.approx(0.305)
    assert shift.interval.low == pytest.approx(-0.15)
    assert shift.interval.high == pytest.approx(0.76)
    assert shift.interval.confidence >= 0.95


def enumerated_p(strata):
    """Two-sided p by trying every assignment within every round: slow and plain."""
    ways, observed = [], 0.0
    for baseline, contender in strata:
        ranks = stats.rankdata([*baseline, *contender])
        weight = 1 / (len(ranks) + 1)
        observed += weight * ranks[len(baseline) :].sum()
        chosen = combinations(range(len(ranks)), len(contender))
        ways.append([weight * ranks[list(one)].sum() for one in chosen])
    sums = np.array([sum(one) for one in product(*ways)])
    low = np.mean(sums <= observed + 1e-9)
    high = np.mean(sums >= observed - 1e-9)
    return min(1.0, 2 * min(low, high))


@pytest.mark.parametrize(
    "strata",
    [
        [((1, 2, 3), (4, 5, 6)), ((1, 2, 9), (4, 5, 6))],
        [((1, 2), (3, 4, 5)), ((10, 30, 20), (25, 40)), ((7,), (8, 9))],
        [((1, 1, 2), (2, 2, 3)), ((5, 5), (5, 6, 6))],
        [((0, 0, 0, 0), (0, 0, 0, 1))],
    ],
)
def test_the_exact_p_is_that_of_all_permutations_within_rounds(strata):
    assert stratified_rank_test(strata).p == pytest.approx(enumerated_p(strata))


numbers = st.integers(-20, 20).map(float)
arms = st.lists(numbers, min_size=1, max_size=4).map(tuple)


@given(st.lists(st.tuples(arms, arms), min_size=1, max_size=3))
def test_it_agrees_with_enumeration_for_any_ties_and_sizes(strata):
    assert stratified_rank_test(strata).p == pytest.approx(enumerated_p(strata))


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=24, unique=True),
    st.integers(1, 23),
)
def test_one_round_is_scipys_exact_mannwhitneyu(data, cut):
    cut = min(cut, len(data) - 1)
    baseline, contender = tuple(data[:cut]), tuple(data[cut:])
    expected = stats.mannwhitneyu(contender, baseline, method="exact").pvalue
    found = stratified_rank_test([(baseline, contender)])
    assert found.p == pytest.approx(min(1, expected))
    assert found.method is Method.EXACT


def test_ties_agree_with_scipys_permutations():
    baseline, contender = (1, 1, 2, 2, 3), (2, 3, 3, 4, 4)
    expected = stats.mannwhitneyu(contender, baseline, method=stats.PermutationMethod()).pvalue
    assert stratified_rank_test([(baseline, contender)]).p == pytest.approx(expected)


def test_many_trials_use_scipys_normal_approximation():
    rng = np.random.default_rng(3)
    baseline = tuple(rng.normal(0, 1, 60).round(1))
    contender = tuple(rng.normal(0.2, 1, 70).round(1))
    found = stratified_rank_test([(baseline, contender)])
    assert found.method is Method.NORMAL
    expected = stats.mannwhitneyu(contender, baseline, method="asymptotic").pvalue
    assert found.p == pytest.approx(expected)


def test_exact_and_normal_meet_where_they_change_over(monkeypatch):
    rng = np.random.default_rng(5)
    strata = [
        (tuple(rng.normal(0, 1, 25)), tuple(rng.normal(0.5, 1, 25))),
        (tuple(rng.normal(9, 1, 25)), tuple(rng.normal(9.5, 1, 25))),
    ]
    exact, exact_shift = stratified_rank_test(strata), hodges_lehmann.shift(strata)
    monkeypatch.setattr("podmeter.statistics.rank_test.EXACT_TRIALS_PER_ROUND", 10)
    normal, normal_shift = stratified_rank_test(strata), hodges_lehmann.shift(strata)
    assert (exact.method, normal.method) == (Method.EXACT, Method.NORMAL)
    assert normal.p == pytest.approx(exact.p, rel=0.05)
    assert normal_shift.value == exact_shift.value
    assert normal_shift.interval.low == pytest.approx(exact_shift.interval.low, abs=0.02)
    assert normal_shift.interval.high == pytest.approx(exact_shift.interval.high, abs=0.02)


def test_constant_values_have_p_one():
    assert stratified_rank_test([((2, 2, 2), (2, 2, 2))]).p == 1
    many = tuple([2.0] * 100)
    assert stratified_rank_test([(many, many)]).p == 1


@pytest.mark.parametrize(
    ("strata", "expected"),
    [
        ([((1,), (2,))], 1),
        ([((1, 2, 3), (4, 5, 6))], 0.1),
        ([((1, 2, 3, 4), (5, 6, 7, 8))], 2 / 70),
        ([((1, 2, 3, 4, 5), (6, 7, 8, 9, 10))], 2 / 252),
        ([((1,), (2,))] * 3, 0.25),
    ],
)
def test_the_least_p_is_reached_by_separated_samples(strata, expected):
    assert least_p(strata) == pytest.approx(expected)
    assert stratified_rank_test(strata).p == pytest.approx(expected)


def test_drift_between_rounds_does_not_hide_an_effect():
    # Every round shows +1; the rounds lie far apart, so pooling would see nothing.
    strata = [
        (
            tuple(base + one for one in (0, 0.1, 0.2, 0.3)),
            tuple(base + one for one in (1, 1.1, 1.2)),
        )
        for base in (0, 10, 20)
    ]
    pooled = [(sum((one for one, _ in strata), ()), sum((two for _, two in strata), ()))]
    assert stratified_rank_test(strata).p < 1e-4
    assert stratified_rank_test(pooled).p > 0.05


distinct = st.lists(
    st.floats(-100, 100).map(lambda one: round(one, 6)), min_size=4, max_size=20, unique=True
)


@given(distinct, st.integers(2, 18))
def test_the_interval_excludes_zero_just_where_p_is_at_most_alpha(data, cut):
    cut = min(cut, len(data) - 2)
    strata = [(tuple(data[:cut]), tuple(data[cut:]))]
    shift = hodges_lehmann.shift(strata)
    if shift.interval is not None:
        excluded = not shift.interval.low <= 0 <= shift.interval.high
        assert excluded == (stratified_rank_test(strata).p <= 0.05)
        assert shift.interval.contains(shift.value)


@given(st.lists(st.tuples(arms, arms), min_size=1, max_size=3))
def test_exchanging_the_arms_turns_everything_round(strata):
    turned = [(contender, baseline) for baseline, contender in strata]
    assert stratified_rank_test(turned).p == pytest.approx(stratified_rank_test(strata).p)
    one, other = hodges_lehmann.shift(strata), hodges_lehmann.shift(turned)
    assert one.value == -other.value
    assert (one.interval is None) == (other.interval is None)
    if one.interval is not None:
        assert (one.interval.low, one.interval.high) == (-other.interval.high, -other.interval.low)


def test_equal_rounds_give_the_median_of_all_pairs_within_rounds():
    strata = [((1.0, 2.0), (4.0, 7.0)), ((10.0, 11.0), (12.0, 19.0))]
    pairs = [two - one for first, second in strata for one in first for two in second]
    assert hodges_lehmann.shift(strata).value == pytest.approx(np.median(pairs))


def test_a_ratio_needs_positive_values():
    assert hodges_lehmann.ratio([((0.0, 1.0), (2.0, 3.0))]) is None
    assert hodges_lehmann.ratio([((-1.0,), (2.0,))]) is None
    assert hodges_lehmann.ratio([((2.0,), (3.0,))]).value == pytest.approx(1.5)


def test_no_rounds_is_a_programming_error():
    with pytest.raises(ValueError, match="at least one round"):
        stratified_rank_test([])
    with pytest.raises(ValueError, match="at least one round"):
        hodges_lehmann.shift([])


@pytest.mark.parametrize("shape", [(1, 5), (3, 7)])
def test_the_shifts_interval_covers(shape):
    rng = np.random.default_rng(99)
    drift = np.linspace(-3, 3, shape[0])[:, None]
    covered = 0
    for _ in range(2000):
        baseline = rng.lognormal(0, 0.5, shape) + drift
        contender = rng.lognormal(0, 0.5, shape) + drift + 0.7
        strata = list(
            zip(map(tuple, baseline.tolist()), map(tuple, contender.tolist()), strict=True)
        )
        covered += hodges_lehmann.shift(strata).interval.contains(0.7)
    assert covered / 2000 >= 0.94

"""What rounds say together, held to scipy.stats."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from podmeter.statistics import round_tests

#: Few different values, so that ties and zeros are common.
SHIFTS = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=9)


@pytest.mark.parametrize("rounds", [2, 3, 6, 12])
def test_the_mean_and_its_interval_are_students(rounds: int) -> None:
    shifts = np.random.default_rng(rounds).normal(0.3, 1, (5, rounds))
    found = round_tests.paired(shifts, 0.95)
    for row, one in enumerate(shifts):
        known = stats.ttest_1samp(one, 0)
        interval = known.confidence_interval(0.95)
        estimate = found.estimate(row)
        assert estimate.value == pytest.approx(one.mean())
        assert found.p[row] == pytest.approx(known.pvalue)
        assert estimate.interval is not None
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
            (interval.low, interval.high)
        )


@pytest.mark.parametrize(("left", "right"), [(6, 6), (3, 8), (2, 2)])
def test_between_runs_it_is_welchs(left: int, right: int) -> None:
    rng = np.random.default_rng(left)
    baseline, contender = rng.normal(0, 1, (4, left)), rng.normal(1, 3, (4, right))
    found = round_tests.apart(baseline, contender, 0.95)
    for row in range(4):
        known = stats.ttest_ind(contender[row], baseline[row], equal_var=False)
        interval = known.confidence_interval(0.95)
        assert found.p[row] == pytest.approx(known.pvalue)
        estimate = found.estimate(row)
        assert estimate.interval is not None
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
            (interval.low, interval.high)
        )


@given(SHIFTS)
def test_signed_ranks_are_those_of_every_sign_tried(shifts: list[float]) -> None:
    values = np.array(shifts)
    ranks = stats.rankdata(np.abs(values))
    (moved,) = np.nonzero(values)
    patterns = np.array(
        [[(n >> place) & 1 for place in range(moved.size)] for n in range(2**moved.size)]
    )
    sums = patterns @ ranks[moved] if moved.size else np.zeros(1)
    observed = ranks[values > 0].sum()
    tail = min((sums <= observed + 1e-9).mean(), (sums >= observed - 1e-9).mean())
    assert round_tests.signed_rank_p(values[None, :])[0] == pytest.approx(min(1, 2 * tail))


def test_signed_ranks_without_ties_are_wilcoxons() -> None:
    shifts = np.random.default_rng(3).normal(0.4, 1, (50, 10))
    found = round_tests.signed_rank_p(shifts)
    known = [stats.wilcoxon(one, method="exact").pvalue for one in shifts]
    assert found == pytest.approx(known)


def test_one_round_has_a_mean_alone() -> None:
    found = round_tests.paired(np.array([[0.2]]), 0.95)
    assert found.estimate(0).interval is None
    assert np.isnan(found.p[0])


def test_rounds_that_are_all_alike() -> None:
    found = round_tests.paired(np.array([[0.0] * 6, [2.0] * 6]), 0.95)
    assert found.p.tolist() == [1.0, 0.0]
    apart = round_tests.apart(np.ones((1, 6)), np.ones((1, 6)), 0.95)
    assert apart.p.tolist() == [1.0]


@pytest.mark.parametrize("rounds", [4, 6, 15])
def test_the_mean_at_a_still_control_is_the_intercept_of_least_squares(rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    controls = rng.normal(0.2, 1, (5, rounds))
    shifts = 0.3 + 0.8 * controls + rng.normal(0, 0.5, controls.shape)
    found = round_tests.adjusted(shifts, controls, 0.95)
    for row in range(5):
        known = stats.linregress(controls[row], shifts[row])
        assert found.means.value[row] == pytest.approx(known.intercept)
        assert found.means.deviation[row] == pytest.approx(known.intercept_stderr)
        assert found.correlation[row] == pytest.approx(known.rvalue)
        p = 2 * stats.t.sf(abs(known.intercept / known.intercept_stderr), rounds - 2)
        assert found.means.p[row] == pytest.approx(p)


def test_a_control_that_never_moved_changes_nothing_and_off_zero_tells_nothing() -> None:
    shifts = np.array([[0.1, 0.2, 0.15, 0.12, 0.18, 0.11]])
    still = round_tests.adjusted(shifts, np.zeros_like(shifts), 0.95)
    assert still.means.value[0] == pytest.approx(shifts.mean())
    assert still.correlation == (None,)
    off = round_tests.adjusted(shifts, np.full_like(shifts, 0.1), 0.95)
    assert off.means.deviation[0] == np.inf
    assert off.means.p[0] == 1.0

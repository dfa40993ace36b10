import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from podmeter.statistics import scipy_typed

PROBABILITIES = st.floats(1e-6, 1 - 1e-6)
#: Few different values, so that ties are common.
VALUES = st.integers(0, 9).map(float)


@given(st.integers(1, 2000), st.data())
def test_binomial(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    known = stats.binom.cdf(successes, n, 0.5)
    assert scipy_typed.binomial_half_cdf(successes, n) == pytest.approx(known, rel=1e-9)


@given(st.integers(1, 2000), PROBABILITIES)
def test_binomial_quantile(n: int, probability: float) -> None:
    found = scipy_typed.binomial_half_quantile(probability, n)
    assert stats.binom.cdf(found, n, 0.5) >= probability * (1 - 1e-9)
    assert found == 0 or stats.binom.cdf(found - 1, n, 0.5) < probability * (1 + 1e-9)


@pytest.mark.parametrize("n", [1, 5, 6, 7, 21, 200])
def test_binomial_quantile_of_its_own_cdf(n: int) -> None:
    for successes in range(n):
        probability = scipy_typed.binomial_half_cdf(successes, n)
        if probability < 0.999:  # beyond it floats are too coarse to tell
            assert scipy_typed.binomial_half_quantile(probability, n) == successes


@given(PROBABILITIES)
def test_normal(probability: float) -> None:
    known = stats.norm.ppf(probability)
    assert scipy_typed.normal_quantile(probability) == pytest.approx(known, rel=1e-9, abs=1e-12)


@given(PROBABILITIES, st.integers(1, 500))
def test_student(probability: float, freedom: int) -> None:
    known = stats.t.ppf(probability, freedom)
    found = scipy_typed.t_quantile(probability, freedom)
    assert found == pytest.approx(known, rel=1e-7, abs=1e-9)


@given(PROBABILITIES, st.integers(1, 500))
def test_chi_square(probability: float, freedom: int) -> None:
    known = stats.chi2.ppf(probability, freedom)
    assert scipy_typed.chi_square_quantile(probability, freedom) == pytest.approx(known, rel=1e-7)


@given(st.lists(st.lists(VALUES, min_size=1, max_size=12), min_size=2, max_size=5))
def test_kruskal_wallis(groups: list[list[float]]) -> None:
    assume(len({value for group in groups for value in group}) > 1)
    known = stats.kruskal(*groups).pvalue
    assert scipy_typed.kruskal_p(groups) == pytest.approx(known, rel=1e-9, abs=1e-12)


@given(st.lists(VALUES, min_size=1, max_size=40))
def test_midranks(values: list[float]) -> None:
    assert scipy_typed.midranks(values).tolist() == stats.rankdata(values).tolist()

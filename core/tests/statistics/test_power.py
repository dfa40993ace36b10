"""How many rounds see what: said before they are measured, and of what they left open."""

import numpy as np
import pytest
from core.tests.sampling import sampled
from numpy.typing import NDArray

from podmeter.statistics import round_tests, visible_effect
from podmeter.statistics.power import clear_shift, same_shift

RUNS = 4000
#: Two standard errors of 0.8 over so many runs, and those of the simulation that is tested.
NEAR = 0.035


def test_more_rounds_see_more_and_too_few_nothing() -> None:
    assert visible_effect(5, 0.05) is None
    assert visible_effect(6, 0.05) == pytest.approx(0.135, abs=0.01)
    seen = [visible_effect(rounds, 0.05) or 9 for rounds in (6, 8, 12, 20)]
    assert seen == sorted(seen, reverse=True)
    assert (visible_effect(6, 0.09) or 0) > (visible_effect(6, 0.05) or 1)


def clear(shifts: NDArray[np.float64], p_needed: float = 0.05) -> float:
    by_t = round_tests.paired(shifts, 0.95).p <= p_needed
    return float((by_t & (round_tests.signed_rank_p(shifts) <= 0.05)).mean())


@pytest.mark.parametrize("rounds", [6, 7, 12, 20])
def test_what_is_said_to_be_seen_four_times_in_five_is(rounds: int) -> None:
    rng = np.random.default_rng(11)
    effect = np.log1p(visible_effect(rounds, 0.05) or 0)
    shifts = rng.normal(effect, 0.05 * 2**0.5, (RUNS, rounds))
    assert clear(shifts) == pytest.approx(0.8, abs=NEAR)


@pytest.mark.parametrize("rounds", [6, 9, 16])
def test_among_many_comparisons_it_takes_a_larger_effect(rounds: int) -> None:
    rng = np.random.default_rng(12)
    alone = clear_shift(rounds, 0.1, 0.0, alpha=0.05, p_needed=0.05)
    among = clear_shift(rounds, 0.1, 0.0, alpha=0.05, p_needed=0.05 / 20)
    assert among > alone
    shifts = rng.normal(among, 0.1, (RUNS, rounds))
    assert clear(shifts, 0.05 / 20) == pytest.approx(0.8, abs=NEAR)


def test_the_sight_is_that_of_the_family_and_of_the_looks() -> None:
    """One comparison has a power of 80 %, one among 14 has less (fault 7)."""
    alone, among = (visible_effect(12, 0.05, verdicts=count) or 0 for count in (1, 14))
    assert among > 1.25 * alone
    rng = np.random.default_rng(16)
    shifts = rng.normal(np.log1p(among), 0.05 * 2**0.5, (RUNS, 12))
    assert clear(shifts, 0.05 / 14) == pytest.approx(0.8, abs=NEAR)
    assert (visible_effect(12, 0.05, looks=True) or 0) > alone


def test_the_estimate_has_to_lie_beyond_the_noise_threshold() -> None:
    rng = np.random.default_rng(13)
    needed = clear_shift(12, 0.01, 0.03, alpha=0.05, p_needed=0.05)
    beyond = rng.normal(needed, 0.01, (RUNS, 12)).mean(axis=1) > 0.03
    assert beyond.mean() == pytest.approx(0.8, abs=NEAR)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_what_is_said_to_be_the_same_four_times_in_five_is(share: float) -> None:
    rng = np.random.default_rng(14)
    most = same_shift(12, 0.015, 0.03, p_needed=0.005)
    assert most > 0
    means = round_tests.paired(rng.normal(share * most, 0.015, (RUNS, 12)), 0.995)
    inside = np.abs(means.value) + means.reach <= 0.03
    assert inside.mean() >= 0.8 - NEAR
    if share == 1.0:
        assert inside.mean() <= 0.9


@pytest.mark.parametrize("rounds", sampled([6, 7, 9, 10, 13], 2))
def test_the_least_ranks_are_those_of_the_signed_rank_test(rounds: int) -> None:
    least = round_tests.least_ranks(rounds, 0.05)
    ranks = np.arange(1, rounds + 1, dtype=float)
    reached = {
        int((ranks * (signs > 0)).sum()): float(round_tests.signed_rank_p(ranks[None] * signs)[0])
        for signs in np.random.default_rng(15).choice([-1.0, 1.0], (4000, rounds))
    }
    above = {total: p for total, p in reached.items() if total > ranks.sum() / 2}
    assert all((p <= 0.05) is (total >= least) for total, p in above.items())
    with pytest.raises(ValueError, match="5 rounds"):
        round_tests.least_ranks(5, 0.05)

"""The chance to decide before the end is that of runs which go on as they began."""

import numpy as np
import pytest

from podmeter.statistics import chance_to_decide, look_p, round_tests

RUNS, NOW, LAST, DIFFERENCE = 4000, 10, 24, 0.1


@pytest.mark.parametrize(("value", "deviation"), [(0.05, 0.07), (0.0, 0.07), (0.04, 0.15)])
def test_runs_that_go_on_decide_as_often(value: float, deviation: float) -> None:
    rng = np.random.default_rng(1)
    p = look_p(0.05, LAST)
    first = rng.normal(0, deviation, (RUNS, NOW))
    # Runs that look alike now: moved to one mean and one deviation.
    first = (first - first.mean(axis=1, keepdims=True)) / first.std(axis=1, ddof=1, keepdims=True)
    first = value + deviation * first
    reach = round_tests.paired(first[:1], 1 - p).reach[0]
    # Where the truth may be, by what is seen of it.
    error = deviation / NOW**0.5
    truth = value + error * rng.standard_t(NOW - 1, (RUNS, 1))
    whole = np.concatenate([first, rng.normal(truth, deviation, (RUNS, LAST - NOW))], axis=1)
    means = round_tests.paired(whole, 1 - p)
    clear = np.abs(means.value) > means.reach
    same = np.abs(means.value) + means.reach < DIFFERENCE
    found = chance_to_decide(value, float(reach), NOW, LAST, difference=DIFFERENCE)
    assert found == pytest.approx(float((clear | same).mean()), abs=0.08)


def test_at_the_end_nothing_is_left_and_what_does_not_vary_is_certain() -> None:
    assert chance_to_decide(0.1, 0.2, 20, 20, difference=0.1) == 0
    assert chance_to_decide(0.1, 0.0, 10, 20, difference=0.1) == 1
    # Far too noisy for the time that is left.
    assert chance_to_decide(0.01, 1.5, 12, 14, difference=0.05) < 0.05

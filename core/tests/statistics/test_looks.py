"""With how many rounds a run that looks after each can find a difference."""

import numpy as np
import pytest

from podmeter.statistics import least_rounds
from podmeter.statistics.looks import agreement_needed
from podmeter.statistics.round_tests import signed_rank_p

ALPHA = 0.05


@pytest.mark.parametrize(
    ("most_rounds", "least"), [(6, 6), (7, 6), (8, 7), (12, 7), (16, 8), (28, 8), (60, 8)]
)
def test_the_least_rounds_is_the_first_that_can_decide(most_rounds: int, least: int) -> None:
    """Rounds that all agree reach the p of the looks, and one round less does not."""
    needed = agreement_needed(ALPHA, most_rounds)
    assert least_rounds(ALPHA, most_rounds) == least
    assert signed_rank_p(np.ones((1, least)) + np.arange(least) / 100)[0] <= needed
    assert signed_rank_p(np.ones((1, least - 1)) + np.arange(least - 1) / 100)[0] > needed

"""Which effect so many rounds will see: said before anything is measured."""

from functools import lru_cache
from math import exp, sqrt

import numpy as np

from podmeter.statistics import round_tests
from podmeter.statistics.verdict import rounds_needed

_DRAWS, _SEED, _STEPS = 2000, 1, 12
_LARGEST = 8.0


def visible_effect(
    rounds: int, block_deviation: float, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Give the least relative effect that a comparison between blocks sees so often.

    `block_deviation` is the standard deviation between blocks that nothing tells apart, as a
    share of the figure. As a share of the baseline too: 0.13 is a contender 13 % above it. None
    where so few rounds can see none. By simulation of normal blocks, to about a twentieth.
    """
    if rounds < rounds_needed(alpha):
        return None
    return exp(_deviations(rounds, alpha, power) * sqrt(2) * block_deviation) - 1


@lru_cache(maxsize=64)
def _deviations(rounds: int, alpha: float, power: float) -> float:
    """The effect in standard deviations of one round's shift, by bisection."""
    draws = np.random.default_rng(_SEED).standard_normal((_DRAWS, rounds))
    low, high = 0.0, _LARGEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        clear = round_tests.paired(draws + middle, 1 - alpha).p <= alpha
        agree = round_tests.signed_rank_p(draws[clear] + middle) <= alpha
        low, high = (low, middle) if agree.sum() >= power * _DRAWS else (middle, high)
    return high

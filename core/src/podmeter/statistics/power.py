"""Which effect so many rounds will see: said before they are measured, and of what they left open.

By simulation of normal rounds. Of each simulated run the least effect is taken that its tests
call clear: that of Student's t follows from its mean and deviation, that of the signed ranks from
the Walsh averages, as many of which are above zero as the ranks of the positive shifts add up to
(J. W. Tukey, 1949; M. Hollander and D. A. Wolfe, Nonparametric statistical methods, 3.2).
"""

from functools import lru_cache
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics import round_tests
from podmeter.statistics.looks import look_p
from podmeter.statistics.scipy_typed import normal_quantile, t_quantile
from podmeter.statistics.verdict import rounds_needed

Floats = NDArray[np.float64]
_DRAWS, _SEED = 2000, 1
#: What is said to be seen is seen so often.
POWER = 0.8


def visible_effect(
    rounds: int,
    block_deviation: float,
    *,
    alpha: float = 0.05,
    verdicts: int = 1,
    looks: bool = False,
) -> float | None:
    """The least relative effect that a comparison between blocks detects with 80 % probability.

    It is one of so many `verdicts` that are checked together, of which no other is clear; `looks`
    is whether the run looks after each round. `block_deviation` is the standard deviation between
    equal blocks, as a share of the figure. As a share of the baseline too: 0.13
    is a contender 13 % above it. None where so few rounds can see none. By simulation of normal
    blocks.
    """
    if rounds < rounds_needed(alpha):
        return None
    needed = look_p(alpha / verdicts, rounds if looks else None)
    return exp(_clear(rounds, alpha, needed) * sqrt(2) * block_deviation) - 1


def clear_shift(
    rounds: int, deviation: float, noise: float, *, alpha: float, p_needed: float
) -> float:
    """The least mean shift that is called clear with 80 % probability.

    `deviation` is that of one round's shift, in the same unit as `noise`, beyond which the
    estimate has to lie. `p_needed` is what the t test's p must not exceed, alpha where nothing is
    corrected for. For as many rounds as a verdict takes, at least.
    """
    beyond = noise + normal_quantile(POWER) * deviation / sqrt(rounds)
    return max(_clear(rounds, alpha, p_needed) * deviation, beyond)


def same_shift(rounds: int, deviation: float, noise: float, *, p_needed: float) -> float:
    """The largest mean shift that is called `same` with 80 % probability, or a negative number.

    With `deviation` and `noise` as in `clear_shift`. Both ends of the interval are taken to lie on
    the side where less room is left, so the share is rather larger.
    """
    return noise - _same(rounds, p_needed) * deviation


@lru_cache(maxsize=512)
def _clear(rounds: int, alpha: float, p_needed: float) -> float:
    """The shift that is clear so often, in standard deviations of one round's shift."""
    means, errors = _moments(rounds)
    by_t = t_quantile(1 - p_needed / 2, rounds - 1) * errors - means
    return _reached(np.maximum(by_t, _agreeing(rounds, alpha)))


@lru_cache(maxsize=64)
def _same(rounds: int, p_needed: float) -> float:
    """The room that `same` takes so often, in standard deviations of one round's shift."""
    means, errors = _moments(rounds)
    return _reached(np.abs(means) + t_quantile(1 - p_needed / 2, rounds - 1) * errors)


def _reached(needed: Floats) -> float:
    """What is enough for so many of the simulated runs."""
    place = int(np.ceil(POWER * needed.size)) - 1
    return float(np.partition(needed, place)[place])


def _shifts(rounds: int) -> Floats:
    return np.random.default_rng(_SEED).standard_normal((_DRAWS, rounds))


@lru_cache(maxsize=32)
def _moments(rounds: int) -> tuple[Floats, Floats]:
    """The means of simulated runs without any effect, and their standard errors."""
    drawn = _shifts(rounds)
    return drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / sqrt(rounds)


@lru_cache(maxsize=64)
def _agreeing(rounds: int, alpha: float) -> Floats:
    """The least effect with which each simulated run's signed ranks reach alpha."""
    drawn = _shifts(rounds)
    first, second = np.triu_indices(rounds)
    averages = (drawn[:, first] + drawn[:, second]) / 2
    place = averages.shape[1] - round_tests.least_ranks(rounds, alpha)
    found: Floats = -np.partition(averages, place, axis=1)[:, place]
    return found

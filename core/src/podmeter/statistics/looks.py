"""What p a look may reach where a run looks after each round and stops once it is decided.

Looking often finds something by chance more often. So each look is held to a smaller p, the same
at every look (S. J. Pocock, Group sequential methods in the design and analysis of clinical
trials, Biometrika 64, 1977), and an interval of that p covers at all looks together (C. Jennison
and B. W. Turnbull, Interim analyses: the repeated confidence interval approach, Journal of the
Royal Statistical Society B 51, 1989). The shares were simulated by `core/bench/critical_values.py`;
docs/explanation/verdicts.md compares them with other boundaries.
"""

from functools import lru_cache
from math import log

import numpy as np

from podmeter.statistics.verdict import rounds_needed

#: What is simulated: alphas from the largest, and how many rounds a run may have at most.
ALPHAS = (0.05, 0.025, 0.01, 0.005, 0.0025, 0.001, 0.0005)
MOST_ROUNDS = (6, 7, 8, 10, 12, 16, 20, 28, 40, 60, 100)
#: The share of alpha that the p of each look may reach: a row for each alpha.
_SHARES = (
    (0.995, 0.693, 0.542, 0.396, 0.321, 0.246, 0.206, 0.164, 0.134, 0.110, 0.089),  # 0.05
    (0.996, 0.658, 0.505, 0.361, 0.289, 0.220, 0.183, 0.145, 0.118, 0.097, 0.078),  # 0.025
    (0.967, 0.619, 0.465, 0.322, 0.255, 0.195, 0.163, 0.128, 0.105, 0.085, 0.067),  # 0.01
    (0.968, 0.593, 0.443, 0.308, 0.243, 0.181, 0.151, 0.117, 0.095, 0.077, 0.062),  # 0.005
    (0.951, 0.581, 0.425, 0.289, 0.225, 0.171, 0.139, 0.109, 0.087, 0.069, 0.056),  # 0.0025
    (0.912, 0.547, 0.402, 0.282, 0.215, 0.154, 0.124, 0.098, 0.080, 0.063, 0.050),  # 0.001
    (0.968, 0.540, 0.404, 0.256, 0.211, 0.154, 0.123, 0.091, 0.074, 0.062, 0.049),  # 0.0005
)


#: The signed-rank test of a look is held to the p of the looks, or to this where that is smaller:
#: it has to hold off what has few different values, such as a disturbance of some blocks.
_LEAST_AGREEMENT = 0.01


def least_rounds(alpha: float, most_rounds: int) -> int:
    """With how many rounds a run of at most so many can find a difference: six to eight.

    Fewer that all agree do not reach `agreement_needed`.
    """
    return rounds_needed(agreement_needed(alpha, most_rounds))


def agreement_needed(alpha: float, most_rounds: int | None) -> float:
    """The p that the test of the rounds' agreement has to reach, whatever the family."""
    return alpha if most_rounds is None else max(_LEAST_AGREEMENT, look_p(alpha, most_rounds))


@lru_cache(maxsize=1024)
def look_p(alpha: float, most_rounds: int | None) -> float:
    """The p that each look may reach so that all looks together are wrong in `alpha`.

    `most_rounds` is how many rounds the run may have; None is a run that looks once, at its end.
    Between what was simulated it is interpolated over logarithms; a smaller alpha takes the
    smallest one's share, which is rather too small, and more rounds those of the most.
    """
    if most_rounds is None:
        return alpha
    rounds = log(min(max(most_rounds, MOST_ROUNDS[0]), MOST_ROUNDS[-1]))
    by_alpha = [float(np.interp(rounds, np.log(MOST_ROUNDS), row)) for row in _SHARES]
    # Ascending, as it is interpolated over.
    return alpha * float(np.interp(log(alpha), np.log(ALPHAS[::-1]), by_alpha[::-1]))

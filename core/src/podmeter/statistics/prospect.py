"""How likely a case that is open will be decided before a run has to end.

The rounds to come are taken to be as those that were measured, and the effect to be where the
present ones leave it: what the mean will be at the end is then Student's t around what it is now
(D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn, Monitoring clinical trials: conditional or
predictive power?, Controlled Clinical Trials 7, 1986).
"""

from math import sqrt

from podmeter.statistics.looks import look_p
from podmeter.statistics.scipy_typed import t_cdf, t_quantile

#: Below this an open case is not worth the time that is left.
HOPELESS = 0.05


def chance_to_decide(
    value: float,
    reach: float,
    rounds: int,
    most_rounds: int,
    *,
    difference: float,
    verdicts: int = 1,
    alpha: float = 0.05,
) -> float:
    """How likely the interval of the last look excludes no effect, or lies inside `difference`.

    `value` is the mean shift after so many `rounds`, and `reach` how far its interval, which holds
    for so many `verdicts`, goes to either side; all three as logarithms.
    """
    left = most_rounds - rounds
    if left <= 0:
        return 0.0
    if reach <= 0:
        return 1.0
    p = look_p(alpha / verdicts, most_rounds)
    error = reach / t_quantile(1 - p / 2, rounds - 1)
    at_end = error * sqrt(rounds / most_rounds)
    last = t_quantile(1 - p / 2, most_rounds - 1) * at_end
    # What is left of the mean is of rounds to come, around an effect that is not known well.
    spread = error * sqrt(left / most_rounds)

    def below(limit: float) -> float:
        return t_cdf((limit - value) / spread, rounds - 1)

    clear = below(-last) + 1 - below(last)
    room = difference - last
    same = max(0.0, below(room) - below(-room)) if room > 0 else 0.0
    return min(1.0, clear + same)

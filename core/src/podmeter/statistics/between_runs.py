"""Two runs against how far their cluster differs from itself: a difference's prediction interval.

A run's figure is the mean of its rounds' logarithms (or values), and so are those that the noise
floor is of. Had the two runs measured the same, their difference would be normal with twice the
floor's variance, which is known with its degrees of freedom alone: Student's t, wide where the
floor rests on few runs. G. J. Hahn, Factors for calculating two-sided prediction intervals for
samples from a normal distribution, Journal of the American Statistical Association 64 (1969).
Runs of fewer rounds than the floor's carry more of the blocks' variance; degrees of freedom are
put together as by F. E. Satterthwaite, An approximate distribution of estimates of variance
components, Biometrics Bulletin 2 (1946).
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.noise_floor import RUNS_NEEDED, Floors, NoiseFloor
from podmeter.statistics.scipy_typed import t_quantile, t_two_sided

#: The share of alpha that a difference between runs is held to: one of ten days may be an odd one,
#: which Student's t knows nothing of. By simulation of runs with Student's tails of 2 degrees.
SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Expected:
    """How far two runs of one thing lie apart: the deviation of their difference."""

    deviation: float
    freedom: float

    def reach(self, confidence: float) -> float:
        """How far a difference of nothing but noise goes to either side, so often."""
        return t_quantile((1 + confidence) / 2, self.freedom) * self.deviation

    def times(self, scale: float) -> "Expected":
        """The same in another unit."""
        return Expected(scale * self.deviation, self.freedom)

    def p(self, shift: float) -> float:
        """How often one of nothing but noise is as large as `shift`."""
        if shift == 0:
            return 1.0
        if self.deviation == 0:
            return 0.0
        t, freedom = np.array([shift / self.deviation]), np.array([self.freedom])
        return float(t_two_sided(t, freedom)[0])


def is_thin(floors: Floors) -> bool:
    """Whether a floor rests on too few runs, or on runs too close together, to be judged by."""
    runs = floors.absolute.runs
    return not floors.covers or runs is None or runs.freedom + 1 < RUNS_NEEDED


def expected(floor: NoiseFloor, rounds: tuple[int, int]) -> Expected | None:
    """What the floor says of two runs of so many rounds; None where it has a single run."""
    if floor.runs is None:
        return None
    between = 2 * floor.runs.deviation**2
    squared = between**2 / floor.runs.freedom
    variance = between
    share = sum(max(0.0, 1 / one - 1 / floor.rounds) for one in rounds)
    if share and floor.blocks_of_run is not None:
        more = share * floor.blocks_of_run.deviation**2
        variance += more
        squared += more**2 / floor.blocks_of_run.freedom
    freedom = variance**2 / squared if squared else float(floor.runs.freedom)
    return Expected(sqrt(variance), freedom)


def widened(found: Estimate, by: Expected, confidence: float) -> Estimate:
    """The estimate with the prediction interval, where that is the wider one."""
    reach = by.reach(confidence)
    own = found.interval
    low, high = found.value - reach, found.value + reach
    if own is not None:
        low, high = min(low, own.low), max(high, own.high)
    return Estimate(found.value, Interval(low, high, confidence))

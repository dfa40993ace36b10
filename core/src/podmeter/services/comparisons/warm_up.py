"""Making the first comparison as fast as every other one."""

from podmeter.domain.experiment import MOST_ROUNDS
from podmeter.statistics import (
    Direction,
    Level,
    NoiseThreshold,
    Pairing,
    Sample,
    compare_all,
    rounds_needed,
    summarize,
    visible_effect,
)

#: Numbers of trials and rounds that runs have by default: the profiles quick and reference.
_SHAPES = ((2, 6), (2, 12))


def warm_up() -> None:
    """Import what is imported late, and fill the caches of null distributions. About a second."""
    pairings = []
    for trials, rounds in _SHAPES:
        rising = Sample.of(*[range(1, trials + 1)] * rounds)
        tied = Sample.of(*[[1.0] * trials] * rounds)
        summarize(rising)
        pairings += [
            Pairing(rising, one, Direction.HIGHER, NoiseThreshold(0.03), level)
            for one in (rising, tied)
            for level in Level
        ]
    compare_all(pairings)
    for rounds in range(rounds_needed(), MOST_ROUNDS + 1):
        visible_effect(rounds, 0.05)

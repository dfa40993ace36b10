"""Making the first comparison as fast as every other one."""

from podmeter.statistics import (
    Direction,
    Level,
    NoiseThreshold,
    Pairing,
    Sample,
    compare_all,
    summarize,
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

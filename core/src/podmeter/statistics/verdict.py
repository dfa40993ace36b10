"""From p, effect and noise threshold to better, worse, same or inconclusive."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from podmeter.statistics.interval import Estimate
from podmeter.statistics.rank_test import RankTest
from podmeter.statistics.sample import Stratum


class Direction(StrEnum):
    """Which way a metric is good. Functions take the plain values too, and no others."""

    HIGHER = "higher"
    LOWER = "lower"


class Verdict(StrEnum):
    """What the contender is, seen from the baseline."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    INCONCLUSIVE = "inconclusive"


class Reason(StrEnum):
    """Why the verdict is what it is."""

    CLEAR_EFFECT = "clear_effect"
    WITHIN_THRESHOLD = "within_threshold"
    NO_TRIALS = "no_trials"
    NO_COMMON_ROUND = "no_common_round"
    TOO_FEW_TRIALS = "too_few_trials"
    ROUNDS_DISAGREE = "rounds_disagree"
    NEAR_THRESHOLD = "near_threshold"
    INTERVAL_TOO_WIDE = "interval_too_wide"


@dataclass(frozen=True)
class NoiseThreshold:
    """The largest effect that is taken for noise.

    relative
        As a share of the baseline: 0.03 holds ratios from 0.97 to 1.03 for the same. Does not
        apply where a ratio has no meaning (a zero or negative value).
    absolute
        In the metric's unit; an effect within either threshold is noise.
    """

    relative: float
    absolute: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.relative < 1 or not 0 <= self.absolute < float("inf"):
            raise ValueError("a noise threshold is a share from 0 to below 1, or a value >= 0")


def judge(
    test: RankTest,
    shift: Estimate,
    ratio: Estimate | None,
    *,
    direction: Direction,
    threshold: NoiseThreshold,
    alpha: float,
    rounds_disagree: bool,
) -> tuple[Verdict, Reason]:
    """Give the verdict and its reason.

    `same` needs the whole interval inside the threshold, even where p is small: an effect may
    be certain and yet too small to matter. `better` and `worse` need p <= alpha, an interval
    that excludes no effect, an estimate beyond the threshold, and no round that shows a clear
    effect in the opposite direction. All else is `inconclusive`.
    """
    if shift.interval is None or test.least_p > alpha:
        return Verdict.INCONCLUSIVE, Reason.TOO_FEW_TRIALS
    if _inside(shift, ratio, threshold):
        return Verdict.SAME, Reason.WITHIN_THRESHOLD
    if test.p > alpha or shift.interval.contains(0):
        return Verdict.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE
    if _is_noise(shift, ratio, threshold):
        return Verdict.INCONCLUSIVE, Reason.NEAR_THRESHOLD
    if rounds_disagree:
        return Verdict.INCONCLUSIVE, Reason.ROUNDS_DISAGREE
    rose = shift.value > 0
    better = rose is (direction is Direction.HIGHER)
    return (Verdict.BETTER if better else Verdict.WORSE), Reason.CLEAR_EFFECT


def opposes(
    overall: Estimate, round_shift: float, stratum: Stratum, threshold: NoiseThreshold
) -> bool:
    """Whether one round's shift goes the other way by more than the threshold."""
    if round_shift * overall.value >= 0:
        return False
    noise = max(threshold.absolute, threshold.relative * abs(float(np.median(stratum[0]))))
    return abs(round_shift) > noise


def _inside(shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold) -> bool:
    if ratio is not None and ratio.interval is not None:
        low, high = 1 - threshold.relative, 1 + threshold.relative
        if ratio.interval.lies_within(low, high):
            return True
    absolute = threshold.absolute
    return shift.interval is not None and shift.interval.lies_within(-absolute, absolute)


def _is_noise(shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold) -> bool:
    relative = ratio is not None and abs(ratio.value - 1) <= threshold.relative
    return relative or abs(shift.value) <= threshold.absolute

"""From p, effect and noise threshold to better, worse, same or inconclusive."""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil, log2

import numpy as np

from podmeter.statistics.interval import Estimate
from podmeter.statistics.rank_test import RankTest
from podmeter.statistics.sample import Stratum

#: `same` takes an interval of this share of alpha: few rounds that happen to lie close together
#: have a short one, wherever they lie.
SURELY = 0.1


class Level(StrEnum):
    """What the two sides of a comparison do not share, which is what counts as evidence.

    trial
        Nothing: both were measured in the same blocks, so each trial is evidence.
    block
        The block: what is constant within one (modes, a cluster) is known once a round. So is
        what has one trial of either side in each round.
    run
        The run: what is constant within one is known once, however many rounds it has.
    """

    TRIAL = "trial"
    BLOCK = "block"
    RUN = "run"


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
    ONE_BLOCK = "one_block"
    TOO_FEW_ROUNDS = "too_few_rounds"
    NOISE_FLOOR_UNKNOWN = "noise_floor_unknown"
    NOISE_FLOOR_THIN = "noise_floor_thin"
    WITHIN_NOISE_FLOOR = "within_noise_floor"
    MANY_COMPARISONS = "many_comparisons"
    NO_REPETITIONS = "no_repetitions"
    AT_OFFERED_RATE = "at_offered_rate"
    ROUNDS_DISAGREE = "rounds_disagree"
    NEAR_THRESHOLD = "near_threshold"
    INTERVAL_TOO_WIDE = "interval_too_wide"


@dataclass(frozen=True)
class NoiseThreshold:
    """The largest effect that is taken for noise.

    relative
        As a share of the baseline: 0.03 holds ratios from 0.97 to 1.03 for the same. Where a ratio
        has no meaning (a zero or negative value) it is a share of the baseline's centre.
    absolute
        In the metric's unit; an effect within either threshold is noise.
    """

    relative: float
    absolute: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.relative < 1 or not 0 <= self.absolute < float("inf"):
            raise ValueError("a noise threshold is a share from 0 to below 1, or a value >= 0")

    def without_ratio(self, centre: float) -> "NoiseThreshold":
        """The same where no ratio can be told, of a baseline around `centre`.

        One zero among many counts is no reason to take every shift for an effect.
        """
        return NoiseThreshold(self.relative, max(self.absolute, self.relative * abs(centre)))


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
    if inside(shift, ratio, threshold):
        return Verdict.SAME, Reason.WITHIN_THRESHOLD
    if test.p > alpha or shift.interval.contains(0):
        return Verdict.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE
    if _is_noise(shift, ratio, threshold):
        return Verdict.INCONCLUSIVE, Reason.NEAR_THRESHOLD
    if rounds_disagree:
        return Verdict.INCONCLUSIVE, Reason.ROUNDS_DISAGREE
    return _clear(shift, direction)


def judge_rounds(
    p: float | None,
    agreement_p: float,
    rounds: int,
    shift: Estimate,
    ratio: Estimate | None,
    *,
    surely_inside: bool,
    direction: Direction,
    threshold: NoiseThreshold,
    alpha: float,
) -> tuple[Verdict, Reason]:
    """Give the verdict and its reason where each round is one piece of evidence.

    As `judge`, with `p` of the rounds' mean shift. `agreement_p` of a test that asks nothing of
    the shape of their distribution must be as small; so many rounds as `rounds_needed` it takes.
    `surely_inside` is whether an interval of a confidence that few rounds cannot come by through
    luck is inside the threshold, which is what `same` takes.
    """
    if p is None or shift.interval is None:
        return Verdict.INCONCLUSIVE, Reason.ONE_BLOCK
    if rounds < rounds_needed(alpha):
        return Verdict.INCONCLUSIVE, Reason.TOO_FEW_ROUNDS
    if surely_inside:
        return Verdict.SAME, Reason.WITHIN_THRESHOLD
    if p > alpha or shift.interval.contains(0):
        return Verdict.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE
    if _is_noise(shift, ratio, threshold):
        return Verdict.INCONCLUSIVE, Reason.NEAR_THRESHOLD
    if agreement_p > alpha or (ratio is not None and (ratio.value > 1) != (shift.value > 0)):
        return Verdict.INCONCLUSIVE, Reason.ROUNDS_DISAGREE
    return _clear(shift, direction)


def judge_runs(
    own_p: float | None,
    floor_p: float,
    rounds: int,
    shift: Estimate,
    ratio: Estimate | None,
    *,
    surely_inside: bool,
    direction: Direction,
    threshold: NoiseThreshold,
    alpha: float,
    floor_alpha: float,
) -> tuple[Verdict, Reason]:
    """Give the verdict and its reason between runs of a cluster whose noise floor is known.

    As `judge_rounds`. `own_p` is of the rounds of these two runs, `floor_p` of their difference
    against how far the cluster differs from itself, which is held to `floor_alpha`; the intervals
    are the wider of the two.
    """
    if own_p is None or shift.interval is None:
        return Verdict.INCONCLUSIVE, Reason.ONE_BLOCK
    if rounds < rounds_needed(alpha):
        return Verdict.INCONCLUSIVE, Reason.TOO_FEW_ROUNDS
    if surely_inside:
        return Verdict.SAME, Reason.WITHIN_THRESHOLD
    if floor_p > floor_alpha:
        return Verdict.INCONCLUSIVE, Reason.WITHIN_NOISE_FLOOR
    if own_p > alpha or shift.interval.contains(0):
        return Verdict.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE
    if _is_noise(shift, ratio, threshold):
        return Verdict.INCONCLUSIVE, Reason.NEAR_THRESHOLD
    if ratio is not None and (ratio.value > 1) != (shift.value > 0):
        return Verdict.INCONCLUSIVE, Reason.ROUNDS_DISAGREE
    return _clear(shift, direction)


def rounds_needed(alpha: float = 0.05) -> int:
    """The least rounds at which all of them agreeing has a p of alpha at most: 6 for 0.05.

    That many signs are alike by chance in 2 of 2**rounds.
    """
    return ceil(1 - log2(alpha) - 1e-9)


def _clear(shift: Estimate, direction: Direction) -> tuple[Verdict, Reason]:
    better = (shift.value > 0) is (direction is Direction.HIGHER)
    return (Verdict.BETTER if better else Verdict.WORSE), Reason.CLEAR_EFFECT


def opposes(
    overall: Estimate, round_shift: float, stratum: Stratum, threshold: NoiseThreshold
) -> bool:
    """Whether one round's shift goes the other way by more than the threshold."""
    if round_shift * overall.value >= 0:
        return False
    noise = max(threshold.absolute, threshold.relative * abs(float(np.median(stratum[0]))))
    return abs(round_shift) > noise


def inside(shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold) -> bool:
    """Whether the whole interval is inside the threshold."""
    if ratio is not None and ratio.interval is not None:
        low, high = 1 - threshold.relative, 1 + threshold.relative
        if ratio.interval.lies_within(low, high):
            return True
    absolute = threshold.absolute
    return shift.interval is not None and shift.interval.lies_within(-absolute, absolute)


def _is_noise(shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold) -> bool:
    relative = ratio is not None and abs(ratio.value - 1) <= threshold.relative
    return relative or abs(shift.value) <= threshold.absolute

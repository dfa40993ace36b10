"""From p, effect and noise threshold to better, worse, same or undecided."""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil, log2

from podmeter.statistics.interval import Estimate

#: Between runs `same` takes an interval of this share of alpha: a few runs that happen to lie close
#: together have a short one, wherever they lie.
SURELY = 0.1


class Level(StrEnum):
    """What the two sides of a comparison do not share.

    block
        The block, or what is set up inside it: paths, targets, rungs. All of it is set up once a
        round, so the round is the evidence.
    run
        The run: what is constant within one is known once, however many rounds it has.
    """

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
    UNDECIDED = "undecided"


class Reason(StrEnum):
    """Why the verdict is what it is."""

    CLEAR_EFFECT = "clear_effect"
    WITHIN_THRESHOLD = "within_threshold"
    SMALL_EFFECT = "small_effect"
    NO_TRIALS = "no_trials"
    NO_COMMON_ROUND = "no_common_round"
    TOO_FEW_TRIALS = "too_few_trials"
    ONE_BLOCK = "one_block"
    ONE_GROUP = "one_group"
    TOO_FEW_ROUNDS = "too_few_rounds"
    NOISE_FLOOR_UNKNOWN = "noise_floor_unknown"
    NOISE_FLOOR_THIN = "noise_floor_thin"
    WITHIN_NOISE_FLOOR = "within_noise_floor"
    MANY_COMPARISONS = "many_comparisons"
    NO_REPETITIONS = "no_repetitions"
    AT_OFFERED_RATE = "at_offered_rate"
    CLIENT_LIMITED = "client_limited"
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


def judge_rounds(
    shift: Estimate,
    ratio: Estimate | None,
    *,
    clear: bool,
    agree: bool,
    rounds: int,
    direction: Direction,
    noise: NoiseThreshold,
    difference: NoiseThreshold,
    alpha: float,
) -> tuple[Verdict, Reason]:
    """Give the verdict and its reason where each round is one piece of evidence.

    `clear` is whether the t test of the rounds' mean shift is, among all that is checked; the
    intervals hold for all of it together. So many rounds as `rounds_needed` it takes. `same` needs
    the whole interval inside `difference`, even where it is clear: an effect may be certain and
    yet too small to matter. `better` and `worse` need an estimate beyond `noise`, and rounds that
    `agree` by a test that asks nothing of the shape of their distribution.
    """
    if rounds < 2:
        return Verdict.UNDECIDED, Reason.ONE_BLOCK
    if rounds < rounds_needed(alpha):
        return Verdict.UNDECIDED, Reason.TOO_FEW_ROUNDS
    if inside(shift, ratio, difference):
        return Verdict.SAME, Reason.SMALL_EFFECT if clear else Reason.WITHIN_THRESHOLD
    if not clear:
        return Verdict.UNDECIDED, Reason.INTERVAL_TOO_WIDE
    if _is_noise(shift, ratio, noise):
        return Verdict.UNDECIDED, Reason.NEAR_THRESHOLD
    if not agree or (ratio is not None and (ratio.value > 1) != (shift.value > 0)):
        return Verdict.UNDECIDED, Reason.ROUNDS_DISAGREE
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

    `own_p` is of the rounds of these two runs, `floor_p` of their difference against how far the
    cluster differs from itself, which is held to `floor_alpha`; the intervals are the wider of the
    two. `surely_inside` is whether an interval of a confidence that few runs cannot come by through
    luck is inside the threshold, which is what `same` takes.
    """
    if own_p is None or shift.interval is None:
        return Verdict.UNDECIDED, Reason.ONE_BLOCK
    if rounds < rounds_needed(alpha):
        return Verdict.UNDECIDED, Reason.TOO_FEW_ROUNDS
    if surely_inside:
        return Verdict.SAME, Reason.WITHIN_THRESHOLD
    if floor_p > floor_alpha:
        return Verdict.UNDECIDED, Reason.WITHIN_NOISE_FLOOR
    if own_p > alpha or shift.interval.contains(0):
        return Verdict.UNDECIDED, Reason.INTERVAL_TOO_WIDE
    if _is_noise(shift, ratio, threshold):
        return Verdict.UNDECIDED, Reason.NEAR_THRESHOLD
    if ratio is not None and (ratio.value > 1) != (shift.value > 0):
        return Verdict.UNDECIDED, Reason.ROUNDS_DISAGREE
    return _clear(shift, direction)


def rounds_needed(alpha: float = 0.05) -> int:
    """The least rounds at which all of them agreeing has a p of alpha at most: 6 for 0.05.

    That many signs are alike by chance in 2 of 2**rounds.
    """
    return ceil(1 - log2(alpha) - 1e-9)


def _clear(shift: Estimate, direction: Direction) -> tuple[Verdict, Reason]:
    better = (shift.value > 0) is (direction is Direction.HIGHER)
    return (Verdict.BETTER if better else Verdict.WORSE), Reason.CLEAR_EFFECT


def opposes(overall: float, round_shift: float, centre: float, threshold: NoiseThreshold) -> bool:
    """Whether one round's shift goes the other way by more than the threshold.

    `centre` is the baseline's in that round.
    """
    if round_shift * overall >= 0:
        return False
    return abs(round_shift) > max(threshold.absolute, threshold.relative * abs(centre))


def inside(shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold) -> bool:
    """Whether the whole interval is inside the threshold."""
    return _inside_share(ratio, threshold) or _inside_amount(shift, threshold)


def amount_inside(
    shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold, own: NoiseThreshold
) -> float | None:
    """The absolute threshold, where it alone has the whole interval inside; None where a share has.

    `own` is the metric's: where no ratio can be told, the absolute one of `threshold` may be a
    share of the baseline's centre.
    """
    if _inside_share(ratio, threshold) or threshold.absolute > own.absolute:
        return None
    # Nothing is within nothing by any share.
    return (threshold.absolute or None) if _inside_amount(shift, threshold) else None


def _inside_share(ratio: Estimate | None, threshold: NoiseThreshold) -> bool:
    if ratio is None or ratio.interval is None:
        return False
    return ratio.interval.lies_within(1 - threshold.relative, 1 + threshold.relative)


def _inside_amount(shift: Estimate, threshold: NoiseThreshold) -> bool:
    absolute = threshold.absolute
    return shift.interval is not None and shift.interval.lies_within(-absolute, absolute)


def _is_noise(shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold) -> bool:
    relative = ratio is not None and abs(ratio.value - 1) <= threshold.relative
    return relative or abs(shift.value) <= threshold.absolute

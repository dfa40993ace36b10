"""Baseline against contender: effect with interval, p, and a verdict that may be a refusal."""

from dataclasses import dataclass

from podmeter.statistics import hodges_lehmann
from podmeter.statistics.interval import Estimate
from podmeter.statistics.noise_floor import Floors
from podmeter.statistics.rank_test import Method, RankTest, stratified_rank_test
from podmeter.statistics.sample import Sample, Stratum, common_rounds, middle
from podmeter.statistics.verdict import (
    Direction,
    Level,
    NoiseThreshold,
    Reason,
    Verdict,
    judge,
    opposes,
)
from podmeter.statistics.warnings import StatisticsWarning, WarningCode

__all__ = [
    "Comparison",
    "Direction",
    "Level",
    "NoiseThreshold",
    "Pairing",
    "Reason",
    "Verdict",
    "compare",
]


@dataclass(frozen=True)
class Comparison:
    """What is said of a contender against a baseline.

    shift
        contender - baseline in the metric's unit (Hodges-Lehmann), None without common rounds.
    ratio
        contender / baseline, None where a value is zero or negative.
    p, least_p
        Two-sided p of the rank test stratified by round, and the least that so many trials
        can reach. None without common rounds, p of a single trial too.
    n_baseline, n_contender, rounds
        The trials and rounds that entered the comparison.
    round_shifts
        The shift of each of those rounds alone, as evidence that they agree.
    level
        What the sides do not share, and so what counts as evidence. Where it is the block or the
        run, `p` is that of a t test on the rounds, and `least_p` the least that the test of their
        agreement can reach. Between runs it is Welch's, or that of the noise floor, where one is
        known and its p is the larger.
    agreement_p
        Between blocks: two-sided p of the exact signed-rank test of the rounds' shifts.
    adjusted_p, looked_at
        `p` corrected for the comparisons that were made together, and how many those are; None
        and 1 for one alone.
    """

    verdict: Verdict
    reason: Reason
    direction: Direction
    threshold: NoiseThreshold
    shift: Estimate | None
    ratio: Estimate | None
    p: float | None
    least_p: float | None
    method: Method | None
    n_baseline: int
    n_contender: int
    rounds: int
    round_shifts: tuple[float, ...]
    warnings: tuple[StatisticsWarning, ...]
    level: Level = Level.TRIAL
    agreement_p: float | None = None
    adjusted_p: float | None = None
    looked_at: int = 1


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two samples of one metric, to be compared at a level.

    `floors` is how far the cluster differs from itself, as other runs than these two tell; only
    what is between runs is judged by it.
    """

    baseline: Sample
    contender: Sample
    direction: Direction
    threshold: NoiseThreshold
    level: Level = Level.TRIAL
    floors: Floors | None = None


def compare(
    baseline: Sample,
    contender: Sample,
    *,
    direction: Direction | str,
    threshold: NoiseThreshold,
    alpha: float = 0.05,
) -> Comparison:
    """Compare two samples of the same blocks round by round; rounds are paired by position.

    Intervals have the confidence 1 - alpha (or a little more: exact intervals come in steps).
    Never raises for a lack of trials: that is `inconclusive`, with the reason. Raises ValueError
    for a direction other than higher or lower: such a metric has no verdict.
    """
    direction = Direction(direction)
    strata, alone = common_rounds(baseline, contender)
    if not strata:
        return not_comparable(baseline, contender, direction, threshold, alone)
    return conclude(
        strata,
        alone,
        stratified_rank_test(strata),
        hodges_lehmann.shift(strata, 1 - alpha),
        hodges_lehmann.ratio(strata, 1 - alpha),
        tuple(hodges_lehmann.shift([one]).value for one in strata),
        direction=direction,
        threshold=threshold,
        alpha=alpha,
    )


def conclude(
    strata: tuple[Stratum, ...],
    alone: int,
    test: RankTest,
    shift: Estimate,
    ratio: Estimate | None,
    round_shifts: tuple[float, ...],
    *,
    direction: Direction,
    threshold: NoiseThreshold,
    alpha: float,
) -> Comparison:
    """Put test and effects of the common rounds together; `alone` counts the other rounds."""
    disagree = any(
        opposes(shift, one, stratum, threshold)
        for one, stratum in zip(round_shifts, strata, strict=True)
    )
    noise = threshold
    if ratio is None:
        noise = threshold.without_ratio(middle(sorted(x for one, _ in strata for x in one)))
    counts = [sum(len(stratum[arm]) for stratum in strata) for arm in (0, 1)]
    verdict, reason = judge(
        test,
        shift,
        ratio,
        direction=direction,
        threshold=noise,
        alpha=alpha,
        rounds_disagree=disagree,
    )
    return Comparison(
        verdict=verdict,
        reason=reason,
        direction=direction,
        threshold=threshold,
        shift=shift,
        ratio=ratio,
        # Of a single trial nothing is tested.
        p=test.p if min(counts) > 1 else None,
        least_p=test.least_p,
        method=test.method,
        n_baseline=counts[0],
        n_contender=counts[1],
        rounds=len(strata),
        round_shifts=round_shifts,
        warnings=tuple(_warnings(strata, alone, test, shift, ratio, disagree, alpha)),
    )


def not_comparable(
    baseline: Sample,
    contender: Sample,
    direction: Direction,
    threshold: NoiseThreshold,
    alone: int,
    level: Level = Level.TRIAL,
) -> Comparison:
    """What is said where no round has trials of both; `alone` counts those with one side's."""
    empty = baseline.n == 0 or contender.n == 0
    code = WarningCode.NO_TRIALS if empty else WarningCode.NO_COMMON_ROUND
    warnings = [StatisticsWarning(code)]
    if alone:
        warnings.append(StatisticsWarning(WarningCode.ROUND_WITHOUT_COUNTERPART, found=alone))
    return Comparison(
        verdict=Verdict.INCONCLUSIVE,
        reason=Reason.NO_TRIALS if empty else Reason.NO_COMMON_ROUND,
        direction=direction,
        threshold=threshold,
        shift=None,
        ratio=None,
        p=None,
        least_p=None,
        method=None,
        n_baseline=0,
        n_contender=0,
        rounds=0,
        round_shifts=(),
        warnings=tuple(warnings),
        level=level,
    )


def _warnings(
    strata: tuple[Stratum, ...],
    alone: int,
    test: RankTest,
    shift: Estimate,
    ratio: Estimate | None,
    disagree: bool,
    alpha: float,
) -> list[StatisticsWarning]:
    found = []
    if alone:
        found.append(StatisticsWarning(WarningCode.ROUND_WITHOUT_COUNTERPART, found=alone))
    if shift.interval is None or test.least_p > alpha:
        n = min(sum(len(stratum[arm]) for stratum in strata) for arm in (0, 1))
        found.append(StatisticsWarning(WarningCode.TOO_FEW_TRIALS, found=n))
    if ratio is None:
        found.append(StatisticsWarning(WarningCode.RATIO_UNDEFINED))
    if any(_constant(strata, arm) for arm in (0, 1)):
        found.append(StatisticsWarning(WarningCode.CONSTANT_SAMPLE))
    if disagree:
        found.append(StatisticsWarning(WarningCode.ROUNDS_DISAGREE))
    if test.method is Method.NORMAL:
        found.append(StatisticsWarning(WarningCode.NORMAL_APPROXIMATION))
    return found


def _constant(strata: tuple[Stratum, ...], arm: int) -> bool:
    values = [value for stratum in strata for value in stratum[arm]]
    return len(values) >= 2 and len(set(values)) == 1

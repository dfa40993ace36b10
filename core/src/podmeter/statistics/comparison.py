"""Baseline against contender: effect with interval, p, and a verdict that may be a refusal."""

from dataclasses import dataclass, field
from enum import StrEnum

from podmeter.statistics.interval import Estimate
from podmeter.statistics.noise_floor import Floors
from podmeter.statistics.sample import Sample, Stratum
from podmeter.statistics.verdict import Direction, Level, NoiseThreshold, Reason, Verdict
from podmeter.statistics.warnings import StatisticsWarning, WarningCode


class Method(StrEnum):
    """How a p value was made."""

    PAIRED_T = "paired_t"
    COVARIATE_T = "covariate_t"
    POOLED_T = "pooled_t"
    WELCH_T = "welch_t"
    NOISE_FLOOR_T = "noise_floor_t"


@dataclass(frozen=True, slots=True)
class Mean:
    """The rounds' mean shift with its deviation and degrees of freedom."""

    value: float
    deviation: float
    freedom: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verdict by rounds is made of, so that it can be made for any size of family.

    `shift` is in the unit, `logs` of logarithms where all values are above zero: the means that
    have to agree, the first of which is shown. `noise` and `difference` are thresholds in the scale
    that decides.
    """

    shift: tuple[Mean, ...]
    logs: tuple[Mean, ...]
    noise: NoiseThreshold
    difference: NoiseThreshold
    most_rounds: int | None


@dataclass(frozen=True)
class Comparison:
    """What is said of a contender against a baseline.

    shift
        contender - baseline in the metric's unit, None without common rounds.
    ratio
        contender / baseline, None where a value is zero or negative.
    p, least_p
        Two-sided p of Student's t on the rounds' shifts, and the least that the test of their
        agreement can reach. None without common rounds; no p of a single round. Between runs it
        is Welch's, or that of the noise floor, where one is known and its p is the larger.
    rounds
        The rounds that entered the comparison.
    round_numbers, round_shifts
        Their positions in both samples, and the shift of each of them alone, as evidence that they
        agree; none between runs.
    level
        What the sides do not share: their blocks, or their runs.
    agreement_p
        Between blocks: two-sided p of the exact signed-rank test of the rounds' shifts.
    correlation
        How far the rounds' shifts go together with those of their control, which are taken out;
        None without a control.
    adjusted_p, looked_at
        `p` corrected for the comparisons that were made together and for the looks, and how many
        comparisons those are; None and 1 for one alone.
    groups
        The group of each of those rounds, where rounds are measured in groups: the interval and p
        include the spread between groups.
    same_amount
        In the metric's unit: the threshold that makes both the same where no share of the baseline
        does; None of other verdicts.
    evidence
        What another family would judge it by; None where nothing was tested by rounds.
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
    rounds: int
    round_shifts: tuple[float, ...]
    warnings: tuple[StatisticsWarning, ...]
    level: Level = Level.BLOCK
    agreement_p: float | None = None
    correlation: float | None = None
    adjusted_p: float | None = None
    looked_at: int = 1
    groups: tuple[str, ...] = ()
    same_amount: float | None = None
    evidence: Evidence | None = field(default=None, repr=False)
    round_numbers: tuple[int, ...] = ()

    def strata(self, baseline: Sample, contender: Sample) -> list[Stratum]:
        """Of both samples that were compared, the rounds that entered."""
        return [(baseline.rounds[at], contender.rounds[at]) for at in self.round_numbers]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two samples of one metric, to be compared by their rounds.

    `floors` is how far the cluster differs from itself, as other runs than these two tell; only
    what is between runs is judged by it. `control` are both sides' samples of what nothing that is
    compared can change, measured in the same blocks. `difference` is what matters to who asked,
    where that is more than noise. `most_rounds` is how many rounds the run may have where it
    looks after each of them, None where it looks once.
    """

    baseline: Sample
    contender: Sample
    direction: Direction
    threshold: NoiseThreshold
    level: Level = Level.BLOCK
    floors: Floors | None = None
    control: tuple[Sample, Sample] | None = None
    difference: float | None = None
    most_rounds: int | None = None


def not_comparable(pairing: Pairing, alone: int) -> Comparison:
    """What is said where no round has trials of both; `alone` counts those with one side's."""
    empty = pairing.baseline.n == 0 or pairing.contender.n == 0
    code = WarningCode.NO_TRIALS if empty else WarningCode.NO_COMMON_ROUND
    warnings = [StatisticsWarning(code)]
    if alone:
        warnings.append(StatisticsWarning(WarningCode.ROUND_WITHOUT_COUNTERPART, found=alone))
    return Comparison(
        verdict=Verdict.UNDECIDED,
        reason=Reason.NO_TRIALS if empty else Reason.NO_COMMON_ROUND,
        direction=Direction(pairing.direction),
        threshold=pairing.threshold,
        shift=None,
        ratio=None,
        p=None,
        least_p=None,
        method=None,
        rounds=0,
        round_shifts=(),
        warnings=tuple(warnings),
        level=pairing.level,
    )

"""Many comparisons at once, by their rounds: the round is the unit of evidence everywhere.

All trials of a block share what its setting up left behind (a fresh switch, fresh pods, the
machine's mood), and so do all trials of one path inside it, whose pods are set up once a block. So
they say together what one round gives, however many they are. Each round has one centre a side,
the median of its trials; what is compared are these. Inside a run the two sides of a round are
paired; between runs nothing is, and their difference is held against what the cluster differs from
itself by (`between_runs`). T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time
(2013).

What nothing under test can change, measured in the same blocks, is a covariate: the effect is
reported where it does not move (R. A. Fisher, Statistical methods for research workers, 1932,
49.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, log

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics import between_runs, groups, round_tests
from podmeter.statistics.comparison import (
    Comparison,
    Evidence,
    Mean,
    Method,
    Pairing,
    not_comparable,
)
from podmeter.statistics.family import corrected
from podmeter.statistics.interval import Estimate
from podmeter.statistics.sample import Sample, common_rounds, middle
from podmeter.statistics.verdict import (
    SURELY,
    Direction,
    Level,
    NoiseThreshold,
    Reason,
    Verdict,
    amount_inside,
    inside,
    judge_runs,
    opposes,
    rounds_needed,
)
from podmeter.statistics.warnings import StatisticsWarning, WarningCode

Floats = NDArray[np.float64]
#: The rounds of one side, each with its trials.
_Side = Sequence[tuple[float, ...]]
#: Of the same level, as many rounds of either side, with a control or without, in the same groups:
#: rows of the same arrays.
_Shape = tuple[Level, int, int, bool, tuple[str, ...]]
#: A control is taken out where so many rounds have it: a line takes two of them.
_LEAST_CONTROLLED = 4
#: With this p the control itself has moved. A line through points that have noise of their own is
#: too flat, so it leaves some of what moved all blocks of a mode; then the effect has to be there
#: with all of the control's shift taken off, too.
CONTROL_MOVED = 0.05


class _Member:
    """A pairing with the rounds that enter, and the place it has among all.

    With a control the rounds that lack it are left out, as nobody knows how far it moved there;
    where only few have it, it is left out itself.
    """

    def __init__(self, place: int, pairing: Pairing) -> None:
        self.place, self.pairing, self.alone = place, pairing, 0
        self.numbers: tuple[int, ...] = ()
        self.controls: list[float] | None = None
        self.groups: tuple[str, ...] = ()
        if pairing.level is Level.RUN:
            self.sides: tuple[_Side, _Side] = (
                pairing.baseline.filled_rounds,
                pairing.contender.filled_rounds,
            )
            self.centres = [list(pairing.baseline.medians), list(pairing.contender.medians)]
            return
        strata, self.alone = common_rounds(pairing.baseline, pairing.contender)
        if pairing.control is not None:
            moved = _moved(*pairing.control)
            kept = {number: pair for number, pair in strata.items() if number in moved}
            if len(kept) >= _LEAST_CONTROLLED:
                strata, self.controls = kept, [moved[number] for number in kept]
        self.numbers = tuple(strata)
        if pairing.baseline.groups:
            self.groups = tuple(pairing.baseline.groups[number] for number in strata)
        self.sides = ([one for one, _ in strata.values()], [two for _, two in strata.values()])
        self.centres = [[middle(sorted(one)) for one in side] for side in self.sides]

    @property
    def shape(self) -> _Shape:
        sizes = len(self.sides[0]), len(self.sides[1])
        return self.pairing.level, *sizes, self.controls is not None, self.groups

    @property
    def round_shifts(self) -> tuple[float, ...]:
        """What each round says by itself; only where rounds are paired."""
        return tuple(two - one for one, two in zip(*self.centres, strict=True))

    def thresholds(self, *, ratio: bool) -> tuple[NoiseThreshold, NoiseThreshold]:
        """What is noise and what matters: a share has no meaning where there is no ratio."""
        noise = self.pairing.threshold
        difference = noise
        if self.pairing.difference is not None:
            relative = max(noise.relative, self.pairing.difference)
            difference = NoiseThreshold(relative, noise.absolute)
        if ratio:
            return noise, difference
        centre = middle(sorted(self.centres[0]))
        return noise.without_ratio(centre), difference.without_ratio(centre)

    @property
    def positive(self) -> bool:
        return all(min(one) > 0 for side in self.sides for one in side)


def _moved(baseline: Sample, contender: Sample) -> dict[int, float]:
    """How far a control moved in each round, in logarithms; it is above zero or left out."""
    found = {}
    for number, (one, two) in common_rounds(baseline, contender)[0].items():
        if min(*one, *two) > 0:
            found[number] = log(middle(sorted(two)) / middle(sorted(one)))
    return found


def compare_all(pairings: Sequence[Pairing], *, alpha: float = 0.05) -> tuple[Comparison, ...]:
    """Compare each pairing by itself, in their order; `corrected` judges them as one family."""
    comparisons: list[Comparison | None] = [None] * len(pairings)
    alike: dict[_Shape, list[_Member]] = {}
    for place, pairing in enumerate(pairings):
        member = _Member(place, pairing)
        if all(member.sides):
            alike.setdefault(member.shape, []).append(member)
        else:
            comparisons[place] = not_comparable(pairing, member.alone)
    for members in alike.values():
        of_runs = members[0].pairing.level is Level.RUN
        judged = (_runs if of_runs else _rounds)(members, alpha)
        for member, comparison in zip(members, judged, strict=True):
            comparisons[member.place] = comparison
    return tuple(one for one in comparisons if one is not None)


def _rounds(members: Sequence[_Member], alpha: float) -> list[Comparison]:
    """The comparisons of members of one shape, each judged by itself."""
    shifts = _paired([one.centres for one in members], members, logs=False)
    positive = [one for one in members if one.positive]
    ratios: dict[int, _Paired] = {}
    if positive:
        logs = [[[log(value) for value in side] for side in one.centres] for one in positive]
        tested = _paired(logs, positive, logs=True)
        ratios = {one.place: found for one, found in zip(positive, tested, strict=True)}
    found = []
    for member, shift in zip(members, shifts, strict=True):
        ratio = ratios.get(member.place)
        (judged,) = corrected([_open(member, shift, ratio, alpha)], alpha=alpha)
        found.append(judged)
    return found


@dataclass(frozen=True, slots=True)
class _Paired:
    """The mean shift of one pairing's rounds, with the p of both tests.

    The last means are those with the spread between groups, where rounds are in groups.
    """

    means: tuple[Mean, ...]
    p: float
    agreement_p: float
    correlation: float | None


def _paired(
    centres: Sequence[Sequence[Sequence[float]]], members: Sequence[_Member], *, logs: bool
) -> list[_Paired]:
    baseline, contender = (np.array([one[side] for one in centres], float) for side in (0, 1))
    shifts = contender - baseline
    if members[0].controls is None:
        agreement = round_tests.signed_rank_p(shifts).tolist()
        rows = _rows(round_tests.paired(shifts, 0.95))
        return [
            _Paired((mean, *spread), max([p, *ps], key=groups.doubt), agreed, None)
            for (mean, p), agreed, (spread, ps) in zip(
                rows, agreement, groups.spread(members[0].groups, shifts), strict=True
            )
        ]
    controls = np.array([one.controls for one in members], float)
    if not logs:
        # In the unit, as far as the baseline moves with it.
        controls = np.expm1(controls) * baseline
    adjusted_means = round_tests.adjusted(shifts, controls, 0.95)
    agreement = round_tests.signed_rank_p(adjusted_means.shifts).tolist()
    moved = round_tests.paired(controls, 0.95).p <= CONTROL_MOVED
    whole = _rows(round_tests.paired(shifts - controls, 0.95))
    between = groups.spread(members[0].groups, shifts, controls)
    between_whole = groups.spread(members[0].groups, shifts - controls)
    judged = []
    for row, (mean, p) in enumerate(_rows(adjusted_means.means)):
        means, ps = (mean, *between[row][0]), [p, *between[row][1]]
        if moved[row]:
            besides, against = whole[row]
            means = (mean, besides, *between[row][0], *between_whole[row][0])
            ps += [against, *between_whole[row][1]]
            if (mean.value > 0) != (besides.value > 0):
                ps = [1.0]
        p = max(ps, key=groups.doubt)
        judged.append(_Paired(means, p, agreement[row], adjusted_means.correlation[row]))
    return judged


def _rows(adjusted: round_tests.Means) -> list[tuple[Mean, float]]:
    columns = adjusted.value.tolist(), adjusted.deviation.tolist(), adjusted.freedom.tolist()
    means = [Mean(*row) for row in zip(*columns, strict=True)]
    return list(zip(means, adjusted.p.tolist(), strict=True))


def _open(member: _Member, shift: _Paired, logs: _Paired | None, alpha: float) -> Comparison:
    """What was tested, before anything is said of it."""
    # A ratio is what carries over between rounds of different speed.
    decides = logs or shift
    rounds = len(member.numbers)
    noise, difference = member.thresholds(ratio=logs is not None)
    return Comparison(
        verdict=Verdict.UNDECIDED,
        reason=Reason.ONE_BLOCK,
        direction=Direction(member.pairing.direction),
        threshold=member.pairing.threshold,
        shift=Estimate(shift.means[0].value, None),
        ratio=None if logs is None else round_tests.as_ratio(Estimate(logs.means[0].value, None)),
        p=None if isnan(decides.p) else decides.p,
        least_p=2.0 ** (1 - rounds),
        method=Method.PAIRED_T if member.controls is None else Method.COVARIATE_T,
        rounds=rounds,
        round_numbers=member.numbers,
        round_shifts=member.round_shifts,
        warnings=(
            *_warnings(member, shift.means[0].value, ratio=logs is not None, alpha=alpha),
            *groups.warnings(member.groups, decides.means, alpha),
        ),
        agreement_p=decides.agreement_p,
        correlation=decides.correlation,
        evidence=Evidence(
            shift.means,
            () if logs is None else logs.means,
            noise,
            difference,
            member.pairing.most_rounds,
        ),
        groups=member.groups,
    )


def _runs(members: Sequence[_Member], alpha: float) -> list[Comparison]:
    """The comparisons of runs, whose rounds are not paired."""
    shifts = _mean_differences([one.centres for one in members], alpha)
    positive = [one for one in members if one.positive]
    ratios: dict[int, _MeanDifference] = {}
    if positive:
        logs = [[[log(value) for value in side] for side in one.centres] for one in positive]
        differences = _mean_differences(logs, alpha)
        ratios = {one.place: tested for one, tested in zip(positive, differences, strict=True)}
    return [
        _of_runs(member, shift, ratios.get(member.place), alpha)
        for member, shift in zip(members, shifts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _MeanDifference:
    """The difference of two runs' means, by itself and with the interval that `same` takes."""

    mean: Estimate
    surely: Estimate
    p: float


def _mean_differences(
    centres: Sequence[Sequence[Sequence[float]]], alpha: float
) -> list[_MeanDifference]:
    baseline, contender = (np.array([one[side] for one in centres], float) for side in (0, 1))
    means = round_tests.apart(baseline, contender, 1 - alpha)
    estimates = (means.estimates(confidence) for confidence in (1 - alpha, 1 - SURELY * alpha))
    return [_MeanDifference(*one) for one in zip(*estimates, means.p.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class _RunsVerdict:
    """A verdict between runs with what it rests on."""

    verdict: Verdict
    reason: Reason
    shift: Estimate
    ratio: Estimate | None
    p: float | None
    method: Method
    same_amount: float | None = None


def _of_runs(
    member: _Member, tested: _MeanDifference, logs: _MeanDifference | None, alpha: float
) -> Comparison:
    judged = _verdict_of_runs(member, tested, logs, alpha)
    return Comparison(
        verdict=judged.verdict,
        reason=judged.reason,
        direction=Direction(member.pairing.direction),
        threshold=member.pairing.threshold,
        shift=judged.shift,
        ratio=judged.ratio,
        p=judged.p,
        least_p=None,
        method=judged.method,
        rounds=min(map(len, member.sides)),
        round_shifts=(),
        warnings=tuple(
            _warnings(member, judged.shift.value, ratio=judged.ratio is not None, alpha=alpha)
        ),
        level=Level.RUN,
        same_amount=judged.same_amount,
    )


def _verdict_of_runs(
    member: _Member, tested: _MeanDifference, logs: _MeanDifference | None, alpha: float
) -> _RunsVerdict:
    floors = member.pairing.floors
    decides = logs or tested
    p = None if isnan(decides.p) else decides.p
    ratio = None if logs is None else round_tests.as_ratio(logs.mean)
    thin = floors is None or between_runs.is_thin(floors)
    floor = None if floors is None else floors.relative if logs else floors.absolute
    rounds = len(member.sides[0]), len(member.sides[1])
    expected = None if thin or floor is None else between_runs.expected(floor, rounds)
    if expected is None:
        # How far the cluster differs from itself between runs, no run can say.
        reason = Reason.NOISE_FLOOR_UNKNOWN if floor is None else Reason.NOISE_FLOOR_THIN
        return _RunsVerdict(Verdict.UNDECIDED, reason, tested.mean, ratio, p, Method.WELCH_T)
    in_unit = expected
    if logs is not None:
        in_unit = expected.times(abs(sum(member.centres[0])) / rounds[0])
    shifts = _widened((tested.mean, tested.surely), in_unit, alpha)
    ratios: tuple[Estimate | None, Estimate | None] = (None, None)
    if logs is not None:
        means, surely = _widened((logs.mean, logs.surely), expected, alpha)
        ratios = round_tests.as_ratio(means), round_tests.as_ratio(surely)
    floor_p = expected.p(decides.mean.value)
    noise, _ = member.thresholds(ratio=ratio is not None)
    verdict, reason = judge_runs(
        p,
        floor_p,
        min(rounds),
        shifts[0],
        ratios[0],
        surely_inside=inside(shifts[1], ratios[1], noise),
        direction=Direction(member.pairing.direction),
        threshold=noise,
        alpha=alpha,
        floor_alpha=between_runs.SHARE * alpha,
    )
    amount = None
    if verdict is Verdict.SAME:
        amount = amount_inside(shifts[1], ratios[1], noise, member.pairing.threshold)
    by_floor = p is not None and floor_p >= p
    method = Method.NOISE_FLOOR_T if by_floor else Method.WELCH_T
    return _RunsVerdict(
        verdict, reason, *(shifts[0], ratios[0]), floor_p if by_floor else p, method, amount
    )


def _widened(
    estimates: tuple[Estimate, Estimate], by: between_runs.Expected, alpha: float
) -> tuple[Estimate, Estimate]:
    mean, surely = estimates
    return (
        between_runs.widened(mean, by, 1 - between_runs.SHARE * alpha),
        between_runs.widened(surely, by, 1 - SURELY * alpha),
    )


def _warnings(
    member: _Member, shift: float, *, ratio: bool, alpha: float
) -> list[StatisticsWarning]:
    found, needed = [], rounds_needed(alpha)
    if member.alone:
        found.append(StatisticsWarning(WarningCode.ROUND_WITHOUT_COUNTERPART, found=member.alone))
    have = len(member.numbers)
    if member.numbers and have < needed:
        found.append(StatisticsWarning(WarningCode.TOO_FEW_ROUNDS, needed, have))
    if not ratio:
        found.append(StatisticsWarning(WarningCode.RATIO_UNDEFINED))
    if member.pairing.baseline.is_constant or member.pairing.contender.is_constant:
        found.append(StatisticsWarning(WarningCode.CONSTANT_SAMPLE))
    if member.numbers and (worst := _worst_round(member, shift)) is not None:
        found.append(StatisticsWarning(WarningCode.ROUNDS_DISAGREE, found=worst))
    return found


def _worst_round(member: _Member, shift: float) -> int | None:
    """The round, counted from 1, that goes furthest against the effect, by more than noise."""
    against = [
        (abs(one) / abs(centre) if centre else abs(one), number + 1)
        for one, centre, number in zip(
            member.round_shifts, member.centres[0], member.numbers, strict=True
        )
        if opposes(shift, one, centre, member.pairing.threshold)
    ]
    return max(against)[1] if against else None

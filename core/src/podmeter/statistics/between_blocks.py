"""Comparisons of what is constant within a block: the round is the unit of evidence.

All trials of a block share what its setting up left behind (a fresh switch, fresh pods, the
machine's mood), so they say together what one round gives, however many they are. Each round has
one centre a side, the median of its trials; what is compared are these. Between modes and
clusters the two sides of a round are paired; between runs nothing is, and their difference is held
against what the cluster differs from itself by (`between_runs`). T. Kalibera and R. Jones,
Rigorous benchmarking in reasonable time (2013).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, log

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics import between_runs, round_tests
from podmeter.statistics.comparison import Comparison, Pairing, not_comparable
from podmeter.statistics.interval import Estimate
from podmeter.statistics.rank_test import Method
from podmeter.statistics.sample import Stratum, common_rounds, middle
from podmeter.statistics.verdict import (
    SURELY,
    Direction,
    Level,
    NoiseThreshold,
    Reason,
    Verdict,
    inside,
    judge_rounds,
    judge_runs,
    opposes,
    rounds_needed,
)
from podmeter.statistics.warnings import StatisticsWarning, WarningCode

Floats = NDArray[np.float64]
#: The rounds of one side, each with its trials.
_Side = Sequence[tuple[float, ...]]
#: Of the same level, and as many rounds of either side: rows of the same arrays.
_Shape = tuple[Level, int, int]


class _Member:
    """A pairing with the rounds that enter, and the place it has among all."""

    def __init__(self, place: int, pairing: Pairing) -> None:
        self.place, self.pairing, self.alone = place, pairing, 0
        self.strata: tuple[Stratum, ...] = ()
        if pairing.level is Level.BLOCK:
            self.strata, self.alone = common_rounds(pairing.baseline, pairing.contender)
            self.sides: tuple[_Side, _Side] = (
                [one for one, _ in self.strata],
                [two for _, two in self.strata],
            )
            self.centres = [[middle(sorted(one)) for one in side] for side in self.sides]
        else:
            self.sides = (pairing.baseline.filled_rounds, pairing.contender.filled_rounds)
            self.centres = [list(pairing.baseline.medians), list(pairing.contender.medians)]

    @property
    def shape(self) -> _Shape:
        return self.pairing.level, len(self.sides[0]), len(self.sides[1])

    @property
    def round_shifts(self) -> tuple[float, ...]:
        """What each round says by itself; only where rounds are paired."""
        return tuple(two - one for one, two in zip(*self.centres, strict=True))

    def noise(self, ratio: Estimate | None) -> NoiseThreshold:
        """What is too small to matter: a share has no meaning where there is no ratio."""
        threshold = self.pairing.threshold
        if ratio is not None:
            return threshold
        return threshold.without_ratio(middle(sorted(self.centres[0])))

    @property
    def positive(self) -> bool:
        return all(min(one) > 0 for side in self.sides for one in side)


def compare_blocks(pairings: Sequence[Pairing], *, alpha: float) -> tuple[Comparison, ...]:
    """Compare each pairing by its rounds, in their order; none may be of level `trial`."""
    found: list[Comparison | None] = [None] * len(pairings)
    alike: dict[_Shape, list[_Member]] = {}
    for place, pairing in enumerate(pairings):
        member = _Member(place, pairing)
        if all(member.sides):
            alike.setdefault(member.shape, []).append(member)
        else:
            found[place] = not_comparable(
                pairing.baseline,
                pairing.contender,
                Direction(pairing.direction),
                pairing.threshold,
                member.alone,
                pairing.level,
            )
    for members in alike.values():
        for member, comparison in zip(members, _group(members, alpha), strict=True):
            found[member.place] = comparison
    return tuple(one for one in found if one is not None)


def _group(members: Sequence[_Member], alpha: float) -> list[Comparison]:
    """The comparisons of members of one shape."""
    shifts = _tested([one.centres for one in members], members, alpha)
    positive = [one for one in members if one.positive]
    ratios: dict[int, _Tested] = {}
    if positive:
        logs = [[[log(value) for value in side] for side in one.centres] for one in positive]
        tested = _tested(logs, positive, alpha)
        ratios = {one.place: found for one, found in zip(positive, tested, strict=True)}
    return [
        _concluded(member, shift, ratios.get(member.place), alpha)
        for member, shift in zip(members, shifts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Tested:
    """The mean shift of one pairing's rounds, by itself and with the interval that `same` takes."""

    mean: Estimate
    surely: Estimate
    p: float
    agreement_p: float

    @property
    def ratio(self) -> tuple[Estimate, Estimate]:
        """Both, of shifts of logarithms, as ratios."""
        return round_tests.as_ratio(self.mean), round_tests.as_ratio(self.surely)


def _tested(
    centres: Sequence[Sequence[Sequence[float]]], members: Sequence[_Member], alpha: float
) -> list[_Tested]:
    baseline, contender = (np.array([one[side] for one in centres], float) for side in (0, 1))
    shifts = None if members[0].pairing.level is Level.RUN else contender - baseline
    if shifts is None:
        means = round_tests.apart(baseline, contender, 1 - alpha)
        agreement = np.ones(len(members))
    else:
        means = round_tests.paired(shifts, 1 - alpha)
        agreement = round_tests.signed_rank_p(shifts)
    told = (means.estimates(confidence) for confidence in (1 - alpha, 1 - SURELY * alpha))
    return [_Tested(*one) for one in zip(*told, means.p.tolist(), agreement.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class _Said:
    """A verdict with what it rests on."""

    verdict: Verdict
    reason: Reason
    shift: Estimate
    ratio: Estimate | None
    p: float | None
    method: Method


def _concluded(member: _Member, tested: _Tested, logs: _Tested | None, alpha: float) -> Comparison:
    of_runs = member.pairing.level is Level.RUN
    found = (_said_of_runs if of_runs else _said_of_rounds)(member, tested, logs, alpha)
    rounds = min(map(len, member.sides))
    return Comparison(
        verdict=found.verdict,
        reason=found.reason,
        direction=Direction(member.pairing.direction),
        threshold=member.pairing.threshold,
        shift=found.shift,
        ratio=found.ratio,
        p=found.p,
        least_p=None if of_runs else 2.0 ** (1 - rounds),
        method=found.method,
        n_baseline=sum(map(len, member.sides[0])),
        n_contender=sum(map(len, member.sides[1])),
        rounds=rounds,
        round_shifts=() if of_runs else member.round_shifts,
        warnings=tuple(_warnings(member, found.shift, found.ratio, alpha)),
        level=member.pairing.level,
        agreement_p=None if of_runs else (logs or tested).agreement_p,
    )


def _said_of_rounds(member: _Member, tested: _Tested, logs: _Tested | None, alpha: float) -> _Said:
    # A ratio is what carries over between rounds of different speed.
    decides = logs or tested
    p = None if isnan(decides.p) else decides.p
    ratio, sure_ratio = (None, None) if logs is None else logs.ratio
    noise = member.noise(ratio)
    verdict, reason = judge_rounds(
        p,
        decides.agreement_p,
        min(map(len, member.sides)),
        tested.mean,
        ratio,
        surely_inside=inside(tested.surely, sure_ratio, noise),
        direction=Direction(member.pairing.direction),
        threshold=noise,
        alpha=alpha,
    )
    return _Said(verdict, reason, tested.mean, ratio, p, Method.PAIRED_T)


def _said_of_runs(member: _Member, tested: _Tested, logs: _Tested | None, alpha: float) -> _Said:
    floors = member.pairing.floors
    decides = logs or tested
    p = None if isnan(decides.p) else decides.p
    ratio = None if logs is None else logs.ratio[0]
    thin = floors is None or between_runs.is_thin(floors)
    floor = None if floors is None else floors.relative if logs else floors.absolute
    rounds = len(member.sides[0]), len(member.sides[1])
    expected = None if thin or floor is None else between_runs.expected(floor, rounds)
    if expected is None:
        # How far the cluster differs from itself between runs, no run can say.
        reason = Reason.NOISE_FLOOR_UNKNOWN if floor is None else Reason.NOISE_FLOOR_THIN
        return _Said(Verdict.INCONCLUSIVE, reason, tested.mean, ratio, p, Method.WELCH_T)
    in_unit = expected
    if logs is not None:
        in_unit = expected.times(abs(sum(member.centres[0])) / rounds[0])
    shifts = _widened((tested.mean, tested.surely), in_unit, alpha)
    ratios: tuple[Estimate | None, Estimate | None] = (None, None)
    if logs is not None:
        means, surely = _widened((logs.mean, logs.surely), expected, alpha)
        ratios = round_tests.as_ratio(means), round_tests.as_ratio(surely)
    floor_p, noise = expected.p(decides.mean.value), member.noise(ratio)
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
    by_floor = p is not None and floor_p >= p
    method = Method.NOISE_FLOOR_T if by_floor else Method.WELCH_T
    return _Said(verdict, reason, *(shifts[0], ratios[0]), floor_p if by_floor else p, method)


def _widened(
    found: tuple[Estimate, Estimate], by: between_runs.Expected, alpha: float
) -> tuple[Estimate, Estimate]:
    mean, surely = found
    return (
        between_runs.widened(mean, by, 1 - between_runs.SHARE * alpha),
        between_runs.widened(surely, by, 1 - SURELY * alpha),
    )


def _warnings(
    member: _Member, shift: Estimate, ratio: Estimate | None, alpha: float
) -> list[StatisticsWarning]:
    found, needed = [], rounds_needed(alpha)
    if member.alone:
        found.append(StatisticsWarning(WarningCode.ROUND_WITHOUT_COUNTERPART, found=member.alone))
    if member.strata and len(member.strata) < needed:
        have = len(member.strata)
        found.append(StatisticsWarning(WarningCode.TOO_FEW_ROUNDS, needed, have))
    if ratio is None:
        found.append(StatisticsWarning(WarningCode.RATIO_UNDEFINED))
    if member.pairing.baseline.is_constant or member.pairing.contender.is_constant:
        found.append(StatisticsWarning(WarningCode.CONSTANT_SAMPLE))
    if member.strata and any(
        opposes(shift, one, stratum, member.pairing.threshold)
        for one, stratum in zip(member.round_shifts, member.strata, strict=True)
    ):
        found.append(StatisticsWarning(WarningCode.ROUNDS_DISAGREE))
    return found

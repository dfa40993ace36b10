"""Comparisons of what is constant within a block: the round is the unit of evidence.

All trials of a block share what its setting up left behind (a fresh switch, fresh pods, the
machine's mood), so they say together what one round gives, however many they are. Each round has
one centre a side, the median of its trials; what is compared are these. Between modes and
clusters the two sides of a round are paired; between runs nothing is. T. Kalibera and R. Jones,
Rigorous benchmarking in reasonable time (2013).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, log

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics import round_tests
from podmeter.statistics.comparison import Comparison, Pairing, not_comparable
from podmeter.statistics.interval import Estimate
from podmeter.statistics.rank_test import Method
from podmeter.statistics.sample import Stratum, common_rounds
from podmeter.statistics.summary import middle
from podmeter.statistics.verdict import (
    Direction,
    Level,
    Reason,
    Verdict,
    inside,
    judge_rounds,
    opposes,
    rounds_needed,
)
from podmeter.statistics.warnings import StatisticsWarning, WarningCode

Floats = NDArray[np.float64]
#: The rounds of one side, each with its trials.
_Side = Sequence[tuple[float, ...]]
#: `same` takes an interval of this share of alpha: few rounds that happen to lie close together
#: have a short one, wherever they lie.
_SURELY = 0.1
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
        else:
            self.sides = (pairing.baseline.filled_rounds, pairing.contender.filled_rounds)
        self.centres = [[middle(sorted(one)) for one in side] for side in self.sides]

    @property
    def shape(self) -> _Shape:
        return self.pairing.level, len(self.sides[0]), len(self.sides[1])

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
    means, surely = (
        round_tests.apart(baseline, contender, confidence)
        if shifts is None
        else round_tests.paired(shifts, confidence)
        for confidence in (1 - alpha, 1 - _SURELY * alpha)
    )
    agreement = np.ones(len(members)) if shifts is None else round_tests.signed_rank_p(shifts)
    return [
        _Tested(means.estimate(row), surely.estimate(row), p, agreement_p)
        for row, (p, agreement_p) in enumerate(
            zip(means.p.tolist(), agreement.tolist(), strict=True)
        )
    ]


def _concluded(member: _Member, tested: _Tested, logs: _Tested | None, alpha: float) -> Comparison:
    # A ratio is what carries over between rounds of different speed.
    decides = tested if logs is None else logs
    p, agreement_p, shift = decides.p, decides.agreement_p, tested.mean
    ratio, sure_ratio = (None, None) if logs is None else logs.ratio
    pairing, rounds = member.pairing, min(map(len, member.sides))
    between_runs = pairing.level is Level.RUN
    round_shifts: tuple[float, ...] = ()
    if between_runs:
        # How far the cluster differs from itself between runs, no run can say.
        verdict, reason = Verdict.INCONCLUSIVE, Reason.NOISE_FLOOR_UNKNOWN
    else:
        baseline, contender = member.centres
        round_shifts = tuple(two - one for one, two in zip(baseline, contender, strict=True))
        noise = pairing.threshold
        if ratio is None:
            noise = noise.without_ratio(middle(sorted(baseline)))
        verdict, reason = judge_rounds(
            None if isnan(p) else p,
            agreement_p,
            rounds,
            shift,
            ratio,
            surely_inside=inside(tested.surely, sure_ratio, noise),
            direction=Direction(pairing.direction),
            threshold=noise,
            alpha=alpha,
        )
    return Comparison(
        verdict=verdict,
        reason=reason,
        direction=Direction(pairing.direction),
        threshold=pairing.threshold,
        shift=shift,
        ratio=ratio,
        p=None if isnan(p) else p,
        least_p=None if between_runs else 2.0 ** (1 - rounds),
        method=Method.WELCH_T if between_runs else Method.PAIRED_T,
        n_baseline=sum(map(len, member.sides[0])),
        n_contender=sum(map(len, member.sides[1])),
        rounds=rounds,
        round_shifts=round_shifts,
        warnings=tuple(_warnings(member, shift, ratio, round_shifts, alpha)),
        level=pairing.level,
        agreement_p=None if between_runs else agreement_p,
    )


def _warnings(
    member: _Member,
    shift: Estimate,
    ratio: Estimate | None,
    round_shifts: Sequence[float],
    alpha: float,
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
    if any(
        opposes(shift, one, stratum, member.pairing.threshold)
        for one, stratum in zip(round_shifts, member.strata, strict=True)
    ):
        found.append(StatisticsWarning(WarningCode.ROUNDS_DISAGREE))
    return found

"""Comparisons that are checked together: one false verdict among all of them is one too many.

By Holm: the smallest p has to be clear among all of them, the next among the others, and so on.
S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
Statistics 6 (1979). Intervals hold together: those of what is clear are each other's by
Bonferroni, and end at no effect where Holm's step alone excludes that; all others share what the
clear ones leave. K. Strassburger and F. Bretz, Compatible simultaneous lower confidence bounds for
the Holm procedure and other Bonferroni-based closed tests, Statistics in Medicine 27 (2008). So
does the interval of an effect picked for its size.

A family whose members are tested one after another, while the earlier ones are already reported, is
corrected by Bonferroni instead: each member has its share of all that are planned. By Holm a later
member that is clear would loosen what earlier ones have to reach, and move their intervals.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from podmeter.statistics import round_tests
from podmeter.statistics.comparison import Comparison, Evidence, Mean
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.looks import agreement_needed, look_p
from podmeter.statistics.scipy_typed import t_quantile
from podmeter.statistics.verdict import Reason, Verdict, amount_inside, judge_rounds


@dataclass(frozen=True, slots=True)
class _Corrected:
    """Where one comparison stands in its family."""

    adjusted_p: float
    clear: bool


def corrected(
    found: Sequence[Comparison], *, alpha: float, families: int = 1, planned: int | None = None
) -> tuple[Comparison, ...]:
    """The comparisons judged as one family, in their order.

    Where several contenders are held against one baseline, each of them has a family, and alpha is
    shared by so many `families`. Those without a p, which nothing was tested of, do not count. Of a
    family that is tested part by part all that are `planned` do, and no verdict depends on others.
    """
    tested = [place for place, one in enumerate(found) if one.p is not None]
    count = len(tested) if planned is None else max(len(tested), planned)
    places = _standing([found[place] for place in tested], alpha, families, planned)
    standing = dict(zip(tested, places, strict=True))
    rest = count if planned is not None else count - sum(one.clear for one in places)
    judged = []
    for number, one in enumerate(found):
        place = standing.get(number)
        if place is None:
            judged.append(one if one.evidence is None else _judged(one, None, alpha, alpha))
            continue
        # What is clear shares with all, what is not with what is not.
        share = alpha / (families * (count if place.clear else rest))
        judged.append(_judged(one, place, share, alpha))
    if count < 2 and families == 1:
        return tuple(judged)
    return tuple(
        one
        if number not in standing
        else replace(one, adjusted_p=standing[number].adjusted_p, looked_at=count * families)
        for number, one in enumerate(judged)
    )


def p_needed(
    found: Sequence[Comparison], *, alpha: float, families: int = 1, planned: int | None = None
) -> float:
    """Give the p with which one more of these would be called different besides those that are."""
    tested = [one for one in found if one.p is not None]
    if planned is not None:
        return alpha / (families * max(1, len(tested), planned))
    clear = sum(one.clear for one in _standing(tested, alpha, families, None))
    return alpha / (families * max(1, len(tested) - clear))


def _standing(
    tested: Sequence[Comparison], alpha: float, families: int, planned: int | None
) -> list[_Corrected]:
    """Each adjusted p: by Holm, or by Bonferroni among so many; corrected for looks as well."""
    ps = [1.0 if one.p is None else one.p for one in tested]
    largest, places = 0.0, {}
    for rank, number in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        among = len(ps) - rank if planned is None else max(len(ps), planned)
        reached = look_p(alpha / (families * among), _most_rounds(tested[number]))
        adjusted = min(1.0, ps[number] * alpha / reached)
        largest = max(largest, adjusted) if planned is None else adjusted
        places[number] = _Corrected(largest, largest <= alpha)
    return [places[number] for number in range(len(ps))]


def _most_rounds(one: Comparison) -> int | None:
    return None if one.evidence is None else one.evidence.most_rounds


def _judged(one: Comparison, place: _Corrected | None, share: float, alpha: float) -> Comparison:
    """The comparison as its place in the family has it; `share` of alpha is its interval's."""
    clear = place is not None and place.clear
    if one.evidence is None:
        # Between runs the noise floor has judged already.
        if one.verdict in (Verdict.BETTER, Verdict.WORSE) and not clear:
            return replace(one, verdict=Verdict.UNDECIDED, reason=Reason.MANY_COMPARISONS)
        return one
    shift, ratio = _intervals(one.evidence, share, alpha, clear=clear)
    if one.reason is Reason.AT_OFFERED_RATE:
        return replace(one, shift=shift, ratio=ratio)
    agreement = agreement_needed(alpha, one.evidence.most_rounds)
    verdict, reason = judge_rounds(
        shift,
        ratio,
        clear=clear,
        agree=one.agreement_p is not None and one.agreement_p <= agreement,
        rounds=one.rounds,
        direction=one.direction,
        noise=one.evidence.noise,
        difference=one.evidence.difference,
        alpha=alpha,
    )
    alone = look_p(alpha, one.evidence.most_rounds)
    if reason is Reason.INTERVAL_TOO_WIDE and one.p is not None and one.p <= alone:
        reason = Reason.MANY_COMPARISONS
    if reason is Reason.INTERVAL_TOO_WIDE and len(set(one.groups)) == 1:
        reason = Reason.ONE_GROUP
    if reason is Reason.ROUNDS_DISAGREE and one.least_p is not None and one.least_p > agreement:
        # All of so few rounds would have to agree, and that is not enough for it.
        reason = Reason.TOO_FEW_ROUNDS
    amount = None
    if verdict is Verdict.SAME:
        amount = amount_inside(shift, ratio, one.evidence.difference, one.threshold)
    return replace(
        one, verdict=verdict, reason=reason, shift=shift, ratio=ratio, same_amount=amount
    )


def _intervals(
    found: Evidence, share: float, alpha: float, *, clear: bool
) -> tuple[Estimate, Estimate | None]:
    p = look_p(share, found.most_rounds)
    shift = _estimate(found.shift, p, alpha, clear=clear)
    if not found.logs:
        return shift, None
    return shift, round_tests.as_ratio(_estimate(found.logs, p, alpha, clear=clear))


def _estimate(means: Sequence[Mean], p: float, alpha: float, *, clear: bool) -> Estimate:
    """The first mean, with what tests of this p do not exclude of any of them."""
    value = means[0].value
    if not all(isfinite(one.deviation) for one in means):
        return Estimate(value, None)
    reaches = [
        t_quantile(1 - p / 2, one.freedom) * one.deviation if one.deviation else 0.0
        for one in means
    ]
    low = min(one.value - reach for one, reach in zip(means, reaches, strict=True))
    high = max(one.value + reach for one, reach in zip(means, reaches, strict=True))
    if clear:
        low, high = (max(low, 0.0), high) if value > 0 else (low, min(high, 0.0))
    return Estimate(value, Interval(low, high, 1 - alpha))

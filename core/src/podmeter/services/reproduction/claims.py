"""An article's claims, recomputed of our figures: never more than their comparison says.

A result is that of a comparison inside one run, with its interval. It makes the claim true where
the whole interval is what the claim allows, and false where none of it is; in between, and where
the comparison is undecided, nothing can be told. A claim that two things differ takes a verdict
that says so.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf

from podmeter.domain.measurement import Unit
from podmeter.references.cells import Cell, Cells
from podmeter.references.claims import Judged
from podmeter.references.document import Claim, How, Recomputation
from podmeter.results.projected import Projected
from podmeter.services.reproduction import measured_claims
from podmeter.services.reproduction.case_matching import CaseMatches, nearest, result
from podmeter.services.reproduction.comparison_cache import ComparisonCache
from podmeter.services.reproduction.document import OurClaim, OurVerdict, WhyNot
from podmeter.services.run_results.effect_rows import Effect
from podmeter.services.run_results.figures import Figure
from podmeter.statistics import Verdict
from podmeter.texts import CatalogText


def claim(
    reference_id: str,
    judged: Judged,
    cells: Cells,
    matches: CaseMatches,
    comparisons: ComparisonCache,
) -> OurClaim:
    """The claim, of our figures."""
    source_claim = judged.claim
    asked = (
        list(_operand_pairs(source_claim.recomputed, cells))
        if source_claim.recomputed is not None
        else []
    )
    why = _untold(source_claim, asked)
    results: list[Projected] = []
    if why is None and source_claim.recomputed is not None:
        results = [
            one
            for pair in asked
            if (one := _result(*pair, source_claim.recomputed, matches, comparisons)) is not None
        ]
        why = None if results else WhyNot.NOT_MEASURED
    if source_claim.measured is not None:
        results = measured_claims.results(source_claim.measured, matches, comparisons)
        why = None if results else WhyNot.NOT_MEASURED
    verdict, of_results = _together(results)
    return OurClaim(
        id=source_claim.id,
        where=source_claim.where,
        quote=source_claim.quote,
        said=CatalogText(f"reference.{reference_id}.claim.{source_claim.id}.said"),
        how=_how(source_claim),
        published=judged.verdict,
        verdict=verdict,
        why_not=why or of_results,
        asked=len(asked) or len(results),
        results=results,
    )


def _how(source_claim: Claim) -> How | None:
    if source_claim.measured is not None:
        return How.DIFFERENCE
    return None if source_claim.recomputed is None else source_claim.recomputed.how


def _untold(source_claim: Claim, operand_pairs: Sequence[tuple[Cell, Cell]]) -> WhyNot | None:
    """Why it is not about anything that could be measured."""
    if source_claim.recomputed is None:
        return WhyNot.NO_FIGURES
    if source_claim.recomputed.printed or source_claim.recomputed.how is How.MEAN:
        return WhyNot.OWN_ARITHMETIC
    if not any(one.metric and other.metric for one, other in operand_pairs):
        return WhyNot.NO_METRIC
    return None


def _together(results: Sequence[Projected]) -> tuple[OurVerdict, WhyNot | None]:
    verdicts = {OurVerdict(one.code) for one in results}
    if OurVerdict.DOES_NOT_HOLD in verdicts:
        return OurVerdict.DOES_NOT_HOLD, None
    if verdicts == {OurVerdict.HOLDS}:
        return OurVerdict.HOLDS, None
    why = next((why for one in results if (why := one.text("why_not"))), None)
    return OurVerdict.CANNOT_BE_TOLD, None if why is None else WhyNot(why)


def _operand_pairs(asked: Recomputation, cells: Cells) -> Iterator[tuple[Cell, Cell]]:
    """What is set against what: as `podmeter.references.claims` does of the source's own."""
    if asked.how in (How.NEXT, How.SLOPE):
        for selector in asked.of:
            for before, after in pairwise(cells.select([selector])):
                yield after, before
    elif asked.how is not How.MEAN:
        of, against = cells.select(asked.of), cells.select(asked.against)
        yield from zip(of, against * len(of) if len(against) == 1 else against, strict=True)


def _result(
    of: Cell,
    against: Cell,
    asked: Recomputation,
    matches: CaseMatches,
    comparisons: ComparisonCache,
) -> Projected | None:
    """What our figures give; None where one side was not measured, or both are the same case."""
    if of.metric is None or of.metric != against.metric:
        return None
    ours, others = matches.of(of), matches.of(against)
    if not ours or not others:
        return None
    # The side with fewer in its place decides which of the other's is set against it.
    fewer = len(ours) <= len(others)
    one = ours[0] if fewer else nearest(ours, others[0])
    other = nearest(others, ours[0]) if fewer else others[0]
    if one.case.id == other.case.id:
        return None
    key, places = one.key(_unit(asked, of), other), (of.place, against.place)

    def as_row(
        verdict: OurVerdict, why: WhyNot | None, value: Figure | None, effect: Effect | None
    ) -> Projected:
        return result(key, value, one.sample.sample.n, verdict, why, places, effect)

    def cannot(why: WhyNot, value: Figure | None = None, effect: Effect | None = None) -> Projected:
        return as_row(OurVerdict.CANNOT_BE_TOLD, why, value, effect)

    if one.run.run.id != other.run.run.id:
        return cannot(WhyNot.TWO_RUNS)
    effect = comparisons.effect(one, other)
    if effect is None:
        return cannot(WhyNot.NOT_COMPARED)
    steps = _along(of, asked.axis) - _along(against, asked.axis)
    value = _value(effect, asked, steps)
    if value is None or value.low is None or value.high is None:
        return cannot(WhyNot.FEW_TRIALS, value, effect)
    return as_row(*_judged(value, effect, asked), value, effect)


def _judged(
    value: Figure, effect: Effect, asked: Recomputation
) -> tuple[OurVerdict, WhyNot | None]:
    low, high = value.low, value.high
    if low is None or high is None or effect.verdict == Verdict.UNDECIDED:
        return OurVerdict.CANNOT_BE_TOLD, WhyNot.UNDECIDED
    neutral = 1.0 if asked.how in (How.RATIO, How.NEXT) else 0.0
    says_difference = not _allowed(neutral, asked)
    if _allowed(low, asked) and _allowed(high, asked):
        if says_difference and effect.verdict == Verdict.SAME:
            # The interval keeps clear of none; the difference is less than what counts as one.
            return OurVerdict.CANNOT_BE_TOLD, WhyNot.UNDECIDED
        return OurVerdict.HOLDS, None
    if _outside(low, high, asked):
        if not says_difference and effect.verdict == Verdict.SAME:
            return OurVerdict.CANNOT_BE_TOLD, WhyNot.UNDECIDED
        return OurVerdict.DOES_NOT_HOLD, None
    return OurVerdict.CANNOT_BE_TOLD, WhyNot.ACROSS


def _ends(asked: Recomputation) -> tuple[float, float]:
    lows = [one for one in (asked.least, asked.above) if one is not None]
    highs = [one for one in (asked.most, asked.below) if one is not None]
    return max(lows, default=-inf), min(highs, default=inf)


def _allowed(value: float, asked: Recomputation) -> bool:
    low, high = _ends(asked)
    beyond = asked.above is None or value > asked.above
    return low <= value <= high and beyond and (asked.below is None or value < asked.below)


def _outside(low: float, high: float, asked: Recomputation) -> bool:
    """Whether nothing from `low` to `high` is allowed."""
    least, most = _ends(asked)
    under = high < least or (high == least and asked.above is not None)
    return under or low > most or (low == most and asked.below is not None)


def _value(effect: Effect, asked: Recomputation, steps: float) -> Figure | None:
    ratio, shift = effect.ratio, effect.shift
    match asked.how:
        case How.RATIO | How.NEXT:
            return ratio
        case How.CHANGE:
            return None if ratio is None else _scaled(ratio, 1.0, -1.0)
        case How.LOSS:
            return None if ratio is None else _scaled(ratio, -1.0, 1.0)
        case How.SLOPE:
            return None if shift is None or not steps else _scaled(shift, asked.per / steps, 0.0)
        case _:
            return shift


def _scaled(value: Figure, factor: float, offset: float) -> Figure:
    low, high = (None if end is None else end * factor + offset for end in (value.low, value.high))
    if factor < 0:
        low, high = high, low
    return Figure(value.value * factor + offset, low, high, value.confidence)


def _along(cell: Cell, axis: str | None) -> float:
    at = cell.points[0].get(axis) if axis is not None else None
    return float(at) if isinstance(at, int) else 0.0


def _unit(asked: Recomputation, of: Cell) -> str:
    absolute = asked.how in (How.DIFFERENCE, How.SLOPE)
    return of.figure.unit.value if absolute else Unit.RATIO.value

"""Claims that an article shows no figures of, and that runs of ours can tell all the same.

`most`: what is measured at a point, with its interval, is no more than the claim allows.
`shrinks`: what it costs to go from one point to another (0 to 200 policies) is less in one case
than in another (kept connections, and new ones). Its result is the difference of both costs, from
the least to the most that their two intervals leave, which is wider than it had to be; where the
cost that is said to shrink is not clear itself, nothing can be told.
"""

from collections.abc import Iterator, Mapping

from podmeter.domain.axes import AxisValue
from podmeter.references.document import OurMeasure, Shrinks
from podmeter.results.projected import Projected
from podmeter.services.reproduction.case_matching import CaseMatches, MatchedCase, result
from podmeter.services.reproduction.comparison_cache import ComparisonCache
from podmeter.services.reproduction.document import OurVerdict, WhyNot
from podmeter.services.run_results.effect_rows import Effect
from podmeter.services.run_results.figures import Figure, figure
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun
from podmeter.statistics import Verdict, median

_Point = Mapping[str, AxisValue]


def results(
    measure: OurMeasure, matches: CaseMatches, comparisons: ComparisonCache
) -> list[Projected]:
    """What our runs say of it: one for each point that has all it takes."""
    return [
        one
        for run in matches.runs
        if measure.parameters.items() <= run.spec.parameters.items()
        for case in run.cases
        for one in (
            _at_most(measure, run, case)
            if measure.shrinks is None
            else _less(measure, measure.shrinks, run, case, comparisons)
        )
    ]


def _at_most(measure: OurMeasure, run: MeasuredRun, case: MeasuredCase) -> Iterator[Projected]:
    ours = _matched_case(measure, run, case)
    value = None if ours is None else figure(median(ours.sample.sample))
    if ours is None or value is None or measure.most is None:
        return
    verdict, why = OurVerdict.CANNOT_BE_TOLD, WhyNot.FEW_TRIALS
    if value.low is not None and value.high is not None:
        if value.high <= measure.most:
            verdict = OurVerdict.HOLDS
        elif value.low > measure.most:
            verdict = OurVerdict.DOES_NOT_HOLD
        else:
            why = WhyNot.ACROSS
    yield _result(measure, run, case.point, value, ours, verdict, why)


def _less(
    measure: OurMeasure,
    shrinks: Shrinks,
    run: MeasuredRun,
    case: MeasuredCase,
    comparisons: ComparisonCache,
) -> Iterator[Projected]:
    """Where the case is the end of the change that is said to be the smaller one."""
    if not _lies(case, {**shrinks.of, **shrinks.to}):
        return
    cases = {frozenset(one.point.items()): one for one in run.cases}

    def corner(*ends: _Point) -> MatchedCase | None:
        point = dict(case.point)
        for end in ends:
            point |= end
        there = cases.get(frozenset(point.items()))
        return None if there is None else _matched_case(measure, run, there)

    ends = [(corner(side, shrinks.to), corner(side, shrinks.since)) for side in shrinks.sides]
    effects = [
        None if one is None or other is None else comparisons.effect(one, other)
        for one, other in ends
    ]
    smaller, larger = effects
    (ours, _), _ = ends
    if ours is None or smaller is None or larger is None:
        return
    value = _difference(smaller, larger)
    verdict, why = OurVerdict.CANNOT_BE_TOLD, WhyNot.FEW_TRIALS
    if value is not None and value.low is not None and value.high is not None:
        if larger.verdict != Verdict.WORSE:
            why = WhyNot.UNDECIDED
        elif value.high < 0:
            verdict = OurVerdict.HOLDS
        elif value.low >= 0:
            verdict = OurVerdict.DOES_NOT_HOLD
        else:
            why = WhyNot.ACROSS
    yield _result(measure, run, case.point, value, ours, verdict, why)


def _difference(smaller: Effect, larger: Effect) -> Figure | None:
    one, other = smaller.shift, larger.shift
    if one is None or other is None:
        return None
    low = None if one.low is None or other.high is None else one.low - other.high
    high = None if one.high is None or other.low is None else one.high - other.low
    return Figure(one.value - other.value, low, high)


def _result(
    measure: OurMeasure,
    run: MeasuredRun,
    point: _Point,
    value: Figure | None,
    ours: MatchedCase,
    verdict: OurVerdict,
    why: WhyNot,
) -> Projected:
    lies = " ".join(f"{axis}={at}" for axis, at in sorted(point.items()))
    untold = why if verdict is OurVerdict.CANNOT_BE_TOLD else None
    places = f"{run.run.id} {lies}", measure.metric
    return result(ours.key(), value, ours.sample.sample.n, verdict, untold, places)


def _matched_case(measure: OurMeasure, run: MeasuredRun, case: MeasuredCase) -> MatchedCase | None:
    for sample in run.samples(case.id):
        if sample.metric.name == measure.metric and not sample.subject and sample.sample.n:
            return MatchedCase(run, case, sample)
    return None


def _lies(case: MeasuredCase, at: _Point) -> bool:
    return all(case.point.get(axis) == value for axis, value in at.items())

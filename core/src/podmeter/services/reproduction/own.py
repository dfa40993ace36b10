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
from podmeter.services.measured.effect_rows import Effect
from podmeter.services.measured.figures import Figure, figure
from podmeter.services.measured.runs import MeasuredCase, MeasuredRun
from podmeter.services.reproduction.contests import Contests
from podmeter.services.reproduction.document import OurVerdict, WhyNot
from podmeter.services.reproduction.found import Found, Ours, result
from podmeter.statistics import Verdict, median

_Point = Mapping[str, AxisValue]


def results(told: OurMeasure, found: Found, contests: Contests) -> list[Projected]:
    """What our runs say of it: one for each point that has all it takes."""
    return [
        one
        for run in found.runs
        if told.parameters.items() <= run.spec.parameters.items()
        for case in run.cases
        for one in (
            _at_most(told, run, case)
            if told.shrinks is None
            else _less(told, told.shrinks, run, case, contests)
        )
    ]


def _at_most(told: OurMeasure, run: MeasuredRun, case: MeasuredCase) -> Iterator[Projected]:
    ours = _ours(told, run, case)
    value = None if ours is None else figure(median(ours.sample.sample))
    if ours is None or value is None or told.most is None:
        return
    verdict, why = OurVerdict.CANNOT_BE_TOLD, WhyNot.FEW_TRIALS
    if value.low is not None and value.high is not None:
        if value.high <= told.most:
            verdict = OurVerdict.HOLDS
        elif value.low > told.most:
            verdict = OurVerdict.DOES_NOT_HOLD
        else:
            why = WhyNot.ACROSS
    yield _result(told, run, case.point, value, ours, verdict, why)


def _less(
    told: OurMeasure, shrinks: Shrinks, run: MeasuredRun, case: MeasuredCase, contests: Contests
) -> Iterator[Projected]:
    """Where the case is the end of the change that is said to be the smaller one."""
    if not _lies(case, {**shrinks.of, **shrinks.to}):
        return
    cases = {frozenset(one.point.items()): one for one in run.cases}

    def corner(*ends: _Point) -> Ours | None:
        point = dict(case.point)
        for end in ends:
            point |= end
        there = cases.get(frozenset(point.items()))
        return None if there is None else _ours(told, run, there)

    ends = [(corner(side, shrinks.to), corner(side, shrinks.since)) for side in shrinks.sides]
    effects = [
        None if one is None or other is None else contests.effect(one, other) for one, other in ends
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
    yield _result(told, run, case.point, value, ours, verdict, why)


def _difference(smaller: Effect, larger: Effect) -> Figure | None:
    one, other = smaller.shift, larger.shift
    if one is None or other is None:
        return None
    low = None if one.low is None or other.high is None else one.low - other.high
    high = None if one.high is None or other.low is None else one.high - other.low
    return Figure(one.value - other.value, low, high)


def _result(
    told: OurMeasure,
    run: MeasuredRun,
    point: _Point,
    value: Figure | None,
    ours: Ours,
    verdict: OurVerdict,
    why: WhyNot,
) -> Projected:
    lies = " ".join(f"{axis}={at}" for axis, at in sorted(point.items()))
    untold = why if verdict is OurVerdict.CANNOT_BE_TOLD else None
    places = f"{run.run.id} {lies}", told.metric
    return result(ours.key(), value, ours.sample.sample.n, verdict, untold, places)


def _ours(told: OurMeasure, run: MeasuredRun, case: MeasuredCase) -> Ours | None:
    for sample in run.samples(case.id):
        if sample.metric.name == told.metric and not sample.subject and sample.sample.n:
            return Ours(run, case, sample)
    return None


def _lies(case: MeasuredCase, at: _Point) -> bool:
    return all(case.point.get(axis) == value for axis, value in at.items())

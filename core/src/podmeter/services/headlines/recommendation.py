"""What to do by what was found: two to five sentences, each with the cases that it rests on.

It is made of clear verdicts alone, of sides that may be compared, and silent where there are none:
no sentence says more than the verdicts that it cites.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from statistics import mean

from podmeter.kinds.failed_trials import FAILED_TRIALS
from podmeter.results.projected import Projected
from podmeter.services.comparisons.counted import is_set_up
from podmeter.services.comparisons.document import Point
from podmeter.services.headlines import terms
from podmeter.services.headlines.amounts import (
    amount,
    difference,
    is_multiple,
    less,
    more,
    negative,
    percent,
    times,
)
from podmeter.services.headlines.document import Advised
from podmeter.services.headlines.effects import counts, size
from podmeter.services.headlines.run_losses import LostWithin
from podmeter.services.headlines.same_limits import limit_of, share_of
from podmeter.services.headlines.side_pairs import SidePair
from podmeter.services.headlines.single_run import judged_losses
from podmeter.services.headlines.statements import (
    against_of,
    factor_of,
    is_rate,
    path_of,
    source_of,
    whole,
)
from podmeter.services.headlines.text import Text, joined, parameters_of, text
from podmeter.services.run_results.curve_rows import CurvePair
from podmeter.services.run_results.effect_rows import Effect
from podmeter.services.run_results.figures import Figure, figure_of, is_least
from podmeter.statistics import Verdict

MOST_SENTENCES, LEAST_SENTENCES = 5, 2
#: So many cases are named in a sentence, and so many changes; all are cited.
_MOST_CASES, _MOST_CHANGES = 1, 3
#: A mode fails more than another if it does so in this many rounds more: one round is no evidence.
_FAILING_ROUNDS = 2
#: What says in how many of all cases a mode is better, and that it is worse in none.
_PREFERENCES = ("prefer", "prefer_from", "prefer_up_to")
_CLEAR = (Verdict.BETTER, Verdict.WORSE)
_Case = tuple[Point, Effect]


def recommendation(
    contests: Iterable[SidePair], lost: Iterable[LostWithin], noise: float
) -> list[Advised]:
    """Of every contender first what it comes to, then of what; at last what paths take."""
    first: list[Advised] = []
    then: list[Advised] = []
    for one in contests:
        advised = _of_contest(one, noise)
        first += advised[:1]
        then += advised[1:]
    found = [*first, *then]
    for within in lost:
        found += _of_losses(within, noise)
    found = found[:MOST_SENTENCES]
    if 0 < len(found) < LEAST_SENTENCES:
        found.append(_grounds(found))
    return found


def _advised(code: str, cases: Iterable[Point], /, **params: Text | str | float | None) -> Advised:
    return Advised(code, parameters_of(code, params), [dict(one) for one in cases])


def _of_contest(side_pair: SidePair, noise: float) -> list[Advised]:
    # Nobody asked for what setting up a mode takes.
    cases = [one for one in side_pair.effects if not is_set_up(one[1])]
    if side_pair.gate.verdict != "comparable" or not cases:
        return []
    better = [one for one in cases if one[1].verdict == Verdict.BETTER]
    worse = [one for one in cases if one[1].verdict == Verdict.WORSE]
    same = [one for one in cases if one[1].verdict == Verdict.SAME]
    failing = _failing(side_pair)
    if not better and not worse:
        found = _alike(side_pair, cases, noise) if len(same) == len(cases) else []
        return [*failing, *found, *_side_effects(side_pair, found)]
    telling = terms.telling(point for point, _ in cases)
    found = _curves(side_pair, cases)
    if better and worse:
        found.append(
            _advised(
                "depends",
                _points([*better, *worse]),
                baseline=side_pair.baseline,
                contender=side_pair.contender,
                better=_named(better, telling),
                worse=_named(worse, telling),
            )
        )
        # What each gives, it gives in the trials that passed.
        found = [*failing, *found]
    else:
        clear = better or worse
        names = side_pair.contender, side_pair.baseline
        chosen, other = names if better else names[::-1]
        end = _clear_end(side_pair, cases, clear)
        preferred = _advised(
            "prefer" if end is None else end[0],
            _points(clear),
            **({} if end is None else {"where": end[1]}),
            better=chosen,
            other=other,
            count=len(clear),
            total=len(cases),
        )
        # What fails more often is not preferred for the trials that passed.
        first = [one for one in failing if one.parameters["name"] == chosen.plain] or [preferred]
        found = [*first, *found, *_largest(side_pair, clear, telling)]
    found += _side_effects(side_pair, found)
    if any(one.verdict == Verdict.UNDECIDED for _, one in cases):
        found.append(_counted(side_pair, cases, found))
    return found


def _counted(side_pair: SidePair, cases: Sequence[_Case], advised: Sequence[Advised]) -> Advised:
    """How the cases stand that no preference among what is advised has counted."""
    undecided = _points(one for one in cases if one[1].verdict == Verdict.UNDECIDED)
    if any(one.code in _PREFERENCES for one in advised):
        rest = [one.verdict for _, one in cases if one.verdict not in _CLEAR]
        return _advised("rest", undecided, count=len(rest), counts=counts(rest))
    every = counts(one.verdict for _, one in cases)
    name = side_pair.contender
    return _advised("tally", undecided, name=name, total=len(cases), counts=every)


def _alike(side_pair: SidePair, cases: Sequence[_Case], noise: float) -> list[Advised]:
    sides = {"baseline": side_pair.baseline, "contender": side_pair.contender}
    limit = limit_of([effect for _, effect in cases], noise)
    named = _named(cases, terms.telling(point for point, _ in cases))
    return [
        _advised("either", _points(cases), count=len(cases), noise=limit, **sides),
        _advised("either_of", _points(cases), cases=named),
    ]


def _failing(side_pair: SidePair) -> list[Advised]:
    """The case in which each side fails the larger share of its trials, where it fails repeatedly.

    Advice is withheld before the difference is certain. A single void trial withholds nothing.
    """
    largest: dict[str, tuple[float, Advised]] = {}
    for point, effect in side_pair.side_effects:
        if effect.key.metric != FAILED_TRIALS.name or not _fails_repeatedly(effect):
            continue
        shares = [mean(chain.from_iterable(rounds)) for rounds in effect.values]
        sides = [(side_pair.baseline, shares[0]), (side_pair.contender, shares[1])]
        (other, passed), (name, failed) = sorted(sides, key=lambda side: side[1])
        advised = _advised(
            "failing",
            [point],
            name=name,
            share=percent(failed),
            other=other,
            other_share=percent(passed),
            what=terms.what(effect.key.metric, effect.key.subject, point, set(point)),
        )
        if failed - passed > largest.get(str(name), (0.0, advised))[0]:
            largest[str(name)] = failed - passed, advised
    return [advised for _, advised in largest.values()]


def _fails_repeatedly(effect: Effect) -> bool:
    rounds = [sum(any(trials) for trials in side) for side in effect.values]
    return abs(rounds[1] - rounds[0]) >= _FAILING_ROUNDS


def _side_effects(side_pair: SidePair, advised: Sequence[Advised]) -> list[Advised]:
    """What each side is clearly worse in besides; nothing where nothing is advised."""
    if not advised:
        return []
    listed = []
    for name, verdict in (
        (side_pair.baseline, Verdict.BETTER),
        (side_pair.contender, Verdict.WORSE),
    ):
        cases = [
            one
            for one in side_pair.side_effects
            if one[1].verdict == verdict and one[1].key.metric != FAILED_TRIALS.name
        ]
        if cases:
            telling = terms.telling(point for point, _ in cases)
            named = _changes(cases, telling)
            listed.append(_advised("side_worse", _points(cases), name=name, cases=named))
    return listed


def _changes(cases: Sequence[_Case], telling: set[str]) -> Text:
    """The largest of them by metric and place, with how much they change."""
    largest = _by_size(cases)[:_MOST_CHANGES]
    texts = []
    for point, effect in largest:
        what = terms.what(effect.key.metric, effect.key.subject, point, telling)
        change = _change(effect)
        texts.append(what if change is None else joined([what, change], "colon"))
    return _some(texts, len(cases))


def _largest(side_pair: SidePair, clear: Sequence[_Case], telling: set[str]) -> list[Advised]:
    point, effect = max(clear, key=lambda one: size(one[1]))
    change = _change(effect)
    if change is None:
        return []
    chosen = side_pair.contender if effect.verdict == Verdict.BETTER else side_pair.baseline
    what = terms.what(effect.key.metric, effect.key.subject, point, telling)
    return [_advised("largest", [point], what=what, amount=change, better=chosen)]


def _curves(side_pair: SidePair, cases: Sequence[_Case]) -> list[Advised]:
    """Where the two cross, or that they do not, by the verdicts on the rungs."""
    crossing, apart = [], []
    telling = terms.telling(one.shared for one in side_pair.curves)
    for one in side_pair.curves:
        rungs = _rungs(one, cases)
        what = terms.what(one.key.metric, one.key.subject, one.shared, telling)
        axis = terms.axis(one.axis)
        if one.crossing is not None:
            ends = one.crossing.low or 0.0, one.crossing.high or 0.0
            before, after = (rungs.get(at) for at in ends)
            names = side_pair.baseline, side_pair.contender
            if before is None or after is None:
                continue
            verdicts = before[1].verdict, after[1].verdict
            if verdicts not in (("worse", "better"), ("better", "worse")):
                continue
            other, leader = names if verdicts[1] == "better" else names[::-1]
            advised = _advised(
                "crossover",
                _points([before, after]),
                other=other,
                leader=leader,
                what=what,
                axis=axis,
                first=whole(ends[0]),
                last=whole(ends[1]),
            )
            crossing.append(advised)
            continue
        # A rung without both controls is measured too, though the curves are not judged on it.
        every = sorted({*rungs, *one.xs})
        verdict = {rungs[at][1].verdict if at in rungs else None for at in every}
        if len(every) > 1 and verdict in ({"better"}, {"worse"}):
            leader = side_pair.contender if verdict == {"better"} else side_pair.baseline
            advised = _advised(
                "no_crossover",
                _points([rungs[at] for at in every]),
                leader=leader,
                what=what,
                axis=axis,
                first=whole(every[0]),
                last=whole(every[-1]),
                count=len(every),
            )
            apart.append(advised)
    return [*crossing[:2], *apart[:1]]


def _clear_end(
    side_pair: SidePair, cases: Sequence[_Case], clear: Sequence[_Case]
) -> tuple[str, Text] | None:
    """The rung from which on, or up to which, the clear cases lie, all of their metrics' there.

    None where those metrics are clear on every rung, or not at one end of a single ladder.
    """
    axes = {one.axis for one in side_pair.curves}
    metrics = {effect.key.metric for _, effect in clear}
    if len(axes) != 1:
        return None
    (axis,) = axes
    rungs = [point.get(axis) for point, effect in cases if effect.key.metric in metrics]
    clear_rungs = [at for point, _ in clear if isinstance(at := point.get(axis), int)]
    counts = [at for at in rungs if isinstance(at, int)]
    if len(counts) < len(rungs) or len(clear_rungs) == len(counts):
        return None
    if sum(at >= min(clear_rungs) for at in counts) == len(clear):
        return "prefer_from", terms.value(axis, min(clear_rungs))
    if sum(at <= max(clear_rungs) for at in counts) == len(clear):
        return "prefer_up_to", terms.value(axis, max(clear_rungs))
    return None


def _rungs(curve: CurvePair, cases: Sequence[_Case]) -> dict[float, _Case]:
    """The cases of a curve by where they lie on its axis."""
    found = {}
    for point, effect in cases:
        at = point.get(curve.axis)
        rest = {axis: value for axis, value in point.items() if axis != curve.axis}
        same = (effect.key.metric, effect.key.subject) == (curve.key.metric, curve.key.subject)
        if same and isinstance(at, int) and rest == curve.shared:
            found[float(at)] = (point, effect)
    return found


def _of_losses(lost: LostWithin, noise: float) -> list[Advised]:
    """Of each derived metric the largest clear loss, or that there is none."""
    found = []
    for members in judged_losses(lost.losses):
        worse = [one for one in members if one.verdict == Verdict.WORSE]
        telling = terms.telling(one.key.point for one in members)
        if worse:
            largest = max(worse, key=lambda one: one.value or 0.0)
            found.append(_expected(largest, telling, lost.run))
        elif all(one.verdict == Verdict.SAME for one in members):
            one = members[0]
            limit = percent(share_of([one], noise))
            about = _paths(one, telling, lost.run)
            found.append(_advised("free", [one.key.point], noise=limit, **about))
    return found


def _expected(one: Projected, telling: set[str], run: Text | None) -> Advised:
    """To plan with what a path loses, or adds."""
    share, least = figure_of(one) or Figure(0.0), is_least(one)
    factor, about = factor_of(one, share), _paths(one, telling, run)
    if is_multiple(factor):
        parts = {"factor": times(factor, least=least), **about}
        return _advised("expect_times", [one.key.point], **parts)
    code = "expect" if is_rate(one) else "expect_added"
    return _advised(code, [one.key.point], amount=amount(share, least=least), **about)


def _paths(one: Projected, telling: set[str], run: Text | None) -> dict[str, Text]:
    path = path_of(one, telling, run)
    return {"path": path, "metric": source_of(one), "against": against_of(one)}


def _grounds(advised: Sequence[Advised]) -> Advised:
    cases = [point for one in advised for point in one.cases]
    named = [terms.point(point) for point in cases[:_MOST_CASES]]
    return _advised("grounds", cases, count=len(cases), cases=_some(named, len(cases)))


def _named(cases: Sequence[_Case], telling: set[str]) -> Text:
    """The largest of them by metric and place."""
    texts = [
        terms.what(effect.key.metric, effect.key.subject, point, telling)
        for point, effect in _by_size(cases)[:_MOST_CASES]
    ]
    return _some(texts, len(cases))


def _some(named: Sequence[Text], count: int) -> Text:
    """The first of so many."""
    return text("some", of=[one.plain for one in named], more=count - len(named))


def _by_size(cases: Sequence[_Case]) -> list[_Case]:
    return sorted(cases, key=lambda one: -size(one[1]))


def _points(cases: Iterable[_Case]) -> list[Point]:
    return [point for point, _ in cases]


def _change(effect: Effect) -> Text | None:
    """How much it is, without its direction."""
    ratio, least = effect.ratio, is_least(effect.judged)
    if ratio is not None and is_multiple(ratio):
        return times(ratio, least=least)
    if ratio is not None:
        return amount(less(ratio) if ratio.value < 1 else more(ratio), least=least)
    if effect.shift is None:
        return None
    shift = negative(effect.shift) if effect.shift.value < 0 else effect.shift
    return difference(shift, effect.unit, least=least)

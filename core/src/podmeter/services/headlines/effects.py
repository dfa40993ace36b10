"""What is said of a contender: first what is clear, then what is not, with what could be seen."""

from collections.abc import Iterable, Sequence
from math import log

from podmeter.kinds.controls import is_control
from podmeter.kinds.failed_trials import FAILED_TRIALS
from podmeter.services.comparisons.counted import is_set_up
from podmeter.services.comparisons.document import Point
from podmeter.services.headlines import terms
from podmeter.services.headlines.amounts import (
    amount,
    bound,
    difference,
    is_multiple,
    less,
    more,
    negative,
    percent,
    times,
)
from podmeter.services.headlines.client_limits import limited_trials
from podmeter.services.headlines.document import Sentence, sentence
from podmeter.services.headlines.same_limits import limit_of, share_of
from podmeter.services.headlines.side_pairs import SidePair
from podmeter.services.headlines.statements import crossing, fields, refused
from podmeter.services.headlines.text import Text, text
from podmeter.services.run_results.client_limits import CLIENT_LIMITED
from podmeter.services.run_results.effect_rows import Effect
from podmeter.services.run_results.figures import is_least
from podmeter.services.run_results.same_limits import SAME_AMOUNT
from podmeter.statistics import Direction, Level, Reason, Verdict, rounds_needed

_Case = tuple[Point, Effect]
_VERDICTS = ("worse", "better", "same", "undecided")
#: By whether higher is better, and the contender is.
_CLEAR_CODES = {
    (True, True): "gives",
    (True, False): "costs",
    (False, True): "lowers",
    (False, False): "raises",
}
#: The same of at least twice as much.
_MULTIPLE_CODES = {True: "gives_times", False: "raises_times"}
_ANSWERS = ("yes", "no", "open")


def sentences(side_pair: SidePair, noise: float, alpha: float) -> list[Sentence]:
    """All that is said of one contender: of each metric that cases are about, and the curves.

    What setting up a mode takes is said apart from a switch that a case measures.
    """
    if side_pair.gate.verdict == "refused":
        return [refused(side_pair.baseline, side_pair.contender, side_pair.gate)]
    found: list[Sentence] = []
    failed = [one for one in side_pair.side_effects if _has_failures(one[1])]
    for of_metric in _by_metric([*side_pair.effects, *failed]):
        found += _of_metric(side_pair, of_metric, noise, alpha)
        found += _budget(side_pair, of_metric)
    if side_pair.like_control:
        found.append(sentence("like_control", **_sides(side_pair), count=side_pair.like_control))
    found += _curves(side_pair)
    if side_pair.gate.verdict == "confounded" and found:
        why = sentence("confounded", **_sides(side_pair), fields=fields(side_pair.gate))
        found.insert(1, why)
    return found


def _budget(side_pair: SidePair, cases: Sequence[_Case]) -> list[Sentence]:
    """In how many cases the contender costs no more than what matters, where somebody asked."""
    asked = [one for one in cases if one[1].judged.text("within_budget")]
    if all(one.verdict in (Verdict.BETTER, Verdict.SAME) for _, one in asked):
        # The verdicts say so.
        return []
    answers = [one.judged.text("within_budget") for _, one in asked]
    effect = asked[0][1]
    return [
        sentence(
            "budget",
            **_sides(side_pair),
            limit=percent(share_of([one.judged for _, one in asked], 0.0)),
            what=terms.what(effect.key.metric, effect.key.subject, {}, set()),
            answers=text("answers", **{name: answers.count(name) for name in _ANSWERS}),
        )
    ]


def _has_failures(effect: Effect) -> bool:
    return effect.key.metric == FAILED_TRIALS.name and effect.verdict in (
        Verdict.BETTER,
        Verdict.WORSE,
    )


def counts(verdicts: Iterable[str]) -> Text:
    """How many have which verdict: 2 worse, 1 not clear."""
    listed = list(verdicts)
    return text("verdicts", **{one: listed.count(one) for one in _VERDICTS})


def _by_metric(effects: Iterable[_Case]) -> list[list[_Case]]:
    found: dict[tuple[str, str, bool], list[_Case]] = {}
    for point, effect in effects:
        metric = effect.key.metric, effect.key.subject, is_set_up(effect)
        found.setdefault(metric, []).append((point, effect))
    return list(found.values())


def _of_metric(
    side_pair: SidePair, cases: Sequence[_Case], noise: float, alpha: float
) -> list[Sentence]:
    """The largest clear effect; where none is clear, what there was to be seen."""
    telling = terms.telling(point for point, _ in cases)
    clear = [one for one in cases if one[1].verdict in (Verdict.BETTER, Verdict.WORSE)]
    if clear:
        first = _told_first(side_pair, clear)
        found = [_clear(side_pair, *first, telling)]
        rest = [effect.verdict for _, effect in cases if effect is not first[1]]
        if rest:
            found.append(sentence("others", count=len(rest), counts=counts(rest)))
        return found
    effect = cases[0][1]
    every = _what(effect, cases, telling)
    if is_set_up(effect) and any(one.verdict != Verdict.SAME for _, one in cases):
        # Nobody asked for it, and no run is advised for its sake.
        return []
    if all(one.verdict == Verdict.SAME for _, one in cases):
        limit = limit_of([one for _, one in cases], noise)
        return [
            sentence("same", **_sides(side_pair), what=every, noise=limit),
            *_small(side_pair, cases, telling, noise),
        ]
    undecided = [one for one in cases if one[1].verdict != Verdict.SAME]
    found = [_unclear(side_pair, undecided, _what(effect, undecided, telling), alpha)]
    if len(undecided) < len(cases):
        rest = [one.verdict for _, one in cases if one.verdict == Verdict.SAME]
        found.append(sentence("others", count=len(rest), counts=counts(rest)))
    return found


def _small(
    side_pair: SidePair, cases: Sequence[_Case], telling: set[str], noise: float
) -> list[Sentence]:
    """The largest effect that is certain and yet too small to matter, beside what matters."""
    small = [
        (one, found)
        for one in cases
        if one[1].reason == Reason.SMALL_EFFECT and (found := _small_change(one[1])) is not None
    ]
    if not small:
        return []
    (point, effect), (code, how_much) = max(small, key=lambda one: size(one[0][1]))
    what = terms.what(effect.key.metric, effect.key.subject, point, telling)
    limit = limit_of([effect], noise)
    return [sentence(code, **_sides(side_pair), what=what, amount=how_much, noise=limit)]


def _small_change(effect: Effect) -> tuple[str, Text] | None:
    """The sentence of a small effect, and how large it is by what it is small against."""
    ratio, shift = effect.ratio, effect.shift
    if effect.judged.number(SAME_AMOUNT) is not None and shift is not None:
        if shift.value > 0:
            return "small_more", difference(shift, effect.unit)
        return "small_less", difference(negative(shift), effect.unit)
    if ratio is None:
        return None
    if ratio.value > 1:
        return "small_more", amount(more(ratio))
    return "small_less", amount(less(ratio))


def _clear(side_pair: SidePair, point: Point, effect: Effect, telling: set[str]) -> Sentence:
    higher = effect.key.direction == Direction.HIGHER
    better = effect.verdict == Verdict.BETTER
    rises = higher is better
    what = terms.what(effect.key.metric, effect.key.subject, point, telling)
    least = is_least(effect.judged)
    if rises and effect.ratio is not None and is_multiple(effect.ratio):
        factor = times(effect.ratio, least=least)
        return sentence(_MULTIPLE_CODES[higher], **_sides(side_pair), factor=factor, what=what)
    if effect.ratio is not None:
        how_much = amount(more(effect.ratio) if rises else less(effect.ratio), least=least)
    elif effect.shift is not None:
        shift = effect.shift if rises else negative(effect.shift)
        how_much = difference(shift, effect.unit, least=least)
    else:
        raise ValueError("a clear verdict has an effect")
    code = _CLEAR_CODES[higher, better]
    return sentence(code, **_sides(side_pair), amount=how_much, what=what)


def _unclear(side_pair: SidePair, cases: Sequence[_Case], what: Text, alpha: float) -> Sentence:
    sides = _sides(side_pair)
    effects = [effect for _, effect in cases]
    rounds, needed = min(one.rounds for one in effects), rounds_needed(alpha)
    if all(one.reason == Reason.NOISE_FLOOR_UNKNOWN for one in effects):
        return sentence("between_runs", **sides, what=what)
    if all(one.reason == Reason.CLIENT_LIMITED for one in effects):
        trials = limited_trials(
            (one.judged for one in effects), (side_pair.baseline, side_pair.contender)
        )
        if trials is None:
            return sentence("client_limited", **sides, what=what)
        return sentence("client_at_limit", **sides, what=what, trials=trials)
    if all(one.reason == Reason.AT_OFFERED_RATE for one in effects):
        return sentence("at_offered_rate", **sides, what=what)
    if all(one.reason == Reason.NO_REPETITIONS for one in effects):
        return sentence("published", **sides, what=what)
    if any(one.judged.text("level") != Level.BLOCK for one in effects) or rounds == 0:
        return sentence("unclear", **sides, what=what)
    if rounds < needed:
        return sentence("few_rounds", **sides, what=what, rounds=rounds, needed=needed)
    if any(map(_is_hidden, effects)):
        return sentence("unclear", **sides, what=what)
    ends = [
        (one.ratio.low, one.ratio.high)
        for one in effects
        if one.ratio is not None and one.ratio.low is not None and one.ratio.high is not None
    ]
    if len(ends) < len(effects):
        return sentence("unclear", **sides, what=what)
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return sentence("between", **sides, what=what, low=bound(low), high=bound(high))


def _is_hidden(effect: Effect) -> bool:
    """Whether more of an effect than its interval has may be hidden by how it was measured."""
    return effect.reason == Reason.AT_OFFERED_RATE or effect.judged.holds(CLIENT_LIMITED)


def _curves(side_pair: SidePair) -> list[Sentence]:
    telling = terms.telling(one.shared for one in side_pair.curves)
    crossings = [
        crossing(one, side_pair.baseline, side_pair.contender, telling) for one in side_pair.curves
    ]
    return [one for one in crossings if one is not None]


def _what(effect: Effect, cases: Sequence[_Case], telling: set[str]) -> Text:
    """The metric, and where, if that is one place."""
    if len(cases) == 1:
        return terms.what(effect.key.metric, effect.key.subject, cases[0][0], telling)
    shared = {
        axis: at
        for axis, at in cases[0][0].items()
        if all(point.get(axis) == at for point, _ in cases)
    }
    found = terms.what(effect.key.metric, effect.key.subject, shared, telling)
    return text("in_cases", what=found.plain, count=len(cases))


def _sides(side_pair: SidePair) -> dict[str, Text]:
    return {"baseline": side_pair.baseline, "contender": side_pair.contender}


def _told_first(side_pair: SidePair, clear: Sequence[_Case]) -> _Case:
    """The largest difference on a path that was asked about; if it is nowhere clear, of all."""
    asked = [one for one in clear if not is_control(one[0], side_pair.control_path)]
    return max(asked or clear, key=lambda one: size(one[1]))


def size(effect: Effect) -> float:
    """How large an effect is, for what is said first."""
    if effect.ratio is not None and effect.ratio.value > 0:
        return abs(log(effect.ratio.value))
    return 0.0

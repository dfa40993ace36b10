"""What a control says of the cases beside it (`podmeter.kinds.controls`)."""

from collections.abc import Iterable, Mapping
from math import inf, log

from podmeter.domain.axes import AxisValue
from podmeter.kinds.controls import is_control
from podmeter.services.comparisons.document import Point
from podmeter.services.run_results.effect_rows import Effect
from podmeter.statistics import Verdict

_Case = tuple[Point, Effect]
_CLEAR = (Verdict.BETTER, Verdict.WORSE)


def judged(cases: Iterable[_Case], controls: Mapping[str, AxisValue]) -> tuple[list[_Case], int]:
    """The cases to tell of, without controls, and how many were left out as their control differs.

    `controls` are by axis the values that a control of the others has.
    Left out is a clear difference that may be no larger than its control's in the same direction.
    Where there are controls alone, they are what was asked for.
    """
    every = list(cases)
    beside = {_key(*one, controls): one[1] for one in every if is_control(one[0], controls)}
    wanted = [one for one in every if not is_control(one[0], controls)]
    if not wanted:
        return every, 0
    kept = [one for one in wanted if not _covers(beside.get(_key(*one, controls)), one[1])]
    return kept, len(wanted) - len(kept)


def _key(
    point: Point, effect: Effect, controls: Mapping[str, AxisValue]
) -> tuple[frozenset[tuple[str, object]], str, str]:
    there = {axis: controls.get(axis, value) for axis, value in point.items()}
    return frozenset(there.items()), effect.key.metric, effect.key.subject


def _covers(control: Effect | None, effect: Effect) -> bool:
    if control is None or effect.verdict not in _CLEAR or control.verdict != effect.verdict:
        return False
    return min(_sizes(effect)) <= max(_sizes(control))


def _sizes(effect: Effect) -> list[float]:
    """How far from none the effect is, at both ends of its interval."""
    ratio, shift = effect.ratio, effect.shift
    if ratio is not None and ratio.value > 0:
        ends = ratio.low or ratio.value, ratio.high or ratio.value
        return [abs(log(end)) if end > 0 else inf for end in ends]
    if shift is None:
        return [0.0]
    return [abs(shift.value if end is None else end) for end in (shift.low, shift.high)]

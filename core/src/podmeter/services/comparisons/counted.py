"""Which main effects have no say in what a comparison comes to.

Their rows say why, as `not_counted`: `set_up` is what setting up a block's modes takes, measured
beside all else; `control` is of a case that nothing which is compared can change; `like_control` is
a clear difference that may be no larger than its control's in the same direction. Headlines,
terminals and files go by it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import inf, log

from podmeter.domain.axes import BLOCK_AXES, AxisValue
from podmeter.kinds import switching
from podmeter.kinds.controls import control_values, is_control
from podmeter.kinds.registry import IMPORTED, measured_kind
from podmeter.services.comparisons.document import Pair, Point
from podmeter.services.run_results.effect_rows import Effect, effects_of, with_parameters
from podmeter.statistics import Verdict

SET_UP, CONTROL, LIKE_CONTROL = "set_up", "control", "like_control"
_CLEAR = (Verdict.BETTER, Verdict.WORSE)
_SET_UP_METRICS = frozenset(metric.name for metric in switching.METRICS)


def sets_up(pair: Pair, kind: str) -> bool:
    """Whether its cases set up a block's modes: all other cases lie on axes of their kind too."""
    return kind != IMPORTED.name and pair.contender.point.keys() <= set(BLOCK_AXES)


def is_set_up(effect: Effect) -> bool:
    """Whether it is what setting up a block's modes takes.

    A kind's own case may measure a switch of modes too, which somebody has asked for.
    """
    return effect.key.metric in _SET_UP_METRICS and effect.key.point.keys() <= set(BLOCK_AXES)


def not_counted(
    cases: Sequence[tuple[Point, Effect]], controls: Mapping[str, AxisValue]
) -> list[str]:
    """For each main effect why it has no say; "" where it has one.

    `controls` are by axis the values that a control of the others has. Where there are controls
    alone, they are what was asked for.
    """
    beside = {_key(*one, controls): one[1] for one in cases if is_control(one[0], controls)}
    found = [_code(*one, controls, beside.get(_key(*one, controls))) for one in cases]
    if any(code in ("", LIKE_CONTROL) for code in found):
        return found
    return ["" if code == CONTROL else code for code in found]


def _code(
    point: Point, effect: Effect, controls: Mapping[str, AxisValue], control: Effect | None
) -> str:
    if is_set_up(effect):
        return SET_UP
    if is_control(point, controls):
        return CONTROL
    return LIKE_CONTROL if _covers(control, effect) else ""


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


def marked(pairs: Sequence[Pair], kinds: Sequence[str], compared: Collection[str]) -> list[Pair]:
    """The pairs with the effects that are not counted marked.

    `kinds` are those of both sides, which differ on the `compared` axes.
    """
    by_pair = [effects_of(pair.effects) for pair in pairs]
    cases = [
        (pair.shared, effect)
        for pair, effects in zip(pairs, by_pair, strict=True)
        for effect in effects
        if effect.main
    ]
    codes = iter(not_counted(cases, control_values(measured_kind(*kinds), compared)))
    return [
        replace(
            pair,
            effects=[
                row
                for effect in effects
                for row in _with_code(effect, next(codes) if effect.main else "").rows
            ],
        )
        for pair, effects in zip(pairs, by_pair, strict=True)
    ]


def _with_code(effect: Effect, code: str) -> Effect:
    return with_parameters(effect, not_counted=code) if code else effect

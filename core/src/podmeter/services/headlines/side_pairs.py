"""What headlines are made of: one contender against the baseline, from whichever document."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from podmeter.domain.axes import AxisValue
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.kinds.controls import control_path, control_values, is_control
from podmeter.results.projected import Key
from podmeter.services.comparisons.counted import LIKE_CONTROL, SET_UP, not_counted
from podmeter.services.comparisons.document import (
    ComparedRun,
    Comparison,
    Contender,
    Gate,
    Point,
)
from podmeter.services.comparisons.effects import is_side_effect
from podmeter.services.headlines import terms
from podmeter.services.headlines.run_losses import dated, numbered
from podmeter.services.headlines.text import Text, joined
from podmeter.services.run_results.curve_rows import CurvePair, pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.environments import asked_by_pods
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.evidence import GateEvidence, RowEvidence


@dataclass
class SidePair:
    """Both names, the axes that they differ on, whether they may be compared, and the findings."""

    baseline: Text
    contender: Text
    axes: tuple[str, ...]
    gate: Gate
    effects: list[tuple[Point, Effect]] = field(default_factory=list)
    #: What else clearly changed, and failed trials where the sides may differ in them.
    side_effects: list[tuple[Point, Effect]] = field(default_factory=list)
    curves: list[CurvePair] = field(default_factory=list)
    #: How many cases are not in `effects`, as they differ no more than their control does.
    like_control: int = 0
    #: The path of controls (`kinds.controls.control_path`): the headline prefers what is on others.
    control_path: dict[str, AxisValue] = field(default_factory=dict)


def of_comparison(comparison: Comparison) -> list[SidePair]:
    """One for each contender, in their order."""
    made = [
        SidePair(
            *_names(comparison.baseline, one, place),
            axes=tuple(one.compared_axes),
            gate=one.gate,
            effects=[
                (pair.shared, effect)
                for pair in one.pairs
                for effect in effects_of(pair.effects)
                if effect.main and pair.comparability != "refused"
            ],
            side_effects=[
                (pair.shared, effect)
                for pair in one.pairs
                for effect in effects_of(pair.effects)
                if is_side_effect(effect) and pair.comparability != "refused"
            ],
            curves=pairs(one.curves),
        )
        for place, one in enumerate(comparison.contenders)
    ]
    return _without_controls(made, comparison.kind)


def of_report(report: RunReport) -> list[SidePair]:
    """One for each further value of a mode's axis, as the run's findings have them."""
    pairs_by_modes: dict[tuple[str, str, str], SidePair] = {}
    for one in report.findings:
        match one.evidence:
            case RowEvidence(rows=rows):
                for effect in effects_of(rows):
                    side_pair = _side_pair(pairs_by_modes, *_modes_of(effect.key))
                    if effect.judged.text("comparability") == "confounded":
                        side_pair.gate = Gate("confounded", [])
                    cases = side_pair.effects if effect.main else side_pair.side_effects
                    cases.append((one.point, effect))
                for curves in pairs(rows):
                    _side_pair(pairs_by_modes, *_modes_of(curves.key)).curves.append(curves)
            case GateEvidence(gate=gate):
                for axis, value in one.point.items():
                    first = report.axes.get(axis, [value])[0]
                    names = terms.value(axis, first), terms.value(axis, value)
                    pairs_by_modes[(axis, str(first), str(value))] = SidePair(
                        *names, axes=(axis,), gate=gate
                    )
    return _without_controls(pairs_by_modes.values(), report.run.kind)


def but_of_services(of_modes: Iterable[SidePair]) -> list[SidePair]:
    """Those between kube-proxy's modes without the cases in which pods ask Services."""
    return [
        replace(
            one,
            effects=[case for case in one.effects if not asked_by_pods(case[0])],
            side_effects=[case for case in one.side_effects if not asked_by_pods(case[0])],
        )
        if KUBE_PROXY_MODE in one.axes
        else one
        for one in of_modes
    ]


def _without_controls(made: Iterable[SidePair], kind: str) -> list[SidePair]:
    found = list(made)
    for one in found:
        values = control_values(kind, one.axes)
        one.control_path = control_path(kind, one.axes)
        codes = not_counted(one.effects, values)
        one.like_control = codes.count(LIKE_CONTROL)
        told = zip(one.effects, codes, strict=True)
        one.effects = [case for case, code in told if code in ("", SET_UP)]
        wanted = [case for case in one.side_effects if not is_control(case[0], values)]
        one.side_effects = wanted if one.effects else one.side_effects
    return found


def _side_pair(
    found: dict[tuple[str, str, str], SidePair],
    axis: str,
    baseline: str,
    contender: str,
) -> SidePair:
    values = baseline, contender
    names = terms.value(axis, values[0]), terms.value(axis, values[1])
    made = SidePair(*names, axes=(axis,), gate=Gate("comparable", []))
    return found.setdefault((axis, *values), made)


def _modes_of(key: Key) -> tuple[str, str, str]:
    """The modes' axis, and both values on it: there alone two cases, or curves, of a run differ."""
    against = key.against or {}
    modes = (
        (axis, str(against[axis]), str(at))
        for axis, at in key.point.items()
        if axis in against and against[axis] != at
    )
    # What was kept before findings named the modes has none.
    return next(modes, ("", "", ""))


def _names(baseline: ComparedRun, one: Contender, place: int) -> tuple[Text, Text]:
    """The sides by the values they are compared on; by their runs where those do not tell.

    Runs that are called alike are distinguished by when they were made, and by `place`, from 0
    among the contenders, where that was in one minute.

    What was published is always called so, by its title.
    """
    if baseline.reference_id is not None:
        return terms.side(baseline), _run_and_part(one.side)
    pair = one.pairs[0] if one.pairs else None
    points = [baseline.where, one.side.where]
    if pair is not None:
        points = [pair.baseline.point, pair.contender.point]
    axes = [axis for axis in one.compared_axes if all(axis in point for point in points)]
    sides = [_values(point, axes) for point in points]
    runs = baseline, one.side
    for names in (
        sides,
        [Text(", ".join(run.clusters)) for run in runs],
        [terms.side(run) for run in runs],
    ):
        first, other = map(str, names)
        if first and other and first != other:
            return names[0], names[1]
    moments = [dated(terms.side(run), run) for run in runs]
    if str(moments[0]) != str(moments[1]):
        return moments[0], moments[1]
    return numbered(terms.side(baseline), 1), numbered(terms.side(one.side), place + 2)


def _run_and_part(side: ComparedRun) -> Text:
    part = _values(side.where, sorted(side.where))
    return joined([terms.run(side), part]) if side.where else terms.run(side)


def _values(point: Point, axes: Iterable[str]) -> Text:
    return joined((terms.value(axis, point[axis]) for axis in axes), "plus")

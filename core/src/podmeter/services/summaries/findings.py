"""What a run found by itself: losses by path, shapes of curves, what its modes change."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from podmeter.domain.comparability import Comparability
from podmeter.services.comparisons.curves import shape_of
from podmeter.services.comparisons.document import CurvePair, Effect, Pair
from podmeter.services.comparisons.effects import is_side_effect
from podmeter.services.comparisons.modes import mode_pairs
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.measured import words
from podmeter.services.measured.environments import ReadFingerprints
from podmeter.services.measured.ladder import LadderCurve, curves, ladder_axis
from podmeter.services.measured.loss import Loss
from podmeter.services.measured.packets import Ways
from podmeter.services.measured.runs import MeasuredRun
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import (
    CurveEvidence,
    CurvesEvidence,
    EffectEvidence,
    GateEvidence,
    LossEvidence,
)
from podmeter.services.summaries.links import link_findings
from podmeter.services.summaries.mtus import Compared, mtu_findings
from podmeter.statistics import trend

#: The code of a loss by its verdict.
_LOSS_CODES = {"worse": "loss", "better": "gain", "same": "loss_same"}
_LOSS_VERBS = {
    "worse": "loses against",
    "better": "gains on",
    "same": "is the same as",
    "inconclusive": "shows no clear difference from",
}


def findings(
    measured: MeasuredRun,
    losses: list[Loss],
    read_fingerprints: ReadFingerprints,
    ways: Ways | None = None,
) -> list[Finding]:
    """Everything the run found, the largest statements first: modes, MTUs, links, curves, losses.

    Without `ways` nothing is known of the size of packets.
    """
    modes = list(_modes(measured, read_fingerprints))
    return [
        *[found for one in modes for found in _of_contender(one)],
        *mtu_findings(measured, modes, ways or {}, read_fingerprints),
        *link_findings(measured, NOISE, ALPHA),
        *[_curve(one) for one in curves(measured, measured.cases) if len(one.curve.xs) > 1],
        *[
            _loss(one)
            for one in losses
            # What each rung of a ladder loses is said of the curve.
            if (one.loss is not None or one.n_baseline) and ladder_axis(measured) not in one.point
        ],
    ]


def _loss(one: Loss) -> Finding:
    found = one.loss
    where = ", ".join(words.value(axis, one.point[axis]) for axis in words.in_order(one.point))
    against = ", ".join(
        str(value) for axis, value in one.baseline_point.items() if one.point.get(axis) != value
    )
    evidence = LossEvidence(
        kind="loss",
        loss=found,
        n=one.n,
        n_baseline=one.n_baseline,
        why=[note.code for note in one.warnings],
        verdict=one.verdict,
        reason=one.reason,
    )
    if found is None:
        why = "; ".join(note.message for note in one.warnings)
        text = f"{where} has no loss of {one.source} against {against}: {why}"
        return Finding("loss_unknown", one.metric, one.point, text, evidence)
    verdict = one.verdict or "inconclusive"
    verb = _LOSS_VERBS[verdict]
    if found.low is None or found.high is None:
        verb = "has too few trials to tell its loss against"
    text = f"{where} {verb} {against}: loss {words.share(found)} of {one.source}"
    code = _LOSS_CODES.get(verdict, "loss_inconclusive")
    return Finding(code, one.metric, one.point, text, evidence)


def _curve(one: LadderCurve) -> Finding:
    found = trend(one.curve, control=one.control, alpha=ALPHA)
    shape, point = shape_of(found), dict(sorted(one.rest))
    xs = [x for x in one.curve.xs if x in (found.first_x, *(rung for rung, _ in found.rungs))]
    change = f"{words.change(shape.change)}{words.against(shape.controlled)}"
    p = words.p_value(shape.p)
    text = (
        f"{words.metric(one.metric.name, one.subject)} {words.SHAPES[shape.shape]} from "
        f"{xs[0]:g} to {xs[-1]:g} {one.axis} ({words.point(point)}): {change}, {p}"
    )
    evidence = CurveEvidence(
        kind="curve", axis=one.axis, subject=one.subject, xs=xs, **_fields(shape)
    )
    return Finding(f"curve_{shape.shape}", one.metric.name, point, text, evidence)


def _modes(measured: MeasuredRun, read_fingerprints: ReadFingerprints) -> Iterator[Compared]:
    """Each further value of a mode's axis against the first one of the spec."""
    for one in mode_pairs(measured, read_fingerprints, noise=NOISE, alpha=ALPHA):
        yield Compared(one.axis, str(one.baseline), str(one.value), one.contender)


def _of_contender(one: Compared) -> list[Finding]:
    """What the further value does."""
    axis, first, other = one.axis, one.baseline_value, one.contender_value
    contender = one.contender
    if contender.gate.verdict == Comparability.REFUSED:
        differ = [one.field for one in contender.gate.differences if one.axis is None]
        text = f"{other} cannot be compared with {first}: {', '.join(differ)} differ"
        evidence = GateEvidence(kind="gate", gate=contender.gate)
        return [Finding("not_comparable", "", {axis: other}, text, evidence)]
    found = [
        _effect(pair, effect, axis, first, other)
        for pair in contender.pairs
        for effect in pair.effects
        if effect.main or is_side_effect(effect)
    ]
    return [*found, *[_difference(one, first, other) for one in contender.curves]]


def _effect(pair: Pair, effect: Effect, axis: str, first: str, other: str) -> Finding:
    counts = f"n = {effect.baseline.n} and {effect.contender.n}"
    change = words.change(effect.ratio)
    if effect.ratio is None:
        change = words.quantity(effect.shift, effect.unit)
    where = f"in {words.metric(effect.metric, effect.subject)} ({words.point(pair.shared)})"
    p = words.tested(effect.p, effect.adjusted_p, effect.looked_at)
    figures = f"{change}, {p}, {counts}"
    text = f"{_said(effect, first, other)} {where}: {figures}"
    evidence = EffectEvidence(
        kind="effect",
        axis=axis,
        baseline_value=first,
        contender_value=other,
        comparability=pair.comparability,
        **_fields(effect),
    )
    return Finding(f"mode_{effect.verdict}", effect.metric, pair.shared, text, evidence)


def _said(effect: Effect, first: str, other: str) -> str:
    if effect.verdict in ("better", "worse"):
        return f"{other} is {effect.verdict} than {first}"
    if effect.verdict == "same":
        return f"{other} is the same as {first}"
    return f"{other} against {first} is inconclusive ({words.REASONS[effect.reason]})"


def _difference(one: CurvePair, first: str, other: str) -> Finding:
    """Which mode keeps more of its first value as the ladder climbs, and where they cross."""
    where = f"{words.metric(one.metric, one.subject)} ({words.point(one.shared)})"
    if one.crossing is not None:
        leads = other if one.crossing.contender_leads_after else first
        between = f"{one.crossing.last_before:g} and {one.crossing.first_after:g} {one.axis}"
        code, text = "crossover", f"{leads} takes the lead in {where} between {between}"
    elif one.degrades_more is not None:
        loser, keeper = (first, other) if one.degrades_more == "baseline" else (other, first)
        code = "degrades_more"
        text = (
            f"{loser} degrades more than {keeper} in {where} from {one.xs[0]:g} to "
            f"{one.xs[-1]:g} {one.axis}"
        )
    else:
        code, text = "no_crossover", f"{first} and {other} change alike, or unclearly, in {where}"
    evidence = CurvesEvidence(
        kind="curves", baseline_value=first, contender_value=other, **_fields(one)
    )
    return Finding(code, one.metric, one.shared, text, evidence)


def _fields(document: Any) -> dict[str, Any]:
    return {field.name: getattr(document, field.name) for field in fields(document)}

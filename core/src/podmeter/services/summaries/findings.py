"""What a run found by itself: losses by path, shapes of curves, what its modes change."""

from collections.abc import Iterator
from dataclasses import replace

from podmeter.domain.comparability import Comparability
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import Pair
from podmeter.services.comparisons.effects import is_side_effect
from podmeter.services.comparisons.modes import mode_pairs
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.run_results.curve_rows import CurvePair, of_curve, pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.ladder import LadderCurve, curves, ladder_axis
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.packets import Ways
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import GateEvidence, RowEvidence
from podmeter.services.summaries.links import link_findings
from podmeter.services.summaries.mtus import Compared, mtu_findings
from podmeter.statistics import trend

#: The code of a loss by its verdict.
_LOSS_CODES = {"worse": "loss", "better": "gain", "same": "loss_same"}


def findings(
    measured: MeasuredRun,
    losses: list[Projected],
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
            for one in shares(losses)
            # What each rung of a ladder loses is said of the curve.
            if (one.value is not None or one.number("n_against"))
            and ladder_axis(measured) not in one.key.point
        ],
    ]


def _loss(one: Projected) -> Finding:
    code = "loss_unknown"
    if one.value is not None:
        code = _LOSS_CODES.get(one.verdict or "", "loss_undecided")
    return Finding(code, one.key.metric, one.key.point, RowEvidence(kind="rows", rows=[one]))


def _curve(one: LadderCurve) -> Finding:
    found = trend(one.curve, control=one.control, alpha=ALPHA)
    xs = [x for x in one.curve.xs if x in (found.first_x, *(rung for rung, _ in found.rungs))]
    rows = of_curve(one, found, xs)
    key, code = rows[0].key, f"curve_{found.shape.value}"
    return Finding(code, key.metric, key.point, RowEvidence(kind="rows", rows=rows))


def _modes(measured: MeasuredRun, read_fingerprints: ReadFingerprints) -> Iterator[Compared]:
    """Each further value of a mode's axis against the first one of the spec."""
    for one in mode_pairs(measured, read_fingerprints, noise=NOISE, alpha=ALPHA):
        yield Compared(one.axis, str(one.baseline), str(one.value), one.contender)


def _of_contender(one: Compared) -> list[Finding]:
    """What the further value does."""
    axis, first, other = one.axis, one.baseline_value, one.contender_value
    contender = one.contender
    if contender.gate.verdict == Comparability.REFUSED:
        gate = GateEvidence("gate", contender.gate, first, other)
        return [Finding("not_comparable", "", {axis: other}, gate)]
    found = [
        _effect(pair, effect)
        for pair in contender.pairs
        for effect in effects_of(pair.effects)
        if effect.main or is_side_effect(effect)
    ]
    return [*found, *map(_difference, pairs(contender.curves))]


def _effect(pair: Pair, effect: Effect) -> Finding:
    told = effect.judged.parameters | {"comparability": pair.comparability}
    rows = [replace(effect.judged, parameters=told), *effect.rows[1:]]
    evidence = RowEvidence(kind="rows", rows=rows)
    return Finding(f"mode_{effect.verdict}", effect.key.metric, pair.shared, evidence)


def _difference(one: CurvePair) -> Finding:
    """Which mode keeps more of its first value as the ladder climbs, and where they cross."""
    code = "no_crossover"
    if one.crossing is not None:
        code = "crossover"
    elif one.degrades_more:
        code = "degrades_more"
    return Finding(code, one.key.metric, one.shared, RowEvidence(kind="rows", rows=one.rows))

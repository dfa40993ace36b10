"""What a run found by itself: losses by path, shapes of curves, what its modes change."""

from collections.abc import Iterable, Iterator

from podmeter.domain.comparability import Comparability
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import Pair
from podmeter.services.comparisons.effects import is_side_effect
from podmeter.services.comparisons.modes import mode_pairs
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.run_results.curve_rows import CurvePair, of_curve, pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of, with_parameters
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.ladder import LadderCurve, curves, ladder_axis
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.packets import Routes
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import GateEvidence, RowEvidence
from podmeter.services.summaries.links import link_findings
from podmeter.services.summaries.mtus import Compared, mtu_findings
from podmeter.services.summaries.pair_effects import pair_effects
from podmeter.statistics import trend

#: The code of a loss by its verdict.
_LOSS_CODES = {"worse": "loss", "better": "gain", "same": "loss_same"}


def findings(
    measured: MeasuredRun,
    losses: list[Projected],
    read_fingerprints: ReadFingerprints,
    routes: Routes | None = None,
) -> list[Finding]:
    """Everything the run found, the largest statements first: modes, MTUs, links, curves, losses.

    Without `routes` nothing is known of the size of packets.
    """
    compared = list(_modes(measured, read_fingerprints))
    return [
        *[finding for modes in compared for finding in _of_contender(modes)],
        *mtu_findings(measured, compared, routes or {}, read_fingerprints),
        *link_findings(measured, NOISE, ALPHA),
        *pair_effects(_main_effects(compared), NOISE, ALPHA),
        *[
            _curve(ladder_curve)
            for ladder_curve in curves(measured, measured.cases)
            if len(ladder_curve.curve.xs) > 1
        ],
        *[
            _loss(row)
            for row in shares(losses)
            # What each rung of a ladder loses is said of the curve.
            if (row.value is not None or row.number("n_against"))
            and ladder_axis(measured) not in row.key.point
        ],
    ]


def _main_effects(compared: Iterable[Compared]) -> Iterator[Effect]:
    for modes in compared:
        if modes.contender.gate.verdict != Comparability.REFUSED:
            for pair in modes.contender.pairs:
                yield from effects_of(pair.effects)


def _loss(row: Projected) -> Finding:
    code = "loss_unknown"
    if row.value is not None:
        code = _LOSS_CODES.get(row.verdict or "", "loss_undecided")
    return Finding(code, row.key.metric, row.key.point, RowEvidence(kind="rows", rows=[row]))


def _curve(ladder_curve: LadderCurve) -> Finding:
    curve = ladder_curve.curve
    found = trend(curve, control=ladder_curve.control, alpha=ALPHA)
    xs = [x for x in curve.xs if x in (found.first_x, *(rung for rung, _ in found.rungs))]
    judged = ladder_curve.client_limits(xs).judged_trend(found)
    rows = of_curve(ladder_curve, judged, xs)
    key, code = rows[0].key, f"curve_{judged.shape.value}"
    return Finding(code, key.metric, key.point, RowEvidence(kind="rows", rows=rows))


def _modes(measured: MeasuredRun, read_fingerprints: ReadFingerprints) -> Iterator[Compared]:
    """Each further value of a mode's axis against the first one of the spec."""
    for pair in mode_pairs(measured, read_fingerprints, noise=NOISE, alpha=ALPHA):
        yield Compared(pair.axis, str(pair.baseline), str(pair.value), pair.contender)


def _of_contender(modes: Compared) -> list[Finding]:
    """What the further value does."""
    baseline, value, contender = modes.baseline_value, modes.contender_value, modes.contender
    if contender.gate.verdict == Comparability.REFUSED:
        gate = GateEvidence("gate", contender.gate, baseline, value)
        return [Finding("not_comparable", "", {modes.axis: value}, gate)]
    effects = [
        _effect(pair, effect)
        for pair in contender.pairs
        for effect in effects_of(pair.effects)
        if effect.main or is_side_effect(effect)
    ]
    return [*effects, *map(_difference, pairs(contender.curves))]


def _effect(pair: Pair, effect: Effect) -> Finding:
    rows = with_parameters(effect, comparability=pair.comparability).rows
    evidence = RowEvidence(kind="rows", rows=rows)
    return Finding(f"mode_{effect.verdict}", effect.key.metric, pair.shared, evidence)


def _difference(pair: CurvePair) -> Finding:
    """Which mode keeps more of its first value as the ladder climbs, and where they cross."""
    code = "no_crossover"
    if pair.crossing is not None:
        code = "crossover"
    elif pair.degrades_more:
        code = "degrades_more"
    return Finding(code, pair.key.metric, pair.shared, RowEvidence(kind="rows", rows=pair.rows))

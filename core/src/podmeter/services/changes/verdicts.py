"""The verdicts that a run reached by itself, and which of them another run turned."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from podmeter.domain.axes import AxisValue
from podmeter.domain.comparability import Comparability
from podmeter.services.changes.document import TurnedVerdict, Turns
from podmeter.services.comparisons.gate import parameter_differences
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.kept import Kept
from podmeter.services.measured.environments import ReadFingerprints
from podmeter.services.measured.runs import MeasuredRun
from podmeter.services.summaries.evidence import EffectEvidence
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses
from podmeter.statistics import METHOD_VERSION, Verdict

_Spot = frozenset[tuple[str, AxisValue]]


@dataclass(frozen=True)
class _Judged:
    """What was judged against what."""

    of: Literal["loss", "effect"]
    metric: str
    subject: str
    point: _Spot
    baseline: _Spot


_Verdicts = Mapping[_Judged, Verdict]
#: A finished run's never change while it is at the same event.
_KEPT: Kept[tuple[uuid.UUID, int, int], _Verdicts] = Kept(400)


def turns(since: MeasuredRun, run: MeasuredRun, read_fingerprints: ReadFingerprints) -> Turns:
    """Which verdicts of the earlier run the later one turned.

    A verdict turned where both runs decided it, otherwise, of the same cases: measured by the same
    parameters on the same real cluster.
    """
    if parameter_differences(since, run):
        return Turns([], 0, 0)
    same = _same_cases(since, run)
    before, after = (_verdicts(one, read_fingerprints) for one in (since, run))
    both = [key for key in before if key in after and {key.point, key.baseline} <= same]
    undecided = [key for key in both if Verdict.INCONCLUSIVE in (before[key], after[key])]
    turned = [
        TurnedVerdict(
            key.of,
            key.metric,
            key.subject,
            dict(sorted(key.point)),
            dict(sorted(key.baseline)),
            before[key].value,
            after[key].value,
        )
        for key in both
        if key not in undecided and before[key] is not after[key]
    ]
    return Turns(turned, len(both), len(undecided))


def _same_cases(since: MeasuredRun, run: MeasuredRun) -> set[_Spot]:
    """The points that both runs have a case of, on the same real cluster."""
    clusters = {frozenset(case.point.items()): case.cluster_uid for case in since.cases}
    return {
        spot
        for case in run.cases
        if case.cluster_uid is not None
        and clusters.get(spot := frozenset(case.point.items())) == case.cluster_uid
    }


def _verdicts(run: MeasuredRun, read_fingerprints: ReadFingerprints) -> _Verdicts:
    key = (run.run.id, run.run.last_event, METHOD_VERSION)
    return _KEPT.get(key) or _KEPT.put(key, _judge(run, read_fingerprints))


def _judge(run: MeasuredRun, read_fingerprints: ReadFingerprints) -> _Verdicts:
    """Every verdict on what the run's cases are about, where its two sides may be compared."""
    lost = losses(run, NOISE, ALPHA)
    found = {
        _Judged(
            "loss",
            one.metric,
            one.subject,
            frozenset(one.point.items()),
            frozenset(one.baseline_point.items()),
        ): Verdict(one.verdict)
        for one in lost
        if one.verdict is not None
    }
    values = {axis.name: {str(value): value for value in axis.values} for axis in run.spec.axes}
    for one in findings(run, lost, read_fingerprints):
        effect = one.evidence
        if not isinstance(effect, EffectEvidence):
            continue
        if effect.comparability != Comparability.COMPARABLE:
            continue
        sides = [
            frozenset({**one.point, effect.axis: values[effect.axis][value]}.items())
            for value in (effect.contender_value, effect.baseline_value)
        ]
        judged = _Judged("effect", one.metric, effect.subject, *sides)
        found[judged] = Verdict(effect.verdict)
    return found

"""The verdicts that a run reached by itself, and which of them another run turned."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from podmeter.domain.axes import AxisValue
from podmeter.domain.comparability import Comparability
from podmeter.results.projected import Projected
from podmeter.services.changes.document import VerdictChanges
from podmeter.services.comparisons.gate import parameter_differences
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.lru_cache import LruCache
from podmeter.services.run_results.effect_rows import alone, effects_of
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses
from podmeter.statistics import METHOD_VERSION, Verdict

_Spot = frozenset[tuple[str, AxisValue]]


#: What was judged: as a loss or an effect, of which metric and subject, where and against what.
_Judged = tuple[str, str, str, _Spot, _Spot]
_Verdicts = Mapping[_Judged, Projected]
#: A finished run's never change while it is at the same event.
_KEPT: LruCache[tuple[uuid.UUID, int, int], _Verdicts] = LruCache(400)


def turns(
    since: MeasuredRun, run: MeasuredRun, read_fingerprints: ReadFingerprints
) -> VerdictChanges:
    """Which verdicts of the earlier run the later one turned.

    A verdict turned where both runs decided it, otherwise, of the same cases: measured by the same
    parameters on the same real cluster.
    """
    if parameter_differences(since, run):
        return VerdictChanges([], 0, 0)
    same = _same_cases(since, run)
    before, after = (_verdicts(one, read_fingerprints) for one in (since, run))
    both = [key for key in before if key in after and {*key[-2:]} <= same]
    undecided = [
        key for key in both if Verdict.UNDECIDED in (before[key].verdict, after[key].verdict)
    ]
    turned = [
        replace(after[key], parameters={"before": before[key].verdict})
        for key in both
        if key not in undecided and before[key].verdict != after[key].verdict
    ]
    return VerdictChanges(turned, len(both), len(undecided))


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
    rows = [one for one in shares(lost) if one.verdict is not None]
    for one in findings(run, lost, read_fingerprints):
        if not isinstance(one.evidence, RowEvidence):
            continue
        for effect in effects_of(one.evidence.rows):
            if effect.judged.text("comparability") == Comparability.COMPARABLE:
                row = alone(effect, effect.key.point, effect.key.against)
                rows.append(replace(row, code="effect"))
    return {_judged(one): one for one in rows}


def _judged(one: Projected) -> _Judged:
    point, against = (frozenset((at or {}).items()) for at in (one.key.point, one.key.against))
    return one.code, one.key.metric, one.key.subject, point, against

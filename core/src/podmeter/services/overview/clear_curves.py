"""Which of a run's curves say most, as small charts draw them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from podmeter.domain.axes import BLOCK_AXES, AxisValue
from podmeter.results.projected import Key, Projected
from podmeter.services.overview.document import ClearCurves
from podmeter.services.run_results.curve_rows import CHANGE, pairs
from podmeter.services.run_results.effect_rows import CENTRE
from podmeter.services.run_results.figures import figure, projected_figure
from podmeter.services.run_results.ladder import LadderCurve, curves
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.statistics import summarize

#: Charts of a run, each of another metric; the run itself has the others.
_MOST_CHARTS = 2
#: What a chart is of: metric, subject, and its point besides modes and ladder.
_Key = tuple[str, str, frozenset[tuple[str, AxisValue]]]


def clear_curves(measured: MeasuredRun, findings: Iterable[Finding]) -> list[ClearCurves]:
    """One chart of each metric: where modes cross, else where one gets worse faster, else where
    anything rises or falls. What shows none of it is not drawn.
    """
    told: dict[_Key, tuple[int, Projected | None]] = {}
    centres: list[Projected] = []
    for one in findings:
        if not isinstance(one.evidence, RowEvidence):
            continue
        centres += [row for row in one.evidence.rows if row.code == CENTRE]
        rank, crossing = _tells(one.evidence.rows)
        if rank is None:
            continue
        key = _key(one.metric, one.evidence.rows[0].key.subject, one.point)
        if key not in told or rank < told[key][0]:
            told[key] = rank, crossing
    charts: dict[_Key, list[LadderCurve]] = {}
    for curve in curves(measured, measured.cases):
        key = _key(curve.metric.name, curve.subject, dict(curve.rest))
        if key in told and len(curve.curve.xs) > 1:
            charts.setdefault(key, []).append(curve)
    found: dict[str, ClearCurves] = {}
    for key in sorted(charts, key=lambda one: told[one][0]):
        found.setdefault(key[0], _chart(charts[key], told[key][1], centres))
    return list(found.values())[:_MOST_CHARTS]


def _tells(rows: Sequence[Projected]) -> tuple[int | None, Projected | None]:
    """How much rows say of a curve, the most being 0, and where it crosses; None for nothing."""
    for pair in pairs(rows):
        if pair.crossing is not None:
            return 0, pair.crossing
        return (1 if pair.degrades_more else None), None
    change = next((one for one in rows if one.code == CHANGE), None)
    clear = change is not None and change.text("shape") in ("rises", "falls")
    return (2 if clear else None), None


def _key(metric: str, subject: str, point: Mapping[str, AxisValue]) -> _Key:
    return metric, subject, frozenset(at for at in point.items() if at[0] not in BLOCK_AXES)


def _chart(
    members: list[LadderCurve], crossing: Projected | None, centres: Sequence[Projected]
) -> ClearCurves:
    rows = [row for one in members for row in _rows(one)]
    return ClearCurves(members[0].axis, _centred(rows, centres) or rows, crossing)


def _centred(medians: Sequence[Projected], centres: Sequence[Projected]) -> list[Projected]:
    """The centres of the same cases, which the run's own page draws; [] where one has none, or
    several that differ.
    """
    found: list[Projected] = []
    for median in medians:
        own = [one for one in centres if _is_of(one.key, median.key)]
        if len({one.value for one in own}) != 1:
            return []
        found.append(replace(own[0], key=median.key, parameters={}))
    return found


def _is_of(centre: Key, median: Key) -> bool:
    same = (centre.metric, centre.subject) == (median.metric, median.subject)
    return same and median.point.items() <= centre.point.items()


def _rows(one: LadderCurve) -> Iterator[Projected]:
    metric = one.metric
    of_metric = metric.name, one.subject, metric.unit.value, metric.direction.value
    for x, sample in one.curve.points:
        key = Key(*of_metric, {**dict(sorted(one.rest)), one.axis: int(x)})
        median = figure(summarize(sample, least=0.0).median)
        yield projected_figure(key, median, sample.n, None, "median")

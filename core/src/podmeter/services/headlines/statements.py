"""The statements on one finding each, which headlines and a run's findings share."""

from collections.abc import Collection, Sequence

from pydantic import JsonValue

from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import Gate, Point
from podmeter.services.comparisons.gate import UNKNOWN_FIELD
from podmeter.services.headlines import terms
from podmeter.services.headlines.amounts import (
    amount,
    is_multiple,
    less,
    more,
    negative,
    percent,
    times,
)
from podmeter.services.headlines.document import Sentence, sentence
from podmeter.services.headlines.text import Text, text
from podmeter.services.run_results.curve_rows import CurvePair
from podmeter.services.run_results.figures import Figure, figure_of, is_least
from podmeter.services.run_results.link_rows import LINK, Links
from podmeter.services.summaries.evidence import PathMtuEvidence, PodMtuEvidence
from podmeter.statistics import Direction, Verdict

#: So many cases are named.
MOST_CASES = 3
RISES_AND_FALLS = ("falls", "rises")


def refused(baseline: Text, contender: Text, gate: Gate) -> Sentence:
    """Why two sides cannot be compared."""
    return sentence("refused", baseline=baseline, contender=contender, fields=fields(gate))


def fields(gate: Gate) -> Text:
    """The fields of the fingerprint that differ and follow from no axis."""
    names = dict.fromkeys(one.field for one in gate.differences if one.axis is None)
    return text("fields", fields=[one for one in names if list(names) != [UNKNOWN_FIELD]])


def crossing(
    pair: CurvePair, baseline: Text, contender: Text, telling: Collection[str]
) -> Sentence | None:
    """Which of two curves takes the lead, or gets worse faster; None where neither is sure."""
    names = {"baseline": baseline, "contender": contender}
    what = terms.what(pair.key.metric, pair.key.subject, pair.shared, telling)
    axis = terms.axis(pair.axis)
    if pair.crossing is not None:
        after = "contender" if pair.crossing.holds("contender_leads_after") else "baseline"
        return sentence(
            "overtakes",
            leader=names[after],
            other=names[_other(after)],
            what=what,
            axis=axis,
            first=whole(pair.crossing.low or 0.0),
            last=whole(pair.crossing.high or 0.0),
        )
    if pair.degrades_more:
        return sentence(
            "degrades",
            loser=names[pair.degrades_more],
            keeper=names[_other(pair.degrades_more)],
            what=what,
            axis=axis,
            first=whole(pair.xs[0]),
            last=whole(pair.xs[-1]),
        )
    return None


def course(row: Projected, telling: Collection[str]) -> Sentence:
    """How a curve runs over its ladder."""
    key, xs, change = row.key, row.numbers("xs"), figure_of(row)
    parameters: dict[str, Text | str | float] = {
        "what": terms.what(key.metric, key.subject, key.point, telling),
        "axis": terms.axis(row.text("axis")),
        "first": xs[0],
        "last": xs[-1],
        "control": text("controlled") if row.holds("controlled") else "",
    }
    shape = row.text("shape")
    if shape not in RISES_AND_FALLS:
        return sentence(_LEVEL_COURSES[shape], **parameters)
    if change is None:
        return sentence(shape, amount=_UNKNOWN, **parameters)
    if is_multiple(change):
        return sentence("rises_to", factor=times(change), **parameters)
    return sentence(
        shape, amount=amount((less if shape == "falls" else more)(change)), **parameters
    )


def loss(row: Projected, telling: Collection[str], run: Text | None = None) -> Sentence:
    """What a path loses or gains against another one of its run. Only for a clear verdict."""
    about = loss_of(row, telling, run)
    figure = figure_of(row)
    if figure is None:
        raise ValueError("a clear loss has a figure")
    factor, least = factor_of(row, figure), is_least(row)
    if is_multiple(factor):
        return sentence("has_times", factor=times(factor, least=least), **about)
    if row.verdict == Verdict.BETTER:
        code, figure = "gains" if is_rate(row) else "spares", negative(figure)
    else:
        code = "loses" if is_rate(row) else "adds"
    return sentence(code, amount=amount(figure, least=least), **about)


def loss_of(row: Projected, telling: Collection[str], run: Text | None = None) -> dict[str, Text]:
    """Of which path and metric a loss is, and against what; of several runs, of which `run`."""
    return {
        "path": path_of(row, telling, run),
        "metric": source_of(row),
        "against": against_of(row),
    }


def factor_of(row: Projected, share: Figure) -> Figure:
    """A loss as a ratio to what it is set against: a rate that loses 0.74 is 0.26 of it."""
    return less(share if is_rate(row) else negative(share))


def is_rate(row: Projected) -> bool:
    """Whether less of the source is lost; else more of it, such as time, is added."""
    return row.text("source_direction") == Direction.HIGHER


def source_of(row: Projected) -> Text:
    """The metric that a loss is of."""
    return terms.metric(row.text("source"), row.key.subject)


def path_of(row: Projected, telling: Collection[str], run: Text | None = None) -> Text:
    """The case by the value it has instead of the baseline's, and what tells it from others."""
    within: dict[str, JsonValue] = {} if run is None else {"run": run.plain}
    here, there = row.key.point, row.key.against or {}
    along: dict[str, JsonValue] = {axis: at for axis, at in here.items() if there.get(axis) != at}
    besides: dict[str, JsonValue] = {
        axis: at for axis, at in here.items() if axis in telling and axis not in along
    }
    return text("path", along=along, besides=besides, **within)


def against_of(row: Projected) -> Text:
    """What it is set against, by the values that it has there instead."""
    against = row.key.against or {}
    return terms.point({axis: at for axis, at in against.items() if row.key.point.get(axis) != at})


def slow_links(links: Links, where: Point, telling: Collection[str]) -> Sentence:
    """Which links are slower than all others. Only for a clear verdict."""
    apart = links.apart
    parameters = {
        "what": terms.what(apart.key.metric, apart.key.subject, where, telling),
        "link": terms.value(NODE_PAIR, links.member),
        "figure": figure_text(links.median),
        "other": terms.value(NODE_PAIR, links.compared),
        "other_figure": figure_text(links.other),
    }
    if apart.text("what") == LINK:
        if links.by_round:
            return sentence("slow_pair", others=links.count - 1, **parameters)
        return sentence("slowest_link", count=links.count, **parameters)
    shared = text("links", what=apart.text("what"), value=apart.text("shared"))
    if links.by_round:
        return sentence("slow_pairs", links=shared, **parameters)
    return sentence("slowest_links", links=shared, **parameters)


def no_slow_link(links: Links, where: Point, telling: Collection[str]) -> Sentence:
    """That no link is clearly slower than all others."""
    key = links.apart.key
    what = terms.what(key.metric, key.subject, where, telling)
    code = "no_pair_apart" if links.by_round else "no_link_apart"
    return sentence(code, count=links.count, what=what)


def figure_text(row: Projected) -> Text:
    """A row's figure in its unit; a dash where it has none."""
    figure = figure_of(row)
    return _UNKNOWN if figure is None else amount(figure, row.key.unit)


def path_mtus(mtus: PathMtuEvidence) -> Sentence:
    """With which path MTUs two modes were measured, and what packets carry by that alone."""
    parameters = {
        "where": _places(mtus.cases),
        "baseline": terms.value(mtus.axis, mtus.baseline_value),
        "contender": terms.value(mtus.axis, mtus.contender_value),
        "baseline_mtu": _bytes(mtus.baseline_mtu),
    }
    if mtus.baseline_mtu == mtus.contender_mtu:
        return sentence(
            "mtu_same",
            **parameters,
            baseline_overhead=_bytes(mtus.baseline_overhead),
            contender_overhead=_bytes(mtus.contender_overhead),
        )
    return sentence(
        "mtu_less" if mtus.ratio < 1 else "mtu_more",
        **parameters,
        contender_mtu=_bytes(mtus.contender_mtu),
        amount=percent(abs(mtus.ratio - 1)),
    )


def pod_mtu(pods: PodMtuEvidence) -> Sentence:
    """That pods' packets do not leave their node whole, or could be larger."""
    parameters = {"where": _places(pods.cases), "mtu": _bytes(pods.pod_mtu)}
    if pods.pod_mtu > pods.most:
        return sentence("mtu_too_large", **parameters, most=_bytes(pods.most))
    return sentence("mtu_unused", **parameters, difference=_bytes(pods.difference))


def whole(at: float) -> int | float:
    """A place on a ladder, without a fraction where it has none."""
    return int(at) if at == int(at) else at


def _bytes(size: int | None) -> Text:
    """An MTU as it is written everywhere: 1500."""
    return text("bytes", value=size)


def _places(cases: Sequence[Point]) -> Text:
    """What a finding holds for, in brackets; nothing where it does so everywhere."""
    points: list[JsonValue] = [dict(one) for one in cases[:MOST_CASES]]
    return text("places", cases=points, whole=len(cases) <= MOST_CASES)


def _other(side: str) -> str:
    return "baseline" if side == "contender" else "contender"


_UNKNOWN = Text("–")
#: The sentence of a curve that neither falls nor rises, by its shape.
_LEVEL_COURSES = {
    "flat": "flat",
    "nearly_flat": "nearly_flat",
    "undecided": "shape_undecided",
}

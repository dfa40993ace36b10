"""What a run found within itself: losses against another case, the course of curves."""

from collections.abc import Sequence
from math import log

from pydantic import JsonValue

from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.kinds.registry import KINDS
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import Point
from podmeter.services.headlines import terms
from podmeter.services.headlines.amounts import amount, less, more, negative, percent
from podmeter.services.headlines.document import Sentence, sentence
from podmeter.services.headlines.effects import counts
from podmeter.services.headlines.text import Text, text
from podmeter.services.run_results.curve_rows import CHANGE
from podmeter.services.run_results.figures import figure_of
from podmeter.services.run_results.link_rows import Links, links_of
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import (
    PathMtuEvidence,
    PodMtuEvidence,
    RowEvidence,
)
from podmeter.statistics import Direction, Verdict

#: What each rung of one loses is said of the curve.
LADDERS = {axis.name for kind in KINDS.values() for axis in kind.axes if axis.ladder}
_RISES_AND_FALLS = ("falls", "rises")
#: So many paths are named.
_MOST_PATHS = 3


def loss_sentences(losses: Sequence[Projected], noise: float) -> list[Sentence]:
    """For each derived metric the largest clear loss, and how the others stand."""
    return [said for judged in judged_losses(losses) for said in _of_metric(judged, noise)]


def judged_losses(losses: Sequence[Projected]) -> list[list[Projected]]:
    """The losses that have a verdict and lie on no ladder, by their metric."""
    by_metric: dict[tuple[str, str], list[Projected]] = {}
    for one in losses:
        if one.verdict is not None and one.value is not None and not LADDERS & one.key.point.keys():
            by_metric.setdefault((one.key.metric, one.key.subject), []).append(one)
    return list(by_metric.values())


def link_sentences(findings: Sequence[Finding]) -> list[Sentence]:
    """Which links stand out, of each metric and path that has such; else that none does."""
    linked = [
        (one, links)
        for one in findings
        if isinstance(one.evidence, RowEvidence)
        and (links := links_of(one.evidence.rows)) is not None
    ]
    telling = terms.telling(one.point for one, _ in linked)
    clear = [_links(one, links, telling) for one, links in linked if one.code != "no_link_apart"]
    if clear:
        return clear[:_MOST_PATHS]
    return [
        sentence(
            "no_link_apart",
            count=links.count,
            what=terms.what(one.metric, links.apart.key.subject, one.point, telling),
        )
        for one, links in linked[:_MOST_PATHS]
    ]


def _links(one: Finding, link_rows: Links, telling: set[str]) -> Sentence:
    row = link_rows.apart
    parameters = {
        "what": terms.what(one.metric, row.key.subject, one.point, telling),
        "link": terms.value(NODE_PAIR, link_rows.member),
        "figure": _figure(link_rows.median),
        "other": terms.value(NODE_PAIR, link_rows.compared),
        "other_figure": _figure(link_rows.other),
    }
    if one.code == "slowest_link":
        return sentence("slowest_link", count=link_rows.count, **parameters)
    links = text("links", what=row.text("what"), value=row.text("shared"))
    return sentence("slowest_links", links=links, **parameters)


def _figure(row: Projected) -> Text:
    figure = figure_of(row)
    return Text("–") if figure is None else amount(figure, row.key.unit)


def mtu_sentences(findings: Sequence[Finding]) -> list[Sentence]:
    """That pods' packets do not leave their node whole, and how far the modes' packets differ.

    Of each the worst.
    """
    large = [
        one.evidence
        for one in findings
        if one.code == "mtu_too_large" and isinstance(one.evidence, PodMtuEvidence)
    ]
    differ = [
        one.evidence
        for one in findings
        if one.code == "mtu_differs" and isinstance(one.evidence, PathMtuEvidence)
    ]
    sentences = []
    if large:
        worst = max(large, key=lambda one: one.difference)
        sentences.append(
            sentence(
                "mtu_too_large",
                **_cases(worst.cases),
                mtu=_bytes(worst.pod_mtu),
                most=_bytes(worst.most),
            )
        )
    if differ:
        worst_pair = max(differ, key=lambda one: abs(log(one.ratio)))
        code = "mtu_less" if worst_pair.ratio < 1 else "mtu_more"
        said = sentence(
            code,
            **_cases(worst_pair.cases),
            baseline=terms.value(worst_pair.axis, worst_pair.baseline_value),
            contender=terms.value(worst_pair.axis, worst_pair.contender_value),
            baseline_mtu=_bytes(worst_pair.baseline_mtu),
            contender_mtu=_bytes(worst_pair.contender_mtu),
            amount=percent(abs(worst_pair.ratio - 1)),
        )
        sentences.append(said)
    return sentences


def _bytes(mtu: int) -> Text:
    """An MTU as it is written everywhere: 1500."""
    return text("bytes", value=mtu)


def _cases(cases: Sequence[Point]) -> dict[str, Text]:
    """What a finding holds for, in brackets; nothing where it does so everywhere."""
    points: list[JsonValue] = [dict(one) for one in cases[:_MOST_PATHS]]
    return {"where": text("places", cases=points, whole=len(cases) <= _MOST_PATHS)}


def curve_sentences(findings: Sequence[Finding]) -> list[Sentence]:
    """The steepest clear course of each metric over a ladder."""
    courses: dict[tuple[str, str], list[Projected]] = {}
    for one in findings:
        if isinstance(one.evidence, RowEvidence):
            for row in one.evidence.rows:
                # Of modes against each other it is said by their contest.
                if row.code == CHANGE and not row.text("side"):
                    courses.setdefault((row.key.metric, row.key.subject), []).append(row)
    sentences = []
    for members in courses.values():
        telling = terms.telling(one.key.point for one in members)
        clear = [
            one
            for one in members
            if one.text("shape") in _RISES_AND_FALLS and one.value is not None
        ]
        flat = [one for one in members if one.text("shape") == "flat"]
        if clear:
            sentences.append(_course(max(clear, key=_steepness), telling))
        elif len(flat) == len(members):
            sentences.append(_course(flat[0], telling if len(flat) == 1 else set()))
    return sentences


def _of_metric(judged: Sequence[Projected], noise: float) -> list[Sentence]:
    telling = terms.telling(one.key.point for one in judged)
    clear = [one for one in judged if one.verdict in (Verdict.WORSE, Verdict.BETTER)]
    if clear:
        first = max(clear, key=lambda one: abs(one.value or 0.0))
        sentences = [_clear(first, telling)]
        rest = [one.verdict for one in judged if one is not first and one.verdict is not None]
        if rest:
            sentences.append(sentence("losses_more", count=len(rest), counts=counts(rest)))
        return sentences
    parameters = {"metric": source_of(judged[0]), "against": against_of(judged[0])}
    same = [one for one in judged if one.verdict == Verdict.SAME]
    if len(same) == len(judged):
        paths = _paths(same, telling)
        return [sentence("loses_nothing", path=paths, noise=percent(noise), **parameters)]
    paths = _paths([one for one in judged if one not in same], telling)
    sentences = [sentence("loss_undecided", paths=paths, **parameters)]
    if same:
        same_verdicts = [Verdict.SAME for _ in same]
        sentences.append(sentence("losses_more", count=len(same), counts=counts(same_verdicts)))
    return sentences


def _paths(judged: Sequence[Projected], telling: set[str]) -> Text:
    """The paths of some losses, the first of them if they are many."""
    named = [path_of(one, telling) for one in judged[:_MOST_PATHS]]
    if len(judged) == 1:
        return named[0]
    return text("begun", of=[one.plain for one in named], whole=len(judged) <= len(named))


def _clear(one: Projected, telling: set[str]) -> Sentence:
    loss = figure_of(one)
    if loss is None:
        raise ValueError("a clear loss has a figure")
    parameters = {
        "path": path_of(one, telling),
        "metric": source_of(one),
        "against": against_of(one),
    }
    if one.verdict == Verdict.BETTER:
        code = "gains" if is_rate(one) else "spares"
        return sentence(code, amount=amount(negative(loss)), **parameters)
    code = "loses" if is_rate(one) else "adds"
    return sentence(code, amount=amount(loss), **parameters)


def is_rate(one: Projected) -> bool:
    """Whether less of the source is lost; else more of it, such as time, is added."""
    return one.text("source_direction") == Direction.HIGHER


def source_of(one: Projected) -> Text:
    """The metric that a loss is of."""
    return terms.metric(one.text("source"), one.key.subject)


def path_of(one: Projected, telling: set[str]) -> Text:
    """The case by the value it has instead of the baseline's, and what tells it from others."""
    here, there = one.key.point, one.key.against or {}
    along = {axis for axis, at in here.items() if there.get(axis) != at}
    return text(
        "path",
        along={axis: at for axis, at in here.items() if axis in along},
        besides={axis: at for axis, at in here.items() if axis in telling and axis not in along},
    )


def against_of(one: Projected) -> Text:
    """What it is set against, by the values that it has there instead."""
    return terms.point(
        {axis: at for axis, at in (one.key.against or {}).items() if one.key.point.get(axis) != at}
    )


def _course(one: Projected, telling: set[str]) -> Sentence:
    key, xs, change = one.key, one.numbers("xs"), figure_of(one)
    parameters: dict[str, Text | str | float] = {
        "what": terms.what(key.metric, key.subject, key.point, telling),
        "axis": terms.axis(one.text("axis")),
        "first": xs[0],
        "last": xs[-1],
        "control": text("controlled") if one.holds("controlled") else "",
    }
    shape = one.text("shape")
    if shape not in _RISES_AND_FALLS or change is None:
        return sentence("flat", **parameters)
    how_much = less(change) if shape == "falls" else more(change)
    return sentence(shape, amount=amount(how_much), **parameters)


def _steepness(one: Projected) -> float:
    return max(one.value, 1 / one.value) if one.value else 0.0

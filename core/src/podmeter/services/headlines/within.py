"""What a run found within itself: losses against another case, the course of curves."""

from collections.abc import Sequence
from math import log

from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.experiments.registry import KINDS
from podmeter.services.comparisons.document import Point
from podmeter.services.headlines import terms
from podmeter.services.headlines.amounts import amount, less, more, negative, percent
from podmeter.services.headlines.document import Sentence
from podmeter.services.headlines.effects import counts
from podmeter.services.headlines.text import Text, joined, sentence
from podmeter.services.measured import words
from podmeter.services.measured.figures import Figure
from podmeter.services.measured.loss import Loss
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import (
    CurveEvidence,
    LinkEvidence,
    PathMtuEvidence,
    PodMtuEvidence,
)
from podmeter.statistics import Direction, Verdict

_CONTROLLED = Text(", against the control of each rung", "（相对于每一级的对照）", plain=True)
#: What each rung of one loses is said of the curve.
LADDERS = {axis.name for kind in KINDS.values() for axis in kind.axes if axis.ladder}
_RISES_AND_FALLS = ("falls", "rises")
#: So many paths are named.
_MOST_PATHS = 3


def loss_sentences(losses: Sequence[Loss], noise: float) -> list[Sentence]:
    """For each derived metric the largest clear loss, and how the others stand."""
    found: list[Sentence] = []
    for name in dict.fromkeys((one.metric, one.subject) for one in losses):
        judged = [
            one
            for one in losses
            if (one.metric, one.subject) == name
            and one.verdict is not None
            and one.loss
            and not LADDERS & one.point.keys()
        ]
        if judged:
            found += _of_metric(judged, noise)
    return found


#: Links that stand out together, in both languages.
_LINKS = {
    "both_ways": ("Both directions of {value}", "{value}的两个方向"),
    "node": ("The links of {value}", "{value}的链路"),
    "from_node": ("The links from {value}", "从{value}发出的链路"),
    "to_node": ("The links to {value}", "到{value}的链路"),
}


def link_sentences(findings: Sequence[Finding]) -> list[Sentence]:
    """Which links stand out, of each metric and path that has such; else that none does."""
    found = [(one, one.evidence) for one in findings if isinstance(one.evidence, LinkEvidence)]
    telling = terms.telling(one.point for one, _ in found)
    clear = [_links(one, evidence, telling) for one, evidence in found if _is_clear(one)]
    if clear:
        return clear[:_MOST_PATHS]
    return [
        sentence(
            "no_link_apart",
            count=evidence.links,
            what=terms.what(one.metric, evidence.subject, one.point, telling),
        )
        for one, evidence in found[:_MOST_PATHS]
    ]


def _is_clear(one: Finding) -> bool:
    return one.code != "no_link_apart"


def _links(one: Finding, found: LinkEvidence, telling: set[str]) -> Sentence:
    said = {
        "what": terms.what(one.metric, found.subject, one.point, telling),
        "link": terms.value(NODE_PAIR, found.member),
        "figure": _figure(found.figure, found.unit),
        "other": terms.value(NODE_PAIR, found.other),
        "other_figure": _figure(found.other_figure, found.unit),
    }
    if one.code == "slowest_link":
        return sentence("slowest_link", count=found.links, **said)
    # A node by itself is no term, whatever it is called.
    value = words.value(NODE_PAIR, found.value)
    en, zh = (text.format(value=value) for text in _LINKS[found.what])
    return sentence("slowest_links", links=Text(en, zh, found.value), **said)


def _figure(found: Figure | None, unit: str) -> Text:
    return Text.same("–") if found is None else amount(found, unit)


def mtu_sentences(findings: Sequence[Finding]) -> list[Sentence]:
    """That pods' packets do not leave their node whole, and how far the modes' packets differ.

    Of either the one that is worst.
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
    found = []
    if large:
        worst = max(large, key=lambda one: one.difference)
        found.append(
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
        found.append(said)
    return found


def _bytes(mtu: int) -> Text:
    """An MTU as it is written everywhere: 1500."""
    return Text.same(str(mtu), mtu)


def _cases(cases: Sequence[Point]) -> dict[str, Text]:
    """What a finding holds for, in brackets; nothing where it does so everywhere."""
    named = joined((terms.point(one) for one in cases[:_MOST_PATHS] if one), "; ", "；")
    if not named.en:
        return {"where": Text("", "", named.plain)}
    more = ("; …", "；…") if len(cases) > _MOST_PATHS else ("", "")
    return {"where": Text(f" ({named.en}{more[0]})", f"（{named.zh}{more[1]}）", named.plain)}


def curve_sentences(findings: Sequence[Finding]) -> list[Sentence]:
    """The steepest clear course of each metric over a ladder."""
    courses: dict[tuple[str, str], list[tuple[Finding, CurveEvidence]]] = {}
    for one in findings:
        if isinstance(one.evidence, CurveEvidence):
            key = one.metric, one.evidence.subject
            courses.setdefault(key, []).append((one, one.evidence))
    found = []
    for members in courses.values():
        telling = terms.telling(one.point for one, _ in members)
        clear = [each for each in members if each[1].shape in _RISES_AND_FALLS and each[1].change]
        flat = [each for each in members if each[1].shape == "flat"]
        if clear:
            found.append(_course(*max(clear, key=lambda each: _steepness(each[1])), telling))
        elif len(flat) == len(members):
            found.append(_course(*flat[0], telling if len(flat) == 1 else set()))
    return found


def _of_metric(judged: Sequence[Loss], noise: float) -> list[Sentence]:
    telling = terms.telling(one.point for one in judged)
    clear = [one for one in judged if one.verdict in (Verdict.WORSE, Verdict.BETTER)]
    if clear:
        first = max(clear, key=lambda one: abs(one.loss.value) if one.loss else 0.0)
        found = [_clear(first, telling)]
        rest = [one.verdict for one in judged if one is not first and one.verdict is not None]
        if rest:
            found.append(sentence("losses_more", count=len(rest), counts=counts(rest)))
        return found
    first = judged[0]
    said = {"metric": terms.metric(first.source, first.subject), "against": against_of(first)}
    if len(judged) == 1 and first.verdict == Verdict.SAME:
        path = path_of(first, telling)
        return [sentence("loses_nothing", path=path, noise=percent(noise), **said)]
    named = judged[:_MOST_PATHS]
    paths = joined((path_of(one, telling) for one in named), "; ", "；")
    if len(judged) > len(named):
        paths = Text(f"{paths.en}; …", f"{paths.zh}；…", paths.plain)
    return [sentence("loss_unseen", paths=paths, **said)]


def _clear(one: Loss, telling: set[str]) -> Sentence:
    if one.loss is None:
        raise ValueError("a clear loss has a figure")
    said = {
        "path": path_of(one, telling),
        "metric": terms.metric(one.source, one.subject),
        "against": against_of(one),
    }
    if one.verdict == Verdict.BETTER:
        code = "gains" if one.direction == Direction.HIGHER else "spares"
        return sentence(code, amount=amount(negative(one.loss)), **said)
    code = "loses" if one.direction == Direction.HIGHER else "adds"
    return sentence(code, amount=amount(one.loss), **said)


def path_of(one: Loss, telling: set[str]) -> Text:
    """The case by the value it has instead of the baseline's, and what tells it from others."""
    along = {axis for axis, at in one.point.items() if one.baseline_point.get(axis) != at}
    path = terms.point({axis: at for axis, at in one.point.items() if axis in along})
    rest = terms.point(
        {axis: at for axis, at in one.point.items() if axis in telling and axis not in along}
    )
    if not rest.en:
        return path
    return Text(f"{path.en} ({rest.en})", f"{path.zh}（{rest.zh}）", [path.plain, rest.plain])


def against_of(one: Loss) -> Text:
    """What it is set against, by the values that it has there instead."""
    return terms.point(
        {axis: at for axis, at in one.baseline_point.items() if one.point.get(axis) != at}
    )


def _course(one: Finding, found: CurveEvidence, telling: set[str]) -> Sentence:
    said = {
        "what": terms.what(one.metric, found.subject, one.point, telling),
        "axis": terms.axis(found.axis),
        "first": Text.same(f"{found.xs[0]:,g}", found.xs[0]),
        "last": Text.same(f"{found.xs[-1]:,g}", found.xs[-1]),
        "control": _CONTROLLED if found.controlled else Text.same(""),
    }
    if found.shape not in _RISES_AND_FALLS or found.change is None:
        return sentence("flat", **said)
    how_much = less(found.change) if found.shape == "falls" else more(found.change)
    return sentence(found.shape, amount=amount(how_much), **said)


def _steepness(found: CurveEvidence) -> float:
    change = found.change
    return 0.0 if change is None else max(change.value, 1 / change.value if change.value else 0)

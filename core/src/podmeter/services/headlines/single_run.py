"""What a run found within itself: losses against another case, the course of curves."""

from collections.abc import Sequence
from math import log

from podmeter.kinds.registry import KINDS
from podmeter.results.projected import Projected
from podmeter.services.headlines import terms
from podmeter.services.headlines.amounts import amount, negative, percent
from podmeter.services.headlines.client_limits import limited_trials
from podmeter.services.headlines.document import Sentence, sentence
from podmeter.services.headlines.effects import counts
from podmeter.services.headlines.run_losses import LostWithin
from podmeter.services.headlines.same_limits import share_of
from podmeter.services.headlines.statements import (
    MOST_CASES,
    RISES_AND_FALLS,
    against_of,
    course,
    is_rate,
    loss,
    loss_of,
    no_slow_link,
    path_mtus,
    path_of,
    pod_mtu,
    slow_links,
    source_of,
)
from podmeter.services.headlines.text import Text, text
from podmeter.services.run_results.curve_rows import CHANGE
from podmeter.services.run_results.figures import figure_of
from podmeter.services.run_results.link_rows import links_of
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import (
    PathMtuEvidence,
    PodMtuEvidence,
    RowEvidence,
)
from podmeter.statistics import Reason, Verdict

#: What each rung of one loses is said of the curve.
LADDERS = {axis.name for kind in KINDS.values() for axis in kind.axes if axis.ladder}


def loss_sentences(lost: LostWithin, noise: float) -> list[Sentence]:
    """For each derived metric the largest clear loss, and how the others stand."""
    by_metric = judged_losses(lost.losses)
    return [one for judged in by_metric for one in _of_metric(judged, noise, lost.run)]


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
    clear = [
        slow_links(links, one.point, telling)
        for one, links in linked
        if one.code != "no_link_apart"
    ]
    if clear:
        return clear[:MOST_CASES]
    return [no_slow_link(links, one.point, telling) for one, links in linked[:MOST_CASES]]


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
        sentences.append(pod_mtu(max(large, key=lambda one: one.difference)))
    if differ:
        sentences.append(path_mtus(max(differ, key=lambda one: abs(log(one.ratio)))))
    return sentences


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
            one for one in members if one.text("shape") in RISES_AND_FALLS and one.value is not None
        ]
        flat = [one for one in members if one.text("shape") == "flat"]
        if clear:
            sentences.append(course(max(clear, key=_steepness), telling))
        elif len(flat) == len(members):
            sentences.append(course(flat[0], telling if len(flat) == 1 else set()))
    return sentences


def _of_metric(judged: Sequence[Projected], noise: float, run: Text | None) -> list[Sentence]:
    telling = terms.telling(one.key.point for one in judged)
    clear = [one for one in judged if one.verdict in (Verdict.WORSE, Verdict.BETTER)]
    if clear:
        first = max(clear, key=lambda one: abs(one.value or 0.0))
        sentences = [loss(first, telling, run)]
        rest = [one.verdict for one in judged if one is not first and one.verdict is not None]
        if rest:
            sentences.append(sentence("losses_more", count=len(rest), counts=counts(rest)))
        return sentences
    parameters = {"metric": source_of(judged[0]), "against": against_of(judged[0])}
    same = [one for one in judged if one.verdict == Verdict.SAME]
    if len(same) == len(judged):
        paths, limit = _paths(same, telling, run), percent(share_of(same, noise))
        return [
            sentence("loses_nothing", path=paths, noise=limit, **parameters),
            *_small(same, telling, limit, run),
        ]
    undecided = [one for one in judged if one not in same]
    paths = _paths(undecided, telling, run)
    sentences = [sentence("loss_undecided", paths=paths, **parameters)]
    if all(one.text("reason") == Reason.CLIENT_LIMITED for one in undecided):
        trials = limited_trials(undecided, (parameters["against"], paths))
        if trials is not None:
            sentences = [sentence("loss_client_at_limit", paths=paths, trials=trials, **parameters)]
    if same:
        same_verdicts = [Verdict.SAME for _ in same]
        sentences.append(sentence("losses_more", count=len(same), counts=counts(same_verdicts)))
    return sentences


def _small(
    same: Sequence[Projected], telling: set[str], limit: Text, run: Text | None
) -> list[Sentence]:
    """The largest difference that is certain and yet too small to matter."""
    small = [one for one in same if one.text("reason") == Reason.SMALL_EFFECT]
    if not small:
        return []
    first = max(small, key=lambda one: abs(one.value or 0.0))
    lost = figure_of(first)
    if lost is None:
        return []
    # What is lost of a rate makes it lower, what is added to a time makes it higher.
    code = "path_less" if (lost.value > 0) is is_rate(first) else "path_more"
    how_much = amount(lost if lost.value > 0 else negative(lost))
    return [sentence(code, amount=how_much, noise=limit, **loss_of(first, telling, run))]


def _paths(judged: Sequence[Projected], telling: set[str], run: Text | None) -> Text:
    """The paths of some losses, the first of them if they are many."""
    named = [path_of(one, telling, run) for one in judged[:MOST_CASES]]
    if len(judged) == 1:
        return named[0]
    return text("begun", of=[one.plain for one in named], whole=len(judged) <= len(named))


def _steepness(one: Projected) -> float:
    return max(one.value, 1 / one.value) if one.value else 0.0

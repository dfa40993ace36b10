"""Which link between two nodes, or which node's links, stand out of all that a run measured."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import MetricDefinition, Unit
from podmeter.domain.node_pairs import NODE_PAIR, NodePair
from podmeter.kinds.limits import CaseLimits
from podmeter.results.projected import Key
from podmeter.services.comparisons.effects import as_far_as_offered, threshold
from podmeter.services.run_results.client_limits import ClientLimits
from podmeter.services.run_results.families import planned_tests
from podmeter.services.run_results.figures import MEDIAN, figure, projected_figure
from podmeter.services.run_results.link_rows import APART, BOTH_WAYS, FROM_NODE, LINK, NODE, TO_NODE
from podmeter.services.run_results.offered import at_offered_rate
from podmeter.services.run_results.runs import MeasuredRun, MeasuredSample
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.statistics import (
    Comparison,
    Direction,
    OutlyingGroup,
    Verdict,
    corrected,
    median,
    outlying_group,
    outlying_rounds,
    worst_first,
)

#: Of so many cases it is said that none of the pairs that rounds took in turn stands out; of more,
#: as a ladder has, those alone are named where one does.
_MOST_GROUPS = 3


@dataclass(frozen=True, slots=True)
class _MeasuredLink:
    """One link's figure, whether it got all that was offered, and what limited its trials."""

    pair: NodePair
    sample: MeasuredSample
    full: bool
    limits: CaseLimits | None


@dataclass(frozen=True, slots=True)
class _Group:
    """The links that are measured alike: one metric at one point of the other axes.

    `by_round`: rounds took them in turn, so that no two share a round.
    """

    metric: MetricDefinition
    subject: str
    point: tuple[tuple[str, AxisValue], ...]
    links: list[_MeasuredLink]
    by_round: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Links that have the worst figures of a group, and something in common."""

    group: _Group
    what: str
    value: str
    members: frozenset[int]
    outlying: OutlyingGroup


def link_findings(measured: MeasuredRun, noise: float, alpha: float) -> list[Finding]:
    """The slow links of each main metric, or that there are none.

    All that is checked in the run is corrected for together. A run without pairs has none. Where
    the pair changes by round, each pair has the rounds that it was measured in.
    """
    candidates: list[_Candidate] = []
    for group in (*_groups(measured, noise), *_rotated(measured)):
        if len(group.links) > 1:
            candidates += _candidates(group, noise, alpha)
    compared = [_comparison(each) for each in candidates]
    tested = [
        dict(candidate.group.point)
        for candidate, one in zip(candidates, compared, strict=True)
        if one.p is not None
    ]
    points = (_without_pair(case.point) for case in measured.cases)
    planned = planned_tests(measured.spec, tested, points)
    judged = [
        _client_limits(candidate).judged(one)
        for candidate, one in zip(
            candidates, corrected(compared, alpha=alpha, planned=planned), strict=True
        )
    ]
    by_group: dict[int, list[Finding]] = {}
    for candidate, comparison in zip(candidates, judged, strict=True):
        clear = by_group.setdefault(id(candidate.group), [])
        if comparison.verdict is Verdict.WORSE:
            clear.append(_finding(candidate, comparison))
    rotated = {id(one.group) for one in candidates if one.group.by_round}
    for candidate, comparison in zip(candidates, judged, strict=True):
        if id(candidate.group) in rotated and len(rotated) > _MOST_GROUPS:
            continue
        if candidate.what == LINK and not by_group[id(candidate.group)]:
            by_group[id(candidate.group)] = [_finding(candidate, comparison)]
    return [finding for clear in by_group.values() for finding in clear]


def _groups(measured: MeasuredRun, noise: float) -> Iterator[_Group]:
    groups: dict[tuple[str, str, tuple[tuple[str, AxisValue], ...]], _Group] = {}
    for case in measured.cases:
        pair = NodePair.of(case.point.get(NODE_PAIR))
        if pair is None:
            continue
        point = tuple(sorted(_without_pair(case.point).items()))
        samples = measured.samples(case.id)
        for sample in samples:
            if not sample.metric.main or not sample.sample.n:
                continue
            key = sample.metric.name, sample.subject, point
            group = groups.setdefault(key, _Group(sample.metric, sample.subject, point, []))
            full = at_offered_rate(sample, samples, noise)
            link = _MeasuredLink(pair, sample, full, measured.limits.get(case.id))
            group.links.append(link)
    yield from groups.values()


def _without_pair(point: Mapping[str, AxisValue]) -> dict[str, AxisValue]:
    return {axis: value for axis, value in point.items() if axis != NODE_PAIR}


def _rotated(measured: MeasuredRun) -> Iterator[_Group]:
    """The pairs that rounds took in turn, of each case's main metric."""
    for case in measured.cases if measured.spec.rotation else ():
        point = tuple(sorted(case.point.items()))
        main = measured.main(case.id)
        if main is None:
            continue
        links = []
        for name in sorted(set(main.sample.groups)):
            pair, sample = NodePair.of(name), main.sample.of_group(name)
            if pair is not None and sample.n:
                one = replace(main, sample=sample)
                links.append(_MeasuredLink(pair, one, False, measured.limits.get(case.id)))
        yield _Group(main.metric, main.subject, point, links, by_round=True)


def _candidates(group: _Group, noise: float, alpha: float) -> Iterator[_Candidate]:
    """The worst link, and the sets of the worst ones that have a node in common."""
    samples = [link.sample.sample for link in group.links]
    medians = [estimate for sample in samples if (estimate := median(sample)) is not None]
    direction = Direction(group.metric.direction)
    order = worst_first(medians, direction)
    for what, value, members in _sets(group.links, order[0]):
        if frozenset(order[: len(members)]) == members:
            find = outlying_rounds if group.by_round else outlying_group
            outlying = find(
                samples,
                members,
                direction=direction,
                threshold=threshold(group.metric, noise),
                alpha=alpha,
            )
            yield _Candidate(group, what, value, members, outlying)


def _sets(links: list[_MeasuredLink], worst: int) -> Iterator[tuple[str, str, frozenset[int]]]:
    """What the worst link may share with others, from little to much; never all links."""
    pair = links[worst].pair
    yield LINK, pair.value, frozenset({worst})
    reverse = NodePair(pair.server, pair.client)
    sharing = [(BOTH_WAYS, pair.value, {pair, reverse})]
    pairs = {link.pair for link in links}
    for node in (pair.client, pair.server):
        sharing += [
            (FROM_NODE, node, {each for each in pairs if each.client == node}),
            (TO_NODE, node, {each for each in pairs if each.server == node}),
            (NODE, node, {each for each in pairs if node in (each.client, each.server)}),
        ]
    seen: set[frozenset[int]] = {frozenset({worst})}
    for what, value, shared in sharing:
        members = frozenset(place for place, link in enumerate(links) if link.pair in shared)
        if members not in seen and worst in members and len(members) < len(links):
            seen.add(members)
            yield what, value, members


def _comparison(candidate: _Candidate) -> Comparison:
    links, outlying = candidate.group.links, candidate.outlying
    full = (links[outlying.other].full, links[outlying.member].full)
    return as_far_as_offered(outlying.comparison, full)


def _client_limits(candidate: _Candidate) -> ClientLimits:
    links, outlying = candidate.group.links, candidate.outlying
    limits = links[outlying.other].limits, links[outlying.member].limits
    return ClientLimits.of(candidate.group.metric, limits)


def _finding(candidate: _Candidate, comparison: Comparison) -> Finding:
    group, outlying = candidate.group, candidate.outlying
    member, other = group.links[outlying.member], group.links[outlying.other]
    metric, point = group.metric, dict(group.point)
    sides = [({**point, NODE_PAIR: link.pair.value}, link.sample) for link in (member, other)]
    (at, of_member), (against, _) = sides
    unit, direction = metric.unit.value, metric.direction.value
    parameters: dict[str, JsonValue] = {
        "what": candidate.what,
        "shared": candidate.value,
        "axis": NODE_PAIR,
        "links": len(group.links),
        "members": len(candidate.members),
        "reason": comparison.reason.value,
        "p": comparison.p,
        "adjusted_p": comparison.adjusted_p,
        "looked_at": comparison.looked_at,
        **_client_limits(candidate).parameters,
    }
    if group.by_round:
        parameters["by_round"] = True
    key = Key(metric.name, group.subject, Unit.RATIO.value, direction, at, against)
    ratio, n = figure(comparison.ratio), of_member.sample.n
    rows = [
        projected_figure(key, ratio, n, comparison.verdict.value, APART, **parameters),
        *(
            projected_figure(
                Key(metric.name, group.subject, unit, direction, place),
                figure(median(sample.sample)),
                sample.sample.n,
                None,
                MEDIAN,
            )
            for place, sample in sides
        ),
    ]
    code = "no_link_apart"
    if comparison.verdict is Verdict.WORSE:
        code = "slowest_link" if candidate.what == LINK else "slowest_links"
    return Finding(code, metric.name, point, RowEvidence(kind="rows", rows=rows))

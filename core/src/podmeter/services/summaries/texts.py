"""Findings as sentences: the statement on each by its evidence, and the details behind it."""

from collections.abc import Sequence

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Unit
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.results.projected import Key, Projected
from podmeter.services.headlines import statements, terms
from podmeter.services.headlines.amounts import amount, change, difference, tested
from podmeter.services.headlines.client_limits import why_not_flat, why_not_the_same
from podmeter.services.headlines.document import Sentence, sentence
from podmeter.services.headlines.same_limits import known_limit, known_share
from podmeter.services.headlines.text import Text, say, text
from podmeter.services.run_results import words
from podmeter.services.run_results.curve_rows import CurvePair, pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.figures import FASTER_AS_OFFERED, figure_of, is_least
from podmeter.services.run_results.link_rows import EFFECT_APART, Links, links_of
from podmeter.services.summaries.evidence import (
    Evidence,
    GateEvidence,
    PathMtuEvidence,
    PodMtuEvidence,
    RowEvidence,
)
from podmeter.statistics import Reason, Verdict
from podmeter.texts import Language

Point = dict[str, AxisValue]
_MODE_SENTENCES = {
    "better": "mode_better",
    "worse": "mode_worse",
    "same": "mode_same",
    "undecided": "mode_undecided",
}
#: A sentence, and what else there is to know of it: figures, reason, p, n.
_Statement = tuple[Sentence, list[Text | None]]


def finding_text(point: Point, evidence: Evidence, language: Language) -> str | None:
    """A finding without a full stop; None where an older version did not store what it is made of.

    That is which modes or cases were compared.
    """
    statement = _statement(point, evidence)
    if statement is None:
        return None
    first, details = statement
    known = [detail.plain for detail in details if detail is not None]
    return say(first.code, first.parameters, language, known)


def _statement(point: Point, evidence: Evidence) -> _Statement | None:
    match evidence:
        case GateEvidence():
            return _gate(point, evidence)
        case PathMtuEvidence():
            return statements.path_mtus(evidence), [_payload(evidence)]
        case PodMtuEvidence():
            return statements.pod_mtu(evidence), [_route(evidence)]
        case RowEvidence(rows=rows):
            return _of_rows(point, rows)


def _of_rows(point: Point, rows: Sequence[Projected]) -> _Statement | None:
    links = links_of(rows)
    if links is not None:
        return _links(point, links)
    for effect in effects_of(rows):
        return _effect(point, effect)
    for pair in pairs(rows):
        return _curves(pair)
    first = rows[0]
    if first.code == EFFECT_APART:
        return _pair_effect(point, *rows)
    return _loss(first) if first.code == "loss" else _curve(first)


def _gate(point: Point, evidence: GateEvidence) -> _Statement | None:
    if not (evidence.baseline_value and evidence.contender_value):
        return None
    axis = next(iter(point), "")
    sides = [terms.value(axis, at) for at in (evidence.baseline_value, evidence.contender_value)]
    return statements.refused(sides[0], sides[1], evidence.gate), []


def _effect(point: Point, effect: Effect) -> _Statement | None:
    modes = _modes(effect.key)
    if modes is None:
        return None
    row, key = effect.judged, effect.key
    counts = [median.n for median in effect.medians]
    return (
        sentence(
            _MODE_SENTENCES[effect.verdict],
            baseline=modes[0],
            contender=modes[1],
            what=terms.what(key.metric, key.subject, point, point),
            change=_change(effect),
        ),
        [
            _within(known_limit(effect)),
            _term("warning", FASTER_AS_OFFERED) if is_least(row) else None,
            _reason(row, modes) if effect.verdict == Verdict.UNDECIDED else None,
            tested(row.number("p"), row.number("adjusted_p"), effect.looked_at),
            text("phrase", name="both_n", baseline=counts[0], contender=counts[1]),
            _node_pairs(effect),
            _term("not_counted", effect.not_counted) if effect.not_counted else None,
        ],
    )


def _pair_effect(point: Point, apart: Projected, elsewhere: Projected) -> _Statement | None:
    """On which pair of nodes a mode's effect lies apart."""
    modes, ratios = _modes(apart.key), [figure_of(one) for one in (apart, elsewhere)]
    on_pair, other = ratios
    if modes is None or on_pair is None or other is None:
        return None
    return (
        sentence(
            "pair_effect",
            link=terms.value(NODE_PAIR, apart.text("node_pair")),
            baseline=modes[0],
            contender=modes[1],
            what=terms.what(apart.key.metric, apart.key.subject, point, point),
            change=change(on_pair),
            other_change=change(other),
        ),
        [],
    )


def _node_pairs(effect: Effect) -> Text | None:
    """Which pairs of nodes it rests on."""
    match effect.node_pairs:
        case []:
            return None
        case [pair]:
            return text("phrase", name="on_pair", pair=terms.value(NODE_PAIR, pair).plain)
        case several:
            return text("phrase", name="over_pairs", count=len(several))


def _change(effect: Effect) -> Text:
    if effect.ratio is not None:
        return change(effect.ratio)
    return Text("–") if effect.shift is None else difference(effect.shift, effect.unit)


def _modes(key: Key) -> tuple[Text, Text] | None:
    """The two modes, the baseline's first: there the row's points differ."""
    against = key.against or {}
    differing = (
        (terms.value(axis, against[axis]), terms.value(axis, at))
        for axis, at in key.point.items()
        if axis in against and against[axis] != at
    )
    return next(differing, None)


def _curves(pair: CurvePair) -> _Statement | None:
    """How two modes fare: their values are where the two curves differ."""
    modes = _modes(pair.key)
    if modes is None:
        return None
    clear = statements.crossing(pair, *modes, pair.shared)
    if clear is not None:
        return clear, []
    return (
        sentence(
            "no_crossing",
            baseline=modes[0],
            contender=modes[1],
            what=terms.what(pair.key.metric, pair.key.subject, pair.shared, pair.shared),
            axis=terms.axis(pair.axis),
            first=statements.whole(pair.xs[0]),
            last=statements.whole(pair.xs[-1]),
        ),
        [],
    )


def _curve(row: Projected) -> _Statement:
    statement, ratio = statements.course(row, row.key.point), figure_of(row)
    steady = row.text("shape") not in statements.RISES_AND_FALLS
    return statement, [
        change(ratio) if steady and ratio is not None else None,
        why_not_flat(row),
        tested(row.number("p"), None, 1),
    ]


def _loss(row: Projected) -> _Statement | None:
    key, share = row.key, figure_of(row)
    if not (key.against and row.text("source")):
        return None
    if share is None:
        why = [_term("warning", str(warning["code"])) for warning in row.warnings]
        return sentence("path_unknown", **statements.loss_of(row, key.point)), [*why]
    if row.verdict in (Verdict.WORSE, Verdict.BETTER):
        return statements.loss(row, key.point), []
    name = terms.metric(key.metric, key.subject)
    figure = text("phrase", name="named", what=name.plain, amount=amount(share).plain)
    if row.verdict == Verdict.SAME:
        return sentence("path_same", **statements.loss_of(row, key.point)), [
            figure,
            _within(known_share(row)),
        ]
    sides = statements.against_of(row), statements.path_of(row, key.point)
    return (
        sentence("path_undecided", **statements.loss_of(row, key.point)),
        [figure, _reason(row, sides) if row.text("reason") else None],
    )


def _links(point: Point, links: Links) -> _Statement:
    row = links.apart
    if row.verdict == Verdict.WORSE:
        looked_at = int(row.number("looked_at") or 1)
        p = tested(row.number("p"), row.number("adjusted_p"), looked_at)
        return statements.slow_links(links, point, point), [p]
    pairs = terms.value(NODE_PAIR, links.compared), terms.value(NODE_PAIR, links.member)
    slowest = text(
        "phrase",
        name="two_links",
        link=pairs[1].plain,
        figure=statements.figure_text(links.median).plain,
        other=pairs[0].plain,
        other_figure=statements.figure_text(links.other).plain,
    )
    return (
        statements.no_slow_link(links, point, point),
        [slowest, _reason(row, pairs)],
    )


def _payload(mtus: PathMtuEvidence) -> Text | None:
    """How much of full packets TCP carries; None where that is the same."""
    if mtus.baseline_mtu == mtus.contender_mtu:
        return None
    shares = {
        "baseline": mtus.baseline_share,
        "contender": mtus.contender_share,
        "baseline_timestamped": mtus.baseline_share_timestamped,
        "contender_timestamped": mtus.contender_share_timestamped,
    }
    parts = {name: words.plain(share, Unit.RATIO) for name, share in shares.items()}
    return text("phrase", name="payload", **parts)


def _route(pods: PodMtuEvidence) -> Text:
    """What pods' packets are wrapped in, and by which NIC they leave their node."""
    nic = str(pods.nic_mtu)
    if not pods.wrapped_in:
        return text("phrase", name="plain_route", nic_mtu=nic)
    overhead = str(pods.overhead)
    return text(
        "phrase",
        name="wrapped_route",
        encapsulation=pods.wrapped_in,
        overhead=overhead,
        nic_mtu=nic,
    )


def _reason(row: Projected, sides: tuple[Text, Text]) -> Text:
    """Why it is undecided; `sides` has their names, the baseline first."""
    limited = None
    if row.text("reason") == Reason.CLIENT_LIMITED:
        limited = why_not_the_same(row, sides)
    return limited or _term("reason", row.text("reason"))


def _within(limit: Text | None) -> Text | None:
    """How far apart the same may be."""
    return None if limit is None else text("phrase", name="same_within", limit=limit.plain)


def _term(group: str, term: str) -> Text:
    return text("term", group=group, term=term)

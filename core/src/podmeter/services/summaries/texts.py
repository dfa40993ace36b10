"""Findings in English: what the API, files and the terminal say of each, by its evidence."""

from collections.abc import Mapping, Sequence

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Unit
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.results.projected import Key, Projected
from podmeter.services.run_results import words
from podmeter.services.run_results.curve_rows import CurvePair, pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.figures import figure_of
from podmeter.services.run_results.link_rows import (
    BOTH_WAYS,
    FROM_NODE,
    NODE,
    TO_NODE,
    Links,
    links_of,
)
from podmeter.services.summaries.evidence import (
    Evidence,
    GateEvidence,
    PathMtuEvidence,
    PodMtuEvidence,
    RowEvidence,
)

Point = Mapping[str, AxisValue]
_Cases = Sequence[Point]

#: So many cases are named.
_MOST_CASES = 3
_LOSS_VERBS = {
    "worse": "loses against",
    "better": "gains on",
    "same": "is the same as",
}
#: Links that stand out together, in English.
_SHARED = {
    BOTH_WAYS: "both directions of {value}",
    NODE: "the links of {value}",
    FROM_NODE: "the links from {value}",
    TO_NODE: "the links to {value}",
}


def finding_text(code: str, point: Point, evidence: Evidence) -> str:
    """A finding as a sentence without a full stop."""
    match evidence:
        case GateEvidence():
            return _gate(evidence)
        case PathMtuEvidence():
            return _same(evidence) if code == "mtu_same" else _differ(evidence)
        case PodMtuEvidence():
            return _of_room(code, evidence)
        case RowEvidence(rows=rows):
            return _of_rows(code, point, rows)


def _of_rows(code: str, point: Point, rows: Sequence[Projected]) -> str:
    links = links_of(rows)
    if links is not None:
        return _link(code, point, links)
    for effect in effects_of(rows):
        return _effect(point, effect)
    for pair in pairs(rows):
        return _curves(pair)
    first = rows[0]
    return _loss(first) if first.code == "loss" else _curve(first)


def _gate(gate: GateEvidence) -> str:
    differ = ", ".join(one.field for one in gate.gate.differences if one.axis is None)
    return f"{gate.contender_value} cannot be compared with {gate.baseline_value}: {differ} differ"


def _effect(point: Point, effect: Effect) -> str:
    change, row = words.change(effect.ratio), effect.judged
    if effect.ratio is None:
        change = words.quantity(effect.shift, effect.unit)
    p = words.tested(row.number("p"), row.number("adjusted_p"), effect.looked_at)
    where = f"in {words.metric(effect.key.metric, effect.key.subject)} ({words.point(point)})"
    counts = " and ".join(str(one.n) for one in effect.medians)
    return f"{_verdict(effect)} {where}: {change}, {p}, n = {counts}"


def _verdict(effect: Effect) -> str:
    first, other = _modes(effect.key)
    if effect.verdict in ("better", "worse"):
        return f"{other} is {effect.verdict} than {first}"
    if effect.verdict == "same":
        return f"{other} is the same as {first}"
    return f"{other} against {first} is undecided ({words.REASONS[effect.reason]})"


def _modes(key: Key) -> tuple[str, str]:
    """The two modes, the baseline's first: there the row's points differ."""
    against = key.against or {}
    return next(
        (str(against[axis]), str(at)) for axis, at in key.point.items() if against.get(axis) != at
    )


def _loss(row: Projected) -> str:
    point, against = row.key.point, row.key.against or {}
    where = ", ".join(words.value(axis, point[axis]) for axis in words.in_order(point))
    other = ", ".join(str(value) for axis, value in against.items() if point.get(axis) != value)
    share, source = figure_of(row), row.text("source")
    if share is None:
        return f"{where} has no loss of {source} against {other}: {words.warnings(row)}"
    figures = f"loss {words.share(share)} of {source}"
    if share.low is None or share.high is None:
        return f"{where} has too few trials for its loss against {other}: {figures}"
    if row.verdict in _LOSS_VERBS:
        return f"{where} {_LOSS_VERBS[row.verdict]} {other}: {figures}"
    why = words.REASONS.get(row.text("reason"), "")
    return f"{where} against {other} is undecided{f' ({why})' if why else ''}: {figures}"


def _curve(change: Projected) -> str:
    key, xs, shape = change.key, change.numbers("xs"), words.SHAPES[change.text("shape")]
    against = words.against(change.holds("controlled"))
    return (
        f"{words.metric(key.metric, key.subject)} {shape} from {xs[0]:g} to {xs[-1]:g} "
        f"{change.text('axis')} ({words.point(key.point)}): {words.change(figure_of(change))}"
        f"{against}, {words.p_value(change.number('p'))}"
    )


def _curves(pair: CurvePair) -> str:
    """How two modes fare: their values are where the two curves differ."""
    key, crossing = pair.key, pair.crossing
    first, other = _modes(key)
    where = f"{words.metric(key.metric, key.subject)} ({words.point(pair.shared)})"
    if crossing is not None:
        leads = other if crossing.holds("contender_leads_after") else first
        between = f"{crossing.low:g} and {crossing.high:g} {pair.axis}"
        return f"{leads} becomes better in {where} between {between}"
    if not pair.degrades_more:
        return f"{first} and {other} change by a similar or unclear amount in {where}"
    loser, keeper = (first, other) if pair.degrades_more == "baseline" else (other, first)
    return (
        f"{loser} degrades more than {keeper} in {where} from {pair.xs[0]:g} to {pair.xs[-1]:g} "
        f"{pair.axis}"
    )


def _link(code: str, point: Point, links: Links) -> str:
    row, key = links.apart, links.apart.key
    what, where = words.metric(key.metric, key.subject), words.point(point)
    among = f"{what} ({where})" if where else what
    member, other = (words.value(NODE_PAIR, pair) for pair in (links.member, links.compared))
    figures = " against ".join(
        words.quantity(figure_of(one), one.key.unit) for one in (links.median, links.other)
    )
    figures += f" of {other}"
    looked_at = int(row.number("looked_at") or 1)
    p = words.tested(row.number("p"), row.number("adjusted_p"), looked_at)
    if code == "slowest_link":
        return f"{member} is the slowest of {links.count} links in {among}: {figures}, {p}"
    if code == "slowest_links":
        value = words.value(NODE_PAIR, row.text("shared"))
        return (
            f"{_SHARED[row.text('what')].format(value=value)} are slower than the other "
            f"{links.count - links.members} in {among}: at best {figures}, {p}"
        )
    reason = words.REASONS[row.text("reason")]
    return (
        f"no link of {links.count} is clearly slower in {among} ({reason}): {member} has {figures}"
    )


def _same(mtus: PathMtuEvidence) -> str:
    return (
        f"the path MTU is {mtus.baseline_mtu} with both {mtus.contender_value} and "
        f"{mtus.baseline_value}{_where(mtus.cases)}, although encapsulation adds "
        f"{mtus.contender_overhead} and {mtus.baseline_overhead} bytes: packet size does not "
        f"explain a difference between them"
    )


def _differ(mtus: PathMtuEvidence) -> str:
    plain = [words.plain(one, Unit.RATIO) for one in (mtus.contender_share, mtus.baseline_share)]
    timestamped = [
        words.plain(one, Unit.RATIO)
        for one in (mtus.contender_share_timestamped, mtus.baseline_share_timestamped)
    ]
    more = "more" if mtus.ratio > 1 else "less"
    return (
        f"the path MTU is {mtus.contender_mtu} with {mtus.contender_value} and "
        f"{mtus.baseline_mtu} with {mtus.baseline_value}{_where(mtus.cases)}. Of a full TCP "
        f"packet, {plain[0]} and {plain[1]} are payload ({timestamped[0]} and {timestamped[1]} "
        f"with timestamps). At the same packet rate, {mtus.contender_value} carries "
        f"{words.plain(abs(mtus.ratio - 1), Unit.RATIO)} {more} because of packet size alone"
    )


def _of_room(code: str, room: PodMtuEvidence) -> str:
    wrapped = "no encapsulation"
    if room.wrapped_in:
        wrapped = f"{room.overhead} bytes of {room.wrapped_in} encapsulation"
    facts = f"their route: {wrapped}, over a NIC with MTU {room.nic_mtu}"
    mtu = f"the pods' MTU of {room.pod_mtu}{_where(room.cases)}"
    if code == "mtu_too_large":
        return (
            f"{mtu} is {room.difference} bytes too large ({facts}): full packets are fragmented "
            f"or dropped"
        )
    return f"{mtu} could be {room.difference} bytes larger ({facts})"


def _where(cases: _Cases) -> str:
    """Of which cases, in brackets; nothing where it is all of them."""
    named = [words.point(one) for one in cases[:_MOST_CASES] if one]
    if len(cases) > _MOST_CASES:
        named.append(f"{len(cases) - _MOST_CASES} more")
    return f" ({'; '.join(named)})" if named else ""

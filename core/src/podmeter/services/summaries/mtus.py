"""What the size of packets has to do with it: path MTUs of compared modes, pods' MTU and the NIC's.

Only recorded routes are reported; a case without a record is a case without a finding.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from podmeter.domain.axes import AxisValue
from podmeter.domain.comparability import Comparability
from podmeter.domain.packets import by_size_alone, tcp_share
from podmeter.services.comparisons.document import Contender
from podmeter.services.run_results import words
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.packets import PacketSizes, Room, Ways, packet_sizes
from podmeter.services.run_results.runs import MeasuredRun, Point
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import PathMtuEvidence, PodMtuEvidence

#: The smallest packet that IPv4 has to take (RFC 791, 3.2); less was not recorded of any path.
_LEAST_MTU = 68
_Told = TypeVar("_Told")
_Cases = list[dict[str, AxisValue]]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two values of a mode's axis, as a run compares them."""

    axis: str
    baseline_value: str
    contender_value: str
    contender: Contender


def mtu_findings(
    measured: MeasuredRun,
    compared: Iterable[Compared],
    ways: Ways,
    read_fingerprints: ReadFingerprints,
) -> list[Finding]:
    """What is wrong with pods' MTU, then with which path MTUs the modes were measured."""
    sizes = packet_sizes(measured, ways, read_fingerprints)
    if not sizes:
        return []
    counted = {case.id: case.point for case in measured.cases if measured.samples(case.id)}
    rooms = {id_: sizes[id_].room if id_ in sizes else None for id_ in counted}
    wrong = [_of_pods(room, cases) for room, cases in _grouped(rooms, counted)]
    return [*[one for one in wrong if one is not None], *_of_modes(compared, sizes)]


@dataclass(frozen=True, slots=True)
class _Mtus:
    """Path MTU and overhead of both sides of a pair."""

    mtus: tuple[int, int]
    overheads: tuple[int | None, int | None]


def _of_modes(compared: Iterable[Compared], sizes: Mapping[int, PacketSizes]) -> Iterator[Finding]:
    """Each further value of a mode's axis against the first one, as other findings have them."""
    for one in compared:
        pairs = {
            each.baseline.case_id: each
            for each in one.contender.pairs
            if each.comparability in (Comparability.COMPARABLE, Comparability.CONFOUNDED)
        }
        points = {id_: each.shared for id_, each in pairs.items()}
        found = {
            id_: _both(sizes.get(id_), sizes.get(each.contender.case_id))
            for id_, each in pairs.items()
        }
        for mtus, cases in _grouped(found, points):
            yield from _of_pair(mtus, cases, one)


def _both(one: PacketSizes | None, two: PacketSizes | None) -> _Mtus | None:
    if one is None or two is None or one.mtu is None or two.mtu is None:
        return None
    if min(one.mtu, two.mtu) < _LEAST_MTU:
        return None
    return _Mtus((one.mtu, two.mtu), (one.overhead, two.overhead))


def _of_pair(mtus: _Mtus, cases: _Cases, compared: Compared) -> Iterator[Finding]:
    one, two = mtus.mtus
    if one == two and (None in mtus.overheads or len(set(mtus.overheads)) == 1):
        return
    evidence = PathMtuEvidence(
        kind="path_mtu",
        axis=compared.axis,
        baseline_value=compared.baseline_value,
        contender_value=compared.contender_value,
        cases=cases,
        baseline_mtu=one,
        contender_mtu=two,
        baseline_overhead=mtus.overheads[0],
        contender_overhead=mtus.overheads[1],
        baseline_share=tcp_share(one, timestamps=False),
        contender_share=tcp_share(two, timestamps=False),
        ratio=by_size_alone(one, two, timestamps=False),
        baseline_share_timestamped=tcp_share(one, timestamps=True),
        contender_share_timestamped=tcp_share(two, timestamps=True),
        ratio_timestamped=by_size_alone(one, two, timestamps=True),
    )
    if one == two:
        yield Finding("mtu_same", "", _shared(cases), evidence)
    else:
        yield Finding("mtu_differs", "", _shared(cases), evidence)


def _of_pods(room: Room, cases: _Cases) -> Finding | None:
    """Pods' MTU where it is larger than what leaves their node whole, or smaller."""
    by_nic = room.nic_mtu - room.overhead
    most = min(room.device_mtu, by_nic)
    if room.pod_mtu > most:
        code = "mtu_too_large"
    elif room.pod_mtu < by_nic and not room.at_least:
        code, most = "mtu_unused", by_nic
    else:
        return None
    evidence = PodMtuEvidence(
        kind="pod_mtu",
        cases=cases,
        pod_mtu=room.pod_mtu,
        most=most,
        difference=abs(room.pod_mtu - most),
        wrapped_in=room.wrapped_in,
        overhead=room.overhead,
        nic_mtu=room.nic_mtu,
    )
    return Finding(code, "", _shared(cases), evidence)


def _shared(cases: _Cases) -> dict[str, AxisValue]:
    """What all the cases have in common."""
    first, *rest = cases
    return {k: v for k, v in first.items() if all(one.get(k) == v for one in rest)}


def _grouped(
    told: Mapping[int, _Told | None], points: Mapping[int, Point]
) -> Iterator[tuple[_Told, _Cases]]:
    """Findings that hold for several cases, each with its cases.

    The cases are named by the fewest axes that distinguish them from cases with other findings, or
    nothing.
    """
    groups: dict[_Told, list[Point]] = {}
    for id_, one in told.items():
        if one is not None:
            groups.setdefault(one, []).append(points[id_])
    for one, members in groups.items():
        others = [points[id_] for id_, other in told.items() if other != one]
        yield one, _named(members, others)


def _named(members: Sequence[Point], others: Sequence[Point]) -> _Cases:
    """The members on the axes that are needed to tell them from the others, each once."""
    kept = words.in_order({axis for one in members for axis in one})
    for axis in reversed(kept):
        fewer = [each for each in kept if each != axis]
        if _on(fewer, members).isdisjoint(_on(fewer, others)):
            kept = fewer
    on = {tuple(one.get(axis) for axis in kept): one for one in members}
    return [{axis: one[axis] for axis in kept if axis in one} for one in on.values()]


def _on(axes: Sequence[str], points: Iterable[Point]) -> set[tuple[AxisValue | None, ...]]:
    return {tuple(one.get(axis) for axis in axes) for one in points}

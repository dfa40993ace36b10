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
from podmeter.services.run_results.packets import PacketSizes, Room, Routes, packet_sizes
from podmeter.services.run_results.runs import MeasuredRun, Point
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import PathMtuEvidence, PodMtuEvidence

#: The smallest packet that IPv4 has to take (RFC 791, 3.2); less was not recorded of any path.
_LEAST_MTU = 68
_Grouped = TypeVar("_Grouped")
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
    routes: Routes,
    read_fingerprints: ReadFingerprints,
) -> list[Finding]:
    """What is wrong with pods' MTU, then with which path MTUs the modes were measured."""
    sizes = packet_sizes(measured, routes, read_fingerprints)
    if not sizes:
        return []
    counted = {case.id: case.point for case in measured.cases if measured.samples(case.id)}
    rooms = {id_: sizes[id_].room if id_ in sizes else None for id_ in counted}
    of_pods = [_of_pods(room, cases) for room, cases in _grouped(rooms, counted)]
    return [
        *[finding for finding in of_pods if finding is not None],
        *_of_modes(compared, sizes),
    ]


@dataclass(frozen=True, slots=True)
class _Mtus:
    """Path MTU and overhead of both sides of a pair."""

    mtus: tuple[int, int]
    overheads: tuple[int | None, int | None]


def _of_modes(compared: Iterable[Compared], sizes: Mapping[int, PacketSizes]) -> Iterator[Finding]:
    """Each further value of a mode's axis against the first one, as other findings have them."""
    for modes in compared:
        pairs = {
            pair.baseline.case_id: pair
            for pair in modes.contender.pairs
            if pair.comparability in (Comparability.COMPARABLE, Comparability.CONFOUNDED)
        }
        points = {id_: pair.shared for id_, pair in pairs.items()}
        of_pairs = {
            id_: _both(sizes.get(id_), sizes.get(pair.contender.case_id))
            for id_, pair in pairs.items()
        }
        for mtus, cases in _grouped(of_pairs, points):
            yield from _of_pair(mtus, cases, modes)


def _both(baseline: PacketSizes | None, contender: PacketSizes | None) -> _Mtus | None:
    if baseline is None or contender is None or baseline.mtu is None or contender.mtu is None:
        return None
    if min(baseline.mtu, contender.mtu) < _LEAST_MTU:
        return None
    return _Mtus((baseline.mtu, contender.mtu), (baseline.overhead, contender.overhead))


def _of_pair(mtus: _Mtus, cases: _Cases, compared: Compared) -> Iterator[Finding]:
    baseline, contender = mtus.mtus
    if baseline == contender and (None in mtus.overheads or len(set(mtus.overheads)) == 1):
        return
    evidence = PathMtuEvidence(
        kind="path_mtu",
        axis=compared.axis,
        baseline_value=compared.baseline_value,
        contender_value=compared.contender_value,
        cases=cases,
        baseline_mtu=baseline,
        contender_mtu=contender,
        baseline_overhead=mtus.overheads[0],
        contender_overhead=mtus.overheads[1],
        baseline_share=tcp_share(baseline, timestamps=False),
        contender_share=tcp_share(contender, timestamps=False),
        ratio=by_size_alone(baseline, contender, timestamps=False),
        baseline_share_timestamped=tcp_share(baseline, timestamps=True),
        contender_share_timestamped=tcp_share(contender, timestamps=True),
        ratio_timestamped=by_size_alone(baseline, contender, timestamps=True),
    )
    code = "mtu_same" if baseline == contender else "mtu_differs"
    yield Finding(code, "", _shared(cases), evidence)


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
    return {k: v for k, v in first.items() if all(case.get(k) == v for case in rest)}


def _grouped(
    values: Mapping[int, _Grouped | None], points: Mapping[int, Point]
) -> Iterator[tuple[_Grouped, _Cases]]:
    """Findings that hold for several cases, each with its cases.

    The cases are named by the fewest axes that distinguish them from cases with other findings, or
    nothing.
    """
    groups: dict[_Grouped, list[Point]] = {}
    for id_, value in values.items():
        if value is not None:
            groups.setdefault(value, []).append(points[id_])
    for value, members in groups.items():
        others = [points[id_] for id_, other in values.items() if other != value]
        yield value, _named(members, others)


def _named(members: Sequence[Point], others: Sequence[Point]) -> _Cases:
    """The members on the axes that are needed to tell them from the others, each once."""
    axes = words.in_order({axis for point in members for axis in point})
    for axis in reversed(axes):
        fewer = [each for each in axes if each != axis]
        if _on(fewer, members).isdisjoint(_on(fewer, others)):
            axes = fewer
    distinct = {tuple(point.get(axis) for axis in axes): point for point in members}
    return [{axis: point[axis] for axis in axes if axis in point} for point in distinct.values()]


def _on(axes: Sequence[str], points: Iterable[Point]) -> set[tuple[AxisValue | None, ...]]:
    return {tuple(point.get(axis) for axis in axes) for point in points}

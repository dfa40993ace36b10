"""What has to be known of the environments that cases were measured in."""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping

from podmeter.domain.axes import AxisValue
from podmeter.domain.fingerprint import services_by_cni as answered_by_cni
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.kinds.paths import CLIENT, ENDS, PATH, AddressKind
from podmeter.kinds.registry import asks_service, rests_on_one_seating
from podmeter.services.lru_cache import LruCache
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun

#: Reads the contents of fingerprints by their ids.
ReadFingerprints = Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, Mapping[str, object]]]

#: Contents never change: another environment is another fingerprint.
_CONTENTS: LruCache[uuid.UUID, Mapping[str, object]] = LruCache(64)


def kept_fingerprints(read: ReadFingerprints) -> ReadFingerprints:
    """Reads those alone that this process did not read before.

    The ids must be of what the reader may see: what was kept is given without asking.
    """

    def reading(ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, Mapping[str, object]]:
        known = {id_: _CONTENTS.get(id_) for id_ in ids}
        found = {id_: content for id_, content in known.items() if content is not None}
        missing = [id_ for id_ in known if id_ not in found]
        new = read(missing) if missing else {}
        for id_, content in new.items():
            _CONTENTS.put(id_, content)
        return {**found, **new}

    return reading


#: A pod asks a Service by its cluster address.
_ASKED_BY_PODS = frozenset(
    path
    for path, ends in ENDS.items()
    if ends.client == CLIENT and ends.via in (AddressKind.CLUSTER_IP, AddressKind.NAME)
)


def shared_host(cases: Iterable[MeasuredCase], read_fingerprints: ReadFingerprints) -> bool:
    """Whether some nodes of a cluster that a case was measured on are one machine."""
    return any(one.get("shared_host") is True for one in _environments(cases, read_fingerprints))


def services_by_cni(cases: Iterable[MeasuredCase], read_fingerprints: ReadFingerprints) -> bool:
    """Whether the CNI answered pods' requests to Services, instead of kube-proxy."""
    of_pods = [case for case in cases if _tells_of_mode(case) and asked_by_pods(case.point)]
    return any(
        answered_by_cni(_named(one, "cni", "name"), _named(one, "kube_proxy", "mode"))
        for one in _environments(of_pods, read_fingerprints)
    )


def one_assignment(
    measured: MeasuredRun, cases: Iterable[MeasuredCase]
) -> list[dict[str, AxisValue]]:
    """Where nodes never swapped the modes that they had side by side: the rungs, each once."""
    ladders = {axis.name for axis in measured.spec.axes if axis.ladder}
    rungs: dict[tuple[tuple[str, AxisValue], ...], int] = {}
    for case in cases:
        rung = tuple(sorted((axis, at) for axis, at in case.point.items() if axis in ladders))
        rounds = [len(one.trials) for one in measured.samples(case.id)]
        rungs[rung] = max([rungs.get(rung, 0), *rounds])
    return [
        dict(rung)
        for rung, rounds in sorted(rungs.items())
        if rounds and rests_on_one_seating(measured.spec, dict(rung), rounds)
    ]


def asked_by_pods(point: Mapping[str, object]) -> bool:
    """Whether a pod asks a Service by its cluster address in a case."""
    told = asks_service(point)
    return point.get(PATH) in _ASKED_BY_PODS if told is None else told


def _tells_of_mode(case: MeasuredCase) -> bool:
    """Whether a result depends on kube-proxy's mode: all paths over Services."""
    return asks_service(case.point) is not None or KUBE_PROXY_MODE in case.point


def _environments(
    cases: Iterable[MeasuredCase], read_fingerprints: ReadFingerprints
) -> Iterable[Mapping[str, object]]:
    ids = {id_ for case in cases for id_ in case.fingerprints if id_ is not None}
    return read_fingerprints(ids).values() if ids else ()


def _named(fingerprint: Mapping[str, object], part: str, name: str) -> str | None:
    found = fingerprint.get(part)
    value = found.get(name) if isinstance(found, Mapping) else None
    return None if value is None else str(value)

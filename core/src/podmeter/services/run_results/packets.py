"""What was recorded of the size of a case's packets: by its trials' ways and its fingerprints."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from podmeter.drivers import route
from podmeter.drivers.route import PacketRoute
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun

#: Of each case, by its id, what its counted trials tell of the client's way and of its node's.
Ways = Mapping[int, Collection[tuple[str | None, str | None]]]
#: How kinds of devices are called, in every language.
_NAMES = {
    "vxlan": "VXLAN",
    "geneve": "Geneve",
    "ipip": "IP-in-IP",
    "wireguard": "WireGuard",
    "tun": "UDP",
}
#: What may take more than is known: options, outer IPv6, which flannel leaves room for in any case.
_MORE = ("geneve", "wireguard")


@dataclass(frozen=True, slots=True)
class Room:
    """What leaves a node whole, of pods whose packets have `pod_mtu` bytes at most.

    `device_mtu` is that of the device they leave by, which wraps them in `overhead` bytes of
    `wrapped_in` ("" where it does not), and `nic_mtu` that of the NIC below it. `at_least`: the
    overhead may be more.
    """

    pod_mtu: int
    device_mtu: int
    nic_mtu: int
    overhead: int
    wrapped_in: str
    at_least: bool


@dataclass(frozen=True, slots=True)
class PacketSizes:
    """What the packets of a case are: the MTU of its path, in bytes; None is not known.

    `overhead` is what they are wrapped in between nodes, None also where they cross none.
    """

    mtu: int | None
    overhead: int | None
    room: Room | None


def packet_sizes(
    measured: MeasuredRun, ways: Ways, read_fingerprints: ReadFingerprints
) -> dict[int, PacketSizes]:
    """By case; a case of which anything was recorded twice and differently is left out."""
    cases = [case for case in measured.cases if ways.get(case.id) and None not in case.fingerprints]
    ids = {id_ for case in cases for id_ in case.fingerprints if id_ is not None}
    contents = read_fingerprints(ids) if ids else {}
    found = {}
    for case in cases:
        environments = [contents.get(id_) if id_ else None for id_ in case.fingerprints]
        sizes = {
            _sizes(case, read, environment)
            for told in ways[case.id]
            for environment in environments
            if (read := _read(*told)) and environment
        }
        if len(sizes) == 1 and all(environments) and all(_read(*one) for one in ways[case.id]):
            found[case.id] = sizes.pop()
    return found


def _read(told: str | None, of_node: str | None) -> tuple[PacketRoute, PacketRoute | None] | None:
    """Both ways; None if the client's, or any recorded one, is unknown."""
    way = None if told is None else route.read(told)
    node_way = None if of_node is None else route.read(of_node)
    if way is None or (node_way is None and of_node is not None):
        return None
    return way, node_way


def _sizes(
    case: MeasuredCase, ways: tuple[PacketRoute, PacketRoute | None], environment: Mapping[str, Any]
) -> PacketSizes:
    way, node_way = ways
    pod_mtu = (environment.get("cni") or {}).get("pod_mtu")
    of_pods = way.mtu == pod_mtu
    if node_way is None:
        # A way to a Service's address may end on the node itself, or begin outside of it.
        return PacketSizes(way.mtu if of_pods else None, None, None)
    mtu = min(way.mtu, node_way.mtu)
    nic_mtu = _nic_mtu(case, node_way, environment)
    room = None
    if of_pods and nic_mtu is not None and node_way.overhead is not None:
        room = Room(
            pod_mtu=way.mtu,
            device_mtu=node_way.mtu,
            nic_mtu=nic_mtu,
            overhead=node_way.overhead,
            wrapped_in=_NAMES[node_way.kind] if node_way.overhead else "",
            at_least=node_way.kind in _MORE,
        )
    return PacketSizes(mtu, node_way.overhead, room)


def _nic_mtu(case: MeasuredCase, way: PacketRoute, environment: Mapping[str, Any]) -> int | None:
    """Of the NIC that the way ends at, on the client's node; None where that was not recorded."""
    node = (case.placement or {}).get("client_node")
    for one in environment.get("nodes") or ():
        if one.get("name") == node and node is not None:
            mtu = (one.get("mtus") or {}).get(way.nic)
            return mtu if isinstance(mtu, int) else None
    return None

"""What was recorded of the size of a case's packets: by its trials' routes and its fingerprints."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from podmeter.drivers import route
from podmeter.drivers.route import PacketRoute
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun

#: Of each case, by its id, the recorded routes of its counted trials: the client's and its node's.
Routes = Mapping[int, Collection[tuple[str | None, str | None]]]
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
    measured: MeasuredRun, routes: Routes, read_fingerprints: ReadFingerprints
) -> dict[int, PacketSizes]:
    """By case; a case of which anything was recorded twice and differently is left out."""
    cases = [
        case for case in measured.cases if routes.get(case.id) and None not in case.fingerprints
    ]
    ids = {id_ for case in cases for id_ in case.fingerprints if id_ is not None}
    contents = read_fingerprints(ids) if ids else {}
    by_case = {}
    for case in cases:
        environments = [contents.get(id_) if id_ else None for id_ in case.fingerprints]
        sizes = {
            _sizes(case, read, environment)
            for recorded in routes[case.id]
            for environment in environments
            if (read := _read(*recorded)) and environment
        }
        if len(sizes) == 1 and all(environments) and all(_read(*one) for one in routes[case.id]):
            by_case[case.id] = sizes.pop()
    return by_case


def _read(client: str | None, node: str | None) -> tuple[PacketRoute, PacketRoute | None] | None:
    """Both routes; None if the client's, or any recorded one, is unknown."""
    client_route = None if client is None else route.read(client)
    node_route = None if node is None else route.read(node)
    if client_route is None or (node_route is None and node is not None):
        return None
    return client_route, node_route


def _sizes(
    case: MeasuredCase,
    routes: tuple[PacketRoute, PacketRoute | None],
    environment: Mapping[str, Any],
) -> PacketSizes:
    client_route, node_route = routes
    pod_mtu = (environment.get("cni") or {}).get("pod_mtu")
    of_pods = client_route.mtu == pod_mtu
    if node_route is None:
        # A route to a Service's address may end on the node itself, or begin outside of it.
        return PacketSizes(client_route.mtu if of_pods else None, None, None)
    mtu = min(client_route.mtu, node_route.mtu)
    nic_mtu = _nic_mtu(case, node_route, environment)
    room = None
    if of_pods and nic_mtu is not None and node_route.overhead is not None:
        room = Room(
            pod_mtu=client_route.mtu,
            device_mtu=node_route.mtu,
            nic_mtu=nic_mtu,
            overhead=node_route.overhead,
            wrapped_in=_NAMES[node_route.kind] if node_route.overhead else "",
            at_least=node_route.kind in _MORE,
        )
    return PacketSizes(mtu, node_route.overhead, room)


def _nic_mtu(
    case: MeasuredCase, node_route: PacketRoute, environment: Mapping[str, Any]
) -> int | None:
    """Of the NIC that the route ends at, on the client's node; None where that was not recorded."""
    node = (case.placement or {}).get("client_node")
    for one in environment.get("nodes") or ():
        if one.get("name") == node and node is not None:
            mtu = (one.get("mtus") or {}).get(node_route.nic)
            return mtu if isinstance(mtu, int) else None
    return None

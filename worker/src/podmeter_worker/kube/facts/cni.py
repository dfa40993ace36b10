"""Which pod network there is: by the DaemonSet that runs it, and what it is set to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.components.registry import COMPONENTS
from podmeter.domain.fingerprint import CniFacts
from podmeter.domain.modes import Encapsulation
from podmeter.domain.networks import component_of, networks
from podmeter.drivers.route import TUNNELS
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.drivers.route import PacketRoute
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

#: The id of a pod network that is not recognised.
UNKNOWN = "unknown"
#: The labels by which a DaemonSet says what it is.
_LABELS = ("k8s-app", "app.kubernetes.io/name", "app")
#: Devices by their names, of whatever network.
_TUNNELS = {
    r"vxlan.*": Encapsulation.VXLAN,
    r"genev.*": Encapsulation.GENEVE,
    r"tunl\d+": Encapsulation.IPIP,
}
#: What the kernel calls a device that wraps packets.
_KINDS = {
    "vxlan": Encapsulation.VXLAN,
    "geneve": Encapsulation.GENEVE,
    "ipip": Encapsulation.IPIP,
    "wireguard": Encapsulation.WIREGUARD,
}


def read_cni(client: KubeClient, ways: Iterable[PacketRoute], pod_mtu: int | None) -> CniFacts:
    """The pod network; `ways` are how packets leave for the pods of other nodes, if asked."""
    sets = client.list_all(DAEMON_SETS.path()).items
    network, running = identify(sets)
    found = built_in(client) if network == UNKNOWN else None
    if found is not None:
        network, backend = found
        wrapped = {encapsulation_of(way, network) for way in ways}
        return CniFacts(
            name=network,
            encapsulation=wrapped.pop() if len(wrapped) == 1 else None,
            pod_mtu=pod_mtu,
            features={"encapsulation.Type": backend} if backend else {},
        )
    features = _features(client, network, running)
    for other in networks():
        for item in sets if other.beside and other.id != network else ():
            if item["metadata"]["name"] in other.daemon_sets:
                features["network_policy"] = f"{other.id} {_version(item) or ''}".strip()
    # Nodes that differ have no common answer; a switch in progress looks like that.
    wrapped = {encapsulation_of(way, network) for way in ways}
    return CniFacts(
        name=network,
        version=None if running is None else _version(running),
        encapsulation=wrapped.pop() if len(wrapped) == 1 else None,
        pod_mtu=pod_mtu,
        features=features,
    )


def identify(sets: Iterable[Object]) -> tuple[str, Object | None]:
    """The pod network's id and its DaemonSet; UNKNOWN where none is recognised."""
    listed, known = list(sets), networks()
    for network in known:
        for name in network.daemon_sets:
            for item in listed:
                if item["metadata"]["name"] == name:
                    return network.id, item
    for network in known:
        for item in listed:
            labels = item["metadata"].get("labels") or {}
            if any(labels.get(label) in network.labels for label in _LABELS):
                return network.id, item
    return UNKNOWN, None


def built_in(client: KubeClient) -> tuple[str, str] | None:
    """The id of a pod network that no DaemonSet runs, and what it writes about itself on the nodes.

    None where there is none; "" where nodes differ.
    """
    nodes = client.list_all(NODES.path()).items
    annotations = [item["metadata"].get("annotations") or {} for item in nodes]
    for network in networks():
        key = network.annotation
        told = {str(one[key]) for one in annotations if key is not None and key in one}
        if told:
            return network.id, told.pop() if len(told) == 1 else ""
    return None


def encapsulation_of(way: PacketRoute, network: str) -> str | None:
    """The encapsulation of packets on this way; None if it is unknown.

    A device's name tells it where its kind is of no one's: flannel's own tun device.
    """
    if way.kind in _KINDS:
        return _KINDS[way.kind]
    for tunnels in (_TUNNELS, *(one.tunnels for one in COMPONENTS.values())):
        for pattern, encapsulation in tunnels.items():
            if re.fullmatch(pattern, way.device):
                return encapsulation
    hiding = {device for one in COMPONENTS.values() for device in one.hiding}
    if way.kind in TUNNELS or way.device in hiding:
        return None
    component = component_of(network)
    return Encapsulation.NONE if component is None else component.untunnelled


def _version(item: Object) -> str | None:
    """The version, by the tag of the first container's image."""
    image: str = item["spec"]["template"]["spec"]["containers"][0]["image"]
    _, colon, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return tag if colon else None


def _features(client: KubeClient, network: str, running: Object | None) -> dict[str, str]:
    component = component_of(network)
    if component is None or component.settings is None or running is None:
        return {}
    settings = component.settings
    for namespace in settings.namespaces or (running["metadata"]["namespace"],):
        found = _config(client, namespace, settings.config_map)
        if found is not None:
            return settings.features(found)
    return {}


def _config(client: KubeClient, namespace: str, name: str) -> dict[str, str] | None:
    try:
        found = client.find(CONFIG_MAPS.path(namespace, name))
    except ApiRefusedError as error:
        if error.status == 403:
            return None
        raise
    return None if found is None else dict(found.get("data") or {})

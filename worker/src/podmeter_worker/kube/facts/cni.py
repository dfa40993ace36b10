"""Which pod network there is: by the DaemonSet that runs it, and what it is set to."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from podmeter.domain.components.cilium import CONFIG, KEYS
from podmeter.domain.components.flannel import PRE_SHARED_KEY
from podmeter.domain.fingerprint import CniFacts
from podmeter.domain.modes import Encapsulation
from podmeter.domain.networks import NETWORKS
from podmeter.drivers.route import TUNNELS
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter.drivers.route import Way
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

#: What flannel writes about itself on each node, wherever it runs: k3s and RKE2 have it built in.
BACKEND_TYPE = "flannel.alpha.coreos.com/backend-type"
#: The labels by which a DaemonSet says what it is.
_LABELS = ("k8s-app", "app.kubernetes.io/name", "app")
_TUNNELS = (
    (r"flannel\.\d+|vxlan\.calico|cilium_vxlan|vxlan.*", Encapsulation.VXLAN),
    (r"flannel\d+", Encapsulation.UDP),
    (r"flannel\.ipip|tunl\d+", Encapsulation.IPIP),
    (r"cilium_geneve|genev.*", Encapsulation.GENEVE),
)
#: What the kernel calls a device that wraps packets.
_KINDS = {
    "vxlan": Encapsulation.VXLAN,
    "geneve": Encapsulation.GENEVE,
    "ipip": Encapsulation.IPIP,
    "wireguard": Encapsulation.WIREGUARD,
}
#: Behind these a program decides where packets go.
_HIDING = ("cilium_host", "cilium_net")
_UNTUNNELLED = {
    "flannel": Encapsulation.HOST_GW,
    "canal": Encapsulation.HOST_GW,
    "cilium": Encapsulation.NATIVE,
}
#: What Cilium's ConfigMap says about how packets go, and about what else is done with each.
_CILIUM_KEYS = (
    *KEYS,
    "tunnel-port",
    "mtu",
    "ipam",
    "datapath-mode",
    "enable-endpoint-routes",
    "kube-proxy-replacement",
    "bpf-lb-acceleration",
    "bpf-lb-algorithm",
    "bpf-lb-map-max",
    "bpf-lb-mode",
    "bpf-lb-sock",
    "enable-bandwidth-manager",
    "enable-bbr",
    "enable-bpf-masquerade",
    "enable-host-firewall",
    "enable-host-legacy-routing",
    "enable-hubble",
    "enable-ipsec",
    "enable-ipv4-big-tcp",
    "enable-ipv4-masquerade",
    "enable-ipv6-big-tcp",
    "enable-l7-proxy",
    "enable-tcx",
    "enable-tunnel-big-tcp",
    "enable-wireguard",
    "install-no-conntrack-iptables-rules",
    "preallocate-bpf-maps",
)


def read_cni(client: KubeClient, ways: Iterable[Way], pod_mtu: int | None) -> CniFacts:
    """The pod network; `ways` are how packets leave for the pods of other nodes, if asked."""
    sets = client.list_all(DAEMON_SETS.path()).items
    network, running = identify(sets)
    backend = built_in_flannel(client) if network == "unknown" else None
    if backend is not None:
        wrapped = {encapsulation_of(way, "flannel") for way in ways}
        return CniFacts(
            name="flannel",
            encapsulation=wrapped.pop() if len(wrapped) == 1 else None,
            pod_mtu=pod_mtu,
            features={"encapsulation.Type": backend} if backend else {},
        )
    features = _features(client, network, running)
    for item in sets:
        if item["metadata"]["name"] == "kube-router" and network != "kube-router":
            features["network_policy"] = f"kube-router {_version(item) or ''}".strip()
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
    """The pod network's id and its DaemonSet; "unknown" where none is recognised."""
    listed = list(sets)
    for network in NETWORKS:
        for name in network.daemon_sets:
            for item in listed:
                if item["metadata"]["name"] == name:
                    return network.id, item
    for network in NETWORKS:
        for item in listed:
            labels = item["metadata"].get("labels") or {}
            if any(labels.get(label) in network.labels for label in _LABELS):
                return network.id, item
    return "unknown", None


def built_in_flannel(client: KubeClient) -> str | None:
    """The backend of a flannel that no DaemonSet runs, by what it writes on the nodes.

    None where there is none; "" where nodes differ.
    """
    told = {
        str((item["metadata"].get("annotations") or {})[BACKEND_TYPE])
        for item in client.list_all(NODES.path()).items
        if BACKEND_TYPE in (item["metadata"].get("annotations") or {})
    }
    if not told:
        return None
    return told.pop() if len(told) == 1 else ""


def encapsulation_of(way: Way, network: str) -> str | None:
    """The encapsulation of packets on this way; None if it is unknown.

    A device's name tells it where its kind is of no one's: flannel's own tun device.
    """
    if way.kind in _KINDS:
        return _KINDS[way.kind]
    for pattern, encapsulation in _TUNNELS:
        if re.fullmatch(pattern, way.device):
            return encapsulation
    if way.kind in TUNNELS or way.device in _HIDING:
        return None
    return _UNTUNNELLED.get(network, Encapsulation.NONE)


def _version(item: Object) -> str | None:
    """The version, by the tag of the first container's image."""
    image: str = item["spec"]["template"]["spec"]["containers"][0]["image"]
    _, colon, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return tag if colon else None


def _features(client: KubeClient, network: str, running: Object | None) -> dict[str, str]:
    if network in ("flannel", "canal"):
        for namespace in ("kube-flannel", "kube-system"):
            found = _config(client, namespace, "kube-flannel-cfg")
            if found is not None:
                return flannel_features(found.get("net-conf.json", ""))
    if network == "cilium" and running is not None:
        return cilium_features(_config(client, running["metadata"]["namespace"], CONFIG) or {})
    return {}


def flannel_features(net_conf: str) -> dict[str, str]:
    """Flannel's settings; those of its backend are named after the encapsulation they belong to.

    Of a secret setting only whether it is set is reported.
    """
    try:
        document = json.loads(net_conf)
    except ValueError:
        return {}
    features = {
        f"encapsulation.{key}": "set" if key.lower() == PRE_SHARED_KEY else str(value)
        for key, value in document.get("Backend", {}).items()
    }
    features["nftables"] = str(document.get("EnableNFTables", False)).lower()
    return features


def cilium_features(told: Mapping[str, str]) -> dict[str, str]:
    """Cilium's settings, and what they ask for between a pod and its node's NIC.

    eBPF host routing passes the node's own network stack by. It takes Cilium in kube-proxy's place
    and masquerading by eBPF too, else the agent leaves it (Tuning Guide, eBPF Host-Routing).
    """
    features = {key: told[key] for key in _CILIUM_KEYS if key in told}
    if told:
        on = {key for key, text in told.items() if text.lower() in ("true", "strict")}
        asked = {"kube-proxy-replacement", "enable-bpf-masquerade"} <= on
        legacy = "enable-host-legacy-routing" in on or not asked
        features["host_routing"] = "legacy" if legacy else "eBPF"
    return features


def _config(client: KubeClient, namespace: str, name: str) -> dict[str, str] | None:
    try:
        found = client.find(CONFIG_MAPS.path(namespace, name))
    except ApiRefusedError as error:
        if error.status == 403:
            return None
        raise
    return None if found is None else dict(found.get("data") or {})

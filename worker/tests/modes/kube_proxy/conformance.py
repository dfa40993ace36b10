"""kube-proxy for the conformance suite, switched on all nodes, and on those that measure alone."""

from __future__ import annotations

from collections.abc import Callable

from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import Object

from ..cluster_of_objects import NODES_OF
from ..described import Described
from .objects import CLUSTERS, CONFIGURATION, OWNERS, SWITCHER, KubeProxies

#: The nodes that measure, and the node that must notice nothing.
MEASURED, SPARED = ("a", "b"), "c"
#: Every mode after every other one.
TOUR = ("iptables", "nftables", "ipvs", "iptables", "ipvs", "nftables", "iptables")
IMPATIENT: dict[str, object] = {
    "podmeter_worker.modes.daemon_set._SECONDS": 0.0,
    "podmeter_worker.modes.kube_proxy.cleanup._SECONDS": 0.0,
    "podmeter_worker.modes.kube_proxy.effect._EFFECTIVE_SECONDS": (0.0, 0.0, 0.0, 0.0),
}


def in_effect(cluster: KubeProxies, mode: str, *nodes: str) -> None:
    for node in nodes or NODES_OF:
        assert cluster.kernels[node] == {mode}
        assert cluster.mode_on(node) == mode
        assert len(cluster.pods_on(node)) == 1
    assert cluster.clashes == []


def write_beside(client: KubeClient, number: int) -> None:
    client.patch(CLUSTERS, {"spec": {"minReadySeconds": number}})


def _touch(client: KubeClient) -> None:
    client.patch(CLUSTERS, {"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}})


def _touch_configuration(client: KubeClient) -> None:
    client.patch(CONFIGURATION, {"data": {"kubeconfig.conf": "clusters: [another]"}})


def _write(text: str) -> Callable[[KubeProxies], object]:
    data = {"config.conf": text}
    return lambda cluster: cluster.edit(CONFIGURATION, lambda found: found["data"].update(data))


_KIND = "kind: KubeProxyConfiguration"
AS_WRITTEN = {
    "nothing": (_write(f"{_KIND}\nmode: null\n"), None),
    "nothing as a tilde": (_write(f"{_KIND}\nmode: ~\n"), None),
    "a mode of before": (_write(f"{_KIND}\nmode: userspace\n"), "proxy_mode_unknown"),
    "a mapping in braces": (_write("{" + _KIND + ", mode: iptables}\n"), "proxy_mode_unwritable"),
}


def _described(stood: str, affinity: Object | None, nodes: tuple[str, ...] | None) -> Described:
    def on_measured(cluster: KubeProxies, mode: str) -> None:
        """The spared node's pod was never touched."""
        in_effect(cluster, mode, *MEASURED)
        in_effect(cluster, stood, SPARED)
        assert cluster.started.count(SPARED) == 1

    touches = {"daemon set": _touch}
    if nodes is None:
        touches["configuration"] = _touch_configuration
    where = "all nodes" if nodes is None else f"some nodes{' with an affinity' * bool(affinity)}"
    return Described(
        name=f"kube-proxy in {stood} on {where}",
        switcher=SWITCHER,
        cluster=KubeProxies,
        set_up=lambda cluster: cluster.set_up(stood, affinity),
        stood=stood,
        tour=TOUR if stood != "iptables" else TOUR[1:],
        in_effect=in_effect if nodes is None else on_measured,
        lacking={"ip_vs": "ipvs"},
        beside=write_beside,
        kept=lambda cluster: cluster.at[CLUSTERS]["spec"]["minReadySeconds"],
        touches=touches,
        impatient=IMPATIENT,
        unusable=(
            {"mode": "none such"},
            {"mode": "", "nodes": 7},
            {"mode": "", "nodes": [1]},
            {"mode": "", "periods": 7},
        ),
        as_written=AS_WRITTEN if stood == "iptables" else {},
        nodes=nodes,
    )


DESCRIBED = (
    *(_described(stood, None, None) for stood in ("iptables", "ipvs", "nftables")),
    _described("iptables", None, MEASURED),
    _described("iptables", OWNERS, MEASURED),
    _described("ipvs", {}, MEASURED),
    _described("nftables", OWNERS, MEASURED),
)

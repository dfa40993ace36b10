"""Unsupported Cilium settings are refused with a fix, before anything changes."""

from __future__ import annotations

from typing import Any

import pytest
from core.tests.sampling import sampled

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import Message
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES
from podmeter_worker.modes.registry import configurations

from ...kube.api_server import Answer, Asked
from ..cluster_of_objects import site_of
from .objects import (
    CONFIG,
    DAEMON_SET,
    NEW,
    NODE_CONFIGS,
    OLD,
    SWITCHER,
    Cilium,
    Prepare,
)


def data(**more: str) -> Prepare:
    written = {key.replace("_", "-"): text for key, text in more.items()}
    return lambda cluster: cluster.set_up({**NEW, **written})


def old(version: str, **more: str) -> Prepare:
    written = {key.replace("_", "-"): text for key, text in more.items()}
    return lambda cluster: cluster.set_up({**OLD, **written}, version)


def container(**more: Any) -> Prepare:
    return lambda cluster: cluster.put(DAEMON_SET, cluster.daemon_set(**more))


def node_config(**defaults: str) -> Prepare:
    spec = {"nodeSelector": {}, "defaults": {k.replace("_", "-"): v for k, v in defaults.items()}}
    return lambda cluster: cluster.put(f"{NODE_CONFIGS}/single", {"spec": spec})


def annotated(key: str) -> Prepare:
    annotations = {f"config.cilium.io/{key}": "x"}
    return lambda cluster: cluster.put(
        NODES.path(name="b"), {"metadata": {"annotations": annotations}}
    )


def elsewhere(cluster: Cilium) -> None:
    del cluster.at[DAEMON_SET]
    found = {**cluster.daemon_set(), "metadata": {}}
    cluster.put(DAEMON_SETS.path("kube-system", "anetd"), found)


def in_another_namespace(cluster: Cilium) -> None:
    for path, found in ((DAEMON_SET, cluster.daemon_set()), (CONFIG, cluster.at[CONFIG])):
        cluster.at.pop(path)
        cluster.put(path.replace("/kube-system/", "/cilium/"), {**found, "metadata": {}})


NATIVE = {"routing_mode": "native"}


#: What is set up, and what Cilium is refused for.
UNDECIDED: list[tuple[Prepare, str, str]] = [
    (lambda cluster: cluster.at.pop(DAEMON_SET), "cilium_absent", "is not Cilium"),
    (elsewhere, "cilium_elsewhere", "kube-system/anetd"),
    (lambda cluster: cluster.at.pop(CONFIG), "config_map_missing", "cilium-config"),
    (data(ipam="eni", **NATIVE), "cilium_ipam", "ipam: eni"),
    (data(ipam="azure", **NATIVE), "cilium_ipam", "ipam: azure"),
    (data(ipam="alibabacloud", **NATIVE), "cilium_ipam", "ipam: alibabacloud"),
    (data(ipam="delegated-plugin", **NATIVE), "cilium_ipam", "ipam: delegated-plugin"),
    (data(ipam="multi-pool", **NATIVE), "cilium_ipam", "ipam: multi-pool"),
    (data(ipam="crd"), "cilium_ipam", "ipam: crd"),
    # As GKE's chart has it, and where a BGP speaker tells the routes.
    (data(**NATIVE), "cilium_routed_elsewhere", "auto-direct-node-routes is off"),
    (old("v1.12.4", tunnel="disabled"), "cilium_routed_elsewhere", "auto-direct-node-routes"),
    (data(cluster_id="3"), "cilium_mesh", "cluster-id: 3"),
    (data(enable_wireguard="true"), "cilium_encrypted", "enable-wireguard is true"),
    (data(enable_ipsec="true"), "cilium_encrypted", "enable-ipsec is true"),
    (
        data(enable_ipv4_egress_gateway="true"),
        "cilium_keeps_tunnel",
        "enable-ipv4-egress-gateway",
    ),
    (data(enable_high_scale_ipcache="true"), "cilium_keeps_tunnel", "high-scale"),
    (
        data(kube_proxy_replacement="true", bpf_lb_mode="dsr", bpf_lb_dsr_dispatch="geneve"),
        "cilium_keeps_tunnel",
        "bpf-lb-dsr-dispatch",
    ),
    (data(cni_chaining_mode="aws-cni"), "cilium_chained", "aws-cni"),
    (data(enable_ipv4="false"), "cilium_no_ipv4", "IPv4"),
    (data(routing_mode="direct"), "cilium_unknown", "routing-mode: direct"),
    (data(tunnel_protocol="gre"), "cilium_unknown", "tunnel-protocol: gre"),
    (old("v1.13.2", tunnel="ipip"), "cilium_unknown", "tunnel: ipip"),
    (
        lambda cluster: cluster.set_up({**NEW, "tunnel": "vxlan"}, "v1.14.0"),
        "cilium_both",
        "tunnel, routing-mode are both set",
    ),
    (
        container(args=["--config-dir=/tmp/x", "--routing-mode=native"]),
        "cilium_told_by_flag",
        "--routing-mode",
    ),
    (
        container(command=["sh", "-c", "exec cilium-agent --tunnel vxlan"]),
        "cilium_told_by_flag",
        "--tunnel",
    ),
    (
        container(env=[{"name": "CILIUM_TUNNEL_PROTOCOL", "value": "geneve"}]),
        "cilium_told_by_flag",
        "CILIUM_TUNNEL_PROTOCOL",
    ),
    (node_config(routing_mode="native"), "cilium_node_config", "kube-system/single"),
    (annotated("tunnel-protocol"), "cilium_node_told", "node b"),
]


@pytest.mark.parametrize(("prepare", "code", "said"), sampled(UNDECIDED, 10))
def test_what_does_not_decide_how_packets_go_is_refused(
    cluster: Cilium, prepare: Prepare, code: str, said: str
) -> None:
    prepare(cluster)
    with site_of(cluster) as context:
        cluster.asked.clear()
        why = SWITCHER.why_absent(context)
    assert isinstance(why, Message)
    assert why.code == code
    assert said in why
    assert {method for method, _ in cluster.asked} == {"GET"}


WITHOUT_A_SAY: list[Prepare] = [
    data(ipam="cluster-pool", cluster_pool_ipv4_cidr="10.244.0.0/16"),
    data(cni_chaining_mode="portmap"),
    data(cluster_id="0"),
    # A word of before that nobody reads any more.
    data(tunnel="geneve"),
    data(enable_hubble="true", enable_bandwidth_manager="true"),
    # Settings of single nodes are another case.
    node_config(mtu="9000"),
    annotated("mtu"),
    container(args=["--tunnel-port=8473"]),
    in_another_namespace,
]


@pytest.mark.parametrize("prepare", sampled(WITHOUT_A_SAY, 3))
def test_what_has_no_say_in_it_does_not_hinder(cluster: Cilium, prepare: Prepare) -> None:
    prepare(cluster)
    with site_of(cluster) as context:
        assert SWITCHER.why_absent(context) is None
        assert SWITCHER.save(context)
        (path,) = configurations(context.client)
    assert path in (CONFIG, CONFIG_MAPS.path("cilium", "cilium-config"))


#: What is set up, which values are refused, and for what.
REFUSED: list[tuple[Prepare, str, str]] = [
    (data(install_no_conntrack_iptables_rules="true"), "vxlan geneve", "cilium_native_alone"),
    (data(enable_ipv4_big_tcp="true"), "vxlan geneve", "cilium_native_alone"),
    (data(enable_ipv4_big_tcp="true", enable_tunnel_big_tcp="true"), "", ""),
    (
        data(kube_proxy_replacement="true", bpf_lb_mode="dsr"),
        "vxlan geneve",
        "cilium_native_alone",
    ),
    (data(kube_proxy_replacement="true", bpf_lb_mode="snat"), "", ""),
    (data(bpf_lb_mode="dsr"), "", ""),
    (data(local_router_ipv4="169.254.0.1"), "vxlan geneve", "cilium_native_alone"),
    (data(enable_vtep="true"), "native geneve", "cilium_vxlan_alone"),
    (data(ipv4_native_routing_cidr=""), "native", "cilium_no_cidr"),
    (data(ipv4_native_routing_cidr="", enable_ipv4_masquerade="false"), "", ""),
    (data(ipv4_native_routing_cidr="", enable_ip_masq_agent="true"), "", ""),
    (data(ipv4_native_routing_cidr="pods"), "native", "cilium_cidr_unreadable"),
    (data(ipv4_native_routing_cidr="10.244.0.0/24"), "native", "cilium_cidr_lacks"),
    (data(enable_ipv6="true"), "native", "cilium_no_cidr"),
    (data(enable_ipv6="true", ipv6_native_routing_cidr="fd00::/48"), "", ""),
    (lambda cluster: cluster.lacks.add("router"), "native", "through_router"),
    (lambda cluster: cluster.lacks.add("vxlan"), "vxlan", "kernel_no_vxlan"),
    (lambda cluster: cluster.lacks.add("geneve"), "geneve", "kernel_no_geneve"),
]


@pytest.mark.parametrize(("prepare", "values", "code"), sampled(REFUSED, 6))
def test_a_value_that_cannot_be_had_is_refused_before_anything_changes(
    cluster: Cilium, prepare: Prepare, values: str, code: str
) -> None:
    prepare(cluster)
    before = cluster.stands()
    with site_of(cluster) as context:
        found = SWITCHER.values(context)
        refused = {value: why for value, why in found.items() if why is not None}
        assert set(refused) == set(values.split())
        assert {getattr(why, "code", "") for why in refused.values()} == set(code.split())
        for value in refused:
            with pytest.raises(PreconditionError):
                SWITCHER.switch(context, value)
        with pytest.raises(PreconditionError, match="does not support udp"):
            SWITCHER.switch(context, "udp")
    assert cluster.stands() == before
    assert set(cluster.agents.values()) == {"vxlan"}


def test_what_a_manifest_of_before_does_not_allow_is_said(cluster: Cilium) -> None:
    def forbidden(asked: Asked) -> Answer | None:
        path = asked.path.partition("?")[0]
        if path.endswith("/ciliumnodeconfigs") or (asked.method, path) == ("PATCH", CONFIG):
            return Answer(403, {"message": "ciliumnodeconfigs is forbidden"})
        return None

    before = cluster.stands()
    cluster.before = forbidden
    with site_of(cluster) as context:
        why = SWITCHER.why_absent(context)
        assert why is not None
        assert "podmeter clusters manifest switch_modes" in why
        with pytest.raises(
            PreconditionError, match="permissions to read or change Cilium's objects"
        ):
            SWITCHER.switch(context, "native")
    assert cluster.stands() == before

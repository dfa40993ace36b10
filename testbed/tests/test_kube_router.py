"""The testbed with kube-router: no other pod network beside it, and a firewall alone elsewhere."""

import json
from typing import Any

import pytest
import yaml

from podmeter_testbed import addons, lifecycle, machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import NODES, Layout
from podmeter_testbed.settings import Cni, kept_cni
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, fetch, namespace, pod, service

on_kube_router = pytest.mark.cni("kube-router")
CONFIGURATION = "10-kuberouter.conflist"


def documents(layout: Layout, cni: Cni) -> list[dict[str, Any]]:
    beside = () if addons.POD_NETWORKS[cni].enforces_policies else addons.FIREWALL
    names = (*addons.POD_NETWORKS[cni].files, *beside)
    texts = [addons.manifest(layout, name) for name in names]
    return [one for text in texts for one in yaml.safe_load_all(text) if one]


@pytest.mark.parametrize("cni", [Cni.FLANNEL, Cni.KUBE_ROUTER])
def test_it_is_started_once(layout: Layout, cni: Cni) -> None:
    """Beside flannel it routes nothing; alone it does, and serves no Services either way."""
    names = [(one["kind"], one["metadata"]["name"]) for one in documents(layout, cni)]
    assert len(names) == len(set(names))
    assert {("ServiceAccount", "kube-router"), ("ConfigMap", "kube-router-ipset")} <= set(names)
    (daemon_set,) = (
        one
        for one in documents(layout, cni)
        if (one["kind"], one["metadata"]["name"]) == ("DaemonSet", "kube-router")
    )
    (container,) = daemon_set["spec"]["template"]["spec"]["containers"]
    routes = str(cni is Cni.KUBE_ROUTER).lower()
    assert {f"--run-router={routes}", "--run-service-proxy=false"} <= set(container["args"])
    mounts = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
    volumes = {one["name"] for one in daemon_set["spec"]["template"]["spec"]["volumes"]}
    assert mounts["/usr/local/sbin/ipset"] == "ipset"
    assert set(mounts.values()) <= volumes


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ('kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv4"} 1.76e+09\n', True),
        ('kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv4"} 0\n', False),
        ('kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv6"} 1.76e+09\n', False),
        (None, False),
    ],
)
def test_kube_proxy_has_written_its_rules_before_it_begins(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, said: str | None, written: bool
) -> None:
    class Node:
        def run(self, *argv: str) -> str:
            if said is None:
                raise TestbedError("`curl` failed with 7")
            return f"# HELP other 1\n{said}"

    monkeypatch.setattr(machines, "require", lambda layout, name: Node())
    assert addons._has_rules(layout, "node-1") == written


@pytest.mark.cluster
@on_kube_router
def test_nothing_of_another_pod_network_runs_beside_it(testbed: Layout, kubectl: Kubectl) -> None:
    assert kept_cni(testbed.state) is Cni.KUBE_ROUTER
    sets = kubectl.get("daemonsets", "--all-namespaces")["items"]
    names = {item["metadata"]["name"] for item in sets}
    assert names - {"speaker"} == {"kube-proxy", "kube-router"}
    for name in NODES:
        node = machines.require(testbed, name)
        assert node.run("ls", "/etc/cni/net.d").split() == [CONFIGURATION]


@pytest.mark.cluster
@on_kube_router
def test_pods_are_on_its_bridge(testbed: Layout, kubectl: Kubectl) -> None:
    """In their node's range, with their node's MTU; the rest is routed by BGP."""
    for name in NODES:
        node = machines.require(testbed, name)
        own, other = (
            kubectl.get("node", one)["spec"]["podCIDR"]
            for one in (name, next(one for one in NODES if one != name))
        )
        written = json.loads(node.run("cat", f"/etc/cni/net.d/{CONFIGURATION}"))
        bridge = next(one for one in written["plugins"] if one["type"] == "bridge")
        assert bridge["ipam"]["ranges"] == [[{"subnet": own}]]
        assert (bridge["mtu"], bridge["hairpinMode"]) == (1500, True)
        (route,) = json.loads(node.run("ip", "-json", "route", "show", "proto", "17"))
        assert (route["dst"], route["dev"]) == (other, "eth0")


@pytest.mark.cluster
@on_kube_router
def test_a_pod_reaches_itself_by_its_service(kubectl: Kubectl) -> None:
    """Which its port of the bridge must send back to where it came from."""
    with namespace(kubectl, "hairpin") as room:
        room.apply(pod("server", "node-1", NGINX), service("itself", "server"))
        room.wait_until_ready("server")
        address = room.get("service", "itself")["spec"]["clusterIP"]
        url = f"http://{address}/"
        wait_for("the pod to reach itself", lambda: room.succeeds("server", *fetch(url)), 60)


@pytest.mark.cluster
@on_kube_router
def test_a_testbed_with_another_pod_network_is_left_alone(
    testbed: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "flannel")
    with pytest.raises(TestbedError, match="up with CNI=kube-router, not flannel"):
        lifecycle.up(Layout.from_environment())
    assert lifecycle.is_whole(testbed)

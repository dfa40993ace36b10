"""Every path that Podmeter measures exists on the testbed."""

import subprocess
from collections.abc import Iterator

import pytest

from podmeter_testbed import machines
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import (
    API_SERVICE_ADDRESS,
    DNS_SERVICE_ADDRESS,
    NODE_PORT_RANGE,
    NODES,
    Layout,
)
from podmeter_testbed.settings import Cni, kept_cni
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, Namespace, fetch, namespace, pod, service

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def room(layout: Layout, testbed_session: None) -> Iterator[Namespace]:
    """A client on each node, a server on the second, a client in the first node's own network."""
    from podmeter_testbed import lifecycle

    lifecycle.up(layout)
    with namespace(Kubectl(layout), "paths") as room:
        room.apply(
            pod("client-1", "node-1"),
            pod("client-2", "node-2"),
            pod("host-1", "node-1", hostNetwork=True),
            pod("server", "node-2", NGINX),
            pod("server-1", "node-1", NGINX),
            service("cluster", "server"),
            service("node", "server", "NodePort"),
            service("balanced", "server", "LoadBalancer"),
        )
        room.wait_until_ready("client-1", "client-2", "host-1", "server", "server-1")
        yield room


def reaches(room: Namespace, client: str, url: str) -> None:
    wait_for(f"{client} to reach {url}", lambda: room.succeeds(client, *fetch(url)), 60)


def machine_reaches(url: str) -> None:
    def answered() -> bool:
        return subprocess.run(fetch(url), capture_output=True, check=False).returncode == 0

    wait_for(f"this machine to reach {url}", answered, 60)


@pytest.mark.parametrize(
    ("client", "server"),
    [
        ("client-1", "server"),
        ("client-2", "server-1"),
        ("client-2", "server"),
        ("host-1", "server"),
    ],
)
def test_pod_address(room: Namespace, client: str, server: str) -> None:
    reaches(room, client, f"http://{room.address(server)}/")


@pytest.mark.parametrize("client", ["client-1", "client-2", "host-1"])
def test_cluster_ip(room: Namespace, client: str) -> None:
    address = room.get("service", "cluster")["spec"]["clusterIP"]
    reaches(room, client, f"http://{address}/")


def test_rules_work_while_kube_proxy_is_stopped(room: Namespace, layout: Layout) -> None:
    """It carries no traffic; what it has not seen yet, it has no rules for."""
    # Pods' own requests Cilium answers before kube-proxy's rules (test_cilium.py).
    client = "host-1" if kept_cni(layout.state) is Cni.CILIUM else "client-1"
    before = room.get("service", "cluster")["spec"]["clusterIP"]
    reaches(room, client, f"http://{before}/")
    nodes = [machines.require(layout, node) for node in NODES]
    for node in nodes:
        node.run("pkill", "-STOP", "-x", "kube-proxy")
    try:
        room.apply(service("late", "server"))
        late = room.get("service", "late")["spec"]["clusterIP"]
        for _ in range(10):
            assert room.succeeds(client, *fetch(f"http://{before}/"))
        assert not room.succeeds(client, *fetch(f"http://{late}/"))
    finally:
        for node in nodes:
            node.run("pkill", "-CONT", "-x", "kube-proxy")
    reaches(room, client, f"http://{late}/")


@pytest.mark.parametrize("name", ["cluster", "cluster.paths", "cluster.paths.svc.cluster.local"])
def test_service_name(room: Namespace, name: str) -> None:
    reaches(room, "client-1", f"http://{name}/")


def test_names_are_resolved_by_the_cluster(room: Namespace) -> None:
    configured = room.execute("client-1", "cat", "/etc/resolv.conf")
    assert f"nameserver {DNS_SERVICE_ADDRESS}" in configured
    lookup = ("getent", "hosts", "kubernetes.default.svc.cluster.local")
    wait_for("the cluster's DNS", lambda: room.succeeds("client-1", *lookup), 60)
    found = room.execute("client-1", *lookup)
    assert found.split()[0] == API_SERVICE_ADDRESS


@pytest.mark.parametrize("node", ["node-1", "node-2"])
def test_machine_reaches_node_port(room: Namespace, layout: Layout, node: str) -> None:
    port = room.get("service", "node")["spec"]["ports"][0]["nodePort"]
    machine_reaches(f"http://{layout.address(node)}:{port}/")


@pytest.mark.addons("load-balancers")
def test_machine_reaches_load_balancer(room: Namespace) -> None:
    def ingress() -> list[dict[str, str]]:
        status = room.get("service", "balanced")["status"]
        found: list[dict[str, str]] = status["loadBalancer"].get("ingress", [])
        return found

    wait_for("an address from MetalLB", lambda: bool(ingress()), 60)
    machine_reaches(f"http://{ingress()[0]['ip']}/")


def test_machine_is_outside_the_pod_network(room: Namespace) -> None:
    """Its answers to the client outside must come by the Services, or not at all."""
    address = room.address("server")
    found = subprocess.run(
        ["ip", "route", "get", address], capture_output=True, text=True, check=False
    ).stdout
    assert "podmeter0" not in found


def test_elsewhere_is_unreachable_at_once(room: Namespace) -> None:
    """The testbed sends to its own addresses only; the test network of RFC 5737 stands for all."""
    answer = room.run(
        *("exec", "client-1", "--", "sh", "-c"),
        "curl --silent --max-time 10 --write-out '%{errormsg}' http://198.51.100.1/ || true",
    )
    assert "Could not connect" in answer or "No route to host" in answer or "Failed" in answer
    assert "timed out" not in answer.lower()


def test_kubelet_metrics(room: Namespace) -> None:
    for node in ("node-1", "node-2"):
        for path in ("metrics", "metrics/resource", "metrics/cadvisor"):
            metrics = room.kubectl.run("get", "--raw", f"/api/v1/nodes/{node}/proxy/{path}")
            assert metrics.startswith("# HELP")

    def usage() -> str:
        return room.kubectl.run("get", "--raw", "/api/v1/nodes/node-1/proxy/metrics/resource")

    # The kubelet looks at its pods from time to time, so a young pod is not among them yet.
    wanted = 'pod_memory_working_set_bytes{namespace="paths",pod="client-1"}'
    wait_for("the pod's memory", lambda: wanted in usage(), 120, pause=1)


def test_node_mtu_is_ethernets(room: Namespace) -> None:
    assert room.execute("host-1", "cat", "/sys/class/net/eth0/mtu").strip() == "1500"


#: Of kube-router 2.1, which has no setting for it.
GOBGP_PORT = 50051


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize("node", NODES)
def test_no_node_port_is_one_that_the_node_listens_on(layout: Layout, node: str) -> None:
    # A Service that got it would answer in the place of the node: of `exec`, for instance.
    least = int(NODE_PORT_RANGE.partition("-")[0])
    lines = machines.require(layout, node).run("ss", "-H", "-l", "-t", "-u", "-n").splitlines()
    ports = {int(line.split()[4].rpartition(":")[2]) for line in lines}
    assert {10010, 10250} <= ports
    # kube-router has GoBGP listen there for administration, which nobody does here.
    assert max(ports - {GOBGP_PORT}) < least

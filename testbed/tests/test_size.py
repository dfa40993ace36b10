"""The testbed carries 200 pods and 1,000 Services, counted in the kernel of both nodes.

5,000 take it up to six minutes to make and to delete: `make bench ONLY=services` does that.
"""

import asyncio
import base64
import ssl
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import httpx
import pytest
import yaml

from podmeter_testbed import machines
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import NODES, Layout
from podmeter_testbed.modes import Modes
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, Manifest, fetch, namespace, pod

# A kernel of the testbed's own has a part of this machine's memory, which is too little for these.
pytestmark = [pytest.mark.cluster, pytest.mark.kernel("machine")]
PODS, SERVICES = 200, 1000
#: Seconds; no speed, but how long a busy machine may take.
WITHIN = 600
CONCURRENCY = 16


def create_services(layout: Layout, namespace: str, names: Iterable[str], address: str) -> None:
    """Create ClusterIP Services, each with an EndpointSlice that names `address`, port 80."""
    requests: list[tuple[str, Manifest]] = []
    for name in names:
        port = {"port": 80, "protocol": "TCP"}
        service: Manifest = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name},
            "spec": {"ports": [{**port, "targetPort": 80}]},
        }
        labels = {"kubernetes.io/service-name": name}
        endpoints: Manifest = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {"name": name, "labels": labels},
            "addressType": "IPv4",
            "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
            "ports": [{"name": "", **port}],
        }
        requests.append((f"/api/v1/namespaces/{namespace}/services", service))
        path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
        requests.append((path, endpoints))
    asyncio.run(_post_all(layout, requests))


async def _post_all(layout: Layout, requests: list[tuple[str, Manifest]]) -> None:
    queue = iter(requests)
    limits = httpx.Limits(max_connections=CONCURRENCY)
    async with httpx.AsyncClient(
        base_url=layout.api_server, verify=_tls(layout), limits=limits, timeout=60
    ) as client:

        async def work() -> None:
            for path, body in queue:
                answer = await client.post(path, json=body)
                answer.raise_for_status()

        await asyncio.gather(*(work() for _ in range(CONCURRENCY)))


def _tls(layout: Layout) -> ssl.SSLContext:
    """The administrator's credentials, from the kubeconfig."""
    kubeconfig = yaml.safe_load(layout.kubeconfig.read_text())
    cluster, user = kubeconfig["clusters"][0]["cluster"], kubeconfig["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    context = ssl.create_default_context(cadata=authority)
    with tempfile.TemporaryDirectory() as folder:
        pair = Path(folder, "pair.pem")
        pair.write_bytes(
            base64.b64decode(user["client-certificate-data"])
            + base64.b64decode(user["client-key-data"])
        )
        context.load_cert_chain(pair)
    return context


def test_pods(kubectl: Kubectl, testbed: Layout) -> None:
    with namespace(kubectl, "pods", gone_within=WITHIN) as room:
        room.apply(*(pod(f"pod-{index}", NODES[index % 2]) for index in range(PODS)))

        def ready() -> int:
            return sum(
                condition["type"] == "Ready" and condition["status"] == "True"
                for item in room.get("pods")["items"]
                for condition in item["status"].get("conditions", ())
            )

        wait_for(f"{PODS} pods to be Ready", lambda: ready() == PODS, WITHIN, pause=2)
        items = room.get("pods")["items"]
        assert Counter(item["spec"]["nodeName"] for item in items) == {"node-1": 100, "node-2": 100}
        assert len({item["status"]["podIP"] for item in items}) == PODS
        # Counted where they are: the other end of each one's interface is on its node.
        for node in NODES:
            argv = ("ip", "-oneline", "link", "show", "type", "veth")
            ends = machines.require(testbed, node).run(*argv).splitlines()
            assert sum("link-netns" in end for end in ends) >= PODS // 2


@pytest.mark.timeout(3 * WITHIN)
def test_services(kubectl: Kubectl, testbed: Layout) -> None:
    modes = Modes(testbed)
    with namespace(kubectl, "services", gone_within=WITHIN) as room:
        room.apply(pod("server", "node-2", NGINX), pod("client", "node-1"))
        room.wait_until_ready("server", "client")
        before = {node: modes.service_rules(node)["iptables"] for node in NODES}
        names = [f"service-{index:05}" for index in range(SERVICES)]
        create_services(testbed, "services", names, room.address("server"))
        assert len(room.get("services")["items"]) == SERVICES
        for node in NODES:
            wait_for(
                f"{SERVICES} more Services in the kernel of {node}",
                lambda n=node: modes.service_rules(n)["iptables"] == before[n] + SERVICES,  # type: ignore[misc]
                WITHIN,
                pause=1,
            )
        last = room.get("service", names[-1])["spec"]["clusterIP"]
        wait_for(
            "the last Service to answer",
            lambda: room.succeeds("client", *fetch(f"http://{last}/")),
            60,
        )
    # The namespace is gone; so must be the rules, or later figures would be wrong.
    for node in NODES:
        wait_for(
            f"the Services to leave the kernel of {node}",
            lambda n=node: modes.service_rules(n)["iptables"] == before[n],  # type: ignore[misc]
            WITHIN,
            pause=1,
        )

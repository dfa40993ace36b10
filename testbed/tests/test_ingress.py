"""The optional ingress controller: Ingresses route requests from outside as configured."""

import subprocess

import pytest

from podmeter_testbed import ingress
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import Layout
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, namespace, pod, service

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.addons("load-balancers"),
    pytest.mark.timeout(600),
]

_INGRESS = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": {"name": "web"},
    "spec": {
        "rules": [
            {
                "host": "web.test",
                "http": {
                    "paths": [
                        {
                            "path": "/",
                            "pathType": "Prefix",
                            "backend": {"service": {"name": "web", "port": {"number": 80}}},
                        }
                    ]
                },
            }
        ]
    },
}


def status_of(address: str, host: str) -> str:
    """The status of an answer to this machine, or that there was none."""
    words = ("curl", "--silent", "--max-time", "5", "--output", "/dev/null")
    asked = ("--write-out", "%{http_code}", "--header", f"Host: {host}", f"http://{address}/")
    ended = subprocess.run((*words, *asked), capture_output=True, text=True, check=False)
    return ended.stdout if ended.returncode == 0 else f"ended with {ended.returncode}"


def test_an_ingress_leads_from_outside_and_its_status_says_where(
    kubectl: Kubectl, layout: Layout
) -> None:
    ingress.start(layout)
    ingress.start(layout)  # once more changes nothing
    try:
        with namespace(kubectl, "ingress-test") as room:
            room.apply(pod("server", "node-2", NGINX), service("web", "server"), _INGRESS)
            room.wait_until_ready("server")

            def told() -> list[dict[str, str]]:
                found = room.get("ingress", "web")["status"]["loadBalancer"]
                return list(found.get("ingress") or [])

            where = ingress.address(kubectl)
            assert where is not None
            wait_for("the Ingress's status", lambda: told() == [{"ip": where}], 60)
            assert room.get("ingress", "web")["spec"]["ingressClassName"] == ingress.NAME

            def leads() -> bool:
                # Until it has read the Ingress it may answer everybody with a page of its own.
                asked = [status_of(where, f"{host}.test") for host in ("web", "elsewhere")]
                return asked[0] == "200" != asked[1]

            wait_for("an answer by it, for that host alone", leads, 60)
    finally:
        ingress.remove(layout)
    assert ingress.NAME not in kubectl.run("get", "ingressclasses,namespaces", "--output", "name")

"""Thousands of Services in a short time, by an asynchronous HTTP loop."""

from __future__ import annotations

import asyncio
import base64
import ssl
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
import yaml

from podmeter_testbed.layout import Layout

CONCURRENCY = 16
Body = dict[str, Any]


def create_services(layout: Layout, namespace: str, names: Iterable[str], address: str) -> None:
    """Create ClusterIP Services, each with an EndpointSlice that names `address`, port 80."""
    requests: list[tuple[str, Body]] = []
    for name in names:
        port = {"port": 80, "protocol": "TCP"}
        service: Body = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name},
            "spec": {"ports": [{**port, "targetPort": 80}]},
        }
        labels = {"kubernetes.io/service-name": name}
        endpoints: Body = {
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


async def _post_all(layout: Layout, requests: list[tuple[str, Body]]) -> None:
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

"""The cluster that this pod runs in, by the pod's own ServiceAccount."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.errors import LabError, PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import ENDPOINT_SLICES

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Where the kubelet mounts it.
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
#: The name by which every API server's certificate knows it.
TLS_NAME = "kubernetes.default.svc"
_CONNECT_SECONDS = 5.0


def client_here(folder: Path = ACCOUNT) -> KubeClient:
    """A client with this pod's own rights. Raises PreconditionError outside a cluster."""
    host = os.environ.get("KUBERNETES_SERVICE_HOST")
    port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    try:
        token, authority = (folder / "token").read_text(), (folder / "ca.crt").read_text()
    except OSError:
        host = None
    if not host:
        raise PreconditionError(say("not_in_cluster"))
    fields = {
        "server": _url(host, port),
        "certificate_authority": authority,
        "tls_server_name": TLS_NAME,
        "token": token.strip(),
    }
    # The pod's environment names its API server.
    policy = AddressPolicy.of(allowed=(host,))
    return KubeClient(ClusterAccess(fields, policy, lambda name, _: [name]))


def api_server(client: KubeClient, authority: str, policy: AddressPolicy) -> str:
    """The URL of an API server that responds, bypassing kube-proxy, whose mode may be switched.

    While kube-proxy is set up again its Services, the API server's too, may lead nowhere; and it
    takes the API server to bring them back. Raises LabError where none answers.
    """
    failures = []
    for host, port in _addresses(client):
        fields = {
            "server": _url(host, port),
            "certificate_authority": authority,
            "tls_server_name": TLS_NAME,
        }
        try:
            access = ClusterAccess(fields, policy, lambda name, _: [name])
            access.connect(_CONNECT_SECONDS).close()
        except LabError as error:
            failures.append(error.said)
        else:
            return fields["server"]
    raise LabError(say("no_api_server", failures=failures or "none"))


def _addresses(client: KubeClient) -> Iterator[tuple[str, str]]:
    # API servers keep it under this name themselves.
    found = client.find(ENDPOINT_SLICES.path("default", "kubernetes")) or {}
    for port in found.get("ports") or []:
        for endpoint in found.get("endpoints") or []:
            yield str(endpoint["addresses"][0]), str(port["port"])


def _url(host: str, port: str) -> str:
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"

"""For tests marked `cluster`: a real cluster, and Podmeter in it with no more than its manifest.

KUBECONFIG names an administrator's kubeconfig; without it the testbed is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize
from podmeter.domain.bench_image import BenchImage
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE, Access, PodRequest
from podmeter.rbac import manifest as rbac
from podmeter.rbac.capabilities import SERVICE_ACCOUNT, Capability
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube import manifests
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.nodes import measuring_nodes
from podmeter_worker.kube.facts.rights import missing_rights
from podmeter_worker.kube.lease import NAME as LEASE
from podmeter_worker.kube.resources import LEASES, NAMESPACES, PODS, Object
from podmeter_worker.kube.sweep import sweep_objects
from podmeter_worker.kube.wait import wait_until_gone

from .labs import IMAGE, RUN, Written, lab_of
from .relay import Relay

#: The relay listens on this machine.
POLICY = AddressPolicy.of(["127.0.0.0/8"])
_TOKEN_PATH = f"/api/v1/namespaces/{POD_NAMESPACE}/serviceaccounts/{SERVICE_ACCOUNT}/token"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_KINDS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": f"/api/v1/namespaces/{POD_NAMESPACE}/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "ValidatingAdmissionPolicy": f"{_ADMISSION}/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": f"{_ADMISSION}/validatingadmissionpolicybindings",
}


@pytest.fixture(scope="session")
def kubeconfig(request: pytest.FixtureRequest) -> bytes:
    """An administrator's kubeconfig."""
    given = os.environ.get("KUBECONFIG")
    if given:
        return Path(given).read_bytes()
    layout = request.getfixturevalue("layout")
    request.getfixturevalue("testbed_session")
    from podmeter_testbed import lifecycle

    lifecycle.up(layout)
    return bytes(layout.kubeconfig.read_bytes())


@pytest.fixture(scope="session")
def admin_fields(kubeconfig: bytes) -> dict[str, str]:
    """What is kept of the administrator's kubeconfig."""
    return sanitize(kubeconfig, now=datetime.now(UTC), policy=POLICY).kept_fields()


@pytest.fixture(scope="session")
def admin(admin_fields: dict[str, str]) -> Iterator[KubeClient]:
    """The administrator."""
    with KubeClient(ClusterAccess(admin_fields, POLICY)) as client:
        yield client


@pytest.fixture(scope="package")
def granted(admin: KubeClient, admin_fields: dict[str, str]) -> Iterator[dict[str, str]]:
    """Podmeter's own credentials: a token of the ServiceAccount that the manifest makes."""
    text = rbac.manifest(Capability.SWITCH_MODES, IMAGE.reference, renew=True)
    made = [document for document in yaml.safe_load_all(text) if document]
    for body in made:
        admin.apply(_path(body), body)
    try:
        body = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            # On a slow kernel the switches of a package take hours.
            "spec": {"expirationSeconds": 86_400},
        }
        token = admin.create(_TOKEN_PATH, body)["status"]["token"]
        fields = {
            "server": admin_fields["server"],
            "certificate_authority": admin_fields["certificate_authority"],
            "token": token,
        }
        with KubeClient(ClusterAccess(fields, POLICY)) as client:
            wait_for("the manifest to be in effect", lambda: _in_effect(admin, client), 60)
        yield fields
    finally:
        for body in reversed(made):
            if not body["kind"].startswith(("Role", "ServiceAccount")):
                admin.delete(_path(body))
        gone = {
            item["metadata"]["uid"]
            for item in admin.list_all(NAMESPACES.path()).items
            if item["metadata"]["name"] in (POD_NAMESPACE, HOST_NAMESPACE)
        }
        wait_until_gone(
            admin, NAMESPACES.path(), gone, what="the namespaces are gone", deadline_seconds=180
        )


@pytest.fixture(scope="module")
def client(granted: dict[str, str]) -> Iterator[KubeClient]:
    """Podmeter, as it reaches the cluster."""
    with KubeClient(ClusterAccess(granted, POLICY)) as client:
        yield client


@pytest.fixture
def written(client: KubeClient) -> Written:
    """A fresh lab."""
    return lab_of(client)


@pytest.fixture
def nothing_left(client: KubeClient, admin: KubeClient) -> Iterator[None]:
    """Whatever a test that failed left of its run is removed, so that it fails alone."""
    yield
    admin.delete(LEASES.path(POD_NAMESPACE, LEASE))
    sweep_objects(client, RUN)


@pytest.fixture
def relay(admin: KubeClient) -> Iterator[Relay]:
    """A relay to the API server."""
    server = admin.access.checked()
    relay = Relay(server.address, server.url.port)
    yield relay
    relay.close()


@pytest.fixture
def relayed(relay: Relay, granted: dict[str, str], admin: KubeClient) -> Iterator[KubeClient]:
    """Podmeter, reaching the cluster through the relay."""
    fields = {
        **granted,
        "server": f"https://127.0.0.1:{relay.port}",
        "tls_server_name": admin.access.tls_name,
    }
    with KubeClient(ClusterAccess(fields, POLICY)) as client:
        yield client


def _in_effect(admin: KubeClient, client: KubeClient) -> bool:
    """Whether the API server knows all rights and policies, and pods can be made.

    They need an account.
    """
    accounts = [
        admin.find(f"/api/v1/namespaces/{namespace}/serviceaccounts/default")
        for namespace in (POD_NAMESPACE, HOST_NAMESPACE)
    ]
    if not all(accounts) or any(missing_rights(client, one) for one in Capability):
        return False
    node = measuring_nodes(client)[0].name
    request = PodRequest("pm-any", node, Access.POD, ("true",))
    body = manifests.pod(request, BenchImage("any:image"), RUN)
    try:
        client.create(PODS.path(POD_NAMESPACE), body, dry_run=True)
    except ApiRefusedError as error:
        return "podmeter-pods" in error.said
    return False


def _path(body: Object) -> str:
    metadata = body["metadata"]
    if body["kind"] in _KINDS:
        return f"{_KINDS[body['kind']]}/{metadata['name']}"
    plural = f"{body['kind'].lower()}s"
    where = f"namespaces/{metadata['namespace']}/{plural}/{metadata['name']}"
    return f"/apis/rbac.authorization.k8s.io/v1/{where}"

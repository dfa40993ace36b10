"""The commands of an installation in a cluster, against an API server that keeps objects."""

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize
from podmeter.db.base import now
from podmeter.db.models import SavedMode
from podmeter.db.session import Sessions
from podmeter.domain.errors import LabError, PreconditionError
from podmeter_worker.installed.drain import await_restored, stop_workers
from podmeter_worker.installed.here import api_server, client_here
from podmeter_worker.installed.register import account_token, kubeconfig_of
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient

from .bench import Bench
from .kube.object_server import Objects, served

LOOPBACK = AddressPolicy.of(["127.0.0.0/8"])
SECRET = "/api/v1/namespaces/podmeter/secrets/token"
SLICE = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"
WORKER = "/apis/apps/v1/namespaces/tools/deployments/worker"


@pytest.fixture
def client(objects: Objects) -> Iterator[KubeClient]:
    with KubeClient(ClusterAccess(objects.kept, LOOPBACK), patience_seconds=5) as client:
        yield client


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_the_accounts_token_is_waited_for(objects: Objects, client: KubeClient) -> None:
    objects.put(SECRET, {"type": "kubernetes.io/service-account-token"})
    with pytest.raises(PreconditionError, match="Secret podmeter/token has no token"):
        account_token(client, "token", seconds=0)
    objects.put(SECRET, {"data": {"token": encoded("a-token"), "ca.crt": encoded("an authority")}})
    assert account_token(client, "token", seconds=0) == ("a-token", "an authority")


def test_what_is_registered_is_taken_as_any_kubeconfig(objects: Objects) -> None:
    kept = objects.kept
    text = kubeconfig_of("https://203.0.113.7:6443", kept["certificate_authority"], "t" * 40)
    found = sanitize(text, now=datetime.now(UTC), policy=AddressPolicy())
    assert found.server == "https://203.0.113.7:6443"
    assert found.tls_server_name == "kubernetes.default.svc"
    assert found.expires_at is None
    assert found.dropped == ()


def test_the_api_server_is_found_past_kube_proxy(tmp_path: Path) -> None:
    """The first address that answers as the cluster's API server does."""
    with served(Objects, tmp_path, ("kubernetes.default.svc",)) as objects:
        authority = objects.kept["certificate_authority"]
        port = int(objects.kept["server"].rpartition(":")[2])
        access = ClusterAccess(
            {**objects.kept, "tls_server_name": "kubernetes.default.svc"}, LOOPBACK
        )
        with KubeClient(access, patience_seconds=5) as client:
            with pytest.raises(LabError, match=r"\(none\); set one with --server"):
                api_server(client, authority, LOOPBACK)
            dead = {"addresses": ["127.0.0.2"]}
            objects.put(SLICE, {"ports": [{"port": 1}], "endpoints": [dead]})
            with pytest.raises(LabError, match="no API server of this cluster responds"):
                api_server(client, authority, LOOPBACK)
            alive = {"addresses": ["127.0.0.1"]}
            objects.put(SLICE, {"ports": [{"port": port}], "endpoints": [dead, alive]})
            assert api_server(client, authority, LOOPBACK) == f"https://127.0.0.1:{port}"


def test_outside_a_cluster_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(PreconditionError, match="does not run in a pod"):
        client_here(tmp_path)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
    with pytest.raises(PreconditionError, match="has no ServiceAccount token"):
        client_here(tmp_path)


def test_workers_are_stopped_and_waited_for(objects: Objects, client: KubeClient) -> None:
    labels = {"app.kubernetes.io/component": "worker"}
    stop_workers(client, "tools", "worker", seconds=0)  # gone already
    objects.put(WORKER, {"spec": {"replicas": 3, "selector": {"matchLabels": labels}}})
    objects.put("/api/v1/namespaces/tools/pods/worker-1", {"metadata": {"labels": labels}})
    with pytest.raises(PreconditionError, match="worker-1 did not stop"):
        stop_workers(client, "tools", "worker", seconds=0)
    assert objects.at[WORKER]["spec"]["replicas"] == 0
    del objects.at["/api/v1/namespaces/tools/pods/worker-1"]
    stop_workers(client, "tools", "worker", seconds=0)


@pytest.mark.services
def test_a_cluster_that_is_left_switched_is_named(sessions: Sessions, tmp_path: Path) -> None:
    bench = Bench(sessions, tmp_path)
    cluster_id = bench.add_cluster("production")
    await_restored(sessions, seconds=0)
    with sessions.begin() as session:
        saved = SavedMode(
            organization_id=bench.owner.organization_id,
            cluster_id=cluster_id,
            cluster_uid="real-cluster",
            axis="kube_proxy_mode",
            content={"component": "kube-proxy", "saved": {"mode": "iptables"}},
        )
        session.add(saved)
    with pytest.raises(PreconditionError, match="production is still switched"):
        await_restored(sessions, seconds=0)
    with sessions.begin() as session:
        session.get_one(SavedMode, saved.id).restored_at = now()
    await_restored(sessions, seconds=0)

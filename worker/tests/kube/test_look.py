"""A preflight beside somebody who has the cluster: it reads, and starts no pod."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.db.base import now
from podmeter.domain.bench_image import NOTHING_OWN, OwnImage
from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.rbac.capabilities import Capability, rights_of
from podmeter.services.execution.preflights import PreflightRequest
from podmeter_worker import cluster_preflight
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts import rights
from podmeter_worker.kube.facts.identity import Identity
from podmeter_worker.kube.facts.rights import MissingRight
from podmeter_worker.kube.lease import NAME, ClusterLease, Holder
from podmeter_worker.kube.resources import LEASES, NAMESPACES, NODES

from ..labs import IMAGE
from .object_server import Objects
from .test_image_faults import DENIED, kubelet, waiting
from .test_refusals import NODES as LISTED

LEASE = LEASES.path(POD_NAMESPACE, NAME)


POLICY = AddressPolicy.of(["127.0.0.0/8"])
HOST_VERBS = {verb for right in rights_of(Capability.HOST_ACCESS) for verb in right.verbs}


@pytest.fixture
def one_node(objects: Objects) -> Objects:
    """A cluster of one node."""
    (node,) = LISTED["items"]
    told = {"kernelVersion": "6.12", "osImage": "Debian 13", **node["status"]["nodeInfo"]}
    status = {**node["status"], "nodeInfo": told, "capacity": {"cpu": "2", "memory": "8Gi"}}
    objects.put(NODES.path(name="n1"), {**node, "status": status})
    objects.put(NAMESPACES.path(name="kube-system"), {"metadata": {"uid": "u"}})
    return objects


def looked_at(
    kept: dict[str, str],
    image: OwnImage = NOTHING_OWN,
    read_credentials: Callable[[], None] = lambda: None,
) -> ClusterReport:
    @contextmanager
    def opened(_: object, __: object, identity: Identity) -> Iterator[KubeClient]:
        read_credentials()
        with KubeClient(ClusterAccess(kept, POLICY, examine=identity.examine), 0.0) as client:
            yield client

    here: Any = SimpleNamespace(connector=SimpleNamespace(client=opened, image=IMAGE.reference))
    _, report, fingerprint = cluster_preflight._look(
        here, uuid.uuid4(), PreflightRequest(uuid.uuid4(), now(), None, None, image)
    )
    assert fingerprint is None
    return report


def test_beside_a_run_it_reads_without_pods(one_node: Objects) -> None:
    with KubeClient(ClusterAccess(one_node.kept, POLICY), 0.0) as client:
        ClusterLease(client, Holder("77f0", 9)).acquire()
    before = dict(one_node.at)
    report = looked_at(one_node.kept)
    why = report.not_looked_at
    assert why is not None
    assert why.code == "busy_now"
    assert "run 77f0 holds the Lease of this cluster since" in why
    assert [node.name for node in report.nodes] == ["n1"]
    assert all(one.allowed for one in report.rights.values())
    assert one_node.at == before


@pytest.mark.parametrize(
    ("lacks", "partly"),
    [(set(), False), ({"deletecollection"}, True), (HOST_VERBS, False)],
    ids=["all", "some", "none"],
)
def test_a_capability_that_an_older_manifest_allowed_is_there_partly(
    one_node: Objects, monkeypatch: pytest.MonkeyPatch, lacks: set[str], partly: bool
) -> None:
    with KubeClient(ClusterAccess(one_node.kept, POLICY), 0.0) as client:
        ClusterLease(client, Holder("77f0", 9)).acquire()

    def allowed(_: KubeClient, one: MissingRight) -> bool:
        return one.namespace != HOST_NAMESPACE or one.verb not in lacks

    monkeypatch.setattr(rights, "_allowed", allowed)
    found = looked_at(one_node.kept).rights
    host = found["host_access"]
    assert (host.allowed, host.partly) == (not lacks, partly)
    assert not found["measure"].partly


def test_it_asks_for_pods_of_the_clusters_own_image(one_node: Objects) -> None:
    with KubeClient(ClusterAccess(one_node.kept, POLICY), 0.0) as client:
        ClusterLease(client, Holder("77f0", 9)).acquire()
    looked_at(one_node.kept, OwnImage("registry.example/bench:2", "registry"))
    specs = [body["spec"] for body in one_node.dry_runs]
    assert {one["containers"][0]["image"] for one in specs} == {"registry.example/bench:2"}
    assert all(one["imagePullSecrets"] == [{"name": "registry"}] for one in specs)
    one_node.dry_runs.clear()
    looked_at(one_node.kept)
    specs = [body["spec"] for body in one_node.dry_runs]
    assert {one["containers"][0]["image"] for one in specs} == {IMAGE.reference}


def test_waiting_for_the_database_takes_nothing_of_the_clusters_time(
    one_node: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The preflight blamed the cluster after a wait of four minutes for its credentials."""
    waited = 0.0

    def wait() -> None:
        nonlocal waited
        waited = 2 * cluster_preflight.WHOLE_SECONDS

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + waited, sleep=time.sleep)
    monkeypatch.setattr(cluster_preflight, "time", clock)
    kubelet(one_node, waiting("ErrImagePull", DENIED), [])
    report = looked_at(one_node.kept, read_credentials=wait)
    assert report.not_looked_at is not None
    assert report.not_looked_at.code == "pods_not_started"


def test_an_image_that_no_node_can_pull_is_reported_with_its_mend(one_node: Objects) -> None:
    """What else was found stays in the report, and nothing stays in the cluster."""
    kubelet(one_node, waiting("ErrImagePull", DENIED), [])
    report = looked_at(one_node.kept)
    assert report.not_looked_at is not None
    assert report.not_looked_at.code == "pods_not_started"
    (refusal,) = report.refusals
    assert (refusal.what.code, refusal.mend.code) == ("image_denied", "mend_pull_secret")
    assert [node.name for node in report.nodes] == ["n1"]
    assert report.room is not None
    assert not [path for path in one_node.at if "/pods/" in path]
    assert LEASE not in one_node.at

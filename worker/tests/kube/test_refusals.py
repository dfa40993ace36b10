"""What a cluster refuses or changes of measuring pods, and what its owner can do about it."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.db.base import now
from podmeter.domain.cluster_report import ClusterReport, RefusalReport
from podmeter.domain.ports import Access
from podmeter.services.execution.preflights import PreflightRequest
from podmeter_worker import cluster_preflight
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.identity import Identity
from podmeter_worker.kube.facts.refusals import pod_refusals

from ..labs import IMAGE
from ..owners import limit_range, quota
from .api_server import Answer, FakeApiServer

NODES: dict[str, Any] = {
    "metadata": {"resourceVersion": "1"},
    "items": [
        {
            "metadata": {"name": "n1"},
            "spec": {},
            "status": {
                "nodeInfo": {"operatingSystem": "linux", "architecture": "amd64", "bootID": "b"},
                "conditions": [{"type": "Ready", "status": "True"}],
                "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}],
            },
        }
    ],
}


def refused(api: FakeApiServer, status: int, message: str) -> list[RefusalReport]:
    said = {"reason": "Forbidden", "message": message}
    api.answers = [Answer(document=NODES), Answer(status, said)]
    api.by_path["/version"] = Answer(document={})
    with KubeClient(ClusterAccess(api.kept, AddressPolicy.of(["127.0.0.0/8"]))) as client:
        return pod_refusals(client, [Access.POD], IMAGE)


@pytest.mark.parametrize(
    ("status", "message", "mend"),
    [
        (403, "exceeded quota: compute", "raise or remove the ResourceQuota of namespace podmeter"),
        (403, 'violates PodSecurity "restricted:latest"', "to restricted; Podmeter's manifest"),
        (400, 'admission webhook "x" denied the request: no', "exempt namespace podmeter"),
        (
            404,
            'namespaces "podmeter" not found',
            "apply the manifest that `podmeter clusters manifest measure` prints",
        ),
        (
            422,
            "ValidatingAdmissionPolicy 'podmeter-pods' with binding 'x' denied request: no",
            "if you changed the cluster's image or pull secret, apply Podmeter's manifest",
        ),
        (422, "something nobody knows", "accept Podmeter's pods in namespace"),
    ],
)
def test_a_refusal_says_how_to_mend_it(
    api: FakeApiServer, status: int, message: str, mend: str
) -> None:
    (found,) = refused(api, status, message)
    assert mend in found.mend
    assert found.mend in found.said
    asked = api.asked[-1]
    assert asked.path.endswith("/namespaces/podmeter/pods?dryRun=All")
    assert json.loads(asked.body)["spec"]["nodeName"] == "n1"


def test_without_a_node_there_is_nothing_to_ask(api: FakeApiServer) -> None:
    api.answers = [Answer(document={"metadata": {"resourceVersion": "1"}, "items": []})]
    with KubeClient(ClusterAccess(api.kept, AddressPolicy.of(["127.0.0.0/8"]))) as client:
        (found,) = pod_refusals(client, [Access.POD], IMAGE)
    assert found.what == "no node can run measuring pods"


def looked_at(granted: dict[str, str]) -> ClusterReport:
    """A preflight's report."""

    @contextmanager
    def opened(_: object, __: object, identity: Identity) -> Iterator[KubeClient]:
        policy = AddressPolicy.of(["127.0.0.0/8"])
        with KubeClient(ClusterAccess(granted, policy, examine=identity.examine)) as client:
            yield client

    here: Any = SimpleNamespace(connector=SimpleNamespace(client=opened, image=IMAGE.reference))
    _, report, _ = cluster_preflight._look(
        here, uuid.uuid4(), PreflightRequest(uuid.uuid4(), now(), None, None)
    )
    return report


@pytest.mark.cluster
@pytest.mark.timeout(300)
def test_a_preflight_reports_what_the_owner_put_in_the_way(
    granted: dict[str, str], admin: KubeClient
) -> None:
    with limit_range(admin, {"memory": "64Mi"}):
        report = looked_at(granted)
    (refusal,) = report.refusals
    assert "memory 64Mi" in refusal.what
    assert "LimitRange" in refusal.mend
    assert "see the list of refusals" in (report.not_looked_at or "")
    with quota(admin, {"pods": "0"}):
        (refusal,) = looked_at(granted).refusals
    assert "ResourceQuota" in refusal.mend
    report = looked_at(granted)
    assert report.refusals == []
    assert report.kube_proxy is not None
    assert report.kube_proxy.mode is not None

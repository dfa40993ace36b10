"""NetworkPolicies on a fake API server: the run's are made and removed, others' only read."""

from collections.abc import Iterator
from typing import Any

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.errors import PreconditionError
from podmeter.domain.ports import Access, ExecTarget, IngressPolicy
from podmeter_worker.kube import network_policies
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.manifests import pod_labels
from podmeter_worker.kube.resources import NETWORK_POLICIES

from .object_server import Objects

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
RUN = "ab12cd"
PATH = NETWORK_POLICIES.path("podmeter")
SERVER = ExecTarget(f"pm-{RUN}-server", "10.244.1.5", "node-2", Access.POD)
HOST = ExecTarget(f"pm-{RUN}-node-1", "192.168.0.1", "node-1", Access.HOST_ADMIN)


def policy(name: str, port: int = 8080) -> IngressPolicy:
    return IngressPolicy(f"pm-{RUN}-policy-{name}", SERVER.name, f"pm-{RUN}-client", port)


@pytest.fixture
def client(objects: Objects) -> Iterator[KubeClient]:
    with KubeClient(ClusterAccess(objects.kept, LOCAL), 0.5) as client:
        yield client


def policies(objects: Objects) -> list[str]:
    return [path for path in objects.at if path.startswith(PATH)]


def test_a_policy_is_for_one_pod_of_the_run_alone(client: KubeClient, objects: Objects) -> None:
    assert network_policies.create(client, RUN, [policy("matching"), policy("00001", 20001)]) > 0
    made = objects.at[f"{PATH}/pm-{RUN}-policy-00001"]
    assert made["metadata"]["labels"]["podmeter.io/run"] == RUN
    spec = made["spec"]
    assert spec["policyTypes"] == ["Ingress"]
    selected, let_in = spec["podSelector"], spec["ingress"][0]["from"][0]["podSelector"]
    assert spec["ingress"][0]["ports"] == [{"protocol": "TCP", "port": 20001}]
    server, client_pod = (pod_labels(f"pm-{RUN}-{name}", RUN) for name in ("server", "client"))
    assert network_policies.selects(selected, server)
    assert network_policies.selects(let_in, client_pod)
    assert not network_policies.selects(selected, client_pod)
    assert not network_policies.selects(selected, pod_labels(SERVER.name, "another"))


def test_only_the_run_s_own_are_removed(client: KubeClient, objects: Objects) -> None:
    theirs = {"kind": "NetworkPolicy", "metadata": {"name": "theirs"}, "spec": {}}
    objects.put(f"{PATH}/theirs", theirs)
    network_policies.create(client, RUN, [policy("matching")])
    network_policies.remove(client, [policy("matching").name, policy("never-made").name])
    assert policies(objects) == [f"{PATH}/theirs"]


def test_one_that_was_made_before_in_a_lost_try_is_taken_and_one_of_others_is_not(
    client: KubeClient, objects: Objects
) -> None:
    network_policies.create(client, RUN, [policy("matching")])
    network_policies.create(client, RUN, [policy("matching")])
    with pytest.raises(PreconditionError, match="rejects NetworkPolicies"):
        network_policies.create(client, "other", [policy("00001"), policy("matching")])
    # Neither the one of another run is touched, nor left what this one had made.
    assert policies(objects) == [f"{PATH}/{policy('matching').name}"]


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ({}, True),
        ({"matchLabels": {"app.kubernetes.io/managed-by": "podmeter"}}, True),
        ({"matchLabels": {"app": "podmeter-api"}}, False),
        ({"matchExpressions": [{"key": "podmeter.io/run", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "podmeter.io/run", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}]}, False),
    ],
)
def test_policies_of_others_that_select_a_pod_are_named(
    client: KubeClient, objects: Objects, selector: dict[str, Any], chosen: bool
) -> None:
    body = {"metadata": {"name": "theirs"}, "spec": {"podSelector": selector}}
    objects.put(f"{PATH}/theirs", body)
    network_policies.create(client, RUN, [policy("matching")])
    found = network_policies.of_others(client, RUN, [SERVER, HOST])
    assert found == (("theirs",) if chosen else ())
    # A pod on the nodes' own network is no policy's.
    assert network_policies.of_others(client, RUN, [HOST]) == ()

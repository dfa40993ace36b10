"""NetworkPolicies are enforced: what one denies is denied, what one allows is allowed."""

from collections.abc import Iterator
from typing import Any

import pytest

from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, Namespace, fetch, namespace, pod

pytestmark = [pytest.mark.cluster, pytest.mark.addons("network-policies")]


def policy(name: str, app: str, ingress: list[Any]) -> dict[str, Any]:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name},
        "spec": {
            "podSelector": {"matchLabels": {"app": app}},
            "policyTypes": ["Ingress"],
            "ingress": ingress,
        },
    }


@pytest.fixture
def room(kubectl: Kubectl) -> Iterator[Namespace]:
    with namespace(kubectl, "policies") as room:
        room.apply(
            pod("friend", "node-1"),
            pod("stranger", "node-1"),
            pod("neighbour", "node-2"),
            pod("server", "node-2", NGINX),
        )
        room.wait_until_ready("friend", "stranger", "neighbour", "server")
        yield room


def test_deny_and_allow(room: Namespace) -> None:
    url = f"http://{room.address('server')}/"

    def may(client: str) -> bool:
        return room.succeeds(client, *fetch(url))

    clients = ("friend", "stranger", "neighbour")
    for client in clients:
        wait_for(f"{client} to be let in without a policy", lambda c=client: may(c), 60)  # type: ignore[misc]

    room.apply(policy("deny-all", "server", []))
    for client in clients:
        wait_for(f"{client} to be denied", lambda c=client: not may(c), 60)  # type: ignore[misc]

    friends = [{"from": [{"podSelector": {"matchLabels": {"app": "friend"}}}]}]
    room.apply(policy("allow-friend", "server", friends))
    wait_for("the friend to be let in", lambda: may("friend"), 60)
    assert not may("stranger")
    assert not may("neighbour")

    room.run("delete", "networkpolicy", "--all")
    for client in clients:
        wait_for(f"{client} to be let in again", lambda c=client: may(c), 60)  # type: ignore[misc]

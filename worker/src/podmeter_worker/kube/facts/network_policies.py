"""NetworkPolicies of a cluster's owner that shut measuring pods off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.cluster_report import RefusalReport
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE
from podmeter_worker.kube.resources import NETWORK_POLICIES

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

_DIRECTIONS = ("Ingress", "Egress")


def blocking_policies(client: KubeClient) -> list[RefusalReport]:
    """The policies that isolate every pod of Podmeter's namespace, where none lets them through.

    A policy whose selector names labels is about pods of somebody else; one that lets some traffic
    through may be enough, which only measuring tells.
    """
    listed = client.list_all(NETWORK_POLICIES.path(POD_NAMESPACE)).items
    policies = [one for one in listed if labels.RUN not in (one["metadata"].get("labels") or {})]
    isolating = [
        one for one in policies if not any((one["spec"].get("podSelector") or {}).values())
    ]
    blocked: dict[str, tuple[bool, list[str]]] = {}
    for direction in _DIRECTIONS:
        selecting = [one for one in isolating if direction in _types(one)]
        rules = [one["spec"].get(direction.lower()) or [] for one in selecting]
        if not selecting or any({} in one for one in rules):
            continue
        for policy in selecting:
            name = policy["metadata"]["name"]
            some, directions = blocked.get(name, (False, []))
            blocked[name] = (some or any(rules), [*directions, direction])
    return [
        RefusalReport(
            what=say("policy_blocks", policy=f"{POD_NAMESPACE}/{name}", directions=directions),
            mend=say(
                "mend_network_policy", policy=f"{POD_NAMESPACE}/{name}", namespace=POD_NAMESPACE
            ),
            subject=f"NetworkPolicy {POD_NAMESPACE}/{name}",
            uncertain=some,
        )
        for name, (some, directions) in blocked.items()
    ]


def _types(policy: Object) -> list[str]:
    """The directions that a policy isolates (NetworkPolicySpec, policyTypes)."""
    given = policy["spec"].get("policyTypes")
    if given:
        return list(given)
    return [*_DIRECTIONS] if policy["spec"].get("egress") else ["Ingress"]

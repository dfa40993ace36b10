"""NetworkPolicies in bulk: each is for one measuring pod, and lets one other in on one port.

Only those of the run are made and removed. Those of others are read, to know whether any of them
selects a pod that is to have none.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from podmeter.domain import labels
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE, Access
from podmeter_worker.kube.bulk import BulkClient, for_all
from podmeter_worker.kube.manifests import pod_labels
from podmeter_worker.kube.own_objects import create_own
from podmeter_worker.kube.resources import NETWORK_POLICIES, Object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podmeter.domain.messages import Message
    from podmeter.domain.ports import ExecTarget, IngressPolicy
    from podmeter_worker.kube.client import KubeClient


def policy_body(run_label: str, policy: IngressPolicy) -> Object:
    """A NetworkPolicy as it is created."""
    return {
        "apiVersion": NETWORK_POLICIES.version,
        "kind": "NetworkPolicy",
        "metadata": {
            "name": policy.name,
            "namespace": POD_NAMESPACE,
            "labels": labels.of_run(run_label),
        },
        "spec": {
            "podSelector": {"matchLabels": _pod(policy.server, run_label)},
            "policyTypes": ["Ingress"],
            "ingress": [
                {
                    "from": [{"podSelector": {"matchLabels": _pod(policy.client, run_label)}}],
                    "ports": [{"protocol": "TCP", "port": policy.port}],
                }
            ],
        },
    }


def create(
    client: KubeClient,
    run_label: str,
    policies: Sequence[IngressPolicy],
    check: Callable[[], None] = lambda: None,
) -> float:
    """Create all policies; the seconds it took. `check` is called between and may raise.

    One that this run made before, in a try whose answer was lost, is taken as made. All or none:
    on an error those already made are removed. Raises PreconditionError where the cluster takes no
    more, LabError where not all could be made.
    """
    bulk = BulkClient(client)
    bodies = {policy.name: policy_body(run_label, policy) for policy in policies}

    tried: list[str] = []

    def one(name: str) -> None:
        tried.append(name)
        try:
            create_own(bulk, NETWORK_POLICIES, bodies[name], run_label, _refused)
        except PreconditionError:
            tried.remove(name)  # not made, or not by this run
            raise

    begun = time.monotonic()
    try:
        for_all(one, list(bodies), check)
    except BaseException:
        remove(client, tried)
        raise
    return time.monotonic() - begun


def remove(client: KubeClient, names: Sequence[str]) -> float:
    """Remove policies, present or not; the seconds it took."""
    bulk = BulkClient(client)

    def one(name: str) -> None:
        bulk.delete(NETWORK_POLICIES.path(POD_NAMESPACE, name))

    begun = time.monotonic()
    for_all(one, names)
    return time.monotonic() - begun


def of_others(client: KubeClient, run_label: str, places: Sequence[ExecTarget]) -> tuple[str, ...]:
    """The names of policies that another made and that select the pod of one of the places."""
    pods = [pod_labels(one.name, run_label) for one in places if one.access is Access.POD]
    return tuple(
        sorted(
            str(policy["metadata"]["name"])
            for policy in client.each(NETWORK_POLICIES.path(POD_NAMESPACE))
            if (policy["metadata"].get("labels") or {}).get(labels.RUN) != run_label
            and any(selects(_selector(policy), pod) for pod in pods)
        )
    )


def selects(selector: Mapping[str, Any], pod: Mapping[str, str]) -> bool:
    """Whether a label selector selects a pod with these labels; an empty one selects all."""
    wanted = selector.get("matchLabels") or {}
    if any(pod.get(name) != value for name, value in wanted.items()):
        return False
    return all(_met(one, pod) for one in selector.get("matchExpressions") or [])


def _met(expression: Mapping[str, Any], pod: Mapping[str, str]) -> bool:
    value, values = pod.get(expression["key"]), expression.get("values") or []
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    # An operator that is not known may select anything.
    return True


def _selector(policy: Object) -> Mapping[str, Any]:
    """An empty one is written in several ways, and selects all pods."""
    return (policy.get("spec") or {}).get("podSelector") or {}


def _refused(said: str) -> Message:
    return say("policies_refused", said=said)


def _pod(name: str, run_label: str) -> dict[str, str]:
    return {labels.RUN: run_label, labels.POD: name}

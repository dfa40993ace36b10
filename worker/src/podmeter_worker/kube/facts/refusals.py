"""What a cluster would refuse or change about the measuring pods: checked by it, made by nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.ports import POD_NAMESPACE, Access, PodRequest
from podmeter_worker.kube import manifests
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.nodes import measuring_nodes
from podmeter_worker.kube.resources import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter_worker.kube.client import KubeClient

_NAME = "pm-refusals"
#: What the API server or a change says of its cause, and what the cluster's owner can do there.
_MENDS = (
    ("exceeded quota", "raise or remove the ResourceQuota of namespace {namespace}"),
    ("PodSecurity", "let namespace {namespace} enforce the level {level}; the manifest does"),
    ("limits were set", "remove the LimitRange's defaults from namespace {namespace}"),
    ("containers were injected", "exclude namespace {namespace} from the sidecar injector"),
    ("denied the request", "exempt namespace {namespace} from the admission webhook or policy"),
    ("was changed", "exempt namespace {namespace} from the webhook that changes pods"),
    ("was set", "exempt namespace {namespace} from the webhook that changes pods"),
)
_ELSE = "see to it that namespace {namespace} takes pods as they are asked for"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What stands against the measuring pods, and how the cluster's owner can mend it."""

    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.what}; to mend it: {self.mend}"


def pod_refusals(client: KubeClient, accesses: Iterable[Access], image: str) -> list[Refusal]:
    """What stands against measuring pods of these accesses; [] if nothing does.

    Asks for each by a dry run, so that quotas, LimitRanges, Pod Security and injectors answer as
    they would.
    """
    nodes = measuring_nodes(client)
    if not nodes:
        mend = "make a Linux node ready, schedulable and free of NoSchedule taints"
        return [Refusal("no node takes measuring pods", mend)]
    return [
        refusal
        for access in sorted(set(accesses) - {Access.OUTSIDE})
        for refusal in _faults(client, access, nodes[0].name, image)
    ]


def _faults(client: KubeClient, access: Access, node: str, image: str) -> list[Refusal]:
    request = PodRequest(_NAME, node, access, ("sleep", "infinity"))
    body = manifests.pod(request, image, "refusals")
    namespace = manifests.namespace_of(access)
    try:
        made = client.create(PODS.path(namespace), body, dry_run=True)
    except ApiRefusedError as error:
        if error.status == 404:
            mend = "apply the manifest of `podmeter rbac`, which makes it"
            return [Refusal(f"there is no namespace {namespace}", mend)]
        what = f"the cluster refuses {access} pods in {namespace}: {error}"
        return [Refusal(what, _mend(str(error), namespace))]
    return [
        Refusal(f"{access} pods in {namespace}: {change}", _mend(change, namespace))
        for change in manifests.changes(body, made)
    ]


def _mend(said: str, namespace: str) -> str:
    level = "restricted" if namespace == POD_NAMESPACE else "privileged"
    found = next((mend for sign, mend in _MENDS if sign in said), _ELSE)
    return found.format(namespace=namespace, level=level)

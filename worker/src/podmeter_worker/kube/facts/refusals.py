"""What a cluster would refuse or change about the measuring pods: checked by it, made by nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.domain.ports import POD_NAMESPACE, Access, PodRequest
from podmeter.rbac.capabilities import Capability
from podmeter_worker.kube import manifests
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.nodes import measuring_nodes
from podmeter_worker.kube.resources import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.bench_image import BenchImage
    from podmeter_worker.kube.client import KubeClient

_NAME = "pm-refusals"
#: What the API server or a change says of its cause, and what the cluster's owner can do there.
_MENDS = (
    ("exceeded quota", "mend_quota"),
    ("PodSecurity", "mend_pod_security"),
    ("ValidatingAdmissionPolicy 'podmeter-", "mend_policy"),
    ("limits were set", "mend_limits"),
    ("containers were injected", "mend_injector"),
    ("denied the request", "mend_admission"),
    ("was changed", "mend_webhook"),
    ("was set", "mend_webhook"),
)
_ELSE = "mend_else"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What stands against the measuring pods, and how the cluster's owner can mend it."""

    what: Message
    mend: Message

    @property
    def said(self) -> Message:
        """Both in one sentence."""
        return say("refusal_and_mend", what=self.what, mend=self.mend)


def pod_refusals(
    client: KubeClient, accesses: Iterable[Access], image: BenchImage
) -> list[Refusal]:
    """What stands against measuring pods of these accesses; [] if nothing does.

    Asks for each by a dry run, so that quotas, LimitRanges, Pod Security and injectors answer as
    they would.
    """
    nodes = measuring_nodes(client)
    if not nodes:
        return [Refusal(say("no_measuring_node"), say("mend_nodes"))]
    return [
        refusal
        for access in sorted(set(accesses) - {Access.OUTSIDE})
        for refusal in _faults(client, access, nodes[0].name, image)
    ]


def _faults(client: KubeClient, access: Access, node: str, image: BenchImage) -> list[Refusal]:
    request = PodRequest(_NAME, node, access, ("sleep", "infinity"))
    body = manifests.pod(request, image, "refusals")
    namespace = manifests.namespace_of(access)
    try:
        made = client.create(PODS.path(namespace), body, dry_run=True)
    except ApiRefusedError as error:
        if error.status == 404:
            missing = say("namespace_missing", namespace=namespace)
            return [Refusal(missing, say("mend_namespace", capability=_capability(namespace)))]
        what = say("refuses_pods", access=access, namespace=namespace, said=error.said)
        return [Refusal(what, _mend(str(error), namespace))]
    return [
        Refusal(
            say("changes_pods", access=access, namespace=namespace, change=change),
            _mend(change, namespace),
        )
        for change in manifests.changes(body, made)
    ]


def _capability(namespace: str) -> Capability:
    return Capability.MEASURE if namespace == POD_NAMESPACE else Capability.HOST_ACCESS


def _mend(said: str, namespace: str) -> Message:
    code = next((mend for sign, mend in _MENDS if sign in said), _ELSE)
    if code == "mend_pod_security":
        level = "restricted" if namespace == POD_NAMESPACE else "privileged"
        return say(code, namespace=namespace, level=level)
    return say(code, namespace=namespace)

"""What a cluster would refuse or change about the measuring pods: checked by it, made by nobody."""

from __future__ import annotations

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


def pod_refusals(client: KubeClient, accesses: Iterable[Access], image: str) -> list[str]:
    """What stands against measuring pods of these accesses; [] if nothing does.

    Asks for each by a dry run, so that quotas, LimitRanges, Pod Security and injectors answer as
    they would; also names nodes that differ in architecture, since such ends are not alike.
    """
    nodes = measuring_nodes(client)
    if not nodes:
        return ["no node takes measuring pods"]
    found = []
    architectures = sorted({node.architecture for node in nodes})
    if len(architectures) > 1:
        found.append(f"the nodes differ in architecture: {', '.join(architectures)}")
    for access in sorted(set(accesses) - {Access.OUTSIDE}):
        found += _faults(client, access, nodes[0].name, image)
    return found


def _faults(client: KubeClient, access: Access, node: str, image: str) -> list[str]:
    request = PodRequest(_NAME, node, access, ("sleep", "infinity"))
    body = manifests.pod(request, image, "refusals")
    namespace = manifests.namespace_of(access)
    try:
        made = client.create(PODS.path(namespace), body, dry_run=True)
    except ApiRefusedError as error:
        if error.status == 404:
            level = "restricted" if namespace == POD_NAMESPACE else "privileged"
            return [f"there is no namespace {namespace} ({level}); the manifest makes it"]
        return [f"the cluster refuses pods in {namespace}: {error}"]
    return [f"pods in {namespace}: {change}" for change in manifests.changes(body, made)]

"""What a cluster would refuse or change about the measuring pods: checked by it, made by nobody."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.cluster_report import RefusalReport
from podmeter.domain.messages import Message, say
from podmeter.domain.ports import POD_NAMESPACE, Access, PodRequest
from podmeter.rbac.capabilities import Capability
from podmeter_worker.kube import manifests
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError
from podmeter_worker.kube.facts.network_policies import blocking_policies
from podmeter_worker.kube.facts.nodes import unfit_nodes
from podmeter_worker.kube.resources import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.bench_image import BenchImage
    from podmeter_worker.kube.client import KubeClient

_NAME = "pm-refusals"
#: What the API server or a change says of its cause, and what the cluster's owner can do there.
_MENDS = (
    ("PodSecurity", "mend_pod_security"),
    ("ValidatingAdmissionPolicy 'podmeter-", "mend_policy"),
    ("usage per ", "mend_limit_range"),
    ("limit to request ratio per ", "mend_limit_range"),
    ("limits were set", "mend_limits"),
    ("containers were injected", "mend_injector"),
    ("denied the request", "mend_admission"),
    # A ValidatingAdmissionPolicy of the owner's, and an image policy webhook.
    ("denied request", "mend_admission"),
    ("image policy webhook", "mend_admission"),
    ("was changed", "mend_webhook"),
    ("was set", "mend_webhook"),
)
_ELSE = "mend_else"
_QUOTA = re.compile(r"(?:failed|exceeded) quota: ([^,:\s]+)")
_MUST_SPECIFY = re.compile(r"((?:limits|requests)\.[\w./-]+) for:")
_NO_DRY_RUN = re.compile(r'admission webhook "([^"]+)" does not support dry run')
_NO_SCC = "unable to validate against any security context constraint"
_UID = re.compile(r"runAsUser: Invalid value: (\d+)")
_WEBHOOK_DOWN = re.compile(r'failed calling webhook "([^"]+)"')
#: The Service of a webhook, in the URL by which the API server asks it.
_WEBHOOK_SERVICE = re.compile(r"https?://([a-z0-9-]+)\.([a-z0-9-]+)\.svc[.:/]")


def pod_refusals(
    client: KubeClient, accesses: Iterable[Access], image: BenchImage
) -> list[RefusalReport]:
    """Why measuring pods of these accesses are rejected or changed; [] if they are accepted.

    Asks for each by a dry run, so that quotas, LimitRanges, Pod Security and injectors answer as
    they would; and looks for NetworkPolicies that shut the pods off.
    """
    fit, whys = unfit_nodes(client)
    if not fit:
        return [RefusalReport(what=say("no_measuring_node"), mend=_mend_nodes(whys))]
    found: list[RefusalReport] = []
    for access in sorted(set(accesses) - {Access.OUTSIDE}):
        try:
            found += _faults(client, access, fit[0].name, image)
        except ApiUnavailableError as error:
            silent = _silent_webhook(error)
            if silent is None:
                raise
            # It would not answer for the other pods either.
            return [silent]
    if not all(one.uncertain for one in found):
        return found
    return found + blocking_policies(client)


def _mend_nodes(whys: dict[str, Message]) -> Message:
    """What to do about the nodes: only what fits why they are unfit."""
    if whys and {why.code for why in whys.values()} == {"no_ipv4"}:
        return say("fix_no_ipv4")
    return say("mend_nodes")


def _silent_webhook(error: ApiUnavailableError) -> RefusalReport | None:
    """A webhook that does not answer, by what the API server says of it."""
    said = str(error)
    webhook = _WEBHOOK_DOWN.search(said)
    if webhook is None:
        return None
    service = _WEBHOOK_SERVICE.search(said)
    name = f"{service[2]}/{service[1]}" if service else ""
    what = say("webhook_silent", webhook=webhook[1], said=error.said)
    mend = say("mend_webhook_silent", webhook=webhook[1])
    if name:
        mend = say("mend_webhook_service", service=name, webhook=webhook[1])
    return RefusalReport(what=what, mend=mend, subject=webhook[1])


def _faults(
    client: KubeClient, access: Access, node: str, image: BenchImage
) -> list[RefusalReport]:
    request = PodRequest(_NAME, node, access, ("sleep", "infinity"))
    body = manifests.pod(request, image, "refusals")
    namespace = manifests.namespace_of(access)
    try:
        made = client.create(PODS.path(namespace), body, dry_run=True)
    except ApiRefusedError as error:
        if error.status == 404:
            missing = say("namespace_missing", namespace=namespace)
            mend = say("mend_namespace", capability=_capability(namespace))
            return [RefusalReport(what=missing, mend=mend, access=access, subject=namespace)]
        return [_refused(error, access, namespace)]
    return [
        RefusalReport(
            what=say("changes_pods", access=access, namespace=namespace, change=change),
            mend=_mend(change, namespace),
            access=access,
            subject=namespace,
        )
        for change in manifests.changes(body, made)
    ]


def _capability(namespace: str) -> Capability:
    return Capability.MEASURE if namespace == POD_NAMESPACE else Capability.HOST_ACCESS


def _refused(error: ApiRefusedError, access: Access, namespace: str) -> RefusalReport:
    """A refusal with its cause, and the remedy that fits it and names the object."""
    said = str(error)
    if webhook := _NO_DRY_RUN.search(said):
        what = say("webhook_no_dry_run", webhook=webhook[1])
        mend = say("mend_dry_run", webhook=webhook[1])
        return RefusalReport(
            what=what, mend=mend, access=access, subject=webhook[1], uncertain=True
        )
    what = say("refuses_pods", access=access, namespace=namespace, said=error.said)
    if _NO_SCC in said:
        uid = _UID.search(said)
        if uid is not None:
            what = say("scc_refuses", access=access, namespace=namespace, uid=uid[1])
        scc = "nonroot-v2" if namespace == POD_NAMESPACE else "privileged"
        mend = say("mend_scc", scc=scc, namespace=POD_NAMESPACE)
        return RefusalReport(what=what, mend=mend, access=access, subject=scc)
    if quota := _QUOTA.search(said):
        demanded = _MUST_SPECIFY.findall(said)
        if demanded:
            mend = say("mend_quota_demands", quota=quota[1], namespace=namespace, demanded=demanded)
        else:
            mend = say("mend_quota", namespace=namespace, quota=quota[1])
        subject = f"ResourceQuota {quota[1]}"
        return RefusalReport(what=what, mend=mend, access=access, subject=subject)
    return RefusalReport(what=what, mend=_mend(said, namespace), access=access, subject=namespace)


def _mend(said: str, namespace: str) -> Message:
    code = next((mend for sign, mend in _MENDS if sign in said), _ELSE)
    if code == "mend_pod_security":
        level = "restricted" if namespace == POD_NAMESPACE else "privileged"
        return say(code, namespace=namespace, level=level)
    return say(code, namespace=namespace)

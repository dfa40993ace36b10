"""The measuring pods as objects: what they may do, and what nobody may change about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.messages import Message, say
from podmeter.domain.pod_guard import MODULES, XTABLES_LOCK
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE, Access
from podmeter.rbac.guards import CONTAINER

if TYPE_CHECKING:
    from podmeter.domain.bench_image import BenchImage
    from podmeter.domain.ports import PodRequest
    from podmeter_worker.kube.resources import Object

#: Nobody: measuring on the pod network needs no rights at all.
_USER = 65534
#: Scheduled under contention like any ordinary workload; there is no limit.
_REQUESTS = {"cpu": "100m", "memory": "64Mi"}
#: After so long the kubelet ends a pod that nobody removed: longer than any run stays in one mode.
#: Nobody looks at a cluster, or puts it right, for as long as that.
_LIFETIME_SECONDS, _PASSING_SECONDS = 86_400, 3_600
#: Of the node, for host_admin: the lock that kube-proxy and the CNI contend for, and the list of
#: modules that its kernel could load.
_HOST_FILES = (
    ("xtables-lock", XTABLES_LOCK, "FileOrCreate"),
    ("modules", MODULES, "DirectoryOrCreate"),
)
#: Injectors that can be asked to leave a pod alone are; what they do all the same is noticed.
_NO_INJECTION = {
    "sidecar.istio.io/inject": "false",
    "linkerd.io/inject": "disabled",
    "kuma.io/sidecar-injection": "disabled",
    "consul.hashicorp.com/connect-inject": "false",
}


def namespace_of(access: Access) -> str:
    """Where a pod of that access lives."""
    return POD_NAMESPACE if access is Access.POD else HOST_NAMESPACE


def pod_labels(name: str, run_label: str) -> dict[str, str]:
    """The labels of the measuring pod of that name."""
    return {**labels.of_run(run_label), labels.POD: name, "sidecar.istio.io/inject": "false"}


def lifetime(run_label: str) -> int:
    """After how many seconds a pod with this label ends by itself."""
    passing = run_label.startswith((labels.LOOK, labels.RESTORE))
    return _PASSING_SECONDS if passing else _LIFETIME_SECONDS


def pod(request: PodRequest, image: BenchImage, run_label: str) -> Object:
    """The pod for a request."""
    spec: Object = {
        "nodeName": request.node,
        "restartPolicy": "Never",
        "activeDeadlineSeconds": lifetime(run_label),
        "enableServiceLinks": False,
        "automountServiceAccountToken": False,
        # With it a process of the runtime is the first one and collects what a killed command
        # leaves; and `sleep`, which is then not process 1, ends at SIGTERM.
        "shareProcessNamespace": True,
        # Not 0: a pod on the host's network must have let go of its ports when it is gone.
        "terminationGracePeriodSeconds": 1,
        "tolerations": [{"operator": "Exists"}],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(request, image.reference)],
        # Output is gathered in memory; a disk would be one more thing that is measured.
        "volumes": [{"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "160Mi"}}],
    }
    if image.pull_secret is not None:
        spec["imagePullSecrets"] = [{"name": image.pull_secret}]
    if request.access is not Access.POD:
        spec |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    if request.access is Access.HOST_ADMIN:
        for name, path, kind in _HOST_FILES:
            spec["volumes"].append({"name": name, "hostPath": {"path": path, "type": kind}})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": request.name,
            "namespace": namespace_of(request.access),
            "labels": pod_labels(request.name, run_label),
            "annotations": dict(_NO_INJECTION),
        },
        "spec": spec,
    }


def _container(request: PodRequest, image: str) -> Object:
    mounts: list[Object] = [{"name": "tmp", "mountPath": "/tmp"}]  # noqa: S108
    security: Object = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "runAsUser": _USER,
        "runAsGroup": _USER,
    }
    if request.access is Access.HOST_ADMIN:
        # NET_RAW besides: the iptables of the legacy kind opens a raw socket.
        security["capabilities"]["add"] = ["NET_ADMIN", "NET_RAW"]
        security |= {"runAsNonRoot": False, "runAsUser": 0, "runAsGroup": 0}
        for name, path, kind in _HOST_FILES:
            mounts.append({"name": name, "mountPath": path, "readOnly": kind != "FileOrCreate"})
    return {
        "name": CONTAINER,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": list(request.argv),
        # An image of another architecture says so there alone.
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "env": [{"name": "LC_ALL", "value": "C"}],
        "resources": {"requests": dict(_REQUESTS)},
        "securityContext": security,
        "volumeMounts": mounts,
    }


def changes(asked: Object, made: Object) -> list[Message]:
    """What the cluster changed about a pod that would change what is measured in it."""
    found: list[Message] = []
    asked_spec, made_spec = asked["spec"], made["spec"]
    for kind in ("containers", "initContainers", "ephemeralContainers"):
        names = [container["name"] for container in asked_spec.get(kind) or []]
        added = [c["name"] for c in made_spec.get(kind) or [] if c["name"] not in names]
        if added:
            found.append(say("change_injected", containers=added))
    for field in ("hostNetwork", "nodeName", "enableServiceLinks", "shareProcessNamespace"):
        if bool(asked_spec.get(field)) != bool(made_spec.get(field)) or (
            field == "nodeName" and asked_spec[field] != made_spec.get(field)
        ):
            found.append(say("change_field", field=field, value=str(made_spec.get(field))))
    own = next((c for c in made_spec["containers"] if c["name"] == CONTAINER), None)
    if own is None:
        return [*found, say("change_no_container")]
    mine = asked_spec["containers"][0]
    for field in ("image", "command"):
        if own.get(field) != mine[field]:
            found.append(say("change_field", field=field, value=str(own.get(field))))
    limits = own.get("resources", {}).get("limits") or {}
    if limits:
        said = [f"{name} {value}" for name, value in sorted(limits.items())]
        found.append(say("change_limits", limits=said))
    if made_spec.get("runtimeClassName"):
        found.append(say("change_runtime", value=made_spec["runtimeClassName"]))
    return found

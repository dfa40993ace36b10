"""The manifest that a cluster's owner applies, with the least rights for what is allowed.

It makes the namespaces `podmeter` (restricted by Pod Security) and, from host access on,
`podmeter-host` (privileged), a ServiceAccount, and its roles. A token for it is made by kubectl,
so that it never passes through anything but the owner's own hands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from podmeter.domain.labels import MANAGED_BY
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.rbac.capabilities import RIGHTS, Capability, needed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.rights import Right

    Object = dict[str, Any]

SERVICE_ACCOUNT = "podmeter"
_RBAC = "rbac.authorization.k8s.io"

_HEADER = """\
# What Podmeter may do in this cluster: {allowed}.
#
# Apply it, then make a token that expires (here in 30 days; the API server may cap that), and a
# kubeconfig to register:
#
#   kubectl apply -f podmeter-rbac.yaml
#   TOKEN=$(kubectl --namespace {namespace} create token {account} --duration=720h)
#   kubectl config view --minify --flatten --raw --output json |
#     jq --arg token "$TOKEN" '.users[0].user = {{token: $token}}' >podmeter-kubeconfig.json
#
# Take everything back: kubectl delete -f podmeter-rbac.yaml
"""
_WARNING = """\
#
# Host access lets Podmeter start pods on the nodes' network, as root with NET_ADMIN, in the
# privileged namespace {host}: whoever holds the token can change the nodes.
"""


def manifest(capability: Capability) -> str:
    """The YAML for a capability, with those it rests upon."""
    allowed = needed(capability)
    header = _HEADER.format(
        allowed=", ".join(allowed), namespace=POD_NAMESPACE, account=SERVICE_ACCOUNT
    )
    if Capability.HOST_ACCESS in allowed:
        header += _WARNING.format(host=HOST_NAMESPACE)
    documents = list(objects(allowed))
    return header + yaml.safe_dump_all(documents, sort_keys=False, explicit_start=True)


def objects(allowed: Iterable[Capability]) -> Iterable[Object]:
    """The manifest's objects."""
    allowed = tuple(allowed)
    yield _namespace(POD_NAMESPACE, "restricted")
    if Capability.HOST_ACCESS in allowed:
        yield _namespace(HOST_NAMESPACE, "privileged")
    yield {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {
            "name": SERVICE_ACCOUNT,
            "namespace": POD_NAMESPACE,
            "labels": dict(MANAGED_BY),
        },
        "automountServiceAccountToken": False,
    }
    for capability in allowed:
        scopes: dict[str | None, list[Right]] = {}
        for right in RIGHTS[capability]:
            scopes.setdefault(right.namespace, []).append(right)
        for namespace, rights in scopes.items():
            yield from _role(capability, namespace, rights)


def _namespace(name: str, level: str) -> Object:
    levels = {f"pod-security.kubernetes.io/{what}": level for what in ("enforce", "warn")}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {**MANAGED_BY, **levels}},
    }


def _role(capability: Capability, namespace: str | None, rights: list[Right]) -> Iterable[Object]:
    kind = "ClusterRole" if namespace is None else "Role"
    metadata: Object = {
        "name": f"podmeter-{capability.replace('_', '-')}",
        "labels": dict(MANAGED_BY),
    }
    if namespace is not None:
        metadata["namespace"] = namespace
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": kind,
        "metadata": metadata,
        "rules": [_rule(right) for right in rights],
    }
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": _RBAC, "kind": kind, "name": metadata["name"]},
        "subjects": [
            {"kind": "ServiceAccount", "name": SERVICE_ACCOUNT, "namespace": POD_NAMESPACE}
        ],
    }


def _rule(right: Right) -> Object:
    rule: Object = {
        "apiGroups": [right.group],
        "resources": [right.resource],
        "verbs": list(right.verbs),
    }
    if right.names:
        rule["resourceNames"] = list(right.names)
    return rule

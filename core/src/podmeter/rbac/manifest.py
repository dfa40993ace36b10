"""The manifest that a cluster's owner applies, with the least rights for what is allowed.

It makes the namespaces `podmeter` (restricted by Pod Security) and, from host access on,
`podmeter-host` (privileged), a ServiceAccount, its roles, and the admission policies that hold it
to what Podmeter makes. A token for it is made by kubectl, so that it never passes through anything
but the owner's own hands.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import yaml

from podmeter.domain.labels import MANAGED_BY
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.rbac.admission import policies
from podmeter.rbac.capabilities import (
    AMOUNTS_TO,
    SERVICE_ACCOUNT,
    Capability,
    guards,
    needed,
    rights_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.rights import Right

    Object = dict[str, Any]

_RBAC = "rbac.authorization.k8s.io"

_USER = f"system:serviceaccount:{POD_NAMESPACE}:{SERVICE_ACCOUNT}"

_HEADER = """\
# What Podmeter may do in this cluster: {allowed}.
#
{amounts_to}
#
{policy}
#
# `podmeter clusters add` applies this manifest, creates a token and registers the cluster: with it
# you need none of the following commands. By hand, apply the manifest, create a token that expires
# (here in 30 days; the API server may cap that), and a kubeconfig to register:
#
#   kubectl apply -f podmeter-rbac.yaml
#   TOKEN=$(kubectl --namespace {namespace} create token {account} --duration=720h)
#   kubectl config view --minify --flatten --raw --output json |
#     jq --arg token "$TOKEN" '.users[0].user = {{token: $token}}' >podmeter-kubeconfig.json
#
{pulling}# Take everything back: kubectl delete -f podmeter-rbac.yaml
"""
_POLICY_FIXES = (
    "The admission policies at the end hold this token to what Podmeter makes: pods of its own "
    "shape, and of the image {image} alone, commands in these, Services without external "
    "addresses, NetworkPolicies for its own pods. They need Kubernetes 1.30; for 1.28 and 1.29 ask "
    "for the manifest without them."
)
_POLICY_FIXES_SHAPE = (
    "The admission policies at the end hold this token to what Podmeter makes: pods of its own "
    "shape, commands in these, Services without external addresses, NetworkPolicies for its own "
    "pods. No image is set (BENCH_IMAGE, or the cluster's own), so THEY TAKE ANY IMAGE: set one "
    "and generate the manifest again. They need Kubernetes 1.30; for 1.28 and 1.29 ask for the "
    "manifest without them."
)
_NO_POLICY = (
    "WITHOUT ADMISSION POLICIES, as was asked for: this token makes any pod that Pod Security lets "
    "into the namespaces below, and Services with external addresses. From Kubernetes 1.30 on, "
    "apply the manifest with them."
)
_PULLING = """\
# The nodes pull the image with the Secret {secret}, which is the cluster's: Podmeter has no right
# to read it. Make it once the manifest is applied:
#
{commands}
#
"""
_MAKE = (
    "#   kubectl --namespace {namespace} create secret docker-registry {secret} \\\n"
    "#     --docker-server=REGISTRY --docker-username=NAME --docker-password=PASSWORD"
)


def manifest(
    capability: Capability,
    image: str | None,
    pull_secret: str | None = None,
    *,
    admission_policy: bool = True,
    host_names: bool = False,
    default_priority: int = 0,
    renew: bool = False,
) -> str:
    """The YAML for a capability, with those it rests upon.

    Pods are held to `image` and the Secret `pull_secret` where the manifest has admission
    policies, which Kubernetes before 1.30 does not know. With `host_names` its Ingresses may be for
    any host, without them for those under Podmeter's own domain alone. `default_priority` is the
    value of the cluster's default PriorityClass, if it has one; pods may have no higher one. With
    `renew` the token may ask for its own next one.
    """
    allowed = needed(capability)
    if renew and Capability.RENEW not in allowed:
        allowed = (*allowed, Capability.RENEW)
    amounts_to = [AMOUNTS_TO[capability]]
    if capability is not Capability.RENEW and renew:
        amounts_to.append(AMOUNTS_TO[Capability.RENEW])
    policy = _NO_POLICY
    if admission_policy:
        policy = _POLICY_FIXES.format(image=image) if image else _POLICY_FIXES_SHAPE
    header = _HEADER.format(
        allowed=", ".join(allowed),
        amounts_to="\n#\n".join(map(_comment, amounts_to)),
        policy=_comment(policy),
        namespace=POD_NAMESPACE,
        account=SERVICE_ACCOUNT,
        pulling=_pulling(allowed, pull_secret),
    )
    documents = list(objects(allowed))
    if admission_policy:
        held_to = guards(
            allowed,
            image,
            pull_secret,
            host_names=host_names,
            default_priority=default_priority,
        )
        documents += policies(held_to, _USER)
    return header + yaml.safe_dump_all(documents, sort_keys=False, explicit_start=True)


def objects(allowed: Iterable[Capability]) -> Iterable[Object]:
    """The manifest's namespaces, account and roles."""
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
        for right in rights_of(capability):
            scopes.setdefault(right.namespace, []).append(right)
        for namespace, rights in scopes.items():
            yield from _role(capability, namespace, rights)


def _pulling(allowed: Iterable[Capability], secret: str | None) -> str:
    """How the pull secret is made, in each namespace that pods are made in."""
    if secret is None:
        return ""
    namespaces = [POD_NAMESPACE]
    if Capability.HOST_ACCESS in allowed:
        namespaces.append(HOST_NAMESPACE)
    commands = [_MAKE.format(namespace=one, secret=secret) for one in namespaces]
    return _PULLING.format(secret=secret, commands="\n".join(commands))


def _comment(text: str) -> str:
    return textwrap.fill(text, 99, initial_indent="# ", subsequent_indent="# ")


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

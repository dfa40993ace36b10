"""Guards as objects of the cluster: a ValidatingAdmissionPolicy and its binding for each.

Of general use since Kubernetes 1.30. A policy looks at Podmeter's own requests alone: what others
do in the cluster, in its namespaces too, is none of its business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.labels import MANAGED_BY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from podmeter.domain.guards import Guard

    Object = dict[str, Any]

_VERSION = "admissionregistration.k8s.io/v1"
_POLICY = "ValidatingAdmissionPolicy"


def policies(guards: Sequence[Guard], user: str) -> Iterable[Object]:
    """What holds a user of the API server to the guards."""
    for guard in guards:
        metadata = {"name": f"podmeter-{guard.name}", "labels": dict(MANAGED_BY)}
        yield {
            "apiVersion": _VERSION,
            "kind": _POLICY,
            "metadata": metadata,
            "spec": _spec(guard, guards, user),
        }
        binding: Object = {"policyName": metadata["name"], "validationActions": ["Deny"]}
        if guard.yardstick is not None:
            binding["paramRef"] = {
                "name": guard.yardstick.name,
                "namespace": guard.yardstick.namespace,
                "parameterNotFoundAction": "Deny",
            }
        yield {
            "apiVersion": _VERSION,
            "kind": f"{_POLICY}Binding",
            "metadata": metadata,
            "spec": binding,
        }


def _spec(guard: Guard, guards: Sequence[Guard], user: str) -> Object:
    rule: Object = {
        "apiGroups": [guard.group],
        "apiVersions": ["*"],
        "operations": list(guard.operations),
        "resources": list(guard.resources),
    }
    if guard.object_name is not None:
        rule["resourceNames"] = [guard.object_name]
    spec: Object = {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": [
            {"name": name, "expression": expression}
            for name, expression in _conditions(guard, guards, user)
        ],
        "validations": [
            {
                "expression": check.expression,
                "message": f"Podmeter is held to what it measures by: {check.message}",
            }
            for check in guard.checks
        ],
    }
    if guard.variables:
        spec["variables"] = [
            {"name": name, "expression": expression} for name, expression in guard.variables
        ]
    if guard.yardstick is not None:
        spec["paramKind"] = {
            "apiVersion": guard.yardstick.version,
            "kind": guard.yardstick.kind,
        }
    return spec


def _conditions(guard: Guard, guards: Sequence[Guard], user: str) -> Iterable[tuple[str, str]]:
    yield "podmeter", f"request.userInfo.username == '{user}'"
    if guard.only_for is not None:
        yield "which", guard.only_for
    if guard.container is not None:
        yield "shape", f"object.spec.containers[0].name == '{guard.container}'"
    elif "pods" in guard.resources:
        for other in guards:
            if other.container is not None:
                name = f"not-{other.name}"
                yield name, f"object.spec.containers[0].name != '{other.container}'"

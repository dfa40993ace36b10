"""The manifest: least rights, and the same list that is checked."""

from typing import Any

import pytest
import yaml

from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.rbac.capabilities import RIGHTS, Capability, needed
from podmeter.rbac.manifest import manifest

Object = dict[str, Any]


def read(capability: Capability) -> list[Object]:
    return [document for document in yaml.safe_load_all(manifest(capability)) if document]


def test_measuring_alone_makes_no_privileged_namespace() -> None:
    names = [body["metadata"]["name"] for body in read(Capability.MEASURE)]
    assert HOST_NAMESPACE not in names
    assert "root" not in manifest(Capability.MEASURE)


def test_the_namespaces_have_their_levels() -> None:
    levels = {
        body["metadata"]["name"]: body["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for body in read(Capability.SWITCH_MODES)
        if body["kind"] == "Namespace"
    }
    assert levels == {POD_NAMESPACE: "restricted", HOST_NAMESPACE: "privileged"}


@pytest.mark.parametrize("capability", list(Capability))
def test_every_right_is_granted_once_and_no_other(capability: Capability) -> None:
    granted = [
        (
            rule["apiGroups"][0],
            rule["resources"][0],
            tuple(rule["verbs"]),
            body["metadata"].get("namespace"),
            tuple(rule.get("resourceNames", ())),
        )
        for body in read(capability)
        if body["kind"] in ("Role", "ClusterRole")
        for rule in body["rules"]
    ]
    wanted = [
        (right.group, right.resource, right.verbs, right.namespace, right.names)
        for one in needed(capability)
        for right in RIGHTS[one]
    ]
    assert sorted(granted, key=str) == sorted(wanted, key=str)


def test_nothing_is_granted_by_wildcard_and_no_secret_is_read() -> None:
    for rights in RIGHTS.values():
        for right in rights:
            assert "*" not in (right.group, right.resource, *right.verbs)
            assert right.resource not in ("secrets", "serviceaccounts", "roles", "clusterroles")


def test_what_changes_the_whole_cluster_is_only_for_switching() -> None:
    harmless = {"get", "list", "watch"}
    for capability in (Capability.MEASURE, Capability.HOST_ACCESS):
        for right in RIGHTS[capability]:
            assert (
                right.namespace in (POD_NAMESPACE, HOST_NAMESPACE) or set(right.verbs) <= harmless
            )
    for right in RIGHTS[Capability.SWITCH_MODES]:
        changing = set(right.verbs) - harmless
        assert not changing or right.names or (right.resource, changing) == ("pods", {"delete"})

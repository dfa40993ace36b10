"""The manifest: least rights, and the same list that is checked."""

from functools import cache

import pytest
from core.tests.kubernetes_yaml import Object, objects_of

from podmeter.domain.components.calico import CALICO_GROUPS
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.rbac.capabilities import (
    AMOUNTS_TO,
    LEVELS,
    SERVICE_ACCOUNT,
    Capability,
    guards,
    needed,
    rights_of,
)
from podmeter.rbac.manifest import manifest
from podmeter.version import BENCH_IMAGE

IMAGE = BENCH_IMAGE


@cache
def read(capability: Capability) -> tuple[Object, ...]:
    return objects_of(manifest(capability, IMAGE))


def test_measuring_alone_makes_no_privileged_namespace() -> None:
    names = [body["metadata"]["name"] for body in read(Capability.MEASURE)]
    assert HOST_NAMESPACE not in names
    assert "root" not in manifest(Capability.MEASURE, IMAGE).partition("---")[0]


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
        for right in rights_of(one)
    ]
    assert sorted(granted, key=str) == sorted(wanted, key=str)


def test_nothing_is_granted_by_wildcard_and_no_secret_is_read() -> None:
    for capability in Capability:
        for right in rights_of(capability):
            assert "*" not in (right.group, right.resource, *right.verbs)
            assert right.resource not in ("secrets", "serviceaccounts", "roles", "clusterroles")


def test_what_changes_the_whole_cluster_is_only_for_switching() -> None:
    harmless = {"get", "list", "watch"}
    for capability in (Capability.MEASURE, Capability.HOST_ACCESS):
        for right in rights_of(capability):
            assert (
                right.namespace in (POD_NAMESPACE, HOST_NAMESPACE) or set(right.verbs) <= harmless
            )
    # Of what no names are known beforehand, a policy says what may change.
    nameless = {("", "pods", "delete"), *((one, "ippools", "patch") for one in CALICO_GROUPS)}
    nameless |= {("apps", "daemonsets", "create"), ("", "configmaps", "create")}
    for right in rights_of(Capability.SWITCH_MODES):
        changing = set(right.verbs) - harmless
        found = {(right.group, right.resource, verb) for verb in changing}
        assert right.names or found <= nameless
    guarded = {
        (guard.group, resource)
        for guard in guards([Capability.SWITCH_MODES], None)
        for resource in guard.resources
    }
    shaped = {(group, resource) for group, resource, verb in nameless if verb != "delete"}
    assert shaped <= guarded


def policies(capability: Capability, image: str | None = IMAGE) -> list[Object]:
    return [
        body
        for body in objects_of(manifest(capability, image))
        if body["kind"] == "ValidatingAdmissionPolicy"
    ]


def checks_of_pods(image: str | None, secret: str | None) -> list[str]:
    text = manifest(Capability.HOST_ACCESS, image, secret)
    (pods,) = [
        body
        for body in objects_of(text)
        if body["kind"] == "ValidatingAdmissionPolicy"
        and body["metadata"]["name"] == "podmeter-pods"
    ]
    return [one["expression"] for one in pods["spec"]["validations"]]


def test_pods_are_held_to_the_cluster_s_image_and_pull_secret() -> None:
    shape = checks_of_pods(None, None)
    with_image = checks_of_pods(IMAGE, None)
    with_both = checks_of_pods(IMAGE, "registry")
    (image,) = set(with_image) - set(shape)
    assert image == f'variables.container.image == "{IMAGE}"'
    (secret,) = set(with_both) - set(with_image)
    assert "imagePullSecrets" in secret
    assert '"registry"' in secret


def test_how_the_pull_secret_is_made_is_said_where_there_is_one() -> None:
    heads = {
        capability: manifest(capability, IMAGE, "registry").partition("---")[0]
        for capability in Capability
    }
    command = "kubectl --namespace {} create secret docker-registry registry"
    assert command.format(POD_NAMESPACE) in heads[Capability.MEASURE]
    assert command.format(HOST_NAMESPACE) not in heads[Capability.MEASURE]
    assert command.format(HOST_NAMESPACE) in heads[Capability.HOST_ACCESS]
    assert "docker-registry" not in manifest(Capability.HOST_ACCESS, IMAGE)


def test_host_access_says_plainly_that_it_is_cluster_admin() -> None:
    heads = {one: manifest(one, IMAGE).partition("---")[0] for one in Capability}
    assert "cluster-admin" not in heads[Capability.MEASURE]
    for one in (Capability.HOST_ACCESS, Capability.SWITCH_MODES):
        assert "This is cluster-admin in effect" in heads[one]
    assert set(AMOUNTS_TO) == set(Capability)


@pytest.mark.parametrize("capability", list(Capability))
def test_every_policy_is_bound_and_looks_at_podmeter_alone(capability: Capability) -> None:
    text = manifest(capability, IMAGE)
    bound = [
        body["spec"]["policyName"]
        for body in objects_of(text)
        if body["kind"] == "ValidatingAdmissionPolicyBinding"
        and body["spec"]["validationActions"] == ["Deny"]
    ]
    found = policies(capability)
    assert bound == [body["metadata"]["name"] for body in found]
    for body in found:
        assert body["spec"]["failurePolicy"] == "Fail"
        (condition, *_) = body["spec"]["matchConditions"]
        assert condition["expression"] == (
            "request.userInfo.username == 'system:serviceaccount:podmeter:podmeter'"
        )
        assert all(one["message"] for one in body["spec"]["validations"])


def test_every_resource_that_takes_a_pod_s_shape_is_guarded() -> None:
    guarded = {
        (rule["apiGroups"][0], resource)
        for body in policies(Capability.SWITCH_MODES)
        for rule in body["spec"]["matchConstraints"]["resourceRules"]
        for resource in rule["resources"]
    }
    for capability in Capability:
        for right in rights_of(capability):
            if {"create", "update", "patch"} & set(right.verbs):
                # A token is asked for by the account's own name alone.
                known = right.resource in ("endpointslices", "leases", "serviceaccounts/token")
                assert known or (right.group, right.resource) in guarded


def test_pods_are_held_to_the_image_where_it_is_known() -> None:
    (pods, *_) = policies(Capability.MEASURE, 'docker.io/a"b')
    expressions = [one["expression"] for one in pods["spec"]["validations"]]
    assert 'variables.container.image == "docker.io/a\\"b"' in expressions
    text = manifest(Capability.MEASURE, None)
    assert "THEY TAKE ANY IMAGE" in text.replace("\n# ", " ")
    assert "variables.container.image" not in text


def test_a_pod_that_another_policy_looks_at_is_left_to_it() -> None:
    def names(capability: Capability) -> list[str]:
        (pods, *_) = policies(capability)
        return [one["name"] for one in pods["spec"]["matchConditions"]]

    assert names(Capability.HOST_ACCESS) == ["podmeter"]
    assert names(Capability.SWITCH_MODES) == ["podmeter", "not-kube-proxy-cleanup"]


def test_old_clusters_are_given_the_manifest_without_policies() -> None:
    text = manifest(Capability.HOST_ACCESS, IMAGE, admission_policy=False)
    assert "ValidatingAdmissionPolicy" not in text
    assert "WITHOUT ADMISSION POLICIES" in text


def test_pods_have_at_most_the_priority_that_the_cluster_gives_by_default() -> None:
    """Where its default PriorityClass is above 0, no pod without a class was let in."""
    for priority in (0, 1000):
        text = manifest(Capability.SWITCH_MODES, IMAGE, default_priority=priority)
        held = [
            one["expression"]
            for body in objects_of(text)
            if body["kind"] == "ValidatingAdmissionPolicy"
            for one in body["spec"]["validations"]
            if "spec.?priority." in one["expression"]
        ]
        # Of measuring pods, and of kube-proxy's clean-up.
        assert len(held) == 2
        assert all(one.endswith(f"orValue(0) <= {priority}") for one in held)


@pytest.mark.parametrize("capability", LEVELS)
def test_a_token_asks_for_its_own_next_one_alone_and_only_where_that_is_wanted(
    capability: Capability,
) -> None:
    assert "serviceaccounts/token" not in manifest(capability, IMAGE)
    text = manifest(capability, IMAGE, renew=True)
    rules = [
        (body["metadata"]["namespace"], rule)
        for body in objects_of(text)
        if body["kind"] == "Role"
        for rule in body["rules"]
        if rule["resources"] == ["serviceaccounts/token"]
    ]
    rule = {
        "apiGroups": [""],
        "resources": ["serviceaccounts/token"],
        "verbs": ["create"],
        "resourceNames": [SERVICE_ACCOUNT],
    }
    assert rules == [(POD_NAMESPACE, rule)]
    head = " ".join(text.partition("---")[0].replace("#", " ").split())
    assert "renews itself until the ServiceAccount is deleted" in head

"""Measuring pods: what they may do, and what is noticed when a cluster changes them."""

import copy

import pytest

from podmeter.domain.bench_image import BenchImage
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE, Access, PodRequest
from podmeter_worker.kube.manifests import changes, pod
from podmeter_worker.kube.resources import Object


def made(access: Access) -> Object:
    return pod(
        PodRequest("pm-x", "node-1", access, ("sleep", "infinity")), BenchImage("bench:1"), "r1"
    )


def test_a_pod_on_the_pod_network_is_restricted() -> None:
    body = made(Access.POD)
    (container,) = body["spec"]["containers"]
    security = container["securityContext"]
    assert body["metadata"]["namespace"] == POD_NAMESPACE
    assert "hostNetwork" not in body["spec"]
    assert body["spec"]["enableServiceLinks"] is False
    assert body["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["runAsNonRoot"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert "limits" not in container["resources"]
    assert not any("hostPath" in volume for volume in body["spec"]["volumes"])


@pytest.mark.parametrize("access", [Access.HOST, Access.HOST_ADMIN])
def test_pods_on_the_nodes_network_live_apart(access: Access) -> None:
    body = made(access)
    assert body["metadata"]["namespace"] == HOST_NAMESPACE
    assert body["spec"]["hostNetwork"] is True


def test_only_host_admin_has_rights_on_the_node() -> None:
    for access in (Access.POD, Access.HOST):
        (container,) = made(access)["spec"]["containers"]
        assert "add" not in container["securityContext"]["capabilities"]
    (container,) = made(Access.HOST_ADMIN)["spec"]["containers"]
    assert container["securityContext"]["capabilities"]["add"] == ["NET_ADMIN", "NET_RAW"]
    assert "privileged" not in container["securityContext"]
    mounts = {mount["mountPath"]: mount["readOnly"] for mount in container["volumeMounts"][1:]}
    assert mounts == {"/run/xtables.lock": False, "/lib/modules": True}


def test_a_pod_is_pulled_with_the_clusters_secret() -> None:
    assert "imagePullSecrets" not in made(Access.POD)["spec"]
    image = BenchImage("registry.example/bench:2", "registry")
    for access in (Access.POD, Access.HOST_ADMIN):
        body = pod(PodRequest("pm-x", "node-1", access, ("true",)), image, "r1")
        assert body["spec"]["imagePullSecrets"] == [{"name": "registry"}]
        assert body["spec"]["containers"][0]["image"] == "registry.example/bench:2"


def test_everything_carries_the_runs_label() -> None:
    assert made(Access.POD)["metadata"]["labels"]["podmeter.io/run"] == "r1"


def test_defaults_that_every_cluster_fills_in_are_no_change() -> None:
    asked = made(Access.HOST_ADMIN)
    back = copy.deepcopy(asked)
    back["spec"] |= {"dnsPolicy": "ClusterFirst", "serviceAccountName": "default", "priority": 0}
    back["spec"]["containers"][0] |= {"terminationMessagePath": "/dev/termination-log"}
    back["metadata"]["annotations"]["cni.example/address"] = "10.0.0.1"
    assert changes(asked, back) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"initContainers": [{"name": "istio-init"}]}, "istio-init"),
        ({"nodeName": "node-2"}, "nodeName"),
        ({"hostNetwork": True}, "hostNetwork"),
        ({"enableServiceLinks": True}, "enableServiceLinks"),
        ({"runtimeClassName": "gvisor"}, "gvisor"),
    ],
)
def test_a_change_of_the_pod_is_named(change: Object, said: str) -> None:
    asked = made(Access.POD)
    back = copy.deepcopy(asked)
    back["spec"] |= change
    (found,) = changes(asked, back)
    assert said in found


def test_a_sidecar_and_limits_are_named() -> None:
    asked = made(Access.POD)
    back = copy.deepcopy(asked)
    back["spec"]["containers"][0]["resources"]["limits"] = {"cpu": "500m"}
    back["spec"]["containers"].append({"name": "linkerd-proxy"})
    assert len(found := changes(asked, back)) == 2
    assert "linkerd-proxy" in found[0]
    assert "cpu 500m" in found[1]


@pytest.mark.parametrize("access", [Access.POD, Access.HOST, Access.HOST_ADMIN])
@pytest.mark.parametrize(
    ("label", "seconds"), [("0123456789ab", 86_400), ("look-01", 3_600), ("restore-01", 3_600)]
)
def test_a_pod_that_nobody_removes_ends_by_itself(access: Access, label: str, seconds: int) -> None:
    body = pod(PodRequest("pm-x", "n1", access, ("sleep", "infinity")), BenchImage("image"), label)
    assert body["spec"]["activeDeadlineSeconds"] == seconds

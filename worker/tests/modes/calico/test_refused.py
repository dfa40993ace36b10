"""What of Calico is refused, by a sentence and before anything changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from core.tests.sampling import sampled

from podmeter.domain.errors import (
    PreconditionError,
)
from podmeter_worker.modes.registry import configurations

from ...kube.api_server import Answer, Asked
from ...kube.object_server import served
from ..cluster_of_objects import site_of
from .objects import (
    BGP,
    CONFIG,
    FELIX,
    INSTALLATION,
    OTHER,
    SWITCHER,
    V1,
    V3,
    VALUES,
    Calico,
    Prepare,
    pool,
    pool_path,
)


def felix(**spec: Any) -> Prepare:
    return lambda cluster: cluster.put(FELIX, {"spec": spec})


def variables(**given: str) -> Prepare:
    return lambda cluster: cluster.set_up(**given)


def config(**data: str) -> Prepare:
    return lambda cluster: cluster.put(CONFIG, {"data": data})


def installation(**spec: Any) -> Prepare:
    return lambda cluster: cluster.put(INSTALLATION, {"spec": spec})


def from_config(cluster: Calico) -> None:
    """The backend where Calico's own manifest has it."""
    reference = {"configMapKeyRef": {"name": "calico-config", "key": "calico_backend"}}
    variable = {"name": "CALICO_NETWORKING_BACKEND", "valueFrom": reference}
    cluster.edit_container(lambda container: container["env"].append(variable))
    cluster.put(CONFIG, {"data": {"calico_backend": "vxlan"}})


def image(tag: str, *others: Prepare) -> Prepare:
    def prepare(cluster: Calico) -> None:
        for other in others:
            other(cluster)
        name = f"quay.io/calico/node:{tag}@sha256:0000"
        cluster.edit_container(lambda container: container.update(image=name))

    return prepare


def mesh(on: bool) -> Prepare:
    spec = {"nodeToNodeMeshEnabled": on, "asNumber": 64512}
    return lambda cluster: cluster.put(BGP, {"spec": spec})


def peer(cluster: Calico) -> None:
    """A router at the top of the rack."""
    spec = {"peerIP": "10.0.0.254", "asNumber": 64513}
    cluster.put("/apis/crd.projectcalico.org/v1/bgppeers/rack", {"spec": spec})


NO_VXLAN = {"vxlan", "vxlan-cross-subnet"}
NO_IPIP = {"ipip", "ipip-cross-subnet"}
NO_BGP = variables(CALICO_NETWORKING_BACKEND="vxlan")


def both(*prepared: Prepare) -> Prepare:
    return lambda cluster: [one(cluster) for one in prepared]


#: What is set up, and which modes are refused for what.
REFUSED: list[tuple[Prepare, dict[str, str]]] = [
    (lambda cluster: None, {}),
    (NO_BGP, dict.fromkeys({"none", *NO_IPIP}, "calico_no_bgp")),
    (from_config, dict.fromkeys({"none", *NO_IPIP}, "calico_no_bgp")),
    # Felix writes IPIP's routes by itself from 3.33 on, and others if configured to.
    (image("v3.33.0", NO_BGP), {"none": "calico_no_bgp"}),
    (image("v3.32.1", NO_BGP), dict.fromkeys({"none", *NO_IPIP}, "calico_no_bgp")),
    (image("release", NO_BGP), dict.fromkeys({"none", *NO_IPIP}, "calico_no_bgp")),
    (both(NO_BGP, felix(programClusterRoutes="Enabled")), {}),
    (both(NO_BGP, felix(programClusterRoutes="EnabledIPIPOnly")), {"none": "calico_no_bgp"}),
    (
        both(NO_BGP, felix(programClusterRoutes="EnabledNoEncapOnly")),
        dict.fromkeys(NO_IPIP, "calico_no_bgp"),
    ),
    (felix(vxlanEnabled=False), dict.fromkeys(NO_VXLAN, "felix_off")),
    (felix(ipipEnabled=False), dict.fromkeys(NO_IPIP, "felix_off")),
    (variables(FELIX_IPINIPENABLED="false"), dict.fromkeys(NO_IPIP, "felix_off")),
    (felix(ipipEnabled=True), {"none": "felix_keeps_tunnel"}),
    (
        felix(vxlanEnabled=True),
        dict.fromkeys({"none", *NO_IPIP}, "felix_keeps_tunnel"),
    ),
    (
        lambda cluster: cluster.put(
            pool_path(OTHER), pool("10.9.0.0/16", disabled=True, ipipMode="Always")
        ),
        {"none": "pool_keeps_tunnel"},
    ),
    (
        config(cni_network_config='{"ipam": {"type": "host-local"}}'),
        dict.fromkeys(NO_VXLAN, "calico_host_local"),
    ),
    (
        installation(cni={"type": "Calico", "ipam": {"type": "HostLocal"}}),
        dict.fromkeys(NO_VXLAN, "calico_host_local"),
    ),
    (lambda cluster: cluster.lacks.add("vxlan"), dict.fromkeys(NO_VXLAN, "kernel_no_vxlan")),
    (lambda cluster: cluster.lacks.add("ipip"), dict.fromkeys(NO_IPIP, "kernel_no_ipip")),
    (lambda cluster: cluster.lacks.add("router"), {"none": "through_router"}),
    # Nobody tells the nodes the way, or somebody outside does.
    (mesh(False), {"none": "calico_nobody_routes"}),
    (mesh(True), {}),
    (both(mesh(False), peer), {}),
    # Before 3.23 Felix decides, and Calico itself may have written what it goes by.
    (image("v3.22.1"), dict.fromkeys({*NO_VXLAN, *NO_IPIP}, "felix_decides")),
    (
        image("v3.21.4", felix(ipipEnabled=True)),
        {**dict.fromkeys(NO_VXLAN, "felix_decides"), "none": "felix_keeps_tunnel_itself"},
    ),
    (
        image("v3.21.4", felix(vxlanEnabled=True), variables(FELIX_IPINIPENABLED="false")),
        {
            "none": "felix_keeps_tunnel_itself",
            **dict.fromkeys(NO_IPIP, "felix_decides"),
        },
    ),
    (image("v3.23.0"), {}),
]


@pytest.mark.parametrize(("prepare", "refused"), sampled(REFUSED, 8))
def test_a_mode_that_cannot_be_had_is_refused_before_anything_changes(
    cluster: Calico, prepare: Prepare, refused: dict[str, str]
) -> None:
    prepare(cluster)
    before = cluster.stands()
    with site_of(cluster) as context:
        assert SWITCHER.why_absent(context) is None
        found = SWITCHER.values(context)
        assert list(found) == list(VALUES)
        said = {value: getattr(why, "code", why) for value, why in found.items() if why}
        assert said == refused
        for value in refused:
            with pytest.raises(PreconditionError):
                SWITCHER.switch(context, value)
    assert cluster.stands() == before


@pytest.mark.parametrize(
    ("addresses", "code"),
    [
        ({"a": "10.0.0.1/24", "b": "10.0.0.2/24"}, "one_subnet"),
        ({"a": "10.0.0.1/24", "b": "10.0.1.2/24"}, "all_subnets"),
        # As clouds give them out: every node is a subnet of its own.
        ({"a": "10.0.0.1/32", "b": "10.0.0.2/32", "c": "10.0.0.3/32"}, "all_subnets"),
        ({"a": "10.0.0.1/24"}, None),
    ],
)
def test_a_cross_subnet_mode_that_cannot_be_told_from_another_is_refused(
    tmp_path: Path, addresses: dict[str, str], code: str | None
) -> None:
    with served(Calico, tmp_path, addresses=addresses) as cluster:
        cluster.set_up()
        with site_of(cluster) as context:
            if code is None:
                with pytest.raises(PreconditionError) as caught:
                    SWITCHER.values(context)
                assert caught.value.said.code == "no_pods_apart"
                return
            found = SWITCHER.values(context)
            said = {value: getattr(why, "code", None) for value, why in found.items()}
            assert said["vxlan-cross-subnet"] == said["ipip-cross-subnet"] == code
            assert said["none"] is said["vxlan"] is said["ipip"] is None


def test_a_cross_subnet_mode_that_stands_in_one_subnet_is_told_as_it_is_set(
    tmp_path: Path,
) -> None:
    addresses = {"a": "10.0.0.1/24", "b": "10.0.0.2/24"}
    with served(Calico, tmp_path, addresses=addresses) as cluster:
        cluster.set_up()
        cluster.put(pool_path(), pool(ipipMode="Never", vxlanMode="CrossSubnet"))
        cluster.agents = dict.fromkeys(cluster.agents, "vxlan-cross-subnet")
        with site_of(cluster) as context:
            assert SWITCHER.observe(context) == "vxlan-cross-subnet"
            saved = SWITCHER.save(context)
            SWITCHER.switch(context, "none")
            assert SWITCHER.observe(context) == "none"
            SWITCHER.restore(context, saved)
        assert cluster.spec()["vxlanMode"] == "CrossSubnet"


def refusing(path: str) -> Prepare:
    def prepare(cluster: Calico) -> None:
        def answer(asked: Asked) -> Answer | None:
            refused = asked.path.startswith(path) or asked.path == "/version"
            return Answer(403, {"reason": "Forbidden", "message": "no"}) if refused else None

        cluster.before = answer

    return prepare


def absent(name: str, container: str = "any") -> Prepare:
    def prepare(cluster: Calico) -> None:
        for path in [one for one in cluster.at if "/daemonsets/" in one]:
            del cluster.at[path]
        containers = [{"name": container, "image": "any"}]
        spec = {"template": {"spec": {"containers": containers}}}
        cluster.put(f"/apis/apps/v1/namespaces/kube-system/daemonsets/{name}", {"spec": spec})

    return prepare


def not_installed(cluster: Calico) -> None:
    cluster.installed()
    cluster.put(INSTALLATION, {"spec": {"calicoNetwork": {"ipPools": []}}})


def in_etcd(cluster: Calico) -> None:
    """As Calico's manifest for etcd has it: no kinds of its own in Kubernetes."""
    cluster.set_up(DATASTORE_TYPE="")
    cluster.withdraw(V1)


def without_api(cluster: Calico) -> None:
    cluster.installed()
    cluster.withdraw(V3)


#: What is set up, and what Calico is refused for.
UNDECIDED: list[tuple[Prepare, str]] = [
    (absent("any"), "calico_absent"),
    (absent("canal"), "calico_canal"),
    (absent("calico-node-of-ours", "calico-node"), "calico_elsewhere"),
    (in_etcd, "calico_etcd"),
    (variables(DATASTORE_TYPE="etcdv3"), "calico_etcd"),
    (variables(CALICO_NETWORKING_BACKEND="none"), "calico_no_networking"),
    (felix(bpfEnabled=True), "calico_bpf"),
    (variables(FELIX_BPFENABLED="true"), "calico_bpf"),
    (installation(calicoNetwork={"linuxDataplane": "BPF"}), "calico_bpf"),
    (installation(calicoNetwork={"linuxDataplane": "VPP"}), "calico_dataplane"),
    (felix(wireguardEnabled=True), "calico_wireguard"),
    (installation(cni={"type": "AmazonVPC"}), "calico_other_plugin"),
    (lambda cluster: cluster.put(pool_path(), pool(disabled=True)), "no_pools"),
    (
        lambda cluster: cluster.put(pool_path(OTHER), pool("172.16.0.0/16", ipipMode="Never")),
        "pools_unlike",
    ),
    (lambda cluster: cluster.put(pool_path(), pool(vxlanMode="Always")), "pool_modes_both"),
    (not_installed, "pool_not_installed"),
    (without_api, "operator_no_api"),
    (refusing("/apis/crd.projectcalico.org/v1/ippools"), "calico_not_allowed"),
    (refusing("/apis/crd.projectcalico.org/v1/felix"), "calico_not_allowed"),
    (refusing("/apis/operator.tigera.io"), "calico_not_allowed"),
]


@pytest.mark.parametrize(("prepare", "code"), sampled(UNDECIDED, 7))
def test_a_calico_whose_pools_decide_nothing_is_said_to_be_one(
    cluster: Calico, prepare: Prepare, code: str
) -> None:
    prepare(cluster)
    with site_of(cluster) as context:
        why = SWITCHER.why_absent(context)
    assert getattr(why, "code", why) == code


def test_where_its_kinds_are_not_known_nothing_is_noted(cluster: Calico) -> None:
    in_etcd(cluster)
    with site_of(cluster) as context:
        assert configurations(context.client) == ()


def test_where_it_may_not_be_looked_for_nothing_is_noted(cluster: Calico) -> None:
    refusing("/apis/crd.projectcalico.org/v1/ippools")(cluster)
    with site_of(cluster) as context:
        assert configurations(context.client) == ()

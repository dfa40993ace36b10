"""Which pools are switched, where that is written, and that nothing else of it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any

import pytest
from pydantic import ValidationError

from podmeter.domain.errors import PreconditionError
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.modes.calico import pools as calico_pools
from podmeter_worker.modes.calico.pools import PoolModes, Pools, Written

from ..cluster_of_objects import client_of
from .objects import INSTALLATION, OTHER, POOL, Calico, pool
from .objects import pool_path as path_of

GROUP = "crd.projectcalico.org"
OWNED = {"app.kubernetes.io/managed-by": "tigera-operator"}


@pytest.fixture
def client(cluster: Calico) -> Iterator[KubeClient]:
    with client_of(cluster) as made:
        yield made


@pytest.mark.parametrize(
    ("modes", "value"),
    [
        ({"ipipMode": "Never", "vxlanMode": "Never"}, "none"),
        ({}, "none"),
        ({"ipipMode": "", "vxlanMode": ""}, "none"),
        ({"vxlanMode": "Always"}, "vxlan"),
        ({"ipipMode": "Never", "vxlanMode": "CrossSubnet"}, "vxlan-cross-subnet"),
        ({"ipipMode": "Always", "vxlanMode": "Never"}, "ipip"),
        ({"ipipMode": "CrossSubnet"}, "ipip-cross-subnet"),
        ({"ipipMode": "Always", "vxlanMode": "Always"}, None),
    ],
)
def test_two_fields_are_one_encapsulation(modes: dict[str, str], value: str | None) -> None:
    assert calico_pools.encapsulation(modes) == value


@pytest.mark.parametrize(
    ("spec", "used"),
    [
        ({}, True),
        ({"allowedUses": []}, True),
        ({"allowedUses": ["Workload", "Tunnel"], "assignmentMode": "Automatic"}, True),
        ({"nodeSelector": "rack == '1'"}, True),
        ({"disabled": True}, False),
        ({"allowedUses": ["Tunnel"]}, False),
        ({"allowedUses": ["LoadBalancer"]}, False),
        ({"assignmentMode": "Manual"}, False),
        ({"nodeSelector": "!all()"}, False),
        ({"cidr": "fd00::/64", "ipipMode": "Never"}, False),
    ],
)
def test_pools_that_pods_get_addresses_from_are_used(
    cluster: Calico, client: KubeClient, spec: dict[str, Any], used: bool
) -> None:
    cluster.put(path_of(OTHER), pool(**{"cidr": "172.16.0.0/16", **spec}))
    found = calico_pools.read(client, GROUP)
    names = [one["metadata"]["name"] for one in found.used]
    assert names == [POOL, *([OTHER] if used else [])]
    assert (IPv4Network("172.16.0.0/16") in found.networks) == used


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": OWNED},
        # As Calico's own API server stores what the operator has written.
        {"annotations": {"projectcalico.org/metadata": json.dumps({"labels": OWNED})}},
    ],
)
def test_the_operator_s_pools_are_changed_in_its_installation(
    cluster: Calico, client: KubeClient, metadata: dict[str, Any]
) -> None:
    cluster.installed()
    cluster.put(path_of(), {**pool(), "metadata": metadata})
    assert calico_pools.read(client, GROUP).paths == (INSTALLATION,)


def test_an_older_operator_s_pools_are_changed_themselves(
    cluster: Calico, client: KubeClient
) -> None:
    cluster.installed()
    cluster.put(path_of(), pool())
    cluster.put(path_of(OTHER), {**pool("172.16.0.0/16"), "metadata": {"labels": OWNED}})
    assert calico_pools.read(client, GROUP).paths == (INSTALLATION, path_of())


def test_metadata_that_nobody_can_read_is_said(cluster: Calico, client: KubeClient) -> None:
    annotations = {"projectcalico.org/metadata": "{"}
    cluster.put(path_of(), {**pool(), "metadata": {"annotations": annotations}})
    with pytest.raises(PreconditionError) as caught:
        _ = calico_pools.read(client, GROUP).owned
    assert caught.value.said.code == "pool_unreadable"


def test_pools_that_differ_have_no_one_mode(cluster: Calico, client: KubeClient) -> None:
    cluster.put(path_of(OTHER), pool("172.16.0.0/16", ipipMode="Never"))
    found = calico_pools.read(client, GROUP)
    with pytest.raises(PreconditionError) as caught:
        _ = found.value
    assert caught.value.said.params["pools"] == [f"{POOL}: ipip", f"{OTHER}: none"]
    why = calico_pools.why_not(found, None)
    assert why == caught.value.said


def test_an_installation_keeps_all_but_the_encapsulation(
    cluster: Calico, client: KubeClient
) -> None:
    cluster.installed("VXLANCrossSubnet", nodeAddressAutodetectionV4={"firstFound": True})
    before = json.loads(json.dumps(cluster.at[INSTALLATION]["spec"]))
    found = calico_pools.read(client, GROUP)
    now = calico_pools.stands(found, cluster.at[INSTALLATION])
    assert now == Written(installation={"192.168.0.0/16": "VXLANCrossSubnet"})
    assert calico_pools.write(client, found.resource, calico_pools.wanted(now, "ipip"))
    after = json.loads(json.dumps(cluster.at[INSTALLATION]["spec"]))
    assert after["calicoNetwork"]["ipPools"][0].pop("encapsulation") == "IPIP"
    before["calicoNetwork"]["ipPools"][0].pop("encapsulation")
    assert after == before
    cluster.installed("IPIP")
    assert not calico_pools.write(client, found.resource, calico_pools.wanted(now, "ipip"))


def test_a_pool_that_is_gone_from_the_installation_is_said(
    cluster: Calico, client: KubeClient
) -> None:
    cluster.installed()
    found = calico_pools.read(client, GROUP)
    with pytest.raises(PreconditionError) as caught:
        calico_pools.write(client, found.resource, Written(installation={"10.0.0.0/8": "IPIP"}))
    assert caught.value.said.code == "installation_changed"


def test_modes_are_put_back_as_they_were_written(cluster: Calico, client: KubeClient) -> None:
    """Which of them was unset too, and nothing is written where it stands in other words."""
    found = calico_pools.read(client, GROUP)
    now = calico_pools.stands(found, None)
    assert now.pools == {POOL: PoolModes(ipip="Always", vxlan=None)}
    assert calico_pools.wanted(now, "ipip") == now
    before = dict(cluster.spec())
    assert calico_pools.write(client, found.resource, calico_pools.wanted(now, "vxlan"))
    assert cluster.spec() == {**before, "ipipMode": "Never", "vxlanMode": "Always"}
    kept = Written.model_validate(json.loads(json.dumps(now.model_dump(mode="json"))))
    assert calico_pools.write(client, found.resource, kept)
    assert cluster.spec() == before


@pytest.mark.parametrize(
    "saved",
    [
        {"pools": {POOL: {"ipip": "Sometimes", "vxlan": None}}},
        {"pools": {POOL: {"ipip": "Always"}}},
        {"installation": {"192.168.0.0/16": "Geneve"}},
        {"net_conf": "{}"},
    ],
)
def test_nothing_but_modes_is_taken_for_what_stood(saved: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Written.model_validate(saved)


def test_what_other_pools_keep_in_use_is_known(cluster: Calico, client: KubeClient) -> None:
    cluster.put(path_of(OTHER), pool("172.16.0.0/16", disabled=True, vxlanMode="CrossSubnet"))
    found: Pools = calico_pools.read(client, GROUP)
    assert found.kept == {"ipip": OTHER, "vxlan": OTHER}

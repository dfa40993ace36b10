"""Calico for the conformance suite: one pool, two, and those of an operator's Installation."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_interface

from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import Object

from ..described import Described
from .objects import (
    INSTALLATION,
    OTHER,
    SWITCHER,
    VALUES,
    Calico,
    Prepare,
    base,
    pool,
    pool_path,
)

_MTU = {"none": 1500, "vxlan": 1450, "ipip": 1480}
_MODULE = "podmeter_worker.modes.calico.switcher"
IMPATIENT = dict.fromkeys(
    (
        f"{_MODULE}.{name}"
        for name in ("_FOLLOW_SECONDS", "_ROLL_SECONDS", "_EFFECTIVE_SECONDS", "_MTU_SECONDS")
    ),
    0.0,
)


def two_pools(cluster: Calico) -> None:
    cluster.put(pool_path(OTHER), pool("172.16.0.0/16"))


def of_installation(cluster: Calico) -> None:
    cluster.installed("IPIP")


def _installed(encapsulation: str | None) -> Callable[[Calico], object]:
    def change(found: Object) -> None:
        (one,) = (one for one in found["spec"]["calicoNetwork"]["ipPools"] if "." in one["cidr"])
        del one["encapsulation"]
        if encapsulation is not None:
            one["encapsulation"] = encapsulation

    return lambda cluster: cluster.edit(INSTALLATION, change)


#: What an Installation may say that its operator does not do.
AS_WRITTEN = {
    "nothing": (_installed(None), "installation_unlike"),
    "another one": (_installed("VXLAN"), "installation_unlike"),
    "no known one": (_installed("Geneve"), "installation_unlike"),
}
SORTS: dict[str, Prepare] = {
    "one pool": lambda cluster: None,
    "two pools": two_pools,
    "its operator's": of_installation,
}


def in_effect(cluster: Calico, value: str) -> None:
    """A node without another in its subnet sends packets the same way in a cross-subnet mode."""
    subnets = {node: ip_interface(one).network for node, one in cluster.addresses.items()}
    for node, agent in cluster.agents.items():
        alone = list(subnets.values()).count(subnets[node]) == 1
        assert agent == value or (alone and base(agent) == base(value)), node
    assert cluster.mtus() == {_MTU[base(value)]}


def write_beside(client: KubeClient, number: int) -> None:
    """Both objects, where there are both."""
    client.patch(pool_path(), {"spec": {"natOutgoing": number}})
    if client.find(INSTALLATION) is not None:
        client.patch(INSTALLATION, {"spec": {"calicoNetwork": {"mtu": number}}})


def kept(cluster: Calico) -> object:
    found = {cluster.spec()["natOutgoing"]}
    if INSTALLATION in cluster.at:
        found.add(cluster.at[INSTALLATION]["spec"]["calicoNetwork"]["mtu"])
    return found.pop() if len(found) == 1 else found


def _described(sort: str) -> Described:
    def set_up(cluster: Calico) -> None:
        cluster.set_up()
        SORTS[sort](cluster)

    def touch_pool(client: KubeClient) -> None:
        client.patch(pool_path(), {"spec": {"blockSize": 27}})

    def touch_installation(client: KubeClient) -> None:
        client.patch(INSTALLATION, {"spec": {"registry": "another"}})

    touches = {"pool": touch_pool}
    if SORTS[sort] is of_installation:
        touches["installation"] = touch_installation
    return Described(
        name=f"calico, {sort}",
        switcher=SWITCHER,
        cluster=Calico,
        set_up=set_up,
        stood="ipip",
        tour=(*VALUES, "ipip-cross-subnet"),
        in_effect=in_effect,
        lacking={"vxlan": "vxlan-cross-subnet", "ipip": "ipip-cross-subnet"},
        beside=write_beside,
        kept=kept,
        touches=touches,
        impatient=IMPATIENT,
        as_written=AS_WRITTEN if SORTS[sort] is of_installation else {},
        unusable=({"pools": {}}, {"mode": "iptables"}),
    )


DESCRIBED = tuple(_described(sort) for sort in SORTS)

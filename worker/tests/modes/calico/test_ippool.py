"""Calico's encapsulation switched, interrupted and restored, on a cluster of objects."""

from __future__ import annotations

import pytest

from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.modes import ENCAPSULATION
from podmeter_worker.modes import pod_renewal, waiting
from podmeter_worker.modes.calico import switcher as calico_ippool
from podmeter_worker.modes.control import SwitcherModeControl

from ..cluster_of_objects import site_of
from ..test_waiting import Clock
from .conformance import of_installation, two_pools
from .objects import (
    CONFIG,
    INSTALLATION,
    OTHER,
    STATUS,
    SWITCHER,
    V1,
    Calico,
    pool,
    pool_path,
)


def test_the_operator_s_pool_is_never_written_by_us(cluster: Calico) -> None:
    of_installation(cluster)
    with site_of(cluster) as context:
        SWITCHER.switch(context, "vxlan")
    assert cluster.spec()["vxlanMode"] == "Always"
    patched = [path for method, path in cluster.asked if method == "PATCH"]
    assert set(patched) == {INSTALLATION}


def test_what_the_operator_complains_of_is_said_where_it_does_not_follow(cluster: Calico) -> None:
    of_installation(cluster)
    before = cluster.stands()
    cluster.operator_is_well = False
    condition = {"type": "Degraded", "status": "True", "message": "Cannot update an IP pool"}
    cluster.put(STATUS, {"status": {"conditions": [condition]}})
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        with pytest.raises(ConvergenceError, match="Cannot update an IP pool"):
            SWITCHER.switch(context, "vxlan")
        cluster.operator_is_well = True
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before


@pytest.mark.parametrize("group", ["crd.projectcalico.org", "projectcalico.org"])
def test_the_pools_that_calico_node_reads_are_written(cluster: Calico, group: str) -> None:
    """Both may be there; where nobody said which are read, it is as its operator has it."""
    cluster.put(pool_path(group="projectcalico.org"), pool())
    if group == "projectcalico.org":
        cluster.set_up(CALICO_API_GROUP="projectcalico.org/v3")
    with site_of(cluster) as context:
        assert SWITCHER.configurations(context.client) == (pool_path(group=group),)
    cluster.withdraw(V1)
    with site_of(cluster) as context:
        assert SWITCHER.configurations(context.client) == (pool_path(group="projectcalico.org"),)


def test_none_is_in_effect_once_a_route_leads_to_the_pods(cluster: Calico) -> None:
    """The default route shows the same device, and nobody at its end knows the way."""
    cluster.routed = False
    with site_of(cluster) as context:
        with pytest.raises(ConvergenceError, match="has only its default route to the pods of"):
            SWITCHER.switch(context, "none")
        with pytest.raises(PreconditionError, match="only its default route"):
            SWITCHER.observe(context)
        # What the default route leads to does know it.
        cluster.reached = True
        assert SWITCHER.observe(context) == "none"


def test_a_router_at_the_top_of_the_rack_knows_the_way_too(cluster: Calico) -> None:
    cluster.top_of_rack = "10.0.0.254"
    with site_of(cluster) as context:
        SWITCHER.switch(context, "none")
        assert SWITCHER.observe(context) == "none"


def test_what_takes_long_is_said_meanwhile(
    cluster: Calico, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Time passes between looks alone: on a busy machine one may take longer than all there is.
    monkeypatch.setattr(waiting, "time", Clock())
    monkeypatch.setattr(waiting, "_SAID_SECONDS", 0.0)
    monkeypatch.setattr(calico_ippool, "_EFFECTIVE_SECONDS", 0.3)
    cluster.stuck.add("b")
    steps: list[str] = []
    with (
        site_of(cluster, steps.append) as context,
        pytest.raises(ConvergenceError, match="packets from b"),
    ):
        SWITCHER.switch(context, "vxlan")
    said = [step for step in steps if getattr(step, "code", "") == "step_waits"]
    assert said
    assert "packets from b to pods on a go through tunl0" in said[0]


def test_a_device_that_is_left_is_named(cluster: Calico) -> None:
    cluster.leaves_device = True
    with site_of(cluster) as context:
        SWITCHER.switch(context, "vxlan")
        with pytest.raises(ConvergenceError, match=r"still exists on a: vxlan\.calico"):
            SWITCHER.switch(context, "none")


@pytest.mark.parametrize(("value", "born"), [("vxlan", 1480), ("ipip", 1450), ("none", 1450)])
def test_pods_that_keep_an_mtu_are_noticed(
    cluster: Calico, monkeypatch: pytest.MonkeyPatch, value: str, born: int
) -> None:
    monkeypatch.setattr(
        pod_renewal, "renew", lambda context: cluster.born.update(stale(cluster, born))
    )
    with site_of(cluster) as context, pytest.raises(ConvergenceError, match=f"have MTU {born}"):
        SWITCHER.switch(context, value)


def stale(cluster: Calico, born: int) -> dict[str, int]:
    return dict.fromkeys(cluster.born, born)


def test_an_mtu_that_somebody_set_is_none_to_wait_for(
    cluster: Calico, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.put(CONFIG, {"data": {"veth_mtu": "1400"}})
    monkeypatch.setattr(
        pod_renewal, "renew", lambda context: cluster.born.update(stale(cluster, 1400))
    )
    with site_of(cluster) as context:
        for value in ("none", "vxlan", "ipip"):
            SWITCHER.switch(context, value)


def test_pools_of_which_only_some_are_switched_yet_are_switched_on(cluster: Calico) -> None:
    two_pools(cluster)
    with site_of(cluster) as context:
        modes = SwitcherModeControl(context)
        saved = modes.save(ENCAPSULATION)
        modes.note(ENCAPSULATION, saved)
        context.client.patch(pool_path(), {"spec": {"ipipMode": "Never", "vxlanMode": "Always"}})
        modes.switch(ENCAPSULATION, "vxlan")
        assert modes.observe(ENCAPSULATION) == "vxlan"
        modes.restore(ENCAPSULATION, saved)
    assert cluster.spec() == pool()["spec"]
    assert cluster.spec(OTHER) == pool("172.16.0.0/16")["spec"]


def test_a_pool_that_came_in_the_meantime_hinders_no_restore(cluster: Calico) -> None:
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "vxlan")
        cluster.put(pool_path(OTHER), pool("172.16.0.0/16", ipipMode="Never"))
        SWITCHER.restore(context, saved)
    assert cluster.spec() == pool()["spec"]
    assert set(cluster.agents.values()) == {"ipip"}


def test_another_s_values_are_put_back_only_while_its_note_stands(cluster: Calico) -> None:
    two_pools(cluster)
    with site_of(cluster) as context:
        modes = SwitcherModeControl(context)
        saved = modes.save(ENCAPSULATION)
        modes.note(ENCAPSULATION, saved)
        modes.switch(ENCAPSULATION, "none")
        modes.restore(ENCAPSULATION, {**saved, "confirmed": True})
        assert modes.observe(ENCAPSULATION) == "ipip"
        modes.switch(ENCAPSULATION, "none")
        modes.restore(ENCAPSULATION, {**saved, "confirmed": True})
        assert modes.observe(ENCAPSULATION) == "none"

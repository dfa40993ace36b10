"""Cilium's routing switched, interrupted and restored, on a cluster of objects."""

from __future__ import annotations

from typing import Any

import pytest

from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.modes import ENCAPSULATION
from podmeter_worker.connection import SiteControl
from podmeter_worker.modes import notes
from podmeter_worker.modes.registry import configurations
from podmeter_worker.modes.switcher import Site

from ..cluster_of_objects import NODES_OF, site_of
from ..interruptions import (
    away_at_each_change,
    cancelled_in_switch,
    killed_in_restore,
    killed_in_switch,
)
from .objects import CONFIG, GENERATIONS, MTU, OLD, SWITCHER, Cilium

VALUES = ("native", "vxlan", "geneve", "native")
BOTH = pytest.mark.parametrize(("data", "version"), GENERATIONS)


@BOTH
def test_through_all_modes_and_back(cluster: Cilium, data: dict[str, str], version: str) -> None:
    cluster.set_up(data, version)
    before = cluster.stands()
    with site_of(cluster) as site:
        modes = SiteControl(site)
        assert modes.observe(ENCAPSULATION) == "vxlan"
        saved = modes.save(ENCAPSULATION)
        modes.note(ENCAPSULATION, saved)
        for value in (*VALUES, VALUES[-1]):
            old = cluster.pods(hosted=True) | cluster.pods(hosted=False)
            switched = modes.switch(ENCAPSULATION, value)
            assert modes.observe(ENCAPSULATION) == value
            assert set(cluster.agents.values()) == {value}
            # Also where it stood already: agents, and pods, which keep the MTU that they have.
            assert not old & (cluster.pods(hosted=True) | cluster.pods(hosted=False))
            assert cluster.mtus() == {MTU[value]}
            assert set(switched.accepted) == set(NODES_OF)
        assert not switched.changed
        (noted,) = notes.read_all(site.client, configurations(site.client))
        assert noted.saved == saved["saved"]
        modes.restore(ENCAPSULATION, saved)
        assert modes.observe(ENCAPSULATION) == "vxlan"
        assert notes.read_all(site.client, configurations(site.client)) == []
    assert cluster.stands() == before
    assert cluster.mtus() == {MTU["vxlan"]}


@BOTH
def test_each_generation_is_written_in_its_own_words(
    cluster: Cilium, data: dict[str, str], version: str
) -> None:
    cluster.set_up(data, version)
    with site_of(cluster) as site:
        SWITCHER.switch(site, "native")
    minor = int(version.split(".")[1])
    if minor < 14 or (minor == 14 and data is OLD):
        assert cluster.data["tunnel"] == "disabled"
        assert "routing-mode" not in cluster.data
    else:
        assert cluster.data["routing-mode"] == "native"
        assert "tunnel" not in cluster.data
    assert cluster.data["auto-direct-node-routes"] == "true"
    assert cluster.data["ipv4-native-routing-cidr"] == "10.244.0.0/16"
    assert cluster.data["debug"] == "false"


@BOTH
@pytest.mark.parametrize("step", ["patched", "rolled", "effective", "recreated"])
def test_an_interrupted_switch_is_undone(
    cluster: Cilium, data: dict[str, str], version: str, step: str
) -> None:
    cluster.set_up(data, version)
    before = cluster.stands()
    saved = killed_in_switch(cluster, SWITCHER, "native", step)
    with site_of(cluster) as site:
        SWITCHER.restore(site, saved)
        assert SWITCHER.observe(site) == "vxlan"
    assert cluster.stands() == before
    assert cluster.mtus() == {MTU["vxlan"]}


@pytest.mark.parametrize("step", ["patched", "rolled", "effective", "recreated"])
def test_an_interrupted_restore_is_ended(cluster: Cilium, step: str) -> None:
    """Its pods too: killed in between, Cilium had followed and the pods had not been renewed."""
    before = cluster.stands()
    saved = killed_in_restore(cluster, SWITCHER, "native", step)
    with site_of(cluster) as site:
        SWITCHER.restore(site, saved)
    assert cluster.stands() == before
    assert cluster.mtus() == {MTU["vxlan"]}


def test_whatever_change_the_api_server_misses_all_is_put_back(cluster: Cilium) -> None:
    before = cluster.stands()

    def is_put_back(site: Site) -> None:
        assert SWITCHER.observe(site) == "vxlan"
        assert cluster.mtus() == {MTU["vxlan"]}
        assert cluster.stands() == before

    count = away_at_each_change(cluster, SWITCHER, "native", is_put_back)
    # A patch, and the end of each agent and of each pod.
    assert count >= 1 + 2 * len(NODES_OF)


def test_a_cancelled_switch_is_undone(cluster: Cilium) -> None:
    before = cluster.stands()
    saved = cancelled_in_switch(cluster, SWITCHER, "native")
    assert cluster.data["routing-mode"] == "native"
    with site_of(cluster) as site:
        SWITCHER.restore(site, saved)
    assert cluster.stands() == before


def test_agents_that_end_are_waited_for_in_vain_and_put_back(cluster: Cilium) -> None:
    """Whatever a newer Cilium takes amiss: its agents never get ready, and are replaced then."""
    before = cluster.stands()
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        broken = dict(cluster.data, **{"auto-direct-node-routes": "true"})
        cluster.at[CONFIG]["data"] = broken
        with pytest.raises(ConvergenceError):
            SWITCHER._go(site, {}, "vxlan", agents=None)
        assert set(cluster.agents.values()) == {"none"}
        SWITCHER.restore(site, saved)
        assert SWITCHER.observe(site) == "vxlan"
    assert cluster.stands() == before


def test_what_somebody_else_changes_in_between_stays(cluster: Cilium) -> None:
    left = ["3", "2", "1"]
    with site_of(cluster) as site, site_of(cluster) as other:

        def guard() -> None:
            if left:
                other.client.patch(CONFIG, {"data": {"debug": left.pop()}})

        site.client.guard = guard
        SWITCHER.switch(site, "native")
        assert SWITCHER.observe(site) == "native"
    assert cluster.data["debug"] == "3"


def test_who_sets_it_back_is_noticed(cluster: Cilium) -> None:
    def progress(reached: str) -> None:
        if getattr(reached, "code", "") == "step_rolled":
            with site_of(cluster) as other:
                other.client.patch(CONFIG, {"data": {"routing-mode": "tunnel"}})

    said = "another user or controller has changed cilium-config"
    with site_of(cluster, progress) as site, pytest.raises(ConvergenceError, match=said):
        SWITCHER.switch(site, "native")


def test_a_node_that_does_not_follow_is_named(cluster: Cilium) -> None:
    cluster.stuck.add("b")
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        with pytest.raises(
            ConvergenceError, match="packets from b to pods on a go through cilium_vxlan"
        ):
            SWITCHER.switch(site, "native")
        with pytest.raises(PreconditionError, match="packets from b"):
            SWITCHER.observe(site)
        cluster.stuck.clear()
        SWITCHER.restore(site, saved)
        assert SWITCHER.observe(site) == "vxlan"


def test_a_tunnel_that_is_left_is_named(cluster: Cilium) -> None:
    cluster.leaves_device = True
    said = "still exists on a: cilium_vxlan"
    with site_of(cluster) as site, pytest.raises(ConvergenceError, match=said):
        SWITCHER.switch(site, "native")


def test_what_stands_is_not_put_back_once_more(cluster: Cilium) -> None:
    """Also if an agent was restarted after its pods, which is not a switch."""
    for path in [one for one in cluster.at if "/pods/cilium-" in one]:
        node = cluster.at.pop(path)["spec"]["nodeName"]
        cluster.start("kube-system", "cilium", node, "DaemonSet", hosted=True)
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        cluster.asked.clear()
        SWITCHER.restore(site, saved)
    assert {method for method, _ in cluster.asked} == {"GET"}


@pytest.mark.parametrize(
    "saved",
    [{}, {"settings": {}, "agents": ""}, {"mode": "iptables"}, {"settings": {"x": "y"}}],
)
def test_what_is_no_mode_of_cilium_s_is_not_put_back(cluster: Cilium, saved: Any) -> None:
    with site_of(cluster) as site, pytest.raises(PreconditionError) as caught:
        SWITCHER.restore(site, saved)
    assert caught.value.said.code == "saved_unusable"


@pytest.mark.parametrize("touched", ["config", "agent"])
def test_whoever_touches_it_is_noticed(cluster: Cilium, touched: str) -> None:
    with site_of(cluster) as site:
        modes = SiteControl(site)
        before = modes.standing(ENCAPSULATION)
        assert modes.why_touched(ENCAPSULATION, before) is None
        if touched == "config":
            site.client.patch(CONFIG, {"data": {"enable-hubble": "true"}})
        else:
            cluster.start("kube-system", "cilium", "a", "DaemonSet", hosted=True)
            del cluster.at[next(one for one in cluster.at if "/cilium-a-" in one)]
        assert modes.why_touched(ENCAPSULATION, before) is not None

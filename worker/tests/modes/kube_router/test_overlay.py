"""kube-router's overlay switched, interrupted and restored, on a cluster of objects."""

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
from ..interruptions import away_at_each_change, killed_in_restore, killed_in_switch
from .objects import DAEMON_SET, NONE, OTHERS, SWITCHER, KubeRouter

#: The arguments as they were written, nodes of another subnet, what they amount to, a tour.
GENERATIONS = (
    (NONE, (), "none", ("ipip", "none", "ipip")),
    ([*OTHERS, "--enable-overlay=F"], (), "none", ("ipip",)),
    # Its defaults.
    (OTHERS, (), "ipip-cross-subnet", ("none", "ipip", "none")),
    (OTHERS, ("c",), "ipip-cross-subnet", ("ipip", "ipip-cross-subnet", "ipip")),
    (["--overlay-type=full", *OTHERS, "--enable-overlay"], (), "ipip", ("none", "ipip")),
    (["--overlay-type=full", *OTHERS], ("c",), "ipip", ("ipip-cross-subnet", "ipip")),
    # The last one counts.
    (["--overlay-type=full", *OTHERS, "--enable-overlay=false"], (), "none", ("ipip",)),
)
ALL = pytest.mark.parametrize(("args", "away", "stood", "tour"), GENERATIONS)
MODES = {"none": "none", "ipip": "full", "ipip-cross-subnet": "subnet"}


def in_effect(cluster: KubeRouter, value: str) -> None:
    assert set(cluster.agents.values()) == {MODES[value]}
    assert cluster.rules == (set() if value == "none" else set(NODES_OF))
    for node, tunnels in cluster.tunnels.items():
        peers = [peer for peer in NODES_OF if peer != node]
        wrapped = [
            peer
            for peer in peers
            if value == "ipip" or (value != "none" and cluster.crosses(node, peer))
        ]
        assert tunnels == {f"tun-{peer}" for peer in wrapped}
        assert cluster.mtus(node) == {cluster.bridges[node]}


@ALL
def test_through_all_modes_and_back(
    cluster: KubeRouter, args: list[str], away: tuple[str, ...], stood: str, tour: tuple[str, ...]
) -> None:
    cluster.away.update(away)
    cluster.set_up(args)
    before, pods = cluster.stands(), cluster.pods(hosted=False)
    with site_of(cluster) as site:
        modes = SiteControl(site)
        assert modes.observe(ENCAPSULATION) == stood
        saved = modes.save(ENCAPSULATION)
        modes.note(ENCAPSULATION, saved)
        for value in (*tour, tour[-1]):
            old = cluster.pods(hosted=True)
            switched = modes.switch(ENCAPSULATION, value)
            assert modes.observe(ENCAPSULATION) == value
            in_effect(cluster, value)
            # Also where it stood already.
            assert not old & cluster.pods(hosted=True)
            assert set(switched.accepted) == set(NODES_OF)
            assert [one for one in cluster.args if one in OTHERS] == OTHERS
        assert not switched.changed
        (noted,) = notes.read_all(site.client, configurations(site.client))
        assert noted.saved == saved["saved"]
        modes.restore(ENCAPSULATION, saved)
        assert modes.observe(ENCAPSULATION) == stood
        assert notes.read_all(site.client, configurations(site.client)) == []
    in_effect(cluster, stood)
    assert cluster.stands() == before
    # They have their node's MTU with every overlay.
    assert cluster.pods(hosted=False) == pods


def test_arguments_that_are_not_there_are_not_there_again(cluster: KubeRouter) -> None:
    cluster.set_up()
    del cluster.at[DAEMON_SET]["spec"]["template"]["spec"]["containers"][0]["args"]
    for node in NODES_OF:
        cluster.start("kube-system", "kube-router", node, "DaemonSet", hosted=True)
    before = cluster.stands()
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        assert SWITCHER.observe(site) == "ipip-cross-subnet"
        SWITCHER.switch(site, "none")
        assert cluster.args == ["--enable-overlay=false"]
        SWITCHER.restore(site, saved)
    assert cluster.stands()[DAEMON_SET]["spec"] == before[DAEMON_SET]["spec"]


@ALL
@pytest.mark.parametrize("step", ["patched", "rolled", "effective"])
def test_an_interrupted_switch_is_undone(
    cluster: KubeRouter,
    args: list[str],
    away: tuple[str, ...],
    stood: str,
    tour: tuple[str, ...],
    step: str,
) -> None:
    cluster.away.update(away)
    cluster.set_up(args)
    before = cluster.stands()
    saved = killed_in_switch(cluster, SWITCHER, tour[0], step)
    with site_of(cluster) as site:
        SWITCHER.restore(site, saved)
        assert SWITCHER.observe(site) == stood
    in_effect(cluster, stood)
    assert cluster.stands() == before


@pytest.mark.parametrize("args", [NONE, OTHERS])
@pytest.mark.parametrize("step", ["patched", "rolled", "effective"])
def test_an_interrupted_restore_is_ended(cluster: KubeRouter, args: list[str], step: str) -> None:
    """In one subnet its default cannot be distinguished from no overlay: pods are recreated."""
    cluster.set_up(args)
    before = cluster.stands()
    value = "ipip" if args is NONE else "none"
    saved = killed_in_restore(cluster, SWITCHER, value, step)
    with site_of(cluster) as site:
        SWITCHER.restore(site, saved)
    in_effect(cluster, "none" if args is NONE else "ipip-cross-subnet")
    assert cluster.stands() == before


def test_whatever_change_the_api_server_misses_all_is_put_back(cluster: KubeRouter) -> None:
    before = cluster.stands()

    def is_put_back(site: Site) -> None:
        assert SWITCHER.observe(site) == "none"
        in_effect(cluster, "none")
        assert cluster.stands() == before

    count = away_at_each_change(cluster, SWITCHER, "ipip", is_put_back)
    # A patch, and the end of each of its pods.
    assert count >= 1 + len(NODES_OF)


def test_pods_are_made_anew_where_their_mtu_changes(cluster: KubeRouter) -> None:
    cluster.old = True
    cluster.set_up(NONE)
    with site_of(cluster) as site:
        saved, old = SWITCHER.save(site), cluster.pods(hosted=False)
        SWITCHER.switch(site, "ipip")
        in_effect(cluster, "ipip")
        assert not old & cluster.pods(hosted=False)
        assert set(cluster.bridges.values()) == {1480}
        SWITCHER.restore(site, saved)
    in_effect(cluster, "none")
    assert set(cluster.bridges.values()) == {1500}


def test_pods_that_nobody_would_replace_stand_against_it_there(cluster: KubeRouter) -> None:
    cluster.old = True
    cluster.set_up(NONE)
    before = cluster.stands()
    for found in cluster.at.values():
        if not found.get("spec", {}).get("hostNetwork", True):
            found["metadata"]["ownerReferences"] = []
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        with pytest.raises(PreconditionError, match="default/app-a"):
            SWITCHER.switch(site, "ipip")
        SWITCHER.restore(site, saved)
    in_effect(cluster, "none")
    assert cluster.stands() == before


def test_what_an_overlay_leaves_is_removed(cluster: KubeRouter) -> None:
    cluster.set_up(["--overlay-type=full"])
    cluster.leaves = True
    with site_of(cluster) as site:
        SWITCHER.switch(site, "none")
    in_effect(cluster, "none")


def test_tunnels_to_nodes_that_are_away_stay(cluster: KubeRouter) -> None:
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        SWITCHER.switch(site, "ipip")
    cluster.set_up([*OTHERS, "--overlay-type=full"])
    with site_of(cluster, missing=frozenset({"c"})) as site:
        assert SWITCHER.observe(site) == "ipip"
        SWITCHER.switch(site, "ipip")
        assert cluster.tunnels["a"] == {"tun-b", "tun-c"}
        cluster.leaves = True
        SWITCHER.restore(site, saved)
        assert SWITCHER.observe(site) == "none"
    assert cluster.tunnels["a"] == cluster.tunnels["b"] == set()


def test_a_node_that_does_not_follow_is_named(cluster: KubeRouter) -> None:
    before = cluster.stands()
    cluster.stuck.add("b")
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        with pytest.raises(ConvergenceError, match="packets from b to pods on"):
            SWITCHER.switch(site, "ipip")
        SWITCHER.restore(site, saved)
        assert SWITCHER.observe(site) == "none"
    assert cluster.stands() == before


def test_nodes_that_differ_are_in_no_mode(cluster: KubeRouter) -> None:
    cluster.agents["a"] = "full"
    cluster.tunnels["a"] = {"tun-b", "tun-c"}
    with site_of(cluster) as site, pytest.raises(PreconditionError, match="packets from a"):
        SWITCHER.observe(site)


def test_who_sets_it_back_is_noticed(cluster: KubeRouter) -> None:
    with site_of(cluster) as site, site_of(cluster) as other:

        def back(reached: str) -> None:
            if getattr(reached, "code", "") == "step_rolled":
                other.client.patch(DAEMON_SET, cluster.daemon_set(NONE))

        watched = type(site)(site.client, site.shells, site.check, back)
        with pytest.raises(ConvergenceError, match="has changed DaemonSet kube-router"):
            SWITCHER.switch(watched, "ipip")


def test_what_stands_is_left_alone_by_a_restore(cluster: KubeRouter) -> None:
    with site_of(cluster) as site:
        saved = SWITCHER.save(site)
        cluster.asked.clear()
        SWITCHER.restore(site, saved)
    assert {method for method, _ in cluster.asked} == {"GET"}


@pytest.mark.parametrize(
    "saved",
    [{}, {"args": "--x"}, {"mode": "iptables"}, {"args": ["--overlay-type=gre"]}, {"args": 7}],
)
def test_what_is_no_mode_of_kube_router_s_is_not_put_back(cluster: KubeRouter, saved: Any) -> None:
    with site_of(cluster) as site, pytest.raises(PreconditionError) as caught:
        SWITCHER.restore(site, saved)
    assert caught.value.said.code == "saved_unusable"


@pytest.mark.parametrize("touched", ["arguments", "pod"])
def test_whoever_touches_it_is_noticed(cluster: KubeRouter, touched: str) -> None:
    with site_of(cluster) as site:
        modes = SiteControl(site)
        before = modes.standing(ENCAPSULATION)
        assert modes.why_touched(ENCAPSULATION, before) is None
        if touched == "arguments":
            site.client.patch(DAEMON_SET, {"spec": cluster.daemon_set(OTHERS)["spec"]})
        else:
            del cluster.at[next(one for one in cluster.at if "/kube-router-a-" in one)]
        assert modes.why_touched(ENCAPSULATION, before) is not None

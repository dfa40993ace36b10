"""kube-router's overlay switched, interrupted and restored, on a cluster of objects."""

from __future__ import annotations

import pytest

from podmeter.domain.errors import ConvergenceError, PreconditionError

from ..cluster_of_objects import NODES_OF, is_pod, site_of
from .conformance import in_effect
from .objects import DAEMON_SET, NONE, OTHERS, SWITCHER, KubeRouter


def test_arguments_that_are_not_there_are_not_there_again(cluster: KubeRouter) -> None:
    cluster.set_up()
    cluster.edit(
        DAEMON_SET, lambda found: found["spec"]["template"]["spec"]["containers"][0].pop("args")
    )
    for node in NODES_OF:
        cluster.start("kube-system", "kube-router", node, "DaemonSet", hosted=True)
    before = cluster.stands()
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        assert SWITCHER.observe(context) == "ipip-cross-subnet"
        SWITCHER.switch(context, "none")
        assert cluster.args == ["--enable-overlay=false"]
        SWITCHER.restore(context, saved)
    assert cluster.stands()[DAEMON_SET]["spec"] == before[DAEMON_SET]["spec"]


def test_pods_whose_mtu_does_not_change_are_left_alone(cluster: KubeRouter) -> None:
    """They have their node's with every overlay."""
    pods = cluster.pods(hosted=False)
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        for value in ("ipip", "none", "ipip"):
            SWITCHER.switch(context, value)
        SWITCHER.restore(context, saved)
    assert cluster.pods(hosted=False) == pods


def test_pods_are_made_anew_where_their_mtu_changes(cluster: KubeRouter) -> None:
    cluster.old = True
    cluster.set_up(NONE)
    with site_of(cluster) as context:
        saved, old = SWITCHER.save(context), cluster.pods(hosted=False)
        SWITCHER.switch(context, "ipip")
        in_effect(cluster, "ipip")
        assert not old & cluster.pods(hosted=False)
        assert set(cluster.bridges.values()) == {1480}
        SWITCHER.restore(context, saved)
    in_effect(cluster, "none")
    assert set(cluster.bridges.values()) == {1500}


def test_pods_that_nobody_would_replace_stand_against_it_there(cluster: KubeRouter) -> None:
    cluster.old = True
    cluster.set_up(NONE)
    before = cluster.stands()
    for path, found in list(cluster.at.items()):
        if is_pod(path) and not found["spec"]["hostNetwork"]:
            cluster.edit(path, lambda pod: pod["metadata"].update(ownerReferences=[]))
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        with pytest.raises(PreconditionError, match="default/app-a"):
            SWITCHER.switch(context, "ipip")
        SWITCHER.restore(context, saved)
    in_effect(cluster, "none")
    assert cluster.stands() == before


def test_what_an_overlay_leaves_is_removed(cluster: KubeRouter) -> None:
    cluster.set_up(["--overlay-type=full"])
    cluster.leaves = True
    with site_of(cluster) as context:
        SWITCHER.switch(context, "none")
    in_effect(cluster, "none")


def test_tunnels_to_nodes_that_are_away_stay(cluster: KubeRouter) -> None:
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "ipip")
    cluster.set_up([*OTHERS, "--overlay-type=full"])
    with site_of(cluster, missing=frozenset({"c"})) as context:
        assert SWITCHER.observe(context) == "ipip"
        SWITCHER.switch(context, "ipip")
        assert cluster.tunnels["a"] == {"tun-b", "tun-c"}
        cluster.leaves = True
        SWITCHER.restore(context, saved)
        assert SWITCHER.observe(context) == "none"
    assert cluster.tunnels["a"] == cluster.tunnels["b"] == set()


def test_nodes_that_differ_are_in_no_mode(cluster: KubeRouter) -> None:
    cluster.agents["a"] = "full"
    cluster.tunnels["a"] = {"tun-b", "tun-c"}
    with site_of(cluster) as context, pytest.raises(PreconditionError, match="packets from a"):
        SWITCHER.observe(context)


def test_who_sets_it_back_is_noticed(cluster: KubeRouter) -> None:
    with site_of(cluster) as context, site_of(cluster) as other:

        def back(reached: str) -> None:
            if getattr(reached, "code", "") == "step_rolled":
                other.client.patch(DAEMON_SET, cluster.daemon_set(NONE))

        watched = type(context)(context.client, context.shells, context.check, back)
        with pytest.raises(ConvergenceError, match="has changed DaemonSet kube-router"):
            SWITCHER.switch(watched, "ipip")

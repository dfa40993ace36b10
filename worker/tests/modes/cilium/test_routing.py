"""Cilium's routing switched, interrupted and restored, on a cluster of objects."""

from __future__ import annotations

import pytest

from podmeter.domain.errors import ConvergenceError

from ..cluster_of_objects import site_of
from .objects import CONFIG, GENERATIONS, OLD, SWITCHER, Cilium

BOTH = pytest.mark.parametrize(("data", "version"), GENERATIONS)


@BOTH
def test_each_generation_is_written_in_its_own_words(
    cluster: Cilium, data: dict[str, str], version: str
) -> None:
    cluster.set_up(data, version)
    with site_of(cluster) as context:
        SWITCHER.switch(context, "native")
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


def test_agents_that_end_are_waited_for_in_vain_and_put_back(cluster: Cilium) -> None:
    """Whatever a newer Cilium takes amiss: its agents never get ready, and are replaced then."""
    before = cluster.stands()
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        broken = dict(cluster.data, **{"auto-direct-node-routes": "true"})
        cluster.edit(CONFIG, lambda found: found.update(data=broken))
        with pytest.raises(ConvergenceError):
            SWITCHER._apply_mode(context, {}, "vxlan", agents=None)
        assert set(cluster.agents.values()) == {"none"}
        SWITCHER.restore(context, saved)
        assert SWITCHER.observe(context) == "vxlan"
    assert cluster.stands() == before


def test_who_sets_it_back_is_noticed(cluster: Cilium) -> None:
    def progress(reached: str) -> None:
        if getattr(reached, "code", "") == "step_rolled":
            with site_of(cluster) as other:
                other.client.patch(CONFIG, {"data": {"routing-mode": "tunnel"}})

    said = "another user or controller has changed cilium-config"
    with site_of(cluster, progress) as context, pytest.raises(ConvergenceError, match=said):
        SWITCHER.switch(context, "native")


def test_a_tunnel_that_is_left_is_named(cluster: Cilium) -> None:
    cluster.leaves_device = True
    said = "still exists on a: cilium_vxlan"
    with site_of(cluster) as context, pytest.raises(ConvergenceError, match=said):
        SWITCHER.switch(context, "native")


def test_what_stands_is_not_put_back_once_more(cluster: Cilium) -> None:
    """Also if an agent was restarted after its pods, which is not a switch."""
    for path in [one for one in cluster.at if "/pods/cilium-" in one]:
        node = cluster.at.pop(path)["spec"]["nodeName"]
        cluster.start("kube-system", "cilium", node, "DaemonSet", hosted=True)
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        cluster.asked.clear()
        SWITCHER.restore(context, saved)
    assert {method for method, _ in cluster.asked} == {"GET"}

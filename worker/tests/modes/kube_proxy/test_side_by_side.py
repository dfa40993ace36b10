"""Modes of kube-proxy side by side: each node has its own, they swap, and all of it is undone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from podmeter.domain.errors import ConvergenceError, PreconditionError, RunCancelledError
from podmeter.domain.messages import Message
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext

from ..cluster_of_objects import site_of
from ..interruptions import KilledError, killed_at
from .conformance import MEASURED, SPARED, in_effect
from .objects import CLUSTERS, OWN, OWN_CONFIGURATION, SWITCHER, KubeProxies

AXIS = KUBE_PROXY_MODE
BESIDE = {"a": "iptables", "b": "nftables"}
SWAPPED = {"a": "nftables", "b": "iptables"}
WITH_IPVS = {"a": "ipvs", "b": "nftables"}


@contextmanager
def beside(cluster: KubeProxies, *of: Any) -> Iterator[SwitchContext]:
    with site_of(cluster, *of) as context:
        yield replace(context, nodes=frozenset(MEASURED))


def stand(cluster: KubeProxies, values: dict[str, str]) -> None:
    """Each node is in its mode, and the spared one was never touched."""
    for node, mode in values.items():
        in_effect(cluster, mode, node)
        assert len(cluster.pods_on(node, OWN[mode])) == 1
    in_effect(cluster, "iptables", SPARED)
    assert cluster.started.count(SPARED) == 1


def test_each_node_has_its_own_mode_and_they_swap(cluster: KubeProxies) -> None:
    before = cluster.stands()
    with beside(cluster) as context:
        modes = SwitcherModeControl(context)
        saved = modes.save(AXIS)
        modes.note(AXIS, saved)
        assert modes.seats == MEASURED
        for values in (BESIDE, SWAPPED, WITH_IPVS, BESIDE):
            assert modes.assign(AXIS, values)
            stand(cluster, values)
            assert {node: modes.observe(AXIS, node) for node in MEASURED} == values
            with pytest.raises(PreconditionError) as unlike:
                modes.observe(AXIS)
            assert unlike.value.said.code == "modes_unlike"
        modes.restore(AXIS, saved)
    assert cluster.stands() == before
    in_effect(cluster, "iptables")
    assert cluster.started.count(SPARED) == 1


def test_nodes_that_are_in_their_modes_are_left_alone(cluster: KubeProxies) -> None:
    steps: list[str] = []
    with beside(cluster, steps.append) as context:
        modes = SwitcherModeControl(context)
        assert modes.assign(AXIS, BESIDE)
        started, standing = list(cluster.started), modes.component_state(AXIS)
        steps.clear()
        assert not modes.assign(AXIS, BESIDE)
        assert (cluster.started, steps) == (started, [])
        assert modes.why_touched(AXIS, standing) is None


def test_only_nodes_that_change_are_started_anew(cluster: KubeProxies) -> None:
    with beside(cluster) as context:
        modes = SwitcherModeControl(context)
        modes.assign(AXIS, BESIDE)
        started = len(cluster.started)
        assert modes.assign(AXIS, {"a": "iptables", "b": "ipvs"})
        assert set(cluster.started[started:]) == {"b"}


@pytest.mark.parametrize("node", MEASURED)
def test_kube_proxy_of_one_node_is_restarted_in_its_mode(cluster: KubeProxies, node: str) -> None:
    """That a full sync can be timed: nothing else changes, on no other node."""
    with beside(cluster) as context:
        modes = SwitcherModeControl(context)
        modes.assign(AXIS, BESIDE)
        stood, started = cluster.stands(), len(cluster.started)
        restarted = modes.restart(AXIS, BESIDE[node], node, 1000)
        assert cluster.started[started:] == [node]
        assert (restarted.nodes, restarted.changed, set(restarted.accepted)) == (
            (node,),
            False,
            {node},
        )
        assert cluster.stands() == stood
        stand(cluster, BESIDE)


def test_so_is_that_of_a_cluster_that_is_switched_as_a_whole(cluster: KubeProxies) -> None:
    with site_of(cluster) as context:
        modes = SwitcherModeControl(context)
        modes.switch(AXIS, "nftables")
        stood, started = cluster.stands(), len(cluster.started)
        modes.restart(AXIS, "nftables", "a", 0)
        assert cluster.started[started:] == ["a"]
        assert cluster.stands() == stood
        in_effect(cluster, "nftables")


def test_one_that_is_in_another_mode_is_no_restart_in_this_one(cluster: KubeProxies) -> None:
    with beside(cluster) as context:
        modes = SwitcherModeControl(context)
        modes.assign(AXIS, BESIDE)
        with pytest.raises(ConvergenceError):
            modes.restart(AXIS, "nftables", "a", 0)


@pytest.mark.parametrize("values", [BESIDE, WITH_IPVS])
def test_it_is_undone_wherever_it_was_killed(cluster: KubeProxies, values: dict[str, str]) -> None:
    """Assigning and swapping, after each step, by a worker that knows of no nodes."""
    before, steps = cluster.stands(), list[str]()
    with beside(cluster, steps.append) as context:
        saved = SWITCHER.save(context)
        SWITCHER.assign(context, values)
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before
    codes = dict.fromkeys(steps)
    assert len(codes) >= 4
    for first in (values, SWAPPED):
        for step in codes:
            with beside(cluster) as context:
                saved = SWITCHER.save(context)
                if first is SWAPPED:
                    SWITCHER.assign(context, values)
            with beside(cluster, killed_at(step)) as context, suppress(KilledError):
                SWITCHER.assign(context, first)
            for _ in range(2):
                with site_of(cluster) as context:
                    SWITCHER.restore(context, saved)
            assert cluster.stands() == before, step
            in_effect(cluster, "iptables")
    assert cluster.started.count(SPARED) == 1


def test_a_cancelled_one_is_undone(cluster: KubeProxies) -> None:
    before = cluster.stands()

    def cancelled(step: str) -> None:
        raise RunCancelledError(step)

    with beside(cluster) as context:
        saved = SWITCHER.save(context)
    with beside(cluster, cancelled) as context, pytest.raises(RunCancelledError):
        SWITCHER.assign(context, BESIDE)
    with beside(cluster) as context:
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before


def test_a_single_mode_follows_on_it(cluster: KubeProxies) -> None:
    """As where a run of modes one after another takes over what another one left."""
    with beside(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.assign(context, BESIDE)
        assert SWITCHER.switch(context, "nftables")
        in_effect(cluster, "nftables", *MEASURED)
        assert set(OWN_CONFIGURATION.values()) & set(cluster.at) == {OWN_CONFIGURATION["nftables"]}
        SWITCHER.restore(context, saved)


def test_a_mode_that_a_node_lacks_is_refused_before_anything_changes(
    cluster: KubeProxies,
) -> None:
    cluster.lacks.add("ip_vs")
    before = cluster.stands()
    with beside(cluster) as context, pytest.raises(PreconditionError, match="kernel of a has"):
        SWITCHER.assign(context, WITH_IPVS)
    assert cluster.stands() == before


def test_a_node_that_does_not_follow_is_named(cluster: KubeProxies) -> None:
    cluster.stuck.add("b")
    with beside(cluster) as context:
        saved = SWITCHER.save(context)
        with pytest.raises(ConvergenceError, match="b"):
            SWITCHER.assign(context, BESIDE)
        cluster.stuck.clear()
        SWITCHER.restore(context, saved)
    in_effect(cluster, "iptables")


@pytest.mark.parametrize("mode", ["iptables", "nftables"])
def test_what_somebody_does_to_either_mode_shows(cluster: KubeProxies, mode: str) -> None:
    with beside(cluster) as context:
        modes = SwitcherModeControl(context)
        modes.assign(AXIS, BESIDE)
        standing = modes.component_state(AXIS)
        (pod,) = cluster.pods_on(next(n for n, one in BESIDE.items() if one == mode), OWN[mode])
        del cluster.at[next(path for path, found in cluster.at.items() if found is pod)]
        cluster.reconcile()
        touched = modes.why_touched(AXIS, standing)
    assert isinstance(touched, Message)
    assert touched.code == "touched_pod"


def test_an_owner_who_changes_the_daemon_set_meanwhile_is_noticed(cluster: KubeProxies) -> None:
    with beside(cluster) as context:
        modes = SwitcherModeControl(context)
        modes.assign(AXIS, BESIDE)
        standing = modes.component_state(AXIS)
        cluster.touch(CLUSTERS, lambda found: found["spec"].update(minReadySeconds=3))
        assert modes.why_touched(AXIS, standing) is not None

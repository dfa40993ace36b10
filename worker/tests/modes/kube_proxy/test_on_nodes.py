"""kube-proxy switched on some nodes alone: the others keep their pods, and all of it is undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.switching import SyncPeriods
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import Object
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.kube_proxy import nodes as kube_proxy_nodes
from podmeter_worker.modes.node_affinity import hosts_kept_off, keeping_off, letting_on
from podmeter_worker.modes.switcher import SwitchContext

from ...kube.api_server import Answer, Asked
from ..cluster_of_objects import site_of
from ..interruptions import KilledError
from .conformance import MEASURED, SPARED, in_effect
from .objects import (
    CLUSTERS,
    CONFIGURATION,
    OWN,
    OWN_CONFIGURATION,
    OWNERS,
    ROLLING,
    SWITCHER,
    TEXT,
    KubeProxies,
)


@contextmanager
def measuring(
    cluster: KubeProxies, *of: Any, nodes: tuple[str, ...] = MEASURED
) -> Iterator[SwitchContext]:
    with site_of(cluster, *of) as context:
        yield replace(context, nodes=frozenset(nodes))


def is_back(cluster: KubeProxies, before: dict[str, Any], mode: str) -> None:
    """All stands as before, and the spared node's pod was never touched."""
    assert cluster.stands() == before
    in_effect(cluster, mode)
    assert cluster.started.count(SPARED) == 1


def upgraded(found: Object) -> None:
    found["spec"]["template"]["spec"]["containers"][0]["image"] = "kube-proxy:v1.34.5"


def test_what_the_owner_changes_of_it_meanwhile_stays(cluster: KubeProxies) -> None:
    """An upgrade waits until the end, and a switch after it runs the new image."""
    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "nftables")
        standing = SWITCHER.component_state(context)
        cluster.touch(CLUSTERS, upgraded)
        assert cluster.started.count(SPARED) == 1
        assert SwitcherModeControl(context).why_touched(KUBE_PROXY_MODE, standing) is not None
        SWITCHER.switch(context, "nftables")
        (container,) = cluster.at[OWN["nftables"]]["spec"]["template"]["spec"]["containers"]
        assert container["image"] == "kube-proxy:v1.34.5"
        SWITCHER.restore(context, saved)
    spec = cluster.at[CLUSTERS]["spec"]
    assert spec["template"]["spec"]["containers"][0]["image"] == "kube-proxy:v1.34.5"
    assert "affinity" not in spec["template"]["spec"]
    assert spec["updateStrategy"] == ROLLING
    # It is rolled out now, as its owner had asked.
    assert cluster.started.count(SPARED) == 2
    in_effect(cluster, "iptables")
    assert not set(OWN.values()) & set(cluster.at)


def test_an_affinity_that_the_owner_adds_meanwhile_stays(cluster: KubeProxies) -> None:
    def narrowed(found: Object) -> None:
        pod = found["spec"]["template"]["spec"]
        pod["affinity"] = keeping_off(OWNERS, ["host-a", "host-b"])

    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "nftables")
        cluster.touch(CLUSTERS, narrowed)
        SWITCHER.restore(context, saved)
    assert cluster.at[CLUSTERS]["spec"]["template"]["spec"]["affinity"] == letting_on(OWNERS)


@pytest.mark.parametrize("strategy", [ROLLING, {"type": "OnDelete"}])
def test_an_owner_who_applies_the_daemon_set_again_is_no_hindrance(
    cluster: KubeProxies, strategy: Object
) -> None:
    """The cluster's pods run next to ours, which makes the block void; all is restored."""
    before = cluster.stands()

    def applied(found: Object) -> None:
        del found["spec"]["template"]["spec"]["affinity"]
        found["spec"]["updateStrategy"] = strategy

    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "nftables")
        standing = SWITCHER.component_state(context)
        cluster.touch(CLUSTERS, applied)
        assert SwitcherModeControl(context).why_touched(KUBE_PROXY_MODE, standing) is not None
        SWITCHER.switch(context, "nftables")
        in_effect_of_ours = [cluster.pods_on(node, OWN["nftables"]) for node in MEASURED]
        assert [len(pods) for pods in in_effect_of_ours] == [1, 1]
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before
    assert cluster.started.count(SPARED) == 1


def test_other_nodes_than_at_first_are_switched_and_all_are_put_back(
    cluster: KubeProxies,
) -> None:
    """A measured node may be gone in a later block of the run."""
    before = cluster.stands()
    with measuring(cluster, nodes=("a",)) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "nftables")
    with measuring(cluster, nodes=("b",)) as context:
        SWITCHER.switch(context, "nftables")
        in_effect(cluster, "nftables", "b")
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before
    in_effect(cluster, "iptables")


def put_on(cluster: KubeProxies, mode: str, *nodes: str) -> None:
    """Switch these nodes alone."""
    with measuring(cluster, nodes=nodes) as context:
        SWITCHER.switch(context, mode)


@pytest.mark.parametrize("steps", range(12))
def test_a_node_that_is_measured_no_more_keeps_no_rules_that_the_clusters_mode_lets_stand(
    cluster: KubeProxies, steps: int
) -> None:
    """It was cordoned for one block, and another node measured in its place; killed after some
    step of the switch that gives that one back.
    """
    before, done = cluster.stands(), list[str]()
    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
    put_on(cluster, "ipvs", "a", "b")
    put_on(cluster, "ipvs", "b", "c")
    in_effect(cluster, "iptables", "a")
    in_effect(cluster, "ipvs", "b", "c")

    def killed(step: str) -> None:
        done.append(step)
        if len(done) == steps:
            raise KilledError

    with measuring(cluster, killed) as context, suppress(KilledError):
        SWITCHER.switch(context, "iptables")
        in_effect(cluster, "iptables", "a", "b", "c")
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before
    in_effect(cluster, "iptables")


def test_nor_does_one_that_is_dead_while_all_is_put_back(cluster: KubeProxies) -> None:
    before = cluster.stands()
    with measuring(cluster, nodes=("a",)) as context:
        saved = SWITCHER.save(context)
    put_on(cluster, "ipvs", "a")
    put_on(cluster, "ipvs", "b")
    with site_of(cluster, missing=frozenset({"b"})) as context:
        SWITCHER.restore(context, saved)
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before
    in_effect(cluster, "iptables")


def test_rules_of_ipvs_on_a_node_that_was_never_switched_are_its_owners(
    cluster: KubeProxies,
) -> None:
    """A load balancer of the control plane's has virtual servers, which --cleanup would flush."""
    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
    cluster.kernels[SPARED].add("ipvs")
    put_on(cluster, "ipvs", *MEASURED)
    put_on(cluster, "iptables", *MEASURED)
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    assert cluster.kernels[SPARED] == {"iptables", "ipvs"}
    assert cluster.started.count(SPARED) == 1


@pytest.mark.parametrize("is_begun", [True, False])
def test_all_nodes_are_not_switched_after_it(cluster: KubeProxies, is_begun: bool) -> None:
    """As where the rights for single nodes were taken away during the run: a restore
    would not know that the cluster's own configuration was written.
    """
    with measuring(cluster) as context:
        modes = SwitcherModeControl(context)
        saved = modes.save(KUBE_PROXY_MODE)
        modes.note(KUBE_PROXY_MODE, saved)
        if is_begun:
            modes.switch(KUBE_PROXY_MODE, "nftables")
    before = cluster.stands()
    with site_of(cluster) as context:
        modes = SwitcherModeControl(context)
        with pytest.raises(PreconditionError) as caught:
            modes.switch(KUBE_PROXY_MODE, "nftables")
        assert caught.value.said.code == "begun_on_nodes"
        assert cluster.stands() == before
        modes.restore(KUBE_PROXY_MODE, saved)
        assert modes.switch(KUBE_PROXY_MODE, "nftables").changed


def write_mode(found: Object, mode: str = "nftables") -> None:
    found["data"]["config.conf"] = TEXT.format(mode)


def changed_period(found: Object) -> None:
    found["data"]["config.conf"] += "iptables:\n  syncPeriod: 90s\n"


@pytest.mark.parametrize("periods", [None, SyncPeriods(period=75.0)])
@pytest.mark.parametrize("changed", [write_mode, changed_period])
def test_what_the_owner_configures_meanwhile_stays_and_restarts_no_other_pod(
    cluster: KubeProxies, changed: Callable[[Object], None], periods: SyncPeriods | None
) -> None:
    with measuring(cluster) as context:
        context = replace(context, sync_periods=periods)
        saved = SWITCHER.save(context)
        # The nodes here do not tell their periods.
        with suppress(ConvergenceError):
            SWITCHER.switch(context, "ipvs")
    cluster.touch(CONFIGURATION, changed)
    owners = cluster.stands()[CONFIGURATION]
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    assert cluster.stands()[CONFIGURATION] == owners
    assert cluster.started.count(SPARED) == 1
    assert not set(OWN.values()) & set(cluster.at)
    in_effect(cluster, "nftables" if changed is write_mode else "iptables", *MEASURED)


def test_an_unknown_mode_that_the_owner_sets_meanwhile_is_said(cluster: KubeProxies) -> None:
    before = cluster.stands()
    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "nftables")
        cluster.touch(CONFIGURATION, lambda found: write_mode(found, "userspace"))
        with pytest.raises(PreconditionError, match="sets mode userspace"):
            SWITCHER.restore(context, saved)
        cluster.touch(CONFIGURATION, lambda found: write_mode(found, "iptables"))
        SWITCHER.restore(context, saved)
    is_back(cluster, before, "iptables")


def test_what_is_saved_while_nodes_are_switched_puts_no_mark_back(cluster: KubeProxies) -> None:
    before = cluster.stands()
    with measuring(cluster) as context:
        SWITCHER.switch(context, "nftables")
        later = SWITCHER.save(context)
        SWITCHER.restore(context, later)
    assert cluster.stands()[CLUSTERS]["spec"]["updateStrategy"] == {"type": "RollingUpdate"}
    assert not hosts_kept_off(cluster.at[CLUSTERS]["spec"]["template"]["spec"].get("affinity"))
    assert cluster.stands()[CONFIGURATION] == before[CONFIGURATION]
    in_effect(cluster, "iptables")


def test_sync_periods_are_those_of_the_measured_nodes(cluster: KubeProxies) -> None:
    before = cluster.stands()
    with measuring(cluster) as context:
        context = replace(context, sync_periods=SyncPeriods(period=75.0))
        saved = SWITCHER.save(context)
        # The nodes here do not tell their periods.
        with pytest.raises(ConvergenceError):
            SWITCHER.switch(context, "nftables")
        assert "syncPeriod: 75s" in cluster.at[OWN_CONFIGURATION["nftables"]]["data"]["config.conf"]
        SWITCHER.restore(context, saved)
    is_back(cluster, before, "iptables")


def test_what_a_stalled_worker_does_after_all_is_undone_is_refused_or_removed(
    cluster: KubeProxies,
) -> None:
    """It had read the DaemonSet before it was to change it, and nothing was changed yet."""
    with measuring(cluster) as context:
        modes = SwitcherModeControl(context)
        saved = modes.save(KUBE_PROXY_MODE)
        modes.note(KUBE_PROXY_MODE, saved)
        version = cluster.at[CLUSTERS]["metadata"]["resourceVersion"]
        with site_of(cluster) as heirs:
            SwitcherModeControl(heirs).restore(KUBE_PROXY_MODE, saved)
        late = {"metadata": {"resourceVersion": version}, "spec": {"minReadySeconds": 1}}
        with pytest.raises(ApiRefusedError) as refused:
            context.client.patch(CLUSTERS, late)
        assert refused.value.status == 409
        # Its own DaemonSet goes with the ConfigMap, whose UID it names: no other will have it.
        SWITCHER.switch(context, "nftables")
        (owner,) = cluster.at[OWN["nftables"]]["metadata"]["ownerReferences"]
        assert owner["uid"] == cluster.at[OWN_CONFIGURATION["nftables"]]["metadata"]["uid"]
        SWITCHER.restore(context, saved["saved"])


def test_a_node_that_is_dead_is_put_back_once_it_is_there(cluster: KubeProxies) -> None:
    before = cluster.stands()
    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "ipvs")
    with site_of(cluster, missing=frozenset({"b"})) as context:
        SWITCHER.restore(context, saved)
        # The mark that its kernel needs a cleanup stays.
        assert OWN_CONFIGURATION["ipvs"] in cluster.at
    in_effect(cluster, "iptables", "a", "c")
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before
    in_effect(cluster, "iptables")


@pytest.mark.parametrize("mode", ["nftables", "ipvs"])
@pytest.mark.parametrize("replaced", [MEASURED, MEASURED[:1]])
def test_nodes_that_were_replaced_need_nothing_put_back(
    cluster: KubeProxies, mode: str, replaced: tuple[str, ...]
) -> None:
    """By an upgrade of their node group, or by the autoscaler."""
    before = cluster.stands()
    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, mode)
    cluster.replace_nodes(*((node, f"{node}-new") for node in replaced))
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    assert cluster.stands() == before
    in_effect(cluster, "iptables", *cluster.names)
    assert cluster.started.count(SPARED) == 1


def test_a_node_without_its_label_is_refused_before_anything_is_changed(
    cluster: KubeProxies,
) -> None:
    cluster.edit(
        "/api/v1/nodes/b", lambda found: found["metadata"]["labels"].pop("kubernetes.io/hostname")
    )
    before = cluster.stands()
    with measuring(cluster) as context:
        saved = SWITCHER.save(context)
        with pytest.raises(PreconditionError) as caught:
            SWITCHER.switch(context, "nftables")
        assert caught.value.said.code == "nodes_unlabelled"
        assert cluster.stands() == before
        SWITCHER.restore(context, saved)


def test_a_kernel_is_asked_for_on_the_measured_nodes_alone(cluster: KubeProxies) -> None:
    cluster.lacks.add("ip_vs")
    with (
        measuring(cluster) as context,
        pytest.raises(PreconditionError, match="kernel of a, b has"),
    ):
        SWITCHER.switch(context, "ipvs")
    assert not set(OWN.values()) & set(cluster.at)


@pytest.mark.parametrize("what", ["mount", "name", "rights"])
def test_where_single_nodes_cannot_be_switched_it_is_said(cluster: KubeProxies, what: str) -> None:
    def forbidden(asked: Asked) -> Answer | None:
        if not asked.path.endswith("/selfsubjectaccessreviews"):
            return None
        return Answer(201, {"status": {"allowed": b"create" not in asked.body}})

    with site_of(cluster) as context:
        assert kube_proxy_nodes.why_not(context.client) is None
        if what == "mount":
            cluster.edit(
                CLUSTERS, lambda found: found["spec"]["template"]["spec"].update(volumes=[])
            )
        elif what == "name":
            eks = cluster.at.pop(CONFIGURATION)["data"]["config.conf"]
            cluster.put(f"{CONFIGURATION}-config", {"data": {"config": eks}})
        else:
            cluster.before = forbidden
        why = kube_proxy_nodes.why_not(context.client)
    codes = {"mount": "nodes_alone_mount", "name": "nodes_alone_config"}
    assert why is not None
    assert why.code == codes.get(what, "nodes_alone_rights")


@pytest.mark.parametrize("affinity", [None, {}, OWNERS, {"podAffinity": {}}])
def test_what_keeps_pods_off_is_found_again_and_taken_away(affinity: Object | None) -> None:
    kept = keeping_off(affinity, ["x", "w"])
    assert hosts_kept_off(kept) == {"w", "x"}
    assert hosts_kept_off(affinity) == set()
    assert keeping_off(kept, ["w", "x"]) == kept
    assert hosts_kept_off(letting_on(kept)) == set()
    assert letting_on(kept) == letting_on(affinity)

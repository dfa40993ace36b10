"""A restore that waits for pods of the other mode names them, and recreates no other pod twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from podmeter.domain.errors import ConvergenceError, PodmeterError, PreconditionError
from podmeter_worker.kube.lease import Holder
from podmeter_worker.modes import daemon_set, pod_renewal
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import Saved, SwitchContext

from ..kube.object_server import served
from .calico import conformance as calico
from .cilium import conformance as cilium
from .cluster_of_objects import ClusterOfObjects, is_pod, site_of
from .described import Described
from .flannel import conformance as flannel

#: Each is switched to the first value of its tour, where pods have another MTU.
BY_MTU = [flannel.DESCRIBED[0], calico.DESCRIBED[0]]
EACH = [*BY_MTU, cilium.DESCRIBED[0]]
AWAY = {"calico": "vxlan", "flannel": "host-gw", "cilium": "native"}
by_mtu = pytest.mark.parametrize("described", BY_MTU, ids=lambda one: one.name)
each = pytest.mark.parametrize("described", EACH, ids=lambda one: one.name)


@pytest.fixture
def cluster(
    described: Described, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ClusterOfObjects]:
    for where, seconds in described.impatient.items():
        monkeypatch.setattr(where, seconds)
    # Controllers of this cluster are at once.
    monkeypatch.setattr(pod_renewal, "_SECONDS", 0.0)
    with served(described.cluster, tmp_path, **described.fields) as made:
        described.set_up(made)
        yield made


def switched(described: Described, context: SwitchContext) -> Saved:
    saved = described.switcher.save(context)
    described.switcher.switch(context, AWAY[described.switcher.component])
    return saved


def path_of(cluster: ClusterOfObjects, name: str) -> str:
    (path,) = (one for one in cluster.at if is_pod(one) and f"/pods/{name}-" in one)
    return path


def refused(described: Described, context: SwitchContext, saved: Saved) -> PodmeterError:
    with pytest.raises((PreconditionError, ConvergenceError)) as caught:
        described.switcher.restore(context, saved)
    return caught.value


@by_mtu
def test_a_job_s_pod_is_waited_for_and_nothing_else_is_touched_meanwhile(
    described: Described, cluster: ClusterOfObjects
) -> None:
    with site_of(cluster) as context:
        saved = switched(described, context)
        address = cluster.at[path_of(cluster, "app-a")]["status"]["podIP"]
        cluster.start("default", "job", "a", "Job", address)
        job = path_of(cluster, "job")
        stays = {job.rpartition("/")[2]}
        present = cluster.pods(hosted=False)
        why = refused(described, context, saved)
        assert why.said.code == "pods_keep_mtu"
        assert why.said.params["pods"] == [f"default/{one}" for one in stays]
        # Whatever had a controller was recreated once.
        assert present & cluster.pods(hosted=False) == {cluster.at[job]["metadata"]["uid"]}
        agents, present = cluster.agents_on(), cluster.pods(hosted=False)
        for _ in range(2):
            assert refused(described, context, saved).said.code == "pods_keep_mtu"
            assert (cluster.agents_on(), cluster.pods(hosted=False)) == (agents, present)
        # One that starts meanwhile has the right MTU.
        cluster.start("default", "later", "a", "Job", address)
        del cluster.at[job]
        described.switcher.restore(context, saved)
        assert cluster.agents_on() == agents
    described.in_effect(cluster, described.stood)


@each
def test_a_pod_that_takes_its_time_to_end_is_waited_for(
    described: Described, cluster: ClusterOfObjects
) -> None:
    """Its successor is there already."""
    with site_of(cluster) as context:
        saved = switched(described, context)
        ending = path_of(cluster, "app-a")

        def end(found: dict[str, Any]) -> None:
            found["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"

        address = cluster.edit(ending, end)["status"]["podIP"]
        cluster.start("default", "app-a", "a", "ReplicaSet", address)
        why = refused(described, context, saved)
        assert ending.rpartition("/")[2] in str(why)
        agents, present = cluster.agents_on(), cluster.pods(hosted=False)
        for _ in range(2):
            assert ending.rpartition("/")[2] in str(refused(described, context, saved))
            assert (cluster.agents_on(), cluster.pods(hosted=False)) == (agents, present)
        del cluster.at[ending]
        described.switcher.restore(context, saved)
        assert cluster.agents_on() == agents
    described.in_effect(cluster, described.stood)


@pytest.mark.parametrize("described", BY_MTU[:1], ids=lambda one: one.name)
def test_pods_that_came_too_early_are_recreated_where_they_are(
    described: Described, cluster: ClusterOfObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before flannel had written its new MTU, on one node."""
    renew, renewed = pod_renewal.renew, list[object]()

    def early(context: SwitchContext, chosen: Any = None) -> None:
        renew(context, chosen)
        if not renewed:
            cluster.born[cluster.at[path_of(cluster, "app-a")]["metadata"]["uid"]] = 1
        renewed.append(chosen)

    monkeypatch.setattr(pod_renewal, "renew", early)
    with site_of(cluster) as context:
        switched(described, context)
    described.in_effect(cluster, AWAY["flannel"])
    deleted = [path for method, path in cluster.asked if method == "DELETE" and is_pod(path)]
    counts = {node: sum(f"/app-{node}-" in path for path in deleted) for node in "abc"}
    assert counts == {"a": 2, "b": 1, "c": 1}


@by_mtu
def test_a_network_is_not_restarted_for_ever_for_an_mtu_that_somebody_has_fixed(
    described: Described, cluster: ClusterOfObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each restart ends every workload, and changes nothing then. A failed attempt is none."""
    monkeypatch.setattr(described.cluster, "_mtu", lambda self, node: 1400)
    restart = daemon_set.restart

    def unreachable(*_: Any, **__: Any) -> None:
        raise ConvergenceError("the agent of a node does not get ready")

    with site_of(cluster) as context:
        modes = SwitcherModeControl(replace(context, holder=Holder("run", 1)))
        saved = modes.save(described.axis)
        modes.note(described.axis, saved)
        cluster.born.update(dict.fromkeys(cluster.born, 1400))
        monkeypatch.setattr(daemon_set, "restart", unreachable)
        for _ in range(6):
            with pytest.raises(ConvergenceError, match="does not get ready"):
                modes.restore(described.axis, saved)
        monkeypatch.setattr(daemon_set, "restart", restart)
        for restarted in [*[True] * 5, False, False]:
            agents, present = cluster.agents_on(), cluster.pods(hosted=False)
            with pytest.raises(ConvergenceError, match="have MTU 1400"):
                modes.restore(described.axis, saved)
            assert (cluster.agents_on() != agents) == restarted
            assert (cluster.pods(hosted=False) != present) == restarted

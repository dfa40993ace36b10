"""Clean-ups of kube-proxy that nobody waits for: none runs beside a kube-proxy that is back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from podmeter.domain.errors import LabError
from podmeter.domain.labels import MANAGED_BY
from podmeter.domain.ports import HOST_NAMESPACE
from podmeter_worker.kube.resources import PODS
from podmeter_worker.modes.kube_proxy import cleanup

from ...kube.api_server import Answer, Asked
from ...kube.object_server import Objects
from ..cluster_of_objects import site_of
from ..interruptions import KilledError
from .conformance import MEASURED, in_effect
from .objects import SWITCHER, KubeProxies

PATH = PODS.path(HOST_NAMESPACE)
#: The API server takes longer than a test does.
PATIENT_SECONDS = 30.0


def is_creation(asked: Asked) -> bool:
    return (asked.method, asked.path.partition("?")[0]) == ("POST", PATH)


def away(asked: Asked) -> Answer:
    return Answer(503, {"message": "away"})


def left(cluster: KubeProxies) -> list[str]:
    """The names of the pods of clean-ups, ended or not."""
    return [path for path in cluster.at if path.startswith(f"{PATH}/")]


@pytest.mark.parametrize("nodes", [None, frozenset(MEASURED)])
def test_a_worker_that_is_killed_beside_a_clean_up_leaves_none_to_who_comes(
    cluster: KubeProxies, nodes: frozenset[str] | None
) -> None:
    """The clean-up fails at first, and would run again once kube-proxy is back."""
    before, cluster.cleans = cluster.stands(), False

    def killed() -> None:
        if cluster.cleanups():
            # Not even what ends the clean-up is done any more.
            cluster.before = away
            raise KilledError

    with site_of(cluster, lambda step: None, killed) as context:
        context = replace(context, nodes=nodes)
        saved = SWITCHER.save(context)
        with pytest.raises(LabError):
            SWITCHER.switch(context, "ipvs")
    assert left(cluster)
    cluster.before, cluster.cleans = (lambda asked: None), True
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    assert left(cluster) == []
    assert cluster.stands() == before
    in_effect(cluster, "iptables")


@pytest.mark.parametrize("dead", [frozenset[str](), frozenset({"b"})])
def test_one_that_is_left_ends_also_where_there_is_nothing_to_clean_up(
    cluster: KubeProxies, dead: frozenset[str]
) -> None:
    """As where it has removed all rules itself, and failed at the last. Of another run, too."""
    pod = cleanup._pod(cast(Any, cluster.shells()["b"]), {"image": "kube-proxy:v1.34.4"}, 180.0)
    cluster.put(f"{PATH}/{pod['metadata']['name']}", pod)
    measuring = {**pod, "spec": {"containers": [{"name": "bench"}]}}
    cluster.put(f"{PATH}/pm-other-node-1", {**measuring, "metadata": {"labels": dict(MANAGED_BY)}})
    with site_of(cluster, missing=dead) as context:
        SWITCHER.restore(context, SWITCHER.save(context))
    assert left(cluster) == [f"{PATH}/pm-other-node-1"]


def creation_lost(cluster: KubeProxies) -> Callable[[Asked], Answer | None]:
    """Answers to the first creation of a clean-up do not arrive."""
    lost: list[str] = []

    def answered(asked: Asked) -> Answer | None:
        if not is_creation(asked) or lost:
            return None
        lost.append(asked.path)
        Objects._answer(cluster, asked)
        cluster.clean_again()
        return away(asked)

    return answered


def test_one_whose_answer_was_lost_is_waited_for_and_not_created_twice(
    cluster: KubeProxies,
) -> None:
    before, created = cluster.stands(), list[str]()
    lost = creation_lost(cluster)

    def noted(asked: Asked) -> Answer | None:
        if is_creation(asked):
            created.append(json.loads(asked.body)["metadata"]["name"])
        return lost(asked)

    cluster.before = noted
    with site_of(cluster) as context:
        context.client.patience_seconds = PATIENT_SECONDS
        saved = SWITCHER.save(context)
        SWITCHER.switch(context, "ipvs")
        assert len(created) == len(cluster.names) + 1
        assert len(set(created)) == len(cluster.names)
        SWITCHER.restore(context, saved)
    assert left(cluster) == []
    assert cluster.stands() == before
    in_effect(cluster, "iptables")


def test_none_is_left_where_not_all_could_be_created(cluster: KubeProxies) -> None:
    """Without an answer to its creation nobody knows whether it is there."""
    cluster.before = creation_lost(cluster)
    with site_of(cluster) as context:
        saved = SWITCHER.save(context)
        with pytest.raises(LabError):
            SWITCHER.switch(context, "ipvs")
        assert left(cluster) == []
        SWITCHER.restore(context, saved)
    in_effect(cluster, "iptables")

"""Which nodes a run's link switches, and what is then said of the cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podmeter.domain.bench_image import BenchImage
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.ports import Access
from podmeter.drivers.netfilter.backend import Backend
from podmeter_worker.connection import RealLink
from podmeter_worker.kube.facts.fingerprint import fingerprint_of
from podmeter_worker.kube.facts.kube_proxy import KubeProxySetup
from podmeter_worker.kube.facts.node_probe import NodeProbe
from podmeter_worker.kube.facts.observation import Observation
from podmeter_worker.kube.resources import NODES
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.runner.ports import Handle

from ...kube.api_server import Answer, Asked
from ..cluster_of_objects import client_of, site_of
from .objects import CLUSTERS, KubeProxies

Measured = Callable[[Sequence[Any]], frozenset[str] | None]


def of_run(measured: Measured, *, switching: bool = True) -> Handle:
    return Handle(
        identity=cast(Any, SimpleNamespace(name="lab", cluster_uid="u")),
        run_label="r1",
        access=frozenset({Access.POD}),
        switching=switching,
        stop=threading.Event(),
        measured=measured,
    )


def switched(cluster: KubeProxies, handle: Handle) -> frozenset[str] | None:
    with client_of(cluster) as client:
        nothing = cast(Any, None)
        return RealLink(client, nothing, nothing, handle, BenchImage("any"))._switched


def names_of(nodes: Sequence[Any]) -> list[str]:
    return [node.name for node in nodes]


def first_two(nodes: Sequence[Any]) -> frozenset[str]:
    return frozenset(node.name for node in nodes[:2])


def forbidden(asked: Asked) -> Answer | None:
    if not asked.path.endswith("/selfsubjectaccessreviews"):
        return None
    return Answer(201, {"status": {"allowed": b"podmeter-kube-proxy" not in asked.body}})


def test_those_that_measure_where_that_spares_another(cluster: KubeProxies) -> None:
    assert switched(cluster, of_run(first_two)) == frozenset({"a", "b"})


def test_of_those_that_take_measuring_pods(cluster: KubeProxies) -> None:
    """A node that takes none is spared all the same, such as one of the control plane."""
    cluster.edit(NODES.path(name="a"), lambda found: found.update(spec={"unschedulable": True}))
    assert switched(cluster, of_run(first_two)) == frozenset({"b", "c"})


@pytest.mark.parametrize(
    "handle",
    [
        of_run(lambda nodes: None),
        of_run(lambda nodes: frozenset(node.name for node in nodes)),
        of_run(lambda nodes: frozenset()),
        of_run(first_two, switching=False),
    ],
)
def test_all_of_them_where_it_would_spare_none_or_any_may_be_passed(
    cluster: KubeProxies, handle: Handle
) -> None:
    assert switched(cluster, handle) is None


def test_those_that_measure_too_where_single_nodes_were_begun_with(cluster: KubeProxies) -> None:
    """The other nodes have gone since: the run's later blocks are switched as its first one."""
    with site_of(cluster) as context:
        context = replace(context, nodes=frozenset({"a", "b"}))
        modes = SwitcherModeControl(context)
        modes.note(KUBE_PROXY_MODE, modes.save(KUBE_PROXY_MODE))
    cluster.remove_node("c")
    assert switched(cluster, of_run(first_two)) == frozenset({"a", "b"})


@pytest.mark.parametrize("lacks", ["rights", "mount"])
def test_all_of_them_where_single_nodes_cannot_be(cluster: KubeProxies, lacks: str) -> None:
    if lacks == "rights":
        cluster.before = forbidden
    else:
        cluster.edit(CLUSTERS, lambda found: found["spec"]["template"]["spec"].update(volumes=[]))
    assert switched(cluster, of_run(first_two)) is None


def test_ends_sit_on_the_nodes_that_were_switched_whichever_join_or_go(
    cluster: KubeProxies,
) -> None:
    """A block that is prepared again lists the nodes again; its modes stay where they were set."""
    nothing = cast(Any, None)
    with client_of(cluster) as client:
        link = RealLink(client, nothing, nothing, of_run(first_two), BenchImage("any"))
        assert names_of(link.lab(nothing).end_nodes()) == ["a", "b"]
        cluster.put(NODES.path(name="a0"), cluster.at[NODES.path(name="c")])
        lab = link.lab(nothing)
        assert names_of(lab.nodes()) == ["a", "a0", "b", "c"]
        assert names_of(lab.end_nodes()) == ["a", "b"]
        cluster.edit(NODES.path(name="b"), lambda found: found.update(spec={"unschedulable": True}))
        assert names_of(link.lab(nothing).end_nodes()) == ["a"]


def test_ends_sit_on_any_node_where_the_whole_cluster_is_switched(cluster: KubeProxies) -> None:
    nothing = cast(Any, None)
    with client_of(cluster) as client:
        link = RealLink(client, nothing, nothing, of_run(lambda nodes: None), BenchImage("any"))
        assert names_of(link.lab(nothing).end_nodes()) == ["a", "b", "c"]


PROBE = NodeProbe(
    cpu_model=None,
    hypervisor=None,
    nics=(),
    mtus={},
    sysctls={},
    proxy_mode="iptables",
    sync_period=30.0,
    min_sync_period=1.0,
    backend=Backend.IPTABLES_NFT,
)


def test_of_kube_proxy_it_is_said_what_the_switched_nodes_do(cluster: KubeProxies) -> None:
    other = replace(PROBE, proxy_mode="nftables", sync_period=75.0, backend=Backend.NFTABLES)
    probes = {"a": other, "b": other, "c": PROBE}
    seen = Observation(probes=probes, ways=(), pod_mtu=None, image_digest=None, tools={})
    setup = KubeProxySetup("v1.34.4", "iptables", 10249, 30.0, 1.0)
    cluster.put("/api/v1/namespaces/kube-system", {"metadata": {"uid": "u"}})
    with client_of(cluster) as client:
        unlike = fingerprint_of(client, setup, seen).kube_proxy
        alike = fingerprint_of(client, setup, seen, {"a", "b"})
    assert unlike.mode is None
    assert (alike.kube_proxy.mode, alike.kube_proxy.sync_period) == ("nftables", 75.0)
    assert [node.iptables_backend for node in alike.nodes] == [None, None, "nft"]


def test_which_of_the_nodes_beside_each_other_has_a_mode_is_no_part_of_an_environment(
    cluster: KubeProxies,
) -> None:
    other = replace(PROBE, proxy_mode="nftables", backend=Backend.NFTABLES)
    setup = KubeProxySetup("v1.34.4", "iptables", 10249, 30.0, 1.0)
    cluster.put("/api/v1/namespaces/kube-system", {"metadata": {"uid": "u"}})

    def seen(seat: str, **probes: NodeProbe) -> Any:
        found = Observation(probes=probes, ways=(), pod_mtu=None, image_digest=None, tools={})
        return fingerprint_of(client, setup, found, {seat}, ("a", "b"))

    with client_of(cluster) as client:
        first = seen("a", a=PROBE, b=other, c=PROBE), seen("b", a=PROBE, b=other, c=PROBE)
        swapped = seen("b", a=other, b=PROBE, c=PROBE), seen("a", a=other, b=PROBE, c=PROBE)
    assert first == swapped
    assert [one.kube_proxy.mode for one in first] == ["iptables", "nftables"]
    backends = [[node.iptables_backend for node in one.nodes] for one in first]
    assert backends == [["nft", "nft", "nft"], [None, None, "nft"]]


def test_modes_side_by_side_are_switched_on_their_nodes_and_seen_on_the_backend_s(
    cluster: KubeProxies,
) -> None:
    """All three measure: the third node answers, and has no mode of the run's."""
    handle = replace(
        of_run(lambda nodes: frozenset(node.name for node in nodes)),
        seats=lambda nodes: tuple(node.name for node in nodes[:2]),
    )
    assert switched(cluster, handle) == frozenset({"a", "b"})

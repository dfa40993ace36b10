"""What of kube-router is refused, by a sentence that says why, before anything changes."""

from __future__ import annotations

from typing import Any

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import Message
from podmeter_worker.kube.resources import DAEMON_SETS
from podmeter_worker.modes.registry import configurations

from ...kube.api_server import Answer, Asked
from ..cluster_of_objects import site_of
from .objects import DAEMON_SET, NONE, OTHERS, SWITCHER, KubeRouter, Prepare


def args(*more: str) -> Prepare:
    return lambda cluster: cluster.set_up([*OTHERS, *more])


def container(**more: Any) -> Prepare:
    return lambda cluster: cluster.set_up(NONE, **more)


def elsewhere(cluster: KubeRouter) -> None:
    del cluster.at[DAEMON_SET]
    found = {**cluster.daemon_set(NONE), "metadata": {}}
    cluster.put(DAEMON_SETS.path("network", "kube-router"), found)


@pytest.mark.parametrize(
    ("prepare", "code", "said"),
    [
        (lambda cluster: cluster.at.pop(DAEMON_SET), "kube_router_absent", "is not kube-router"),
        (elsewhere, "kube_router_elsewhere", "network/kube-router"),
        (container(name="router"), "kube_router_elsewhere", "kube-system/kube-router"),
        # A firewall beside flannel; a BGP speaker beside another CNI; routers outside.
        (args("--run-router=false"), "kube_router_no_routes", "--run-router=false"),
        (args("--enable-cni=0"), "kube_router_no_pods", "--enable-cni=0"),
        (args("--enable-ibgp=false"), "kube_router_no_mesh", "--enable-ibgp=false"),
        (args("--overlay-encap=fou"), "kube_router_encap", "encapsulates packets with fou"),
        (args("--overlay-type", "full"), "kube_router_unreadable", "--overlay-type"),
        (args("--overlay-type=$(TYPE)"), "kube_router_unreadable", "$(TYPE)"),
        (args("--overlay-type=gre"), "kube_router_unreadable", "gre"),
        (args("--overlay-encap=$(ENCAP)"), "kube_router_unreadable", "$(ENCAP)"),
        (args("--enable-overlay=maybe"), "kube_router_unreadable", "maybe"),
        (args("$(MORE)"), "kube_router_unreadable", "$(MORE)"),
        (
            container(command=["sh", "-c", "exec kube-router --enable-overlay=true"]),
            "kube_router_command",
            "exec kube-router",
        ),
        (container(command=["/start"]), "kube_router_command", "/start"),
    ],
)
def test_what_does_not_decide_how_packets_go_is_refused(
    cluster: KubeRouter, prepare: Prepare, code: str, said: str
) -> None:
    prepare(cluster)
    with site_of(cluster) as context:
        cluster.asked.clear()
        why = SWITCHER.why_absent(context)
        with pytest.raises(PreconditionError):
            SWITCHER.save(context)
    assert isinstance(why, Message)
    assert why.code == code
    assert said in why
    assert {method for method, _ in cluster.asked} == {"GET"}


@pytest.mark.parametrize(
    "prepare",
    [
        args(),
        args("--run-service-proxy=true", "--nodes-full-mesh=false", "--overlay-encap=ipip"),
        container(command=["/usr/local/bin/kube-router"]),
        container(env=[{"name": "OVERLAY_TYPE", "value": "full"}]),
    ],
)
def test_what_has_no_say_in_it_does_not_hinder(cluster: KubeRouter, prepare: Prepare) -> None:
    prepare(cluster)
    with site_of(cluster) as context:
        assert SWITCHER.why_absent(context) is None
        assert SWITCHER.save(context)
        assert configurations(context.client) == (DAEMON_SET,)


def test_a_firewall_alone_is_no_place_for_a_note(cluster: KubeRouter) -> None:
    cluster.set_up(["--run-router=false"])
    with site_of(cluster) as context:
        assert configurations(context.client) == ()


@pytest.mark.parametrize(
    ("away", "lacks", "refused"),
    [
        ("", "", {"ipip-cross-subnet": "one_subnet"}),
        ("c", "", {"none": "through_router"}),
        ("abc", "", {"none": "through_router", "ipip-cross-subnet": "all_subnets"}),
        ("", "ipip", {"ipip": "kernel_no_ipip", "ipip-cross-subnet": "kernel_no_ipip"}),
    ],
)
def test_a_value_that_cannot_be_had_is_refused_before_anything_changes(
    cluster: KubeRouter, away: str, lacks: str, refused: dict[str, str]
) -> None:
    cluster.away.update(away)
    cluster.lacks.update(filter(None, [lacks]))
    cluster.set_up([*OTHERS, "--overlay-type=full"])
    before = cluster.stands()
    with site_of(cluster) as context:
        found = SWITCHER.values(context)
        assert set(found) == {"none", "ipip", "ipip-cross-subnet"}
        assert {value: getattr(why, "code", "") for value, why in found.items() if why} == refused
        for value in refused:
            with pytest.raises(PreconditionError):
                SWITCHER.switch(context, value)
        with pytest.raises(PreconditionError, match="does not support vxlan"):
            SWITCHER.switch(context, "vxlan")
    assert cluster.stands() == before
    assert set(cluster.agents.values()) == {"full"}


def test_what_a_manifest_of_before_does_not_allow_is_said(cluster: KubeRouter) -> None:
    def forbidden(asked: Asked) -> Answer | None:
        if asked.method == "PATCH":
            return Answer(403, {"message": "daemonsets is forbidden"})
        return None

    before = cluster.stands()
    cluster.before = forbidden
    said = "permission to change kube-router's DaemonSet"
    with site_of(cluster) as context, pytest.raises(PreconditionError, match=said):
        SWITCHER.switch(context, "ipip")
    assert cluster.stands() == before

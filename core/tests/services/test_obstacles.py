"""What a run is refused for, what `force` goes past, and what is left out of it."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from podmeter.db.base import now
from podmeter.db.models import PreflightState, Run
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.cluster_report import (
    AxisReport,
    CapabilityReport,
    MissingRights,
    RoomReport,
)
from podmeter.domain.feasibility import Fix, Level
from podmeter.domain.messages import Message, say
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ObstacleError
from podmeter.services.experiments import library
from podmeter.services.experiments.on_cluster import plan_at
from podmeter.services.noise_floor.experiments import measure
from podmeter.services.runs.repeat import Changes, repeat
from podmeter.services.runs.start import start
from podmeter.services.work import Work

from .builders import AXES, LOOKED_AT, SPEC, make_cluster

pytestmark = pytest.mark.services

SWITCHING = {**SPEC, "axes": {**AXES, "kube_proxy_mode": ["iptables", "ipvs"]}}
IPVS = AxisReport(
    component="kube-proxy",
    values={"iptables": None, "ipvs": say("kernel_no_ipvs", nodes=["node-1"]), "nftables": None},
    observed="iptables",
)
SWITCHABLE = AxisReport(
    component="kube-proxy",
    values={"iptables": None, "ipvs": None, "nftables": None},
    observed="iptables",
)
HOST = CapabilityReport(
    allowed=False,
    missing=[
        MissingRights(
            verbs=["create", "get"],
            resource="pods",
            group="",
            namespace="podmeter-host",
            name=None,
            why=say("right_host_pods"),
        )
    ],
)


def seen(**found: Any) -> dict[str, Any]:
    return LOOKED_AT.model_copy(update=found).model_dump(mode="json")


def test_an_old_preflight_is_gone_past_by_force_alone_and_that_is_kept(
    work: Work, owner: Principal
) -> None:
    experiment = library.create(work, owner, SPEC)
    cluster = make_cluster(work.session, owner, "u", name="lab", capabilities=seen())
    cluster.preflighted_at = now() - timedelta(hours=25)
    with pytest.raises(ObstacleError, match="25 h old") as refused:
        start(work, owner, experiment.id, cluster.id)
    (obstacle,) = refused.value.obstacles
    assert (obstacle.code, obstacle.fix) == ("preflight_old", Fix.PREFLIGHT)
    assert obstacle.remedy == "run the preflight of lab"
    assert plan_at(work, owner, SPEC, cluster.id).feasibility.obstacles == (obstacle,)
    run = start(work, owner, experiment.id, cluster.id, force=True)
    assert run.forced == [obstacle.said]
    assert obstacle.said in run.warnings
    assert work.audit.details["forced"] == ["preflight_old"]


def test_repeating_and_measuring_noise_go_past_what_is_uncertain_alike(
    work: Work, owner: Principal
) -> None:
    experiment = library.create(work, owner, SPEC)
    cluster = make_cluster(work.session, owner, "u", name="lab", capabilities=seen())
    first = start(work, owner, experiment.id, cluster.id)
    cluster.preflighted_at = now() - timedelta(hours=25)
    same = Changes()
    starts: list[Callable[..., Run]] = [
        partial(repeat, work, owner, first.id, same),
        partial(measure, work, owner, cluster.id, "throughput", {}),
    ]
    for again in starts:
        with pytest.raises(ObstacleError, match="25 h old"):
            again()
        run = again(force=True)
        assert [Message.of(one).code for one in run.forced] == ["obstacle"]
        assert work.audit.details["forced"] == ["preflight_old"]


def test_what_is_certain_is_not_gone_past(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SWITCHING)
    report = seen(modes={"kube_proxy_mode": IPVS})
    cluster = make_cluster(work.session, owner, "u", capabilities=report)
    with pytest.raises(ObstacleError) as refused:
        start(work, owner, experiment.id, cluster.id, force=True)
    assert [(one.code, one.value) for one in refused.value.obstacles] == [
        ("switch_not_allowed", None),
        ("mode_unavailable", "ipvs"),
    ]
    assert "modprobe ip_vs" in refused.value.obstacles[1].remedy
    unseen = make_cluster(work.session, owner, None)
    with pytest.raises(ObstacleError, match="has not had a preflight"):
        start(work, owner, experiment.id, unseen.id, force=True)


def test_a_preflight_that_failed_is_uncertain(work: Work, owner: Principal) -> None:
    cluster = make_cluster(work.session, owner, "u", capabilities=seen())
    cluster.preflight_state = PreflightState.FAILED
    cluster.preflight_error = say("look_too_long", seconds=240)
    experiment = library.create(work, owner, SPEC)
    with pytest.raises(ObstacleError, match="did not finish within 240 s"):
        start(work, owner, experiment.id, cluster.id)
    assert start(work, owner, experiment.id, cluster.id, force=True).forced


def test_without_a_right_the_rest_is_measured_and_said(work: Work, owner: Principal) -> None:
    report = seen(rights={"host_access": HOST})
    cluster = make_cluster(work.session, owner, "u", name="lab", capabilities=report)
    planned = plan_at(work, owner, SPEC, cluster.id)
    assert {case.get("path") for block in planned.blocks for case in block.cases} == {"pod-pod"}
    (left_out,) = planned.feasibility.left_out
    assert (left_out.axis, left_out.values) == ("path", ("node-node",))
    assert "podmeter clusters manifest host_access" in left_out.obstacle.remedy
    experiment = library.create(work, owner, SPEC)
    run = start(work, owner, experiment.id, cluster.id)
    cases = RunRepository(work.session, owner.organization_id).all_cases(run.id)
    assert [case.point["path"] for case in cases] == ["pod-pod"]
    assert run.warnings == [left_out.said]
    # Where nothing is left, it is no run.
    alone = library.create(work, owner, {**SPEC, "axes": {**AXES, "path": ["node-node"]}})
    with pytest.raises(ObstacleError, match="permissions of host_access"):
        start(work, owner, alone.id, cluster.id)


@pytest.mark.parametrize(
    ("capability", "spec", "refused"),
    [
        ("measure", SPEC, True),
        ("measure", SWITCHING, True),
        ("switch_modes", SWITCHING, True),
        ("switch_modes", SPEC, False),
    ],
)
def test_a_missing_right_refuses_what_needs_it_alone(
    work: Work, owner: Principal, capability: str, spec: dict[str, Any], refused: bool
) -> None:
    report = seen(rights={capability: HOST}, modes={"kube_proxy_mode": SWITCHABLE})
    cluster = make_cluster(
        work.session, owner, "u", name="lab", capabilities=report, allow_mode_switch=True
    )
    obstacles = plan_at(work, owner, spec, cluster.id).feasibility.obstacles
    missing = [obstacle for obstacle in obstacles if obstacle.code == "rights_missing"]
    assert [(one.subject, one.level, one.fix) for one in missing] == [
        (capability, Level.REFUSED, Fix.MANIFEST)
    ] * refused
    experiment = library.create(work, owner, spec)
    if not refused:
        assert start(work, owner, experiment.id, cluster.id).forced == []
        return
    assert f"lack 2 permissions of {capability}, such as: create, get pods" in missing[0].cause
    assert f"podmeter clusters manifest {capability}" in missing[0].remedy
    with pytest.raises(ObstacleError, match=f"permissions of {capability}"):
        start(work, owner, experiment.id, cluster.id, force=True)


def test_without_an_image_no_run_starts(work: Work, owner: Principal) -> None:
    report = seen(not_looked_at=say("no_image"))
    cluster = make_cluster(work.session, owner, "u", name="lab", capabilities=report)
    experiment = library.create(work, owner, SPEC)
    with pytest.raises(ObstacleError, match="BENCH_IMAGE") as refused:
        start(work, owner, experiment.id, cluster.id, force=True)
    (obstacle,) = refused.value.obstacles
    assert (obstacle.code, obstacle.level) == ("no_image", Level.REFUSED)
    assert obstacle.remedy.startswith("set the image of the measuring pods on lab")


@pytest.mark.parametrize(
    ("service_type", "addresses", "ports", "code"),
    [
        ("ClusterIP", 999, 0, "no_room"),
        ("ClusterIP", 1000, 0, None),
        ("ClusterIP", None, None, None),
        ("NodePort", 5000, 999, "no_node_ports"),
        ("NodePort", 5000, 1000, None),
        ("NodePort", 999, 5000, "no_room"),
    ],
)
def test_a_ladder_needs_room_for_its_services(
    work: Work,
    owner: Principal,
    service_type: str,
    addresses: int | None,
    ports: int | None,
    code: str | None,
) -> None:
    room = RoomReport(services=3, free_cluster_ips=addresses, free_node_ports=ports)
    cluster = make_cluster(work.session, owner, "u", name="lab", capabilities=seen(room=room))
    axes = {"services": [10, 1000], "service_type": [service_type], "probe": ["qps"]}
    spec = {"name": "ladder", "kind": "service_scale", "axes": axes}
    obstacles = plan_at(work, owner, spec, cluster.id).feasibility.obstacles
    short = [obstacle for obstacle in obstacles if obstacle.code in ("no_room", "no_node_ports")]
    assert [(one.code, one.level, one.axis) for one in short] == [
        (code, Level.UNCERTAIN, "services")
    ] * bool(code)
    experiment = library.create(work, owner, spec)
    if code is None:
        assert start(work, owner, experiment.id, cluster.id).forced == []
        return
    assert all(number in short[0].cause for number in ("999", "1000"))
    with pytest.raises(ObstacleError, match="999"):
        start(work, owner, experiment.id, cluster.id)
    assert start(work, owner, experiment.id, cluster.id, force=True).forced == [short[0].said]


def test_modes_that_nobody_asked_for_are_judged_too(work: Work, owner: Principal) -> None:
    report = seen(modes={"kube_proxy_mode": IPVS})
    cluster = make_cluster(work.session, owner, "u", allow_mode_switch=True, capabilities=report)
    planned = plan_at(work, owner, SPEC, cluster.id)
    assert planned.feasibility.obstacles == ()
    assert [one.value for one in planned.feasibility.unavailable] == ["ipvs"]
    wanted = plan_at(work, owner, SWITCHING, cluster.id)
    assert wanted.fitted is not None
    assert "kube_proxy_mode" not in wanted.fitted.axes
    three = {**SPEC, "axes": {**AXES, "kube_proxy_mode": ["iptables", "ipvs", "nftables"]}}
    left = plan_at(work, owner, three, cluster.id).fitted
    assert left is not None
    assert left.axes["kube_proxy_mode"] == ("iptables", "nftables")


PROXY = AxisReport(
    component="kube-proxy",
    values={"iptables": None, "nftables": None},
    observed="iptables",
    on_nodes=True,
)
RIGHTS = say("nodes_alone_rights", right=say("right_missing", verb="create", resource="x", why="y"))


@pytest.mark.parametrize(
    ("report", "count", "axes", "code", "said"),
    [
        (
            PROXY,
            4,
            {},
            "switched_on_nodes",
            "only on node-1, node-2 of lab: kube-proxy on the other nodes (2)",
        ),
        (PROXY, 2, {}, "switched_everywhere", "node-1, node-2): all nodes are measured"),
        (
            PROXY,
            4,
            {"path": ["outside-loadbalancer"]},
            "switched_everywhere",
            "(node-1, node-2, node-3, node-4): traffic from outside",
        ),
        (
            PROXY.model_copy(update={"on_nodes": False, "why_everywhere": RIGHTS}),
            4,
            {},
            "switched_everywhere",
            "permissions to switch single nodes are missing",
        ),
    ],
)
def test_a_plan_names_the_nodes_that_feel_a_switch(
    work: Work,
    owner: Principal,
    report: AxisReport,
    count: int,
    axes: dict[str, Any],
    code: str,
    said: str,
) -> None:
    (one, *_) = LOOKED_AT.nodes
    nodes = [one.model_copy(update={"name": f"node-{n}"}) for n in range(1, count + 1)]
    # What is no Linux node has no kube-proxy of that kind.
    nodes.append(one.model_copy(update={"name": "win", "why_unfit": say("not_linux")}))
    found = seen(modes={"kube_proxy_mode": report}, nodes=nodes)
    cluster = make_cluster(
        work.session, owner, "u", name="lab", capabilities=found, allow_mode_switch=True
    )
    spec = {
        "name": "modes",
        "kind": "request_latency",
        "axes": {"path": ["pod-service-name"], "kube_proxy_mode": ["iptables", "nftables"], **axes},
    }
    obstacles = plan_at(work, owner, spec, cluster.id).feasibility.obstacles
    (felt,) = [obstacle for obstacle in obstacles if obstacle.code == code]
    assert felt.level is Level.NOTE
    assert said in felt.cause
    if report is not PROXY:
        assert "podmeter clusters manifest switch_modes" in felt.remedy


BESIDE = {"assignment": "side_by_side"}


@pytest.mark.parametrize(
    ("report", "count", "code", "level", "said"),
    [
        (
            PROXY,
            5,
            "switched_beside",
            Level.NOTE,
            "iptables, nftables run side by side, each on two of node-1, node-2, node-3, node-4",
        ),
        (PROXY, 3, "beside_few_nodes", Level.REFUSED, "need 4 nodes that can run measuring pods"),
        (
            PROXY.model_copy(update={"on_nodes": False, "why_everywhere": RIGHTS}),
            5,
            "beside_everywhere",
            Level.REFUSED,
            "permissions to switch single nodes are missing",
        ),
    ],
)
def test_modes_side_by_side_name_their_nodes_or_why_there_are_none(
    work: Work,
    owner: Principal,
    report: AxisReport,
    count: int,
    code: str,
    level: Level,
    said: str,
) -> None:
    (one, *_) = LOOKED_AT.nodes
    nodes = [one.model_copy(update={"name": f"node-{n}"}) for n in range(1, count + 1)]
    found = seen(modes={"kube_proxy_mode": report}, nodes=nodes)
    cluster = make_cluster(
        work.session, owner, "u", name="lab", capabilities=found, allow_mode_switch=True
    )
    spec = {
        "name": "beside",
        "kind": "service_scale",
        "parameters": BESIDE,
        "axes": {
            "kube_proxy_mode": ["iptables", "nftables"],
            "services": [10],
            "probe": ["qps"],
        },
    }
    obstacles = plan_at(work, owner, spec, cluster.id).feasibility.obstacles
    (felt,) = [obstacle for obstacle in obstacles if obstacle.code == code]
    assert felt.level is level
    assert said in felt.cause


def rotating(
    work: Work, owner: Principal, spec: dict[str, Any], count: int = 3, **node: Any
) -> Any:
    """The plan of a spec with pairs that change by round; `node` changes the last node."""
    (one, *_) = LOOKED_AT.nodes
    nodes = [one.model_copy(update={"name": f"node-{n}"}) for n in range(1, count + 1)]
    nodes[-1] = nodes[-1].model_copy(update=node)
    found = seen(modes={"kube_proxy_mode": PROXY}, nodes=nodes)
    cluster = make_cluster(work.session, owner, "u", capabilities=found, allow_mode_switch=True)
    axes = {"kube_proxy_mode": ["iptables", "nftables"], "node_pair": ["rotate"]}
    document = {**spec, "name": "rotated", "axes": {**spec.get("axes", {}), **axes}}
    return plan_at(work, owner, document, cluster.id)


@pytest.mark.parametrize(
    ("parameters", "code", "remedy"),
    [
        (BESIDE, "rotate_beside", "set assignment to switched, or leave out node_pair"),
        ({}, None, ""),
    ],
)
def test_pairs_do_not_change_by_round_where_nodes_are_fixed(
    work: Work, owner: Principal, parameters: dict[str, Any], code: str | None, remedy: str
) -> None:
    spec = {"kind": "service_scale", "parameters": parameters, "axes": {"services": [10]}}
    obstacles = rotating(work, owner, spec).feasibility.obstacles
    refused = [one for one in obstacles if one.code.startswith("rotate_")]
    assert [(one.code, one.level) for one in refused] == [(code, Level.REFUSED)] * bool(code)
    assert all(remedy in one.remedy for one in refused)


def test_a_switch_is_felt_on_all_nodes_of_pairs_that_change_by_round(
    work: Work, owner: Principal
) -> None:
    spec = {"kind": "request_latency", "axes": {"path": ["pod-service-name"]}}
    obstacles = rotating(work, owner, spec).feasibility.obstacles
    (felt,) = [one for one in obstacles if one.code == "switched_everywhere"]
    assert felt.level is Level.NOTE
    assert all(f"node-{n}" in felt.cause for n in (1, 2, 3))


def test_pairs_of_unlike_architectures_are_an_obstacle(work: Work, owner: Principal) -> None:
    spec = {"kind": "request_latency", "axes": {"path": ["pod-pod"]}}
    obstacles = rotating(work, owner, spec, architecture="arm64").feasibility.obstacles
    (unlike,) = [one for one in obstacles if one.code == "architectures_unlike"]
    assert unlike.subject == "node-3"
    alike = rotating(work, owner, spec).feasibility.obstacles
    assert "architectures_unlike" not in {one.code for one in alike}


def test_the_plan_says_how_many_pairs_take_turns_and_how_many_rounds_show_a_slow_one(
    work: Work, owner: Principal
) -> None:
    def notes(rounds: int) -> list[Message]:
        spec = {"kind": "request_latency", "repetition": {"rounds": rounds}}
        return list(rotating(work, owner, spec).notes)

    few, enough = notes(11), notes(12)
    assert [one.code for one in few] == ["plan_rotates", "plan_rotates_few"]
    assert few[1].params == {"pairs": 6, "rounds": 11, "needed": 12}
    assert [one.code for one in enough] == ["plan_rotates"]

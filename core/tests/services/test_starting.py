import uuid
from typing import Any

import pytest

from podmeter.db.models import Role
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.cluster_report import (
    CapabilityReport,
    ClusterReport,
    MissingRights,
    NodeReport,
)
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.messages import say
from podmeter.domain.run import CaseStatus
from podmeter.jobs import AdvanceRun
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, NotFoundError, ObstacleError, RoleError
from podmeter.services.experiments import library
from podmeter.services.experiments.on_cluster import plan_at
from podmeter.services.runs import read
from podmeter.services.runs.repeat import Changes, repeat
from podmeter.services.runs.start import start
from podmeter.services.work import Work

from .builders import AXES, LOOKED_AT, SPEC, make_cluster, make_principal

pytestmark = pytest.mark.services


def test_a_run_has_the_plans_blocks_and_cases(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SPEC)
    cluster = make_cluster(work.session, owner, "u")
    run = start(work, owner, experiment.id, cluster.id)
    runs = RunRepository(work.session, owner.organization_id)
    cases = runs.all_cases(run.id)
    assert {case.point["path"] for case in cases} == {"node-node", "pod-pod"}
    assert [block.position for block in runs.blocks(run.id)] == list(range(6))
    view = read.get(work, owner, run.id)
    assert view.progress == {CaseStatus.PENDING: len(cases)}
    assert view.queue_position == 1
    assert work.jobs == [AdvanceRun(organization_id=owner.organization_id, run_id=run.id)]
    events, over = read.events_after(work, owner.organization_id, run.id, 0)
    assert [event.content["state"] for event in events] == ["queued"]
    assert not over


def test_the_spec_is_frozen(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SPEC)
    run = start(work, owner, experiment.id, make_cluster(work.session, owner, "u").id)
    changed = {**SPEC, "name": "another", "axes": {"path": ["node-node"]}}
    library.replace(work, owner, experiment.id, changed, None)
    library.delete(work, owner, experiment.id, None)
    work.session.expire_all()
    view = read.get(work, owner, run.id)
    assert view.run.spec["name"] == "two paths"
    assert view.run.experiment_id is None


def test_an_experiment_of_before_is_measured_without_what_is_no_choice_any_more(
    work: Work, owner: Principal
) -> None:
    """Whether its ladder was climbed once or in each block: now it is climbed once."""
    document: dict[str, Any] = {
        "name": "ladder",
        "kind": "service_scale",
        "axes": {"services": [10, 40], "probe": ["qps"]},
        "repetition": {"rounds": 2},
    }
    experiment = library.create(work, owner, document)
    stored = {"services_stay": True, "rung_by_rung": False, "requests": 500}
    experiment.spec = {**experiment.spec, "parameters": stored}
    work.session.flush()
    assert library.stored_spec(experiment).parameters == {"requests": 500}
    run = start(work, owner, experiment.id, make_cluster(work.session, owner, "u").id)
    assert run.written["parameters"] == {"requests": 500}
    blocks = RunRepository(work.session, owner.organization_id).blocks(run.id)
    assert [(block.modes["services"], block.round) for block in blocks] == [
        *((10, 1), (10, 2)),
        *((40, 1), (40, 2)),
    ]


def test_rounds_share_their_cases(work: Work, owner: Principal) -> None:
    spec = {**SPEC, "repetition": {"rounds": 3}}
    experiment = library.create(work, owner, spec)
    run = start(work, owner, experiment.id, make_cluster(work.session, owner, "u").id)
    runs = RunRepository(work.session, owner.organization_id)
    assert [block.round for block in runs.blocks(run.id)] == [1, 2, 3]
    keys = [case.key for case in runs.all_cases(run.id)]
    assert len(keys) == len(set(keys))


def test_a_started_run_keeps_the_order_of_its_blocks(work: Work, owner: Principal) -> None:
    """One that was started when every round had the same order (A B A B) is resumed in it."""
    modes = ["iptables", "nftables"]
    spec = {**SPEC, "axes": {**AXES, "kube_proxy_mode": modes}, "repetition": {"rounds": 2}}
    experiment = library.create(work, owner, spec)
    cluster = make_cluster(work.session, owner, "u", allow_mode_switch=True)
    run = start(work, owner, experiment.id, cluster.id)
    rows = RunRepository(work.session, owner.organization_id).blocks(run.id)
    for row, mode in zip(rows, modes * 2, strict=True):
        row.modes = {"kube_proxy_mode": mode}
    work.session.flush()
    planned = read.plan(work, owner, run.id).blocks
    assert [dict(block.modes)["kube_proxy_mode"] for block in planned] == modes * 2
    assert [block.round for block in planned] == [1, 1, 2, 2]
    assert {trial.round for block in planned[2:] for trial in block.trials} == {2}


def test_a_missing_or_foreign_cluster_is_named_by_pointer(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SPEC)
    stranger = make_principal(work.session, "theirs")
    foreign = make_cluster(work.session, stranger, "u")
    for cluster_id in (None, foreign.id):
        with pytest.raises(InvalidSpecError) as refused:
            start(work, owner, experiment.id, cluster_id)
        assert refused.value.problems[0].pointer == "/cluster_id"
    with pytest.raises(NotFoundError):
        start(work, stranger, experiment.id, foreign.id)


def test_the_axis_cluster_names_clusters(work: Work, owner: Principal) -> None:
    spec = {**SPEC, "axes": {**AXES, "cluster": ["a", "b"]}}
    experiment = library.create(work, owner, spec)
    first = make_cluster(work.session, owner, "u1", name="a")
    with pytest.raises(InvalidSpecError) as refused:
        start(work, owner, experiment.id, None)
    assert [one.pointer for one in refused.value.problems] == ["/axes/cluster/1"]
    make_cluster(work.session, owner, "u2", name="b")
    with pytest.raises(InvalidSpecError, match="already sets the clusters"):
        start(work, owner, experiment.id, first.id)
    run = start(work, owner, experiment.id, None)
    assert [cluster.name for cluster in read.get(work, owner, run.id).clusters] == ["a", "b"]


def test_a_cluster_that_is_not_ready_is_refused(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SPEC)
    never = make_cluster(work.session, owner, None)
    with pytest.raises(ConflictError, match="has not had a preflight"):
        start(work, owner, experiment.id, never.id)
    left = make_cluster(
        work.session, owner, "u", needs_restore=True, needs_restore_reason="ipvs is left"
    )
    with pytest.raises(ConflictError, match="ipvs is left"):
        start(work, owner, experiment.id, left.id)


def test_switching_needs_the_owners_leave(work: Work, owner: Principal) -> None:
    axes = {"path": ["pod-pod"], "kube_proxy_mode": ["iptables", "nftables"]}
    experiment = library.create(work, owner, {**SPEC, "axes": axes})
    cluster = make_cluster(work.session, owner, "u")
    with pytest.raises(ConflictError, match="kube_proxy_mode"):
        start(work, owner, experiment.id, cluster.id)
    cluster.allow_mode_switch = True
    assert start(work, owner, experiment.id, cluster.id)


def test_a_viewer_starts_nothing(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SPEC)
    cluster = make_cluster(work.session, owner, "u")
    viewer = make_principal(work.session, "ours", Role.VIEWER)
    with pytest.raises(RoleError):
        start(work, viewer, experiment.id, cluster.id)


def with_nodes(**zones: str | None) -> dict[str, Any]:
    """What a preflight keeps of a cluster with these nodes; one in no zone may be None."""
    nodes = [
        NodeReport(
            name=name.replace("_", "-"),
            address=None,
            architecture="amd64",
            kernel="6.12",
            os="Debian",
            cpus="4",
            why_unfit=say("not_ready") if name == "sick" else None,
            zone=zone,
        )
        for name, zone in zones.items()
    ]
    report = ClusterReport(kubernetes_version="v1.34.1", nodes=nodes, rights={})
    return report.model_dump(mode="json")


def pairs_spec(pairs: str) -> dict[str, Any]:
    return {**SPEC, "axes": {**AXES, "path": ["pod-pod"], "node_pair": [pairs]}}


def test_pairs_of_nodes_are_frozen_from_the_latest_look_at_the_cluster(
    work: Work, owner: Principal
) -> None:
    experiment = library.create(work, owner, pairs_spec("all"))
    report = with_nodes(node_1=None, node_2=None, sick=None)
    cluster = make_cluster(work.session, owner, "u", capabilities=report)
    run = start(work, owner, experiment.id, cluster.id)
    cases = RunRepository(work.session, owner.organization_id).all_cases(run.id)
    assert [case.point["node_pair"] for case in cases] == ["node-1~node-2", "node-2~node-1"]
    # Nodes that come and go change nothing of it.
    cluster.capabilities = with_nodes(other=None, another=None)
    work.session.flush()
    planned = read.plan(work, owner, run.id)
    assert planned.spec.matrix["node_pair"] == ("node-1~node-2", "node-2~node-1")
    assert run.written["axes"]["node_pair"] == ["all"]
    again = repeat(work, owner, run.id, Changes(rounds=7))
    assert again.spec["axes"][0]["values"] == ["node-1~node-2", "node-2~node-1"]


def test_a_sample_of_pairs_is_drawn_by_the_seed_that_is_kept(work: Work, owner: Principal) -> None:
    report = with_nodes(**{f"node_{n}": None for n in range(9)})
    cluster = make_cluster(work.session, owner, "u", capabilities=report)
    drawn = []
    for seed in (1, 1, 2):
        spec = {**pairs_spec("sample-5"), "repetition": {"seed": seed, "rounds": 1}}
        run = start(work, owner, library.create(work, owner, spec).id, cluster.id)
        assert run.spec["repetition"]["seed"] == seed
        drawn.append(run.spec["axes"][0]["values"])
    assert len(drawn[0]) == 5
    assert drawn[0] == drawn[1] != drawn[2]


def test_zones_are_those_of_the_latest_look(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, pairs_spec("zones"))
    report = with_nodes(a="east", b="east", c="west")
    cluster = make_cluster(work.session, owner, "u", capabilities=report)
    run = start(work, owner, experiment.id, cluster.id)
    assert run.spec["axes"][0]["values"] == ["a~b", "a~c"]
    # One that was looked at before zones were has none.
    kept = with_nodes(a=None, b=None)
    for node in kept["nodes"]:
        del node["zone"]
    before = make_cluster(work.session, owner, "v", capabilities=kept)
    with pytest.raises(InvalidSpecError, match="2 nodes have no known zone"):
        start(work, owner, experiment.id, before.id)


def test_pairs_that_a_cluster_does_not_tell_are_refused(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, pairs_spec("all"))
    unknown = make_cluster(work.session, owner, "u")
    with pytest.raises(ConflictError, match="not known yet"):
        start(work, owner, experiment.id, unknown.id)
    alone = make_cluster(work.session, owner, "v", capabilities=with_nodes(node_1=None, sick=None))
    with pytest.raises(InvalidSpecError, match="two nodes"):
        start(work, owner, experiment.id, alone.id)
    large = with_nodes(**{f"node_{n}": None for n in range(60)})
    crowd = make_cluster(work.session, owner, "w", capabilities=large)
    with pytest.raises(InvalidSpecError, match="use a sample"):
        start(work, owner, experiment.id, crowd.id)


def test_a_plan_has_the_pairs_of_the_cluster_it_is_asked_for(work: Work, owner: Principal) -> None:
    report = with_nodes(node_1=None, node_2=None, node_3=None)
    cluster = make_cluster(work.session, owner, "u", capabilities=report, name="lab")
    document = pairs_spec("all")
    open_ = plan_at(work, owner, document, None)
    assert open_.notes == (say("plan_pairs_open", value="all"),)
    assert len(open_.blocks[0].cases) == 1
    known = plan_at(work, owner, document, cluster.id)
    assert known.notes == ()
    assert len(known.blocks[0].cases) == 6
    by_name = {**document, "axes": {**document["axes"], "cluster": ["lab"]}}
    assert len(plan_at(work, owner, by_name, None).blocks[0].cases) == 6
    unseen = make_cluster(work.session, owner, None)
    assert plan_at(work, owner, document, unseen.id).notes == open_.notes
    with pytest.raises(NotFoundError):
        plan_at(work, owner, document, uuid.uuid4())


def test_a_run_whose_losses_cannot_be_measured_there_has_nothing_to_decide(
    work: Work, owner: Principal
) -> None:
    right = MissingRights(
        verbs=["create"],
        resource="pods",
        group="",
        namespace="podmeter-host",
        name=None,
        why=say("right_pods"),
    )
    lacking = {"host_access": CapabilityReport(allowed=False, missing=[right])}
    looked_at = LOOKED_AT.model_copy(update={"rights": lacking}).model_dump(mode="json")
    cluster = make_cluster(work.session, owner, "u", capabilities=looked_at)
    document = {**SPEC, "repetition": {"until_decided": {"difference": 0.1}}}
    found = plan_at(work, owner, document, cluster.id).feasibility
    assert [one.cases for one in found.left_out] == [1]
    assert [one.code for one in found.obstacles] == ["nothing_left_to_decide"]
    experiment = library.create(work, owner, document)
    with pytest.raises(ObstacleError, match="nothing to decide"):
        start(work, owner, experiment.id, cluster.id)


def test_pairs_that_change_by_round_are_frozen_and_repeated_as_rotate(
    work: Work, owner: Principal
) -> None:
    experiment = library.create(work, owner, pairs_spec("rotate"))
    report = with_nodes(node_1=None, node_2=None, node_3=None, sick=None)
    cluster = make_cluster(work.session, owner, "u", capabilities=report)
    run = start(work, owner, experiment.id, cluster.id)
    cases = RunRepository(work.session, owner.organization_id).all_cases(run.id)
    assert all("node_pair" not in case.point for case in cases)
    before = [block.node_pair for block in read.plan(work, owner, run.id).blocks]
    assert set(run.spec["rotation"]) == {
        f"node-{one}~node-{other}" for one in "123" for other in "123" if one != other
    }
    # Nodes that come and go change nothing of it, and another run has an order of its own.
    cluster.capabilities = with_nodes(other=None, another=None)
    work.session.flush()
    assert [block.node_pair for block in read.plan(work, owner, run.id).blocks] == before
    again = repeat(work, owner, run.id, Changes(rounds=7))
    assert set(again.spec["rotation"]) == {"other~another", "another~other"}
    assert again.written["axes"]["node_pair"] == ["rotate"]

"""GET /overview: what each cluster costs, in one answer, in as many queries for any runs."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, select, update

from podmeter.db.models import Cluster, Run, RunCluster
from podmeter.db.repositories import runs
from podmeter.db.session import Sessions

from .conftest import LogIn
from .measured import Measured, Point, end_early, ladder, paths, service_scale, store, throughput

pytestmark = pytest.mark.services
OVERVIEW = "/api/v1/overview"


def on_one_cluster(sessions: Sessions, *run_ids: uuid.UUID) -> str:
    """Have all these runs be of the first one's cluster; its id."""
    with sessions.begin() as session:
        of_first = select(RunCluster.cluster_id).where(RunCluster.run_id == run_ids[0])
        cluster_id = session.scalars(of_first).one()
        session.execute(
            update(RunCluster).where(RunCluster.run_id.in_(run_ids)).values(cluster_id=cluster_id)
        )
    return str(cluster_id)


def test_the_latest_run_of_each_kind_tells_what_it_found(
    admin: TestClient, sessions: Sessions
) -> None:
    older = store(sessions, Measured(throughput(), paths))
    newer = store(sessions, Measured(throughput(), paths))
    scale = store(sessions, Measured(service_scale(), ladder))
    cluster_id = on_one_cluster(sessions, older, newer, scale)
    answer = admin.get(OVERVIEW)
    assert answer.status_code == 200, answer.text
    clusters = {one["cluster_id"]: one for one in answer.json()["clusters"]}
    found = {one["kind"]: one for one in clusters[cluster_id]["runs"]}
    assert {kind: one["run_id"] for kind, one in found.items()} == {
        "throughput": str(newer),
        "service_scale": str(scale),
    }
    for one in found.values():
        report = admin.get(f"/api/v1/runs/{one['run_id']}/summaries").json()
        # Of main metrics alone, nothing is recommended: the costs are not known.
        assert one["headline"] == {**report["headline"], "recommendation": []}
        assert one["finished_at"] == report["run"]["finished_at"]
    [loss] = found["throughput"]["losses"]
    assert loss["key"]["point"]["encapsulation"] == "vxlan"
    assert loss["key"]["against"]["path"] == "node-node"
    assert loss["low"] < loss["value"] < loss["high"]


def shown(admin: TestClient) -> list[str]:
    """The runs of the overview."""
    return [run["run_id"] for one in admin.get(OVERVIEW).json()["clusters"] for run in one["runs"]]


@pytest.mark.parametrize("modes", [["host-gw", "vxlan"], ["vxlan"], []])
def test_a_run_with_enough_rounds_goes_before_a_later_one_without(
    admin: TestClient, sessions: Sessions, modes: list[str]
) -> None:
    axes = {**throughput()["axes"], "encapsulation": modes}
    whole = throughput(axes={name: values for name, values in axes.items() if values})
    one_round = {**whole, "repetition": {"trials": 2, "rounds": 1}}
    decided = store(sessions, Measured(whole, paths, ago=timedelta(hours=1)))
    later = store(sessions, Measured(one_round, paths))
    on_one_cluster(sessions, decided, later)
    assert shown(admin) == [str(decided)]


def test_a_run_that_compares_its_modes_goes_before_a_later_one_that_lacks_a_mode(
    admin: TestClient, sessions: Sessions
) -> None:
    whole, later = (
        store(sessions, Measured(throughput(), paths, ago=timedelta(hours=ago))) for ago in (1, 0)
    )
    end_early(sessions, later, lambda block: block.modes["encapsulation"] == "vxlan")
    on_one_cluster(sessions, whole, later)
    assert shown(admin) == [str(whole)]


def test_rungs_of_one_mode_are_no_comparison(admin: TestClient, sessions: Sessions) -> None:
    whole, later = (
        store(sessions, Measured(service_scale(), ladder, ago=timedelta(hours=ago)))
        for ago in (1, 0)
    )
    end_early(sessions, later, lambda block: block.modes["kube_proxy_mode"] == "nftables")
    on_one_cluster(sessions, whole, later)
    assert shown(admin) == [str(whole)]


def test_a_ladder_with_decided_rungs_goes_before_an_older_small_run_that_is_whole(
    admin: TestClient, sessions: Sessions
) -> None:
    spec = service_scale()
    small = service_scale(axes={**spec["axes"], "services": [10, 1000]})
    older = store(sessions, Measured(small, ladder, ago=timedelta(hours=1)))
    later = store(sessions, Measured(spec, ladder))
    end_early(sessions, later, lambda block: block.modes["services"] == 2000)
    on_one_cluster(sessions, older, later)
    assert shown(admin) == [str(later)]


def test_only_the_last_few_runs_may_go_before_the_latest(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_MOST_LOOKED_AT", 1)
    whole, later = (
        store(sessions, Measured(throughput(), paths, ago=timedelta(hours=ago))) for ago in (1, 0)
    )
    end_early(sessions, later, lambda block: block.modes["encapsulation"] == "vxlan")
    on_one_cluster(sessions, whole, later)
    assert shown(admin) == [str(later)]


def test_the_curves_that_cross_are_drawn_with_where_they_cross(
    admin: TestClient, sessions: Sessions
) -> None:
    store(sessions, Measured(service_scale(), ladder))
    [cluster] = admin.get(OVERVIEW).json()["clusters"]
    [chart] = cluster["runs"][0]["curves"]
    keys = [row["key"] for row in chart["rows"]]
    assert {(key["metric"], key["unit"]) for key in keys} == {("requests_per_second", "1/s")}
    assert chart["axis"] == "services"
    assert [(key["point"]["kube_proxy_mode"], key["point"]["services"]) for key in keys] == [
        (mode, services) for mode in ("iptables", "nftables") for services in (10, 1000, 2000)
    ]
    assert all(row["n"] == 12 and row["low"] < row["value"] < row["high"] for row in chart["rows"])
    crossing = chart["crossing"]
    assert crossing["parameters"]["contender_leads_after"]
    assert 10 <= crossing["low"] < crossing["high"] <= 1000


def test_what_policies_cost_is_told_with_its_curve(admin: TestClient, sessions: Sessions) -> None:
    run = store(sessions, Measured(network_policy(), dearer_with_policies))
    [cluster] = admin.get(OVERVIEW).json()["clusters"]
    [found] = cluster["runs"]
    assert (found["kind"], found["run_id"]) == ("network_policy", str(run))
    said = {one["code"]: one["text"] for one in found["headline"]["sentences"]}
    assert re.search(r"is [\d.]+ times \[.* as high at 200 policies as at 0", said["rises_to"])
    (chart,) = (one for one in found["curves"] if one["rows"][0]["key"]["metric"] == "request_mean")
    values = chart["rows"]
    assert {(one["key"]["unit"], one["key"]["direction"]) for one in values} == {("s", "lower")}
    assert [one["key"]["point"][chart["axis"]] for one in values] == [0, 50, 200]
    assert all(one["low"] < one["value"] < one["high"] for one in values)
    assert values[0]["high"] < values[1]["low"] < values[1]["high"] < values[2]["low"]


def network_policy() -> dict[str, Any]:
    return {
        "name": "policies",
        "kind": "network_policy",
        "axes": {"policies": [0, 50, 200], "response_size": ["0.5k"], "keep_alive": ["off"]},
        "repetition": {"trials": 2, "rounds": 6},
    }


def dearer_with_policies(point: Point) -> dict[tuple[str, str], float]:
    if "response_size" not in point:
        return {("policy_convergence", ""): 1.0}
    return {("request_mean", ""): 1e-3 * (1 + int(point["policies"]) / 100)}


def test_a_run_that_compares_the_cluster_with_itself_is_not_what_it_costs(
    admin: TestClient, sessions: Sessions
) -> None:
    costs = store(sessions, Measured(throughput(), paths, ago=timedelta(hours=1)))
    axes = {"arm": ["a", "b"], "path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]}
    on_one_cluster(sessions, costs, store(sessions, Measured(throughput(axes=axes), paths)))
    assert shown(admin) == [str(costs)]


def test_more_clusters_take_no_more_queries(admin: TestClient, sessions: Sessions) -> None:
    store(sessions, Measured(throughput(), paths))
    with counted() as asked:
        admin.get(OVERVIEW)  # what is read once for all
        asked.clear()
        assert admin.get(OVERVIEW).status_code == 200
        with_one = len(asked)
        for uid in ("uid-2", "uid-3"):
            store(sessions, Measured(throughput(), paths, uid=uid))
        asked.clear()
        assert [len(one["runs"]) for one in admin.get(OVERVIEW).json()["clusters"]] == [1, 1, 1]
    assert with_one > 0
    assert len(asked) == with_one


def test_what_failed_and_what_was_measured_with_others_tells_nothing(
    admin: TestClient, sessions: Sessions
) -> None:
    failed, several = (store(sessions, Measured(throughput(), paths)) for _ in range(2))
    with sessions.begin() as session:
        session.execute(update(Run).where(Run.id == failed).values(outcome="failed", reason="away"))
        member = session.scalars(select(RunCluster).where(RunCluster.run_id == several)).one()
        owner, second = member.organization_id, session.scalars(select(Cluster.id)).first()
        session.add(
            RunCluster(
                name="b",
                cluster_id=second,
                cluster_uid="uid-2",
                organization_id=owner,
                run_id=several,
            )
        )
    assert [one["runs"] for one in admin.get(OVERVIEW).json()["clusters"]] == [[], []]


def test_it_is_of_one_s_own_organization(log_in: LogIn, sessions: Sessions) -> None:
    ours, theirs = log_in(), log_in(organization="theirs")
    store(sessions, Measured(throughput(), paths))
    assert len(ours.get(OVERVIEW).json()["clusters"]) == 1
    assert theirs.get(OVERVIEW).json() == {"clusters": []}


def test_more_runs_take_no_more_queries(admin: TestClient, sessions: Sessions) -> None:
    wanted = Measured(throughput(), paths)
    first = store(sessions, wanted)
    on_one_cluster(sessions, first)
    with counted() as asked:
        admin.get(OVERVIEW)  # what is read once for all
        asked.clear()
        assert admin.get(OVERVIEW).status_code == 200
        with_one = len(asked)
        on_one_cluster(
            sessions, first, *(store(sessions, replace(wanted, seed=seed)) for seed in (2, 3, 4))
        )
        asked.clear()
        assert admin.get(OVERVIEW).status_code == 200
    assert with_one > 0
    assert len(asked) == with_one


@contextmanager
def counted() -> Iterator[list[str]]:
    """What is asked of the database meanwhile."""
    asked: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", count)

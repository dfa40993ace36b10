"""GET /overview: what each cluster costs, in one answer, in as many queries for any runs."""

import uuid
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, select, update

from podmeter.db.models import Cluster, Run, RunCluster
from podmeter.db.session import Sessions

from .conftest import LogIn
from .measured import Measured, ladder, paths, service_scale, store, throughput

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
        assert 0 < len(one["findings"]) <= 4
        assert all(finding in report["findings"] for finding in one["findings"])
        assert one["finished_at"] == report["run"]["finished_at"]
    losses = [one for one in found["throughput"]["findings"] if one["code"] == "loss"]
    assert {"value", "low", "high"} <= losses[0]["evidence"]["loss"].keys()


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
    asked: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    def queries() -> int:
        asked.clear()
        assert admin.get(OVERVIEW).status_code == 200
        return len(asked)

    first = store(sessions, wanted)
    on_one_cluster(sessions, first)
    event.listen(Engine, "before_cursor_execute", count)
    try:
        queries()  # what is read once for all
        with_one = queries()
        on_one_cluster(
            sessions, first, *(store(sessions, replace(wanted, seed=seed)) for seed in (2, 3, 4))
        )
        assert with_one > 0
        assert queries() == with_one
    finally:
        event.remove(Engine, "before_cursor_execute", count)

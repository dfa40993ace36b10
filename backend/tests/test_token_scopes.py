"""Tokens that are held to one cluster or one experiment: nothing else of the organization is there.

Walked from the OpenAPI: an operation that is added is tried with what lies outside of the scope.
"""

import uuid
from dataclasses import astuple, replace
from datetime import timedelta
from typing import Any

import pytest
from core.tests.sampling import sampled
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import CaseRecord, Role, Run, RunCluster, Trial
from podmeter.db.session import Sessions

from .builders import SPEC, reach, register
from .conftest import Browser, LogIn, Program
from .everything import (
    ANY,
    OPERATIONS,
    Things,
    compared,
    put_first_in_place,
    put_in_place,
    requests_for,
)
from .measured import Measured, paths, store, throughput
from .test_isolation import PUBLIC, foreign_requests, stored
from .watched import Watched

pytestmark = pytest.mark.services

#: So many operations are tried in each walk; `make test-full` tries all.
TAKEN = 30
#: They let somebody in, or nobody any more, whatever they are sent.
NOT_TRIED = PUBLIC | {"log_in", "log_out", "start_sign_on"}
#: What a token is held to.
SCOPES = ("cluster", "experiment")
#: A token limited to an experiment reads clusters: a run needs one.
OF_CLUSTERS = {"list_clusters", "get_cluster", "list_fingerprints", "get_noise_floor", "get_rbac"}
OF_CLUSTERS |= {"plan_experiment", "get_cluster_marks", "search"}


@pytest.fixture
def own(admin: TestClient, sessions: Sessions) -> Things:
    """What tokens are held to, with a finished run of it; everything else takes long to make."""
    return with_a_run(admin, sessions, put_first_in_place(admin, sessions))


def with_a_run(admin: TestClient, sessions: Sessions, things: Things) -> Things:
    """With a finished run of its experiment on its cluster, a comparison and a link to that."""
    where: dict[str, Any] = {
        "cluster_id": uuid.UUID(things.cluster),
        "cluster": things.cluster_name,
    }
    owner = uuid.UUID(things.organization)
    run = store(sessions, Measured(throughput(), paths, organization=owner, **where))
    with sessions.begin() as session:
        session.get_one(Run, run).experiment_id = uuid.UUID(things.experiment)
        trial = session.scalars(select(Trial.id).where(Trial.run_id == run).limit(1)).one()
        case = session.scalars(select(CaseRecord.id).where(CaseRecord.run_id == run).limit(1)).one()
    comparison = admin.post("/api/v1/comparisons", json=compared(str(run))).json()["id"]
    shared = {"title": "of a comparison", "comparison_id": comparison}
    snapshot = admin.post("/api/v1/snapshots", json=shared).json()["id"]
    made: dict[str, Any] = {"run": str(run), "trial": trial, "case": case}
    return replace(things, comparison=comparison, snapshot=snapshot, **made)


def kept(sessions: Sessions) -> dict[str, str | None]:
    """A digest of each table, but for that of tokens: it says when one was used."""
    return {table: digest for table, digest in stored(sessions).items() if table != "api_tokens"}


def test_what_is_inside_of_a_scope_is_there_and_nothing_else_whatever_is_asked(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions, program: Program
) -> None:
    own = with_a_run(admin, sessions, put_in_place(admin, sessions))
    other = put_in_place(admin, sessions)
    for held_to in SCOPES:
        scope = {f"{held_to}_id": getattr(own, held_to)}
        nothing_outside_is_there(subtests, sessions, program(**scope), held_to, own, other)
        what_is_inside_is_there(subtests, program("viewer", **scope), held_to, own)


def nothing_outside_is_there(
    subtests: pytest.Subtests,
    sessions: Sessions,
    client: TestClient,
    held_to: str,
    own: Things,
    other: Things,
) -> None:
    theirs = {str(one) for one in set(astuple(other)) - set(astuple(own)) if len(str(one)) > 20}
    if held_to == "cluster":  # one that names no cluster is for any
        theirs.remove(other.experiment)
    watched = Watched(sessions, kept)
    before = watched.now()
    for operation in sampled(sorted(set(OPERATIONS) - NOT_TRIED), TAKEN):
        asked = foreign_requests(operation, other, own)
        if held_to == "experiment":
            asked = [] if operation in OF_CLUSTERS else asked[:1]
        for one in asked:
            with subtests.test(operation, held_to=held_to, asked=one):
                answer = one.send(client, operation)
                if answer.status_code == 200:
                    assert OPERATIONS[operation][0] == "GET"
                else:
                    refused = answer.status_code == 422 and "no such" in answer.text
                    assert refused or answer.status_code in (403, 404), answer.text
                assert [thing for thing in theirs if thing in answer.text] == []
                assert watched.now() == before


def test_a_scope_creates_no_experiment_under_a_slug(
    own: Things, program: Program, admin: TestClient
) -> None:
    new = {"If-None-Match": "*"}
    for held_to in SCOPES:
        client = program(**{f"{held_to}_id": getattr(own, held_to)})
        assert client.put("/api/v1/experiments/new", json=SPEC, headers=new).status_code == 403
    assert admin.get("/api/v1/experiments/new").status_code == 404


def what_is_inside_is_there(
    subtests: pytest.Subtests, client: TestClient, held_to: str, own: Things
) -> None:
    """So that a 404 for everything would not look like a scope."""
    inside = {"{run_id}", "{comparison_id}", f"{{{held_to}_id}}"}
    reads = [
        operation
        for operation, (method, path) in OPERATIONS.items()
        if method == "GET" and any(one in path for one in inside)
    ]
    requests = requests_for(own)
    for operation in sampled(reads, TAKEN):
        with subtests.test(operation, held_to=held_to):
            answer = requests[operation].send(client, operation)
            assert answer.status_code == 200, answer.text
    for things, one in (
        (f"{held_to}s", getattr(own, held_to)),
        ("runs", own.run),
        ("comparisons", own.comparison),
        ("snapshots", own.snapshot),
    ):
        with subtests.test(things, held_to=held_to):
            items = client.get(f"/api/v1/{things}").json()["items"]
            assert [item["id"] for item in items] == [one]


def test_what_is_outside_of_the_scope_is_not_found_either(
    admin: TestClient, sessions: Sessions, own: Things, program: Program
) -> None:
    owner = uuid.UUID(own.organization)
    outside = store(sessions, Measured(throughput(), paths, organization=owner))
    for run, tag in ((own.run, "inside"), (outside, "outside")):
        path = f"/api/v1/runs/{run}/marks"
        assert admin.patch(path, json={"tags": [tag]}, headers=ANY).status_code == 200

    def found(client: TestClient, words: str) -> list[str]:
        items = client.get("/api/v1/search", params={"q": words}).json()["items"]
        return [one["id"] for one in items if one["thing"] == "run"]

    for held_to in SCOPES:
        client = program("viewer", **{f"{held_to}_id": getattr(own, held_to)})
        assert (found(client, "inside"), found(client, "outside")) == ([own.run], [])
        tags = client.get("/api/v1/tags").json()["items"]
        assert [(one["tag"], one["count"]) for one in tags] == [("inside", 1)]
    assert found(admin, "outside") == [str(outside)]


def test_the_run_before_is_one_inside_of_the_scope(
    own: Things, program: Program, sessions: Sessions
) -> None:
    """Another run of the experiment, on the same real cluster by another registration of it."""
    where: dict[str, Any] = {"cluster_id": uuid.UUID(own.switched_cluster), "cluster": "again"}
    owner, earlier = uuid.UUID(own.organization), timedelta(days=1)
    measured = Measured(throughput(), paths, organization=owner, ago=earlier, **where)
    run = store(sessions, measured)
    with sessions.begin() as session:
        session.get_one(Run, run).experiment_id = uuid.UUID(own.experiment)
    path = f"/api/v1/runs/{own.run}/changes"
    of_experiment = program("viewer", experiment_id=own.experiment).get(path).json()
    assert of_experiment["since"]["run_id"] == str(run)
    of_cluster = program("viewer", cluster_id=own.cluster).get(path)
    assert (of_cluster.status_code, of_cluster.json()["since"]) == (200, None)


def test_a_run_is_started_read_and_cancelled_where_the_token_reaches(
    own: Things, program: Program
) -> None:
    for scope in ({"cluster_id": own.cluster}, {"experiment_id": own.experiment}):
        client = program("operator", **scope)
        asked = requests_for(own)["create_run"]
        run = asked.send(client, "create_run")
        assert run.status_code == 202, run.text
        path = f"/api/v1/runs/{run.json()['id']}"
        assert client.get(path).status_code == 200
        assert client.post(f"{path}/cancel").status_code == 202
        assert client.delete(path).status_code == 204


def test_a_role_limits_a_token_inside_of_its_scope_too(own: Things, program: Program) -> None:
    client = program("viewer", cluster_id=own.cluster)
    assert requests_for(own)["create_run"].send(client, "create_run").status_code == 403
    assert client.post(f"/api/v1/clusters/{own.cluster}/preflight").status_code == 403


def test_a_token_of_an_experiment_that_starts_no_run_reads_no_cluster(
    admin: TestClient, own: Things, program: Program
) -> None:
    """An operator's does, to choose where a run measures."""
    path = f"/api/v1/clusters/{own.cluster}"
    marked = admin.patch(f"{path}/marks", json={"tags": ["of-cluster"]}, headers=ANY)
    assert marked.status_code == 200
    reads = [path, f"{path}/fingerprints", f"{path}/noise-floor", f"{path}/marks"]
    rbac = f"/api/v1/rbac?cluster_id={own.cluster}"

    def lists(client: TestClient) -> list[Any]:
        asked = ["clusters", f"search?q={own.cluster_name}", "tags"]
        found = [client.get(f"/api/v1/{one}").json()["items"] for one in asked]
        return [[one for one in items if one.get("thing") != "run"] for items in found]

    operator, viewer = (
        program(one, experiment_id=own.experiment) for one in ("operator", "viewer")
    )
    assert {operator.get(one).status_code for one in (*reads, rbac)} == {200}
    assert [] not in lists(operator)
    assert {viewer.get(one).status_code for one in (*reads, rbac)} == {404}
    assert lists(viewer) == [[], [], []]
    plan = "/api/v1/experiments/plan"
    on_cluster = viewer.post(plan, params={"cluster_id": own.cluster}, json=SPEC)
    assert on_cluster.status_code == 404
    assert viewer.post(plan, json=SPEC).status_code == 200
    of_run = f"/api/v1/runs/{own.run}/plan"
    assert viewer.get(of_run).json() == admin.get(of_run).json()


def test_a_run_that_measured_another_cluster_too_is_outside(
    own: Things, program: Program, sessions: Sessions
) -> None:
    client = program(cluster_id=own.cluster)
    paths_of = ["", "/summaries", "/export", "/cases", "/log"]
    assert {client.get(f"/api/v1/runs/{own.run}{one}").status_code for one in paths_of} == {200}
    with sessions.begin() as session:
        another = RunCluster(
            organization_id=uuid.UUID(own.organization),
            run_id=uuid.UUID(own.run),
            name="another",
            cluster_id=uuid.UUID(own.switched_cluster),
            cluster_uid="another",
        )
        session.add(another)
    assert {client.get(f"/api/v1/runs/{own.run}{one}").status_code for one in paths_of} == {404}
    assert client.get(f"/api/v1/comparisons/{own.comparison}").status_code == 404
    assert client.get("/api/v1/snapshots").json()["items"] == []


def test_an_experiment_that_names_another_cluster_is_outside(
    admin: TestClient, own: Things, program: Program
) -> None:
    def named(*clusters: str) -> str:
        axes = {**SPEC["axes"], "cluster": list(clusters)}
        made = admin.post("/api/v1/experiments", json={**SPEC, "axes": axes})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    inside, outside = named(own.cluster_name), named(own.cluster_name, "another")
    client = program(cluster_id=own.cluster)
    assert client.get(f"/api/v1/experiments/{inside}").status_code == 200
    assert client.get(f"/api/v1/experiments/{outside}").status_code == 404
    assert client.post(f"/api/v1/experiments/{outside}/runs", json={}).status_code == 404


def test_an_answer_that_was_kept_is_given_to_no_token_that_does_not_reach_it(
    admin: TestClient, own: Things, program: Program, sessions: Sessions
) -> None:
    other = register(admin, "other")["id"]
    reach(sessions, other, "other")
    client = program(cluster_id=own.cluster)
    asked = replace(requests_for(own)["create_run"], body={"cluster_id": other})
    asked = replace(asked, headers={"Idempotency-Key": "once"})
    assert asked.send(admin, "create_run").status_code == 202
    assert asked.send(client, "create_run").status_code == 422


def test_a_token_is_gone_with_what_it_is_held_to(
    admin: TestClient, own: Things, program: Program
) -> None:
    client = program(experiment_id=own.experiment)
    assert client.get("/api/v1/me").status_code == 200
    any_version = {"If-Match": "*"}
    path = f"/api/v1/experiments/{own.experiment}"
    assert admin.delete(path, headers=any_version).status_code == 204
    assert client.get("/api/v1/me").status_code == 401


def test_a_token_is_held_to_one_thing(admin: TestClient, own: Things) -> None:
    both = {"cluster_id": own.cluster, "experiment_id": own.experiment}
    answer = admin.post("/api/v1/tokens", json={"name": "x", **both})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"]["code"] == "token_two_scopes"
    made = admin.post("/api/v1/tokens", json={"name": "x", "cluster_id": own.cluster}).json()
    assert (made["cluster_id"], made["experiment_id"]) == (own.cluster, None)


def test_administrators_see_and_revoke_everybodys(
    admin: TestClient, log_in: LogIn, browser: Browser, program: Program
) -> None:
    operator = log_in(Role.OPERATOR)
    made: dict[str, Any] = operator.post("/api/v1/tokens", json={"name": "theirs"}).json()
    stranger = log_in(organization="theirs")
    stranger.post("/api/v1/tokens", json={"name": "elsewhere"})
    listed = admin.get("/api/v1/tokens", params={"everyones": True}).json()["items"]
    assert [(one["name"], one["email"]) for one in listed] == [("theirs", "operator@ours.example")]
    assert admin.get("/api/v1/tokens").json()["items"] == []
    assert operator.get("/api/v1/tokens", params={"everyones": True}).status_code == 403
    client = browser()
    client.headers["Authorization"] = f"Bearer {made['token']}"
    assert client.get("/api/v1/me").status_code == 200
    path = f"/api/v1/tokens/{made['id']}"
    # What leaked must not take tokens away, an administrator's or of its own user either.
    mate = operator.post("/api/v1/tokens", json={"name": "another of theirs"}).json()
    other = browser()
    other.headers["Authorization"] = f"Bearer {mate['token']}"
    for nobody in (stranger, program("admin"), other):
        assert nobody.delete(path).status_code == 404
    assert other.delete(f"/api/v1/tokens/{mate['id']}").status_code == 204
    assert other.get("/api/v1/me").status_code == 401
    assert admin.delete(path).status_code == 204
    assert client.get("/api/v1/me").status_code == 401


def test_a_viewer_s_token_deletes_no_comparison(
    admin: TestClient, own: Things, program: Program, log_in: LogIn
) -> None:
    """Its user may, who made it."""
    path = f"/api/v1/comparisons/{own.comparison}"
    assert program("viewer").delete(path).status_code == 403
    viewer = log_in(Role.VIEWER)
    assert viewer.delete(path).status_code == 403
    made = viewer.post("/api/v1/comparisons", json=compared(own.run)).json()["id"]
    assert viewer.delete(f"/api/v1/comparisons/{made}").status_code == 204
    assert program("operator").delete(path).status_code == 204


def test_what_is_outside_of_the_scope_is_not_shared_either(
    admin: TestClient, own: Things, program: Program
) -> None:
    """A program reads experiments, or clusters, to say what is to run where, and no more."""
    made = {
        name: admin.post(
            "/api/v1/snapshots", json={"title": name, f"{name}_id": getattr(own, name)}
        )
        for name in ("cluster", "experiment")
    }
    assert {one.status_code for one in made.values()} == {201}
    for held_to, other in (("cluster", "experiment"), ("experiment", "cluster")):
        client = program("operator", **{f"{held_to}_id": getattr(own, held_to)})
        titles = {one["title"] for one in client.get("/api/v1/snapshots").json()["items"]}
        assert titles == {held_to, "of a comparison"}
        for path in ("", "/preview"):
            body = {"title": "mine", f"{other}_id": getattr(own, other)}
            assert client.post(f"/api/v1/snapshots{path}", json=body).status_code == 404
        revoked = client.delete(f"/api/v1/snapshots/{made[other].json()['id']}")
        assert revoked.status_code == 404
        body = {"title": "mine", f"{held_to}_id": getattr(own, held_to)}
        assert client.post("/api/v1/snapshots", json=body).status_code == 201


def test_articles_beside_runs_are_inside_where_all_of_the_runs_are(
    admin: TestClient, sessions: Sessions, own: Things, program: Program
) -> None:
    outside = store(sessions, Measured(throughput(), paths))

    def asked(title: str, *runs: str) -> dict[str, Any]:
        one = {"reference_id": "cilium-native-routing-2023", "run_ids": list(runs)}
        return {"title": title, "reproduction": [one]}

    for body in (asked("mine", own.run), asked("of both", own.run, str(outside))):
        assert admin.post("/api/v1/snapshots", json=body).status_code == 201
    for held_to in SCOPES:
        client = program("operator", **{f"{held_to}_id": getattr(own, held_to)})
        titles = {one["title"] for one in client.get("/api/v1/snapshots").json()["items"]}
        assert "mine" in titles
        assert "of both" not in titles
        assert client.post("/api/v1/snapshots", json=asked("a", own.run)).status_code == 201
        other = asked("b", own.run, str(outside))
        assert client.post("/api/v1/snapshots", json=other).status_code == 404

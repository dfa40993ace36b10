"""Two organizations: neither sees, uses or changes anything of the other, whatever is asked.

Every operation of the API belongs to one of the sets below; a new operation must be added there,
and each of its parameters that refers to something must be tried with another's.
"""

import uuid
from collections.abc import Iterator
from dataclasses import astuple, replace
from datetime import timedelta
from typing import Any

import pytest
from core.tests.sampling import sampled
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update

from podmeter.db.base import Base
from podmeter.db.models import Membership, Role, Run, User
from podmeter.db.session import Sessions

from .builders import SPEC
from .conftest import LogIn
from .everything import (
    ANY,
    DOCUMENT,
    OPERATIONS,
    Asked,
    Things,
    compared,
    nothing,
    put_first_in_place,
    put_in_place,
    requests_for,
)
from .measured import Measured, Point, paths, store, throughput
from .watched import Watched

pytestmark = pytest.mark.services

#: They refer to nothing that is there.
REFERRING_TO_NOTHING = {
    *("log_in", "log_out", "get_me", "get_overview", "list_kinds"),
    *(
        "list_references",
        "get_reference",
        "list_templates",
        "list_tags",
        "search",
        "get_latest_changes",
    ),
    *("preview_import", "create_import"),
    *("create_cluster", "create_experiment"),
    *("change_password", "delete_sessions", "list_sessions", "list_own_organizations"),
    *("create_organization", "get_organization", "update_organization", "create_invitation"),
    *("export_audit", "get_sign_on", "start_sign_on"),
}
#: Anyone who has the link may; that it cannot be guessed is for test_snapshots and
#: test_invitations.
#: Whom the provider lets in is for test_sign_on, and which jobs an issuer vouches for is for
#: test_ci.
PUBLIC = {
    *("get_public_snapshot", "export_public_snapshot"),
    *("read_invitation", "accept_invitation", "read_password_reset", "use_password_reset"),
    *("finish_sign_on", "exchange_ci_token"),
}
LISTS = {"list_clusters", "list_experiments", "list_snapshots", "list_tokens"}
LISTS |= {"list_members", "list_invitations", "list_audit", "list_ci_trusts"}
LISTS |= {"list_runs", "list_comparisons"}
#: These lists can be asked for what belongs to something.
FILTERED = {"list_runs", "list_comparisons"}
#: What others published, which is everybody's to compare with.
PUBLISHED = {"reference_id"}
#: About the caller's own account, wherever it is a member.
OWN_ACCOUNT = {"switch_organization", "leave_organization", "delete_session"}
REFERRING = set(OPERATIONS) - REFERRING_TO_NOTHING - PUBLIC - (LISTS - FILTERED)


def foreign_requests(operation: str, foreign: Things, own: Things) -> list[Asked]:
    """Requests of an organization in which one thing, or all, are another's."""
    own_run = {"run_id": own.run}
    beside = {"reference_id": "flannel-qperf", "run_ids": [own.run, foreign.run]}
    mixed = {
        "create_run": [
            Asked({"experiment_id": own.experiment}, body={"cluster_id": foreign.cluster})
        ],
        "create_token": [Asked(body={"name": "theirs", "experiment_id": foreign.experiment})],
        "list_runs": [
            Asked(query={"experiment_id": foreign.experiment}),
            Asked(query={"cluster_id": foreign.cluster}),
        ],
        "list_comparisons": [Asked(query={"run_id": foreign.run})],
        "list_trials": [Asked(own_run, query={"case_id": foreign.case})],
        "list_measurements": [Asked(own_run, query={"case_id": foreign.case})],
        "get_trial": [Asked({**own_run, "trial_id": foreign.trial})],
        "get_run_changes": [Asked(own_run, query={"since_run_id": foreign.run})],
        "create_comparison": [
            Asked(body={**compared(own.run), "baseline": {"run_id": foreign.run}}),
            Asked(body={**compared(own.run), "contenders": compared(foreign.run)["contenders"]}),
            Asked(body=compared(own.run, foreign.case)),
        ],
        "preview_snapshot": [
            Asked(body={"title": "theirs", "comparison_id": foreign.comparison}),
            Asked(body={"title": "theirs", "experiment_id": foreign.experiment}),
            Asked(body={"title": "theirs", "cluster_id": foreign.cluster}),
            Asked(body={"title": "theirs", "reproduction": [beside]}),
        ],
        "create_snapshot": [
            Asked(body={"title": "theirs", "run_id": foreign.run}),
            Asked(body={"title": "theirs", "experiment_id": foreign.experiment}),
            Asked(body={"title": "theirs", "cluster_id": foreign.cluster}),
            Asked(body={"title": "theirs", "reproduction": [beside]}),
        ],
    }
    return [requests_for(foreign)[operation], *mixed.get(operation, [])]


def stored(sessions: Sessions) -> dict[str, str | None]:
    """A digest of each table (None of an empty one), but for when who asks was seen last."""
    with sessions() as session:
        return {row.name: row.digest for row in session.execute(_DIGESTS)}


_DIGESTS = text(
    " UNION ALL ".join(
        f"SELECT '{table}' AS name, md5(string_agg(kept, ' ' ORDER BY kept)) AS digest FROM "
        f"(SELECT (to_jsonb(row) - 'last_seen_at')::text AS kept FROM {table} AS row) AS {table}"
        for table in Base.metadata.tables
    )
)


#: So many operations are tried in a walk; `make test-full` tries all.
TAKEN = 30


def mentioned(text: str, things: Things) -> list[str]:
    return [one for one in map(str, astuple(things)) if len(one) > 20 and one in text]


@pytest.fixture
def ours(admin: TestClient, sessions: Sessions) -> Things:
    return put_in_place(admin, sessions)


@pytest.fixture
def stranger(log_in: LogIn) -> TestClient:
    return log_in(organization="theirs")


@pytest.fixture
def theirs(stranger: TestClient, sessions: Sessions) -> Things:
    return put_in_place(stranger, sessions, "theirs")


@pytest.fixture
def in_both(stranger: TestClient, sessions: Sessions, ours: Things) -> TestClient:
    """Their administrator, who administers ours too, and acts in theirs."""
    with sessions.begin() as session:
        email = stranger.get("/api/v1/me").json()["email"]
        user = session.scalars(select(User).where(User.email == email)).one()
        our = uuid.UUID(ours.organization)
        session.add(Membership(organization_id=our, user_id=user.id, role=Role.ADMIN))
    return stranger


@pytest.mark.parametrize("who", ["stranger", "in_both"])
def test_what_another_organization_has_is_not_there(
    request: pytest.FixtureRequest,
    subtests: pytest.Subtests,
    admin: TestClient,
    sessions: Sessions,
    ours: Things,
    theirs: Things,
    who: str,
) -> None:
    """All in one test: two organizations with one of everything take long to put in place."""
    stranger: TestClient = request.getfixturevalue(who)
    if who == "stranger":  # once: nothing of it is about the other one
        what_is_ours_is_ours_to_use(subtests, admin, ours)
    not_the_callers = REFERRING - (OWN_ACCOUNT if who == "in_both" else set())
    nothing_of_ours_is_there(subtests, stranger, sessions, not_the_callers, ours, theirs)
    lists_have_the_callers_own_alone(subtests, stranger, admin, ours, theirs)
    with subtests.test("search and tags"):
        search_and_tags_know_the_callers_own_alone(stranger, admin, ours)
    repeated(sessions, ours)
    of_all = TELLING_OF_ALL - (TELLING_OF_THE_CALLER if who == "in_both" else set())
    what_is_told_of_all_is_of_the_callers_own_alone(subtests, stranger, admin, of_all, ours, theirs)


def what_is_ours_is_ours_to_use(subtests: pytest.Subtests, admin: TestClient, ours: Things) -> None:
    """So that a 404 for everybody would not look like isolation."""
    for operation in sorted(REFERRING & {name for name in OPERATIONS if is_read(name)}):
        with subtests.test("ours", operation=operation):
            assert requests_for(ours)[operation].send(admin, operation).status_code == 200


def is_read(operation: str) -> bool:
    return OPERATIONS[operation][0] == "GET"


def nothing_of_ours_is_there(
    subtests: pytest.Subtests,
    stranger: TestClient,
    sessions: Sessions,
    operations: set[str],
    ours: Things,
    theirs: Things,
) -> None:
    watched = Watched(sessions, stored)
    before = watched.now()
    for operation in sampled(sorted(operations), TAKEN):
        asked = foreign_requests(operation, ours, theirs)
        nowhere = foreign_requests(operation, ours.absent(), theirs)
        for one, absent in zip(asked, nowhere, strict=True):
            with subtests.test(operation, asked=one):
                answer = one.send(stranger, operation)
                if answer.status_code == 200:
                    assert answer.json()["items"] == []
                else:
                    # In a body a thing that is not there is a fault of the body.
                    fault = answer.status_code == 422 and "no such" in answer.text
                    assert fault or answer.status_code == 404, answer.text
                    assert answer.json() == absent.send(stranger, operation).json()
                assert mentioned(answer.text, ours) == []
                assert watched.now() == before


def lists_have_the_callers_own_alone(
    subtests: pytest.Subtests,
    stranger: TestClient,
    admin: TestClient,
    ours: Things,
    theirs: Things,
) -> None:
    for operation in sorted(LISTS):
        with subtests.test("list", operation=operation):
            assert mentioned(Asked().send(admin, operation).text, ours)
            first = Asked(query={"limit": 1}).send(admin, operation).json()
            for cursor in {first["next_cursor"], None}:
                query = {"limit": 200} | ({"cursor": cursor} if cursor else {})
                answer = Asked(query=query).send(stranger, operation)
                assert answer.status_code == 200
                assert mentioned(answer.text, ours) == []
                assert cursor or mentioned(answer.text, theirs)


def search_and_tags_know_the_callers_own_alone(
    stranger: TestClient, admin: TestClient, ours: Things
) -> None:
    favourite = Asked({"run_id": ours.run}, body={"favourite": True})
    assert favourite.send(admin, "set_run_favourite").status_code == 204
    cluster = Asked({"cluster_id": ours.cluster}, body={"tags": ["secret-tag"]}, headers=ANY)
    assert cluster.send(admin, "update_cluster_marks").status_code == 200
    for words in ("ours", "secret-tag", "two paths", "succeeded", "cluster"):
        asked = Asked(query={"q": words, "limit": 50})
        assert mentioned(asked.send(admin, "search").text, ours)
        found = asked.send(stranger, "search")
        assert found.status_code == 200
        assert mentioned(found.text, ours) == []
    assert "secret-tag" in Asked().send(admin, "list_tags").text
    assert "secret-tag" not in Asked().send(stranger, "list_tags").text


#: They tell of all that the caller's organization has, and are asked for nothing of it.
TELLING_OF_ALL = {
    *("get_overview", "get_latest_changes", "get_organization", "export_audit"),
    *("get_me", "list_sessions", "list_own_organizations"),
}
#: About the caller, who may be in both.
TELLING_OF_THE_CALLER = {"list_own_organizations"}


def what_is_told_of_all_is_of_the_callers_own_alone(
    subtests: pytest.Subtests,
    stranger: TestClient,
    admin: TestClient,
    operations: set[str],
    ours: Things,
    theirs: Things,
) -> None:
    for operation in sorted(operations):
        with subtests.test("told of all", operation=operation):
            mine = requests_for(ours)[operation].send(admin, operation)
            answer = requests_for(theirs)[operation].send(stranger, operation)
            assert mine.status_code == answer.status_code == 200
            assert mentioned(answer.text, ours) == []
            assert mentioned(mine.text, ours), mine.text


def repeated(sessions: Sessions, things: Things) -> None:
    """Two runs of its experiment on its cluster, the later one otherwise."""
    first = Measured(
        throughput(),
        paths,
        organization=uuid.UUID(things.organization),
        cluster_id=uuid.UUID(things.cluster),
        ago=timedelta(days=2),
    )
    found = [
        store(sessions, one) for one in (first, replace(first, measure=mended, ago=timedelta()))
    ]
    with sessions.begin() as session:
        session.execute(
            update(Run).where(Run.id.in_(found)).values(experiment_id=uuid.UUID(things.experiment))
        )


def mended(point: Point) -> dict[tuple[str, str], float]:
    """VXLAN costs nothing any more."""
    return paths({**point, "encapsulation": "host-gw"})


def test_a_run_cannot_be_started_on_a_cluster_of_anothers_by_its_name(
    admin: TestClient, stranger: TestClient, sessions: Sessions
) -> None:
    ours = put_first_in_place(admin, sessions)
    theirs = put_first_in_place(stranger, sessions, "theirs")
    said = []
    for name in (ours.cluster_name, ours.absent().cluster_name):
        spec = {**SPEC, "axes": {**SPEC["axes"], "cluster": [theirs.cluster_name, name]}}
        experiment = stranger.post("/api/v1/experiments", json=spec).json()["id"]
        before = stored(sessions)
        answer = stranger.post(f"/api/v1/experiments/{experiment}/runs", json={})
        assert 400 <= answer.status_code < 500
        assert stored(sessions) == before
        said.append(answer.text.replace(name, "it"))
    assert said[0] == said[1]


def test_every_operation_and_every_reference_is_tried() -> None:
    ours, theirs = nothing(), nothing()
    classified = REFERRING | REFERRING_TO_NOTHING | PUBLIC | LISTS
    assert set(OPERATIONS) == classified == set(requests_for(ours))
    for operation in OPERATIONS:
        tried: set[str] = set()
        if operation in REFERRING:
            for asked in foreign_requests(operation, ours, theirs):
                tried |= {*asked.path, *asked.query, *names_in(asked.body)}
        elif operation in PUBLIC:
            tried = {"token", "trust_id"}
        assert references(operation) <= tried | PUBLISHED, operation


def references(operation: str) -> set[str]:
    """The parameters and fields of the body that name something by its id."""
    method, path = OPERATIONS[operation]
    described = DOCUMENT["paths"][path][method.lower()]
    found = {
        one["name"]
        for one in described.get("parameters", [])
        if one["in"] == "path" or refers(one["name"], one["schema"])
    }
    for content in described.get("requestBody", {}).get("content", {}).values():
        found |= {name for name, schema in properties(content["schema"]) if refers(name, schema)}
    return found


def refers(name: str, schema: dict[str, Any]) -> bool:
    return name.endswith("_id") or "uuid" in str(schema)


def properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of a body, however deep."""
    if isinstance(schema, list):
        for one in schema:
            yield from properties(one)
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield from properties(DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/")[-1]])
    for key, inner in schema.items():
        if key == "properties":
            yield from inner.items()
        yield from properties(list(inner.values()) if key == "properties" else inner)


def names_in(body: Any) -> set[str]:
    if isinstance(body, list):
        return {name for one in body for name in names_in(one)}
    if not isinstance(body, dict):
        return set()
    return set(body) | {name for one in body.values() for name in names_in(one)}

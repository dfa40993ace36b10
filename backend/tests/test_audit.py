"""The audit log: one entry of each operation that changes something, none of any other request."""

import csv
import io
import json
import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
import redis
from core.tests.sampling import sampled
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from sqlalchemy import QueuePool, func, select
from starlette.responses import StreamingResponse
from starlette.types import Message, Send

from podmeter.db.base import now
from podmeter.db.models import AuditEntry, Cluster, Role, User, Via
from podmeter.db.session import Sessions
from podmeter.services.work import Work
from podmeter.settings import Settings
from podmeter_api import unit_of_work
from podmeter_api.audited import note
from podmeter_api.callers import Caller
from podmeter_api.lanes import Lane
from podmeter_api.process import behind_proxies
from podmeter_api.refusals import MOST_ENTRIES, counted_refusals
from podmeter_api.security import CSRF_HEADER
from podmeter_api.state import AppState

from .builders import SPEC, kubeconfig
from .conftest import ORIGIN, PASSWORD, Browser, LogIn
from .everything import DOCUMENT, OPERATIONS, Things, put_in_place, requests_for, uses_up

pytestmark = pytest.mark.services

#: So many of the operations that change something are walked in `make test`.
CHANGING = 8
#: They are done to anyone who does them.
TO_ONESELF = {"log_in", "log_out", "change_password", "delete_sessions", "use_password_reset"}
#: Whose log it is then, where not of the organization that the caller acts in.
ELSEWHERE = {"create_organization", "leave_organization", "use_password_reset"}


def stored(sessions: Sessions, after: int = 0) -> Sequence[AuditEntry]:
    """All entries with a higher number, the first first."""
    with sessions() as session:
        query = select(AuditEntry).where(AuditEntry.id > after).order_by(AuditEntry.id)
        return session.scalars(query).all()


def last(sessions: Sessions) -> int:
    with sessions() as session:
        return session.scalar(select(func.max(AuditEntry.id))) or 0


def changing(operation: str) -> bool:
    method, path = OPERATIONS[operation]
    return method != "GET" and "x-changes-nothing" not in DOCUMENT["paths"][path][method.lower()]


def enter(client: TestClient, email: str) -> None:
    answer = client.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD})
    client.headers[CSRF_HEADER] = answer.json()["csrf_token"]


def test_every_operation_that_changes_something_leaves_one_entry(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions
) -> None:
    shared = put_in_place(admin, sessions)
    tried = {one for one in OPERATIONS if not changing(one)}
    tried |= set(sampled((one for one in OPERATIONS if changing(one)), CHANGING))
    for operation in (one for one in OPERATIONS if one in tried):
        enter(admin, shared.email)  # what was tried before may have ended the session
        things = put_in_place(admin, sessions) if uses_up(operation) else shared
        asked = requests_for(things)[operation]
        with subtests.test(operation):
            before = last(sessions)
            answer = asked.send(admin, operation)
            assert 200 <= answer.status_code < 300, answer.text
            new = stored(sessions, before)
            assert [one.operation for one in new] == [operation] * changing(operation)
            for entry in new:
                check(entry, things, asked.path, secrets_of(things, asked.body, answer))


def check(entry: AuditEntry, things: Things, path: dict[str, Any], secrets: list[str]) -> None:
    own = entry.organization_id == uuid.UUID(things.organization)
    assert own or entry.operation in ELSEWHERE
    assert not entry.refused
    assert "@" in entry.who
    assert entry.user_id is not None
    assert entry.address == "testclient"
    assert (entry.object_kind is None) == (entry.operation in TO_ONESELF)
    if entry.object_kind is not None:
        assert entry.object_id
    # An operation on one thing says which; one that makes another of it names the new one.
    makes = OPERATIONS[entry.operation][0] == "POST"
    assert makes or [str(one) for one in path.values()] in ([], [entry.object_id])
    told = repr({column.key: getattr(entry, column.key) for column in AuditEntry.__table__.columns})
    assert [one for one in secrets if one in told] == []


def secrets_of(things: Things, body: Any, answer: Any) -> list[str]:
    """What lets somebody in, in a request or in its answer."""
    given = body if isinstance(body, dict) else {}
    found = [PASSWORD, things.invitation_link, things.reset_link, things.snapshot_token]
    found += [given[name] for name in ("token", "kubeconfig", "code", "state") if name in given]
    answered = answer.json() if answer.content and "json" in answer.headers["content-type"] else {}
    for name in ("token", "link", "csrf_token"):
        found += [answered[name]] if answered.get(name) else []
    return found


def test_what_is_refused_leaves_none(
    subtests: pytest.Subtests, admin: TestClient, log_in: LogIn, sessions: Sessions
) -> None:
    things = put_in_place(admin, sessions)
    viewer = log_in(Role.VIEWER)
    experiment = f"/api/v1/experiments/{things.experiment}"
    refused: dict[int, Callable[[], Any]] = {
        403: lambda: viewer.post("/api/v1/experiments", json=SPEC),
        404: lambda: admin.post(f"/api/v1/runs/{uuid.uuid4()}/cancel"),
        409: lambda: admin.post(f"/api/v1/runs/{things.run}/cancel"),
        412: lambda: admin.delete(experiment, headers={"If-Match": '"77"'}),
        422: lambda: admin.post("/api/v1/experiments", json={"name": "no kind"}),
        428: lambda: admin.delete(experiment),
    }
    before = last(sessions)
    for status, ask in refused.items():
        with subtests.test(str(status)):
            assert ask().status_code == status
            assert stored(sessions, before) == []


def test_a_request_that_is_repeated_with_its_key_leaves_one(
    admin: TestClient, sessions: Sessions
) -> None:
    before = last(sessions)
    key = {"Idempotency-Key": "once"}
    answers = [admin.post("/api/v1/tokens", json={"name": "t"}, headers=key) for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 201]
    assert [one.operation for one in stored(sessions, before)] == ["create_token"]


def test_logins_that_fail_are_told_from_those_that_do_not(
    browser: Browser, add_user: Callable[..., User], sessions: Sessions
) -> None:
    user = add_user("ada@ours.example")
    client = browser()
    typed = {"ada@ours.example": "wrong password", "hunter2@nowhere.example": "x"}
    for email, password in typed.items():
        body = {"email": email, "password": password}
        assert client.post("/api/v1/auth/login", json=body).status_code == 401
    enter(client, "ada@ours.example")
    known, unknown, entered = stored(sessions)
    assert [one.operation for one in (known, unknown, entered)] == ["log_in"] * 3
    assert [one.refused for one in (known, unknown, entered)] == [True, True, False]
    assert {one.via for one in (known, unknown, entered)} == {Via.PASSWORD}
    assert (known.user_id, known.organization_id) == (user.id, entered.organization_id)
    # What was typed for an address may have been a password.
    assert (unknown.who, unknown.user_id, unknown.organization_id) == ("", None, None)


def test_logins_that_fail_without_end_leave_few_entries(
    browser: Browser, add_user: Callable[..., User], sessions: Sessions
) -> None:
    """Each had one, so that a stranger filled the table as fast as they could ask."""
    add_user("ada@ours.example")
    client = browser()
    for number in range(12):
        body = {"email": f"nobody{number}@nowhere.example", "password": "x"}
        assert client.post("/api/v1/auth/login", json=body).status_code == 401
    body = {"email": "ada@ours.example", "password": "x"}
    assert client.post("/api/v1/auth/login", json=body).status_code == 401
    assert [(one.who, one.details) for one in stored(sessions)] == [
        ("", {}),
        ("", {"attempts": 10}),
        ("ada@ours.example", {}),
    ]


def test_an_account_that_fails_from_many_addresses_leaves_few_entries(
    redis_client: redis.Redis,
) -> None:
    due = [
        counted_refusals(redis_client, f"192.0.2.{number % 250}")(f"{number // 250}")
        for number in range(250)
    ]
    assert due.count(1) == MOST_ENTRIES
    assert counted_refusals(redis_client, "198.51.100.1")("another") == 1


def test_an_invitation_that_is_tried_with_a_wrong_password_is_a_login_that_failed(
    admin: TestClient, browser: Browser, add_user: Callable[..., User], sessions: Sessions
) -> None:
    add_user("bob@theirs.example", organization="theirs")
    made = admin.post("/api/v1/invitations", json={"email": "bob@theirs.example"}).json()
    before = last(sessions)
    body = {"token": made["link"].partition("#")[2], "password": "a wrong password"}
    assert browser().post("/api/v1/auth/invitation/accept", json=body).status_code == 401
    (entry,) = stored(sessions, before)
    assert (entry.operation, entry.refused) == ("accept_invitation", True)


def test_what_a_token_does_names_the_token_and_who_made_it(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = admin.post("/api/v1/tokens", json={"name": "CI", "role": "operator"}).json()
    before = last(sessions)
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    assert program.post("/api/v1/experiments", json=SPEC).status_code == 201
    (entry,) = stored(sessions, before)
    assert (entry.via, entry.token_name, str(entry.token_id)) == (Via.TOKEN, "CI", made["id"])
    assert entry.who == "admin@ours.example"


def test_details_say_what_was_changed(admin: TestClient, sessions: Sessions) -> None:
    things = put_in_place(admin, sessions)
    any_version = {"If-Match": "*"}
    cluster, member = f"/api/v1/clusters/{things.cluster}", f"/api/v1/members/{things.member}"
    body = {"allow_mode_switch": True, "kubeconfig": kubeconfig()}
    assert admin.patch(cluster, json=body, headers=any_version).status_code == 200
    assert admin.patch(member, json={"role": "viewer"}, headers=any_version).status_code == 200
    marks = {"tags": ["eu"], "notes": "Nobody is told what a note says."}
    assert admin.patch(f"{cluster}/marks", json=marks, headers=any_version).status_code == 200
    assert admin.put(f"{cluster}/favourite", json={"favourite": False}).status_code == 204
    of_cluster, of_member, of_marks, of_favourite = stored(sessions)[-4:]
    assert of_cluster.details == {
        "changed": ["allow_mode_switch", "kubeconfig"],
        "allow_mode_switch": True,
    }
    assert of_cluster.object_name == things.cluster_name
    assert of_member.details == {"role": "viewer", "active": True}
    assert of_marks.details == {"changed": ["tags", "notes"], "tags": ["eu"]}
    assert of_marks.object_name == things.cluster_name
    assert of_favourite.details == {"favourite": False}


def test_where_from_is_what_trusted_proxies_say(
    app: FastAPI, settings: Settings, add_user: Callable[..., User], sessions: Sessions
) -> None:
    add_user("ada@ours.example")
    trusting = settings.model_copy(update={"trusted_proxies": ("10.0.0.7",)})
    served = behind_proxies(trusting, app)
    body = {"email": "ada@ours.example", "password": PASSWORD}
    given = {"X-Forwarded-For": "203.0.113.9", "X-Request-ID": "proxy-17"}
    seen = []
    for peer in ("10.0.0.7", "192.0.2.1"):
        with TestClient(served, base_url=ORIGIN, client=(peer, 4711)) as client:
            answer = client.post("/api/v1/auth/login", json=body, headers=given)
        entry = stored(sessions)[-1]
        assert entry.request_id == answer.headers["X-Request-ID"]
        seen.append((entry.address, entry.request_id == "proxy-17"))
    assert seen == [("203.0.113.9", True), ("192.0.2.1", False)]


def test_neither_is_there_without_the_other(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry that cannot be stored undoes what it tells of."""

    def too_long(request: Request, work: Work) -> None:
        work.audit.who = "x" * 321
        note(request, work)

    monkeypatch.setattr(unit_of_work, "note", too_long)
    before = last(sessions)
    body = {"name": "unnoted", "kubeconfig": kubeconfig()}
    assert admin.post("/api/v1/clusters", json=body).status_code == 500
    assert stored(sessions, before) == []
    with sessions() as session:
        assert session.query(Cluster).filter_by(name="unnoted").count() == 0


@pytest.fixture
def program(admin: TestClient, browser: Browser) -> TestClient:
    """A program of our administrator's, called CI, that made an experiment."""
    made = admin.post("/api/v1/tokens", json={"name": "CI", "role": "operator"}).json()
    client = browser()
    client.headers["Authorization"] = f"Bearer {made['token']}"
    assert client.post("/api/v1/experiments", json={**SPEC, "name": "50%_off"}).status_code == 201
    return client


def listed(client: TestClient, **query: Any) -> list[str]:
    answer = client.get("/api/v1/audit", params=query)
    assert answer.status_code == 200, answer.text
    return [one["operation"] for one in answer.json()["items"]]


def test_it_is_read_by_administrators_alone(log_in: LogIn, program: TestClient) -> None:
    for client in (log_in(Role.VIEWER), log_in(Role.OPERATOR), program):
        for path in ("/api/v1/audit", "/api/v1/audit/export"):
            assert client.get(path).status_code == 403


def test_each_organization_reads_its_own(
    admin: TestClient, log_in: LogIn, program: TestClient
) -> None:
    stranger = log_in(organization="theirs")
    assert listed(stranger) == ["log_in"]
    for format_ in ("csv", "jsonl"):
        text = stranger.get("/api/v1/audit/export", params={"format": format_}).text
        assert "admin@theirs.example" in text
        assert "ours" not in text


def test_filters(admin: TestClient, program: TestClient, sessions: Sessions) -> None:
    made = ["create_experiment", "create_token", "log_in"]
    assert listed(admin) == made
    assert listed(admin, who="ADMIN@ours") == made
    assert listed(admin, who="ci") == made[:1]
    token = admin.get("/api/v1/tokens").json()["items"][0]["id"]
    assert listed(admin, who=token) == made[:1]
    assert listed(admin, operation="log_in") == made[2:]
    assert listed(admin, object_kind="token") == made[1:2]
    assert listed(admin, object=token) == made[1:2]
    # Parts of a name are no patterns.
    assert listed(admin, object="50%_") == made[:1]
    assert listed(admin, object="5%o") == []
    assert listed(admin, refused=True) == []
    moment = stored(sessions)[1].created_at
    assert listed(admin, since=moment.isoformat()) == made[:2]
    assert listed(admin, until=moment.isoformat()) == made[2:]
    assert listed(admin, since=(now() + timedelta(hours=1)).isoformat()) == []


def test_pages(admin: TestClient, program: TestClient) -> None:
    first = admin.get("/api/v1/audit", params={"limit": 2}).json()
    rest = admin.get("/api/v1/audit", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [len(first["items"]), len(rest["items"]), rest["next_cursor"]] == [2, 1, None]


def test_files_have_what_the_list_has(admin: TestClient, program: TestClient) -> None:
    items = admin.get("/api/v1/audit").json()["items"]
    answer = admin.get("/api/v1/audit/export", params={"format": "jsonl"})
    assert answer.headers["content-type"].startswith("application/jsonl")
    assert "audit.jsonl" in answer.headers["content-disposition"]
    exported = [json.loads(line) for line in answer.text.splitlines()]
    organization = admin.get("/api/v1/me").json()["organization_id"]
    assert {one.pop("organization_id") for one in exported} == {organization}
    for one in (*items, *exported):
        one.pop("created_at")
    assert exported == items
    answer = admin.get("/api/v1/audit/export", params={"format": "csv", "who": "CI"})
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert row["operation"] == "create_experiment"
    assert row["refused"] == "false"
    assert row["object_name"] == "50%_off"


def test_files_steer_no_terminal(admin: TestClient, organization: str, sessions: Sessions) -> None:
    """Names of before they were checked are in the log still."""
    with sessions.begin() as session:
        session.add(
            AuditEntry(
                organization_id=uuid.UUID(organization),
                via=Via.SESSION,
                who="ada@ours.example",
                operation="create_experiment",
                refused=False,
                object_name="a\u202eb\x9bc",
                details={"tags": ["\u202e"]},
            )
        )
    for format_ in ("csv", "jsonl"):
        answer = admin.get("/api/v1/audit/export", params={"format": format_})
        assert "a" in answer.text
        assert not {"\u202e", "\x9b"} & set(answer.text)


def test_a_long_log_is_exported_whole_and_holds_no_connection_while_it_is_sent(
    admin: TestClient,
    organization: str,
    sessions: Sessions,
    state: AppState,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten clients that read slowly held all connections of a process."""
    pool, held, places = state.engine.pool, [], []
    assert isinstance(pool, QueuePool)
    send, take = StreamingResponse.stream_response, Lane._take

    async def noting(self: StreamingResponse, to_client: Send) -> None:
        async def noted(message: Message) -> None:
            held.append(pool.checkedout())
            await to_client(message)

        await send(self, noted)

    async def taking(self: Lane, caller: Caller) -> None:
        places.append(caller)
        await take(self, caller)

    with sessions.begin() as session:
        for number in range(1203):
            session.add(
                AuditEntry(
                    organization_id=uuid.UUID(organization),
                    via=Via.COMMAND,
                    who="root@here",
                    operation=f"podmeter {number}",
                    refused=False,
                    details={},
                )
            )
    monkeypatch.setattr(StreamingResponse, "stream_response", noting)
    monkeypatch.setattr(Lane, "_take", taking)
    answer = admin.get("/api/v1/audit/export", params={"who": "root@here"})
    assert set(held) == {0}
    # One of the request with the first portion, and one of each other portion.
    assert len(places) == 3
    numbers = [json.loads(line)["operation"] for line in answer.text.splitlines()]
    assert numbers == [f"podmeter {number}" for number in reversed(range(1203))]

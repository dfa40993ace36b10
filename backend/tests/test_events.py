import asyncio
import json
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, update

from podmeter.db.base import now
from podmeter.db.models import Membership, Role, User
from podmeter.db.session import Sessions
from podmeter.domain.run import Outcome, RunState
from podmeter.services.accounts.principal import Principal
from podmeter_api.runs import events as events_module
from podmeter_api.security import COOKIE
from podmeter_api.state import AppState

from .builders import PlayedWorker, queue_run
from .everything import DOCUMENT

pytestmark = pytest.mark.services


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The events of a stream."""
    event: dict[str, Any] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if not line:
            if event:
                yield event
            event = {}
            continue
        name, _, value = line.partition(": ")
        event[name] = json.loads(value) if name == "data" else value


def test_events_are_replayed_and_followed_to_the_end(
    admin: TestClient, sessions: Sessions, served: str
) -> None:
    run = queue_run(admin, sessions)
    organization = admin.get("/api/v1/me").json()["organization_id"]
    worker = PlayedWorker(sessions, organization, run["id"])
    worker.move(RunState.PREFLIGHT)
    url = f"{served}/api/v1/runs/{run['id']}/events"
    cookies = {COOKIE: admin.cookies[COOKIE]}
    with httpx.stream("GET", url, cookies=cookies, timeout=30) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        following = events(stream.iter_lines())
        assert [next(following)["data"]["state"] for _ in range(2)] == ["queued", "preflight"]
        worker.move(RunState.RUNNING)
        live = next(following)
        assert (live["id"], live["event"], live["data"]["state"]) == ("3", "state", "running")
        worker.log("a line")
        assert next(following)["data"]["message"]["text"] == "a line"
        worker.finish()
        rest = list(following)
    assert [event["event"] for event in rest] == ["state", "state", "end"]
    headers = {"Last-Event-ID": "4"}
    with httpx.stream("GET", url, cookies=cookies, headers=headers, timeout=30) as stream:
        replayed = list(events(stream.iter_lines()))
    assert [event.get("id") for event in replayed] == ["5", "6", None]


def test_a_stream_ends_when_its_run_is_deleted(
    admin: TestClient, sessions: Sessions, served: str
) -> None:
    run = queue_run(admin, sessions)
    url = f"{served}/api/v1/runs/{run['id']}/events"
    cookies = {COOKIE: admin.cookies[COOKIE]}
    with httpx.stream("GET", url, cookies=cookies, timeout=30) as stream:
        following = events(stream.iter_lines())
        next(following)
        admin.post(f"/api/v1/runs/{run['id']}/cancel")
        admin.delete(f"/api/v1/runs/{run['id']}")
        assert list(following)[-1]["event"] == "end"


def test_an_odd_last_event_id_replays_all(
    admin: TestClient, sessions: Sessions, served: str
) -> None:
    run = queue_run(admin, sessions)
    admin.post(f"/api/v1/runs/{run['id']}/cancel")
    url = f"{served}/api/v1/runs/{run['id']}/events"
    cookies = {COOKIE: admin.cookies[COOKIE]}
    for odd in ("x", "-1", "9" * 30):
        headers = {"Last-Event-ID": odd}
        with httpx.stream("GET", url, cookies=cookies, headers=headers, timeout=30) as stream:
            assert next(events(stream.iter_lines()))["id"] == "1"


@pytest.mark.parametrize("how", ["logout", "revoked", "disabled", "removed"])
def test_a_stream_ends_when_who_asked_is_not_let_in_any_more(
    admin: TestClient, sessions: Sessions, served: str, how: str
) -> None:
    run = queue_run(admin, sessions)
    url = f"{served}/api/v1/runs/{run['id']}/events"
    cookies, headers = {COOKIE: admin.cookies[COOKIE]}, {}
    token = admin.post("/api/v1/tokens", json={"name": "t", "role": "viewer"}).json()
    if how == "revoked":
        cookies, headers = {}, {"Authorization": f"Bearer {token['token']}"}
    with httpx.stream("GET", url, cookies=cookies, headers=headers, timeout=30) as stream:
        following = events(stream.iter_lines())
        next(following)
        with sessions.begin() as session:
            if how == "disabled":
                session.execute(update(User).values(disabled_at=now()))
            elif how == "removed":
                session.execute(delete(Membership))
        if how == "logout":
            assert admin.post("/api/v1/auth/logout").status_code == 200
        elif how == "revoked":
            assert admin.delete(f"/api/v1/tokens/{token['id']}").status_code == 204
        assert [one["event"] for one in following] == []
    assert httpx.get(url, cookies=cookies, headers=headers).status_code == 401


@pytest.mark.parametrize("how", ["disabled", "removed"])
def test_a_stream_is_over_within_a_second_of_who_asked_being_out(
    admin: TestClient,
    state: AppState,
    sessions: Sessions,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    """By a clock that is moved by what the stream waits: whoever is put out the very moment that
    it has looked is told nothing more than a second later, however little the machine does.
    """
    run = queue_run(admin, sessions)
    me = admin.get("/api/v1/me").json()
    principal = Principal(
        user_id=uuid.UUID(me["user_id"]),
        email=me["email"],
        organization_id=uuid.UUID(me["organization_id"]),
        organization="ours",
        role=Role.ADMIN,
        session_id=uuid.UUID(admin.get("/api/v1/me/sessions").json()["items"][0]["id"]),
    )
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        if not waited:
            with sessions.begin() as session:
                if how == "disabled":
                    session.execute(update(User).values(disabled_at=now()))
                else:
                    session.execute(delete(Membership))
        waited.append(seconds)
        assert sum(waited) <= 1.0, "still not ended"

    monkeypatch.setattr(events_module, "asyncio", SimpleNamespace(sleep=wait))

    async def follow() -> list[Any]:
        stream = events_module._events(state, principal, uuid.UUID(run["id"]), 0)
        return [one async for one in stream]

    seen = asyncio.run(follow())
    assert [one.event for one in seen] == ["state"]
    assert waited, "it never waited, so nobody was put out"


def test_a_stream_needs_a_login(admin: TestClient, sessions: Sessions, served: str) -> None:
    run = queue_run(admin, sessions)
    assert httpx.get(f"{served}/api/v1/runs/{run['id']}/events").status_code == 401


def test_what_an_event_holds_is_as_the_document_says(
    admin: TestClient, sessions: Sessions, served: str
) -> None:
    run = queue_run(admin, sessions)
    worker = PlayedWorker(sessions, admin.get("/api/v1/me").json()["organization_id"], run["id"])
    worker.move(RunState.PREFLIGHT)
    worker.move(RunState.RUNNING)
    worker.case_and_block()
    worker.trial(1)
    worker.log("a line")
    admin.post(f"/api/v1/runs/{run['id']}/cancel")
    worker.finish(Outcome.CANCELLED, "enough")
    url = f"{served}/api/v1/runs/{run['id']}/events"
    with httpx.stream("GET", url, cookies={COOKIE: admin.cookies[COOKIE]}, timeout=30) as stream:
        seen = list(events(stream.iter_lines()))
    schemas = DOCUMENT["components"]["schemas"]
    known = schemas["RunEvent"]["discriminator"]["mapping"]
    for event in seen:
        assert event["data"]["type"] == event["event"]
        schema = schemas[known[event["event"]].rpartition("/")[2]]
        assert set(event["data"]) == set(schema["properties"])
    assert {event["event"] for event in seen} == set(known)

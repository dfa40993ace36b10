import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import delete, update
from sqlalchemy import event as database_event

from podmeter.db.base import now
from podmeter.db.models import Membership, Role, User
from podmeter.db.session import Sessions
from podmeter.domain.run import Outcome, RunState
from podmeter.services.accounts.principal import Principal
from podmeter.stack.process import wait_until
from podmeter_api.runs import watch as watch_module
from podmeter_api.runs.watch import LOOK_SECONDS, RunWatch
from podmeter_api.security import COOKIE
from podmeter_api.state import AppState

from .builders import UNTIL_DECIDED, PlayedWorker, queue_run
from .conftest import LogIn
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
    assert httpx.get(url, cookies=cookies, headers=headers, timeout=30).status_code == 401


@pytest.mark.parametrize("how", ["disabled", "removed"])
def test_a_stream_is_over_within_a_second_of_who_asked_being_out(
    admin: TestClient, state: AppState, sessions: Sessions, how: str
) -> None:
    """The first look after it, however little the machine does; there is one in less than that."""
    run = queue_run(admin, sessions)
    principal = principal_of(admin)
    assert LOOK_SECONDS < 1

    async def follow() -> list[bool]:
        watch = RunWatch(sessions, state.engine, per_user=1)
        stream = watch.follow(principal, uuid.UUID(run["id"]), 0)
        overs = [over for _, over in [await anext(stream)]]

        async def more() -> list[Any]:
            return [one async for one in stream]

        waiting = asyncio.create_task(more())
        await asyncio.sleep(0)
        with sessions.begin() as session:
            if how == "disabled":
                session.execute(update(User).values(disabled_at=now()))
            else:
                session.execute(delete(Membership))
        await watch.look()
        assert await asyncio.wait_for(waiting, 30) == []
        return overs

    assert asyncio.run(follow()) == [False]


def principal_of(client: TestClient) -> Principal:
    me = client.get("/api/v1/me").json()
    return Principal(
        user_id=uuid.UUID(me["user_id"]),
        email=me["email"],
        organization_id=uuid.UUID(me["organization_id"]),
        organization="ours",
        role=Role.ADMIN,
        session_id=uuid.UUID(client.get("/api/v1/me/sessions").json()["items"][0]["id"]),
    )


def test_a_lost_notification_delays_an_event_and_loses_none(
    admin: TestClient, state: AppState, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hear_nothing(_: object) -> AsyncGenerator[uuid.UUID, None]:
        await asyncio.Event().wait()
        yield uuid.uuid4()

    monkeypatch.setattr(watch_module, "listen", hear_nothing)
    run = queue_run(admin, sessions)
    worker = PlayedWorker(sessions, admin.get("/api/v1/me").json()["organization_id"], run["id"])

    principal = principal_of(admin)

    async def follow() -> list[int]:
        watch = RunWatch(sessions, state.engine, per_user=1)
        stream = watch.follow(principal, uuid.UUID(run["id"]), 0)
        rows, _ = await anext(stream)
        await asyncio.to_thread(worker.move, RunState.PREFLIGHT)
        more, _ = await asyncio.wait_for(anext(stream), 30)
        await stream.aclose()
        return [one.number for one in [*rows, *more]]

    assert asyncio.run(follow()) == [1, 2]


def test_many_streams_ask_the_database_no_oftener_than_one(
    admin: TestClient, state: AppState, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each stream asked twice a second of its own."""
    run = queue_run(admin, sessions)
    principal, run_id = principal_of(admin), uuid.UUID(run["id"])
    worker = PlayedWorker(sessions, str(principal.organization_id), run["id"])
    monkeypatch.setattr(watch_module, "LOOK_SECONDS", 3600)

    async def follow() -> tuple[int, int]:
        asked = 0

        def count(*_: object) -> None:
            nonlocal asked
            asked += 1

        watch = RunWatch(sessions, state.engine, per_user=1000)
        streams = [watch.follow(principal, run_id, 0) for _ in range(100)]
        database_event.listen(sessions.kw["bind"], "begin", count)
        try:
            await asyncio.gather(*(anext(one) for one in streams))
            waiting = [asyncio.ensure_future(anext(one)) for one in streams]
            await asyncio.sleep(0)
            await asyncio.to_thread(worker.move, RunState.PREFLIGHT)
            await watch.look()
            found = await asyncio.gather(*waiting)
        finally:
            database_event.remove(sessions.kw["bind"], "begin", count)
        for one in streams:
            await one.aclose()
        return asked, sum(len(rows) for rows, _ in found)

    asked, told = asyncio.run(follow())
    # Two reads, two looks, and what the worker does.
    assert asked <= 8
    assert told == 100


def test_one_stream_too_many_of_a_user_is_refused_and_others_are_not(
    admin: TestClient, log_in: LogIn, sessions: Sessions, state: AppState, served: str, app: FastAPI
) -> None:
    run = queue_run(admin, sessions)
    url = f"{served}/api/v1/runs/{run['id']}/events"
    colleague = log_in(Role.VIEWER)
    app.state.run_watch.per_user = 2

    def open_stream(client: TestClient) -> httpx.Response:
        cookies = {COOKIE: client.cookies[COOKIE]}
        return streams.enter_context(httpx.stream("GET", url, cookies=cookies, timeout=30))

    with ExitStack() as streams:
        for _ in range(2):
            assert open_stream(admin).status_code == 200
        refused = open_stream(admin)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        refused.read()
        assert refused.json()["code"] == "too_many_streams"
        assert open_stream(colleague).status_code == 200
    # Those that were closed are not counted any more.
    assert wait_until(lambda: not app.state.run_watch._open, 30)
    with ExitStack() as streams:
        assert open_stream(admin).status_code == 200


def test_a_stream_needs_a_login(admin: TestClient, sessions: Sessions, served: str) -> None:
    run = queue_run(admin, sessions)
    url = f"{served}/api/v1/runs/{run['id']}/events"
    assert httpx.get(url, timeout=30).status_code == 401


def test_what_an_event_holds_is_as_the_document_says(
    admin: TestClient, sessions: Sessions, served: str
) -> None:
    run = queue_run(admin, sessions, spec=UNTIL_DECIDED)
    worker = PlayedWorker(sessions, admin.get("/api/v1/me").json()["organization_id"], run["id"])
    worker.move(RunState.PREFLIGHT)
    worker.move(RunState.RUNNING)
    worker.case_and_block()
    worker.trial(1)
    worker.log("a line")
    admin.post(f"/api/v1/runs/{run['id']}/conclude")
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


def test_a_run_is_awaited_without_a_thread_or_a_connection(
    admin: TestClient, sessions: Sessions, served: str, state: AppState
) -> None:
    run = queue_run(admin, sessions)
    organization = admin.get("/api/v1/me").json()["organization_id"]
    url = f"{served}/api/v1/runs/{run['id']}?wait=60"
    cookies = {COOKIE: admin.cookies[COOKIE]}
    watch: RunWatch = admin.app.state.run_watch  # type: ignore[attr-defined]
    user = admin.get("/api/v1/me").json()["user_id"]
    with ThreadPoolExecutor(watch.per_user) as pool:
        # As many waits as there are streams: more than there are connections, and threads.
        answers = [
            pool.submit(httpx.get, url, cookies=cookies, timeout=90) for _ in range(watch.per_user)
        ]
        assert wait_until(lambda: watch.is_full(user), 30)
        assert wait_until(lambda: state.engine.pool.checkedout() == 0, 30)  # type: ignore[attr-defined]
        # Others are served meanwhile; one wait more is refused.
        assert admin.get(f"/api/v1/runs/{run['id']}").json()["state"] == "queued"
        refused = httpx.get(url, cookies=cookies, timeout=30)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
        worker = PlayedWorker(sessions, organization, run["id"])
        worker.move(RunState.PREFLIGHT)
        worker.finish()
        states = {answer.result().json()["state"] for answer in answers}
    assert states == {"finished"}
    assert wait_until(lambda: not watch.is_full(user), 30)


def test_a_wait_that_is_over_tells_the_run_as_it_is(
    admin: TestClient, sessions: Sessions, served: str
) -> None:
    url = f"{served}/api/v1/runs/{queue_run(admin, sessions)['id']}"
    cookies = {COOKIE: admin.cookies[COOKIE]}
    answer = httpx.get(f"{url}?wait=1", cookies=cookies, timeout=30)
    assert (answer.status_code, answer.json()["state"]) == (200, "queued")
    assert httpx.get(f"{url}?wait=61", cookies=cookies, timeout=30).status_code == 422


def test_a_wait_ends_with_its_client_and_with_its_run(
    admin: TestClient, sessions: Sessions, served: str
) -> None:
    run = queue_run(admin, sessions)
    url = f"{served}/api/v1/runs/{run['id']}?wait=60"
    cookies = {COOKIE: admin.cookies[COOKIE]}
    watch: RunWatch = admin.app.state.run_watch  # type: ignore[attr-defined]
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(url, cookies=cookies, timeout=0.5)
    assert wait_until(lambda: not watch._open, 30)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(httpx.get, url, cookies=cookies, timeout=90)
        assert wait_until(lambda: bool(watch._open), 30)
        admin.post(f"/api/v1/runs/{run['id']}/cancel")
        assert admin.delete(f"/api/v1/runs/{run['id']}").status_code == 204
        assert waiting.result().status_code in (200, 404)
    assert httpx.get(url, cookies=cookies, timeout=30).status_code == 404


def test_a_run_has_an_etag_that_changes_with_what_is_shown(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    url = f"/api/v1/runs/{queue_run(admin, sessions)['id']}"
    before = admin.get(url)
    same = admin.get(url, headers={"If-None-Match": before.headers["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    PlayedWorker(sessions, organization, before.json()["id"]).move(RunState.PREFLIGHT)
    after = admin.get(url, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, after.json()["state"]) == (200, "preflight")
    assert after.headers["ETag"] != before.headers["ETag"]

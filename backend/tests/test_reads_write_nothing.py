"""A GET writes nothing: neither what it reads, nor what would make the next one faster."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, text
from sqlalchemy.exc import InternalError

from podmeter.db.base import Base
from podmeter.db.session import Sessions
from podmeter_api.state import AppState

from .builders import queue_run
from .conftest import LogIn
from .everything import OPERATIONS, put_in_place, requests_for
from .watched import Watched

pytestmark = pytest.mark.services

READS = sorted(name for name, (method, _) in OPERATIONS.items() if method == "GET")
#: What is noted of a caller, by the transaction that follows the request's own.
NOTED = {"sessions": ("last_seen_at", "address", "agent"), "api_tokens": ("last_used_at",)}


def _rows(sessions: Sessions) -> dict[str, list[Any]]:
    """Every row of every table with the transaction that wrote it; of callers what is not noted."""
    found: dict[str, list[Any]] = {}
    with sessions() as session:
        for table in Base.metadata.sorted_tables:
            left = [
                f'"{one.name}"'
                for one in table.columns
                if one.name not in NOTED.get(table.name, ())
            ]
            written = "" if table.name in NOTED else "xmin::text, "
            query = f'SELECT md5(row({written}{", ".join(left)})::text) FROM "{table.name}"'
            found[table.name] = sorted(session.scalars(text(query)))
    return found


def test_that_a_get_writes_nothing(log_in: LogIn, sessions: Sessions) -> None:
    client = log_in()
    asked = requests_for(put_in_place(client, sessions))
    with sessions.begin() as session:
        session.execute(text("DELETE FROM run_digests"))
    watched = Watched(sessions, _rows)
    before = watched.now()
    for name in READS:
        assert asked[name].send(client, name).status_code < 400, name
        after = watched.now()
        assert {table for table in after if after[table] != before[table]} == set(), name


def test_that_each_write_would_be_noticed(sessions: Sessions) -> None:
    """Every other test that asks what was written rests on it."""
    watched = Watched(sessions, _rows)
    for statement in (
        "INSERT INTO organizations (id, name, version) VALUES (gen_random_uuid(), 'o', 1)",
        "UPDATE organizations SET name = 'another'",
        "UPDATE organizations SET name = name",
        "DELETE FROM organizations",
    ):
        before = watched.now()
        with sessions.begin() as session:
            session.execute(text(statement))
        assert watched.now() != before, statement


def test_that_the_database_refuses_it(state: AppState) -> None:
    with state.reading() as session, pytest.raises(InternalError, match="read-only transaction"):
        session.execute(text("DELETE FROM comparisons"))
    with state.sessions() as session:
        session.execute(text("DELETE FROM comparisons"))


def test_that_it_is_noted_who_called(log_in: LogIn, sessions: Sessions) -> None:
    client: TestClient = log_in()
    with sessions.begin() as session:
        session.execute(text("UPDATE sessions SET last_seen_at = NULL"))
    assert client.get("/api/v1/me").status_code == 200
    with sessions() as session:
        assert session.scalar(text("SELECT count(last_seen_at) FROM sessions")) == 1


def test_that_a_get_reads_one_moment(
    admin: TestClient, sessions: Sessions, state: AppState
) -> None:
    run = queue_run(admin, sessions)
    deleted: list[str] = []

    def delete_it(*asked: Any) -> None:
        statement = str(asked[2])
        if not deleted and "FROM runs" in statement:
            deleted.append(run["id"])
            with sessions.begin() as other:
                other.execute(
                    text("DELETE FROM runs WHERE id = cast(:id AS uuid)"), {"id": run["id"]}
                )

    event.listen(state.engine, "after_cursor_execute", delete_it)
    try:
        answer = admin.get(f"/api/v1/runs/{run['id']}")
    finally:
        event.remove(state.engine, "after_cursor_execute", delete_it)
    assert deleted
    assert (answer.status_code, answer.json()["id"]) == (200, run["id"])
    assert admin.get(f"/api/v1/runs/{run['id']}").status_code == 404

"""Whatever older or broken documents the database holds, no answer is a fault of Podmeter's own.

A document is damaged where it lies, everything that reads it is asked, and the answer is either a
document or a 409 whose text says what to do.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import JSON, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

from podmeter.db.base import Base
from podmeter.db.session import Sessions

from .conftest import LogIn
from .everything import Asked, Things, put_in_place, requests_for

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]

#: A body of an earlier form, one without anything, one of a later version.
BODIES: list[Any] = [{"made_by": "an earlier form"}, {}, {"format": 999}]


@dataclass(frozen=True)
class Case:
    """A column with documents, what reads it, and which of these cannot do without it."""

    column: str
    readers: Sequence[str]
    refused: Sequence[str] = ()


CASES = [
    Case("comparisons.outline", ["list_comparisons", "search"]),
    Case("comparisons.content", *[["get_comparison", "export_comparison"]] * 2),
    Case("comparisons.request", ["get_comparison"]),
    Case(
        "snapshots.content",
        ["get_public_snapshot", "export_public_snapshot", "list_snapshots"],
        ["get_public_snapshot", "export_public_snapshot"],
    ),
    Case("snapshots.request", ["list_snapshots", "get_public_snapshot"]),
    Case(
        "clusters.capabilities",
        ["list_clusters", "get_cluster", "plan_experiment", "get_overview", "get_noise_floor"],
    ),
    Case("fingerprints.content", ["list_fingerprints", "get_summaries", "get_comparison"]),
    Case(
        "experiments.spec",
        ["list_experiments", "get_experiment", "list_runs", "search"],
        ["get_experiment"],
    ),
    Case(
        "runs.spec",
        ["list_runs", "get_run", "get_run_plan", "get_summaries", "export_run", "get_reproduction"],
        ["get_run", "get_run_plan", "get_summaries", "export_run"],
    ),
    Case("runs.written", ["list_runs", "get_run"], ["get_run"]),
    Case("runs.environment", ["list_runs", "get_run"]),
    Case("runs.reason", ["list_runs", "get_run", "get_summaries"]),
    Case("run_events.content", ["get_run", "stream_events"]),
    Case("run_log.message", ["list_log"]),
    Case("cases.point", ["list_cases", "get_summaries", "get_run_plan", "export_run"]),
    Case("cases.placement", ["list_cases", "get_summaries", "export_run"]),
    Case("blocks.modes", ["get_run", "get_run_plan", "get_summaries"]),
    Case("trials.facts", ["list_trials", "get_trial", "get_summaries"]),
    Case("invocations.argv", ["get_trial", "preview_snapshot"]),
]


def _columns() -> Iterator[Any]:
    for mapper in Base.registry.mappers:
        for column in mapper.local_table.columns:
            kind = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
            if isinstance(kind, JSON):
                yield column


COLUMNS = {f"{one.table.name}.{one.name}": one for one in _columns()}


@contextmanager
def damaged(sessions: Sessions, name: str, body: Any) -> Iterator[None]:
    """The column's documents are all this one meanwhile."""
    column = COLUMNS[name]
    kind = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
    type_ = "jsonb" if isinstance(kind, JSONB) else "json"
    table, key = column.table.name, ", ".join(one.name for one in column.table.primary_key)
    with sessions.begin() as session:
        session.execute(text(f"CREATE TABLE kept AS SELECT {key}, {column.name} FROM {table}"))
        session.execute(
            text(
                f"UPDATE {table} SET {column.name} = CAST(:body AS {type_}) "
                f"WHERE {column.name} IS NOT NULL"
            ),
            {"body": json.dumps(body)},
        )
    try:
        yield
    finally:
        joined = " AND ".join(
            f"{table}.{one.name} = kept.{one.name}" for one in column.table.primary_key
        )
        with sessions.begin() as session:
            session.execute(
                text(
                    f"UPDATE {table} SET {column.name} = kept.{column.name} "
                    f"FROM kept WHERE {joined}"
                )
            )
            session.execute(text("DROP TABLE kept"))


@pytest.fixture
def client(log_in: LogIn) -> TestClient:
    return log_in()


@pytest.fixture
def things(client: TestClient, sessions: Sessions) -> Things:
    return put_in_place(client, sessions)


def _answers(client: TestClient, asked: dict[str, Asked], readers: Sequence[str]) -> dict[str, Any]:
    found = {name: asked[name].send(client, name) for name in readers}
    faults = [name for name, one in found.items() if one.status_code >= 500]
    assert faults == []
    for one in found.values():
        if one.status_code == 409:
            problem = one.json()
            assert problem["code"] == "stored_document"
            assert problem["message"]["code"] == f"stored_{problem['document']}"
    return found


def test_that_no_old_document_is_an_error_of_ours(
    client: TestClient, things: Things, sessions: Sessions
) -> None:
    """One test, as putting one of everything in place takes longer than all the rest."""
    asked = requests_for(things)
    faults: list[tuple[str, Any, object]] = []
    for case in CASES:
        for body in BODIES:
            with damaged(sessions, case.column, body):
                try:
                    found = _answers(client, asked, case.readers)
                except AssertionError as error:
                    faults.append((case.column, body, str(error)[:300]))
                    continue
            refused = {name for name, one in found.items() if one.status_code == 409}
            if not refused >= set(case.refused):
                faults.append((case.column, body, refused))
    assert not faults, "\n".join(map(str, faults))

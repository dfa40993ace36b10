"""Times of imports that were stored as 0 s, in a database of before."""

import uuid

import pytest
from alembic import command
from conftest import MIGRATIONS
from sqlalchemy import Engine, text

from podmeter.db.migrate import alembic_config

from .conftest import EmptyAt

pytestmark = pytest.mark.services

_RUN = """
WITH o AS (INSERT INTO organizations (id, name, version) VALUES (:id, :kind, 1)),
 r AS (
  INSERT INTO runs (id, organization_id, name, kind, spec, written, state, reason, attempt,
    last_event, warnings, forced, created_at, queued_at)
  VALUES (:id, :id, 'r', :kind, '{}', '{}', 'queued', '""', 1, 0, '[]', '[]', now(), now())
 ),
 b AS (
  INSERT INTO blocks (organization_id, run_id, position, round, modes, status, reason, started_at,
    ended_at)
  VALUES (:id, :id, 0, 1, '{}', 'succeeded', '""', now(), now()) RETURNING id
 ),
 c AS (
  INSERT INTO cases (organization_id, run_id, position, key, point, once, status, reason)
  VALUES (:id, :id, 0, 'c', '{}', false, 'succeeded', '""') RETURNING id
 ),
 t AS (
  INSERT INTO trials (organization_id, run_id, case_id, block_id, round, number, warmup, attempt,
    status, failure_message, warnings, facts, seconds, tool_seconds, started_at)
  SELECT :id, :id, c.id, b.id, 1, n, false, 1, 'counted', '""', '[]', '{}', seconds, seconds, now()
  FROM b, c, (VALUES (1, 0.0), (2, 2.5)) AS told (n, seconds) RETURNING id, seconds
 )
INSERT INTO invocations (trial_id, position, tool, version, argv, place, exit_code, seconds)
SELECT id, 0, 'curl', '', '[]', 'imported', 0, seconds FROM t
"""


def _times(engine: Engine, kind: str) -> list[tuple[object, ...]]:
    """By trial: what it and its tool took, whether it has a start, and so of its block."""
    query = """
    SELECT t.seconds, t.tool_seconds, i.seconds, i.exit_code, t.started_at IS NULL,
      b.started_at IS NULL AND b.ended_at IS NULL
    FROM trials t JOIN invocations i ON i.trial_id = t.id JOIN blocks b ON b.id = t.block_id
    JOIN runs r ON r.id = t.run_id WHERE r.kind = :kind ORDER BY t.number
    """
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query), {"kind": kind})]


def test_only_what_an_import_did_not_tell_becomes_null(empty_at: EmptyAt) -> None:
    empty = empty_at("0050")
    config = alembic_config(MIGRATIONS, empty.url.render_as_string(hide_password=False))
    with empty.begin() as connection:
        for kind in ("import", "transport"):
            connection.execute(text(_RUN), {"id": uuid.uuid4(), "kind": kind})
    measured = [(0, 0, 0, 0, False, False), (2.5, 2.5, 2.5, 0, False, False)]
    assert _times(empty, "import") == measured
    command.upgrade(config, "0051")
    assert _times(empty, "import") == [
        (None, None, None, None, True, True),
        (2.5, 2.5, 2.5, None, True, True),
    ]
    assert _times(empty, "transport") == measured
    command.downgrade(config, "0050")
    assert [row[:5] for row in _times(empty, "import")] == [row[:5] for row in measured]

import threading

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

from podmeter.db import session
from podmeter.db.session import is_away, is_conflict, make_engine

PID = text("SELECT pg_backend_pid()")
END = text("SELECT pg_terminate_backend(:pid, 60000)")


def pid_of(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.scalar(PID))


def test_idle_connections_that_the_database_closed_are_replaced(
    database_url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "IDLE_SECONDS", 0.0)
    ours = make_engine(database_url, pool_size=2)
    with ours.connect() as one, ours.connect() as two:
        before = {one.scalar(PID), two.scalar(PID)}
    with engine.connect() as other:
        for pid in before:
            assert other.scalar(END, {"pid": pid})
    with ours.connect() as one, ours.connect() as two:
        assert not before & {one.scalar(PID), two.scalar(PID)}
    ours.dispose()


def test_a_connection_closed_right_after_its_use_is_replaced(
    database_url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Never taken to be idle, as when the database restarts between two requests.
    monkeypatch.setattr(session, "IDLE_SECONDS", threading.TIMEOUT_MAX)
    ours = make_engine(database_url, pool_size=1)
    before = pid_of(ours)
    assert pid_of(ours) == before
    with engine.connect() as other:
        assert other.scalar(END, {"pid": before})
    assert pid_of(ours) != before
    ours.dispose()


def test_a_connection_that_was_told_something_is_kept(
    database_url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "IDLE_SECONDS", threading.TIMEOUT_MAX)
    ours = make_engine(database_url, pool_size=1)
    with ours.connect() as one:
        before = one.scalar(PID)
        one.execute(text("LISTEN podmeter_tests"))
        one.commit()
    with engine.connect() as other:
        other.execute(text("NOTIFY podmeter_tests"))
        other.commit()
    assert pid_of(ours) == before
    ours.dispose()


def test_who_is_stopped_inside_a_transaction_holds_nothing_for_long(
    database_url: str, engine: Engine
) -> None:
    lock = text("SELECT pg_advisory_xact_lock(1702127980)")
    soon = text("SET LOCAL idle_in_transaction_session_timeout = '0.5s'")
    stopped = make_engine(database_url, pool_size=1)
    with stopped.connect() as holder:
        holder.execute(lock)
        # Last, as a busy machine may stop it for as long between any two statements.
        holder.execute(soon)
        with engine.begin() as other:
            other.execute(text("SET LOCAL lock_timeout = '60s'"))
            other.execute(lock)
        # Woken, it learns that as of a database that was away: it asks again, and gets the answer.
        with pytest.raises(DBAPIError) as told:
            holder.scalar(PID)
    assert is_away(told.value)
    assert pid_of(stopped)
    stopped.dispose()


@pytest.mark.parametrize(
    ("error", "away", "conflict"),
    [
        (errors.DiskFull, True, False),
        (errors.TooManyConnections, True, False),
        (errors.AdminShutdown, True, False),
        (errors.CannotConnectNow, True, False),
        (errors.ReadOnlySqlTransaction, True, False),
        (psycopg.OperationalError, True, False),  # it could not connect
        (errors.DeadlockDetected, False, True),
        (errors.LockNotAvailable, False, True),
        (errors.QueryCanceled, False, True),
        (errors.StatementTooComplex, False, False),
        (errors.ProgramLimitExceeded, False, False),
        (errors.UniqueViolation, False, False),
    ],
)
def test_only_what_may_succeed_later_is_tried_again(
    error: type[psycopg.Error], away: bool, conflict: bool
) -> None:
    kind = OperationalError if issubclass(error, psycopg.OperationalError) else DBAPIError
    raised = kind("INSERT", {}, error())
    assert (is_away(raised), is_conflict(raised)) == (away, conflict)


def test_every_engine_has_such_an_end(database_url: str) -> None:
    ours = make_engine(database_url, pool_size=1)
    with ours.connect() as one:
        shown = one.scalar(text("SHOW idle_in_transaction_session_timeout"))
    ours.dispose()
    assert shown == f"{session.IDLE_IN_TRANSACTION_SECONDS}s"

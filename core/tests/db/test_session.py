import threading

import pytest
from sqlalchemy import Engine, text

from podmeter.db import session
from podmeter.db.session import make_engine

PID = text("SELECT pg_backend_pid()")
END = text("SELECT pg_terminate_backend(:pid, 5000)")


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

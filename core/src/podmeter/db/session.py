"""Engines and sessions. Whoever opens a session at the edge commits it, once."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session, sessionmaker

Sessions = sessionmaker[Session]


def make_engine(url: str, *, pool_size: int = 10) -> Engine:
    """An engine that checks a connection before its use, so a database restart is survived."""
    return create_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_pre_ping=True,
        pool_timeout=10,
        connect_args={"options": "-c timezone=UTC", "connect_timeout": 10},
    )


def make_sessions(engine: Engine) -> Sessions:
    """Sessions whose objects stay readable after the commit."""
    return sessionmaker(engine, expire_on_commit=False)


@contextmanager
def unit_of_work(sessions: Sessions) -> Iterator[Session]:
    """One request or one step of a task: committed at its end, rolled back on any error."""
    with sessions() as session:
        yield session
        session.commit()

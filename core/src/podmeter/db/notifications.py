"""Telling other processes that something happened in a run: PostgreSQL's LISTEN and NOTIFY.

A notification is sent by the transaction that stores the event, so it comes when the event can be
read, and never for what was undone. It may be lost with its connection: anyone who listens looks
for itself now and then.
"""

import uuid
from collections.abc import AsyncGenerator
from contextlib import suppress

import psycopg
from sqlalchemy import ColumnElement, Engine, Text, cast, func
from sqlalchemy.orm import InstrumentedAttribute

_CHANNEL = "podmeter_run_events"


def notifying(run_id: InstrumentedAttribute[uuid.UUID]) -> ColumnElement[object]:
    """A column of a statement on a run, which tells of that run once the statement is committed."""
    return func.pg_notify(_CHANNEL, cast(run_id, Text))


async def listen(engine: Engine) -> AsyncGenerator[uuid.UUID, None]:
    """The runs in which something happened, from now on, over a connection of its own.

    Raises psycopg.Error where the database is away.
    """
    # What the engine itself connects with.
    arguments, options = engine.dialect.create_connect_args(engine.url)
    connection = await psycopg.AsyncConnection.connect(
        *arguments, **options, autocommit=True, connect_timeout=10
    )
    async with connection:
        await connection.execute(f"LISTEN {_CHANNEL}")
        async for notification in connection.notifies():
            with suppress(ValueError):  # somebody else's word on our channel
                yield uuid.UUID(notification.payload)

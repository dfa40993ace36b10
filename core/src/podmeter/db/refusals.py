"""Why PostgreSQL refuses a connection.

libpq gives no SQLSTATE of it, only a text in the server's language (`lc_messages`). What the server
sent has the SQLSTATE, and libpq's own trace writes it down.
"""

import os
import re
import select
import time

import psycopg
from psycopg import pq
from psycopg.pq import PollingStatus
from sqlalchemy import Engine

#: SQLSTATE's successful completion.
TAKEN = "00000"
TOO_MANY_CONNECTIONS = "53300"
#: A server that refuses does so at once.
_DEADLINE_S = 5.0
_SQLSTATE = re.compile(rb'\tErrorResponse\t.* C "([0-9A-Z]{5})"')


def refusal_state(engine: Engine) -> str | None:
    """The SQLSTATE with which the server refuses one more connection, or `TAKEN`; None where that
    cannot be found out, as it takes files too.
    """
    # SQLAlchemy's URL is one of libpq's, but for the name of the driver.
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    try:
        # In memory: the trace has the login, and the disk may be full.
        with os.fdopen(os.memfd_create("trace"), "rb") as trace:
            taken = _traced(url.encode(), trace.fileno())
            trace.seek(0)
            found = _SQLSTATE.search(trace.read())
    except (OSError, psycopg.Error):
        return None
    if taken:
        return TAKEN
    return found[1].decode() if found else None


def _traced(url: bytes, trace: int) -> bool:
    """Connect, and write down what the server sends; whether it took the connection."""
    connection = pq.PGconn.connect_start(url)
    try:
        connection.trace(trace)
        taken = _connect(connection)
        connection.untrace()  # which writes the rest of it
        return taken
    finally:
        connection.finish()


def _connect(connection: pq.abc.PGconn) -> bool:
    deadline = time.monotonic() + _DEADLINE_S
    while connection.status != pq.ConnStatus.BAD:
        status = connection.connect_poll()
        if status in (PollingStatus.OK, PollingStatus.FAILED):
            return status == PollingStatus.OK
        waits = select.poll()
        reads = status == PollingStatus.READING
        waits.register(connection.socket, select.POLLIN if reads else select.POLLOUT)
        left = deadline - time.monotonic()
        if left <= 0 or not waits.poll(left * 1000):
            return False
    return False

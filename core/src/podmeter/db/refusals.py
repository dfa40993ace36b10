"""Why PostgreSQL refuses a connection.

libpq gives no SQLSTATE of it, only a text in the server's language (`lc_messages`). What the server
sent has the SQLSTATE, and libpq's own trace writes it down.
"""

import os
import re
import select
import time

from psycopg import pq
from psycopg.pq import PollingStatus
from sqlalchemy import Engine

TOO_MANY_CONNECTIONS = "53300"
#: A server that refuses does so at once.
_DEADLINE_S = 5.0
_SQLSTATE = re.compile(rb'\tErrorResponse\t.* C "([0-9A-Z]{5})"')


def refusal_state(engine: Engine) -> str | None:
    """The SQLSTATE with which the server refuses one more connection; None if it does not."""
    # SQLAlchemy's URL is one of libpq's, but for the name of the driver.
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    connection = pq.PGconn.connect_start(url.encode())
    # In memory: the trace has the login, and the disk may be full.
    with os.fdopen(os.memfd_create("trace"), "rb") as trace:
        try:
            connection.trace(trace.fileno())
            _connect(connection)
            connection.untrace()  # which writes the rest of it
        finally:
            connection.finish()
        trace.seek(0)
        found = _SQLSTATE.search(trace.read())
    return found[1].decode() if found else None


def _connect(connection: pq.abc.PGconn) -> None:
    deadline = time.monotonic() + _DEADLINE_S
    while connection.status != pq.ConnStatus.BAD:
        status = connection.connect_poll()
        if status in (PollingStatus.OK, PollingStatus.FAILED):
            return
        waits = select.poll()
        reads = status == PollingStatus.READING
        waits.register(connection.socket, select.POLLIN if reads else select.POLLOUT)
        left = deadline - time.monotonic()
        if left <= 0 or not waits.poll(left * 1000):
            return

"""Running what pg_restore writes over one connection, so that it is part of its transaction."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from psycopg import Connection

_COPY = re.compile(rb"COPY [^\n]* FROM stdin;\r?\n")
_END_OF_COPY = (b"\\.\n", b"\\.\r\n")
#: Of pg_restore 17 and newer; PostgreSQL 15 and 16 do not know the parameter.
_NEWER = b"SET transaction_timeout = "


def run(connection: Connection[Any], script: Iterable[bytes]) -> None:
    """Run a script of statements and rows, line by line. Raises psycopg.Error.

    Lines that begin with a backslash are for psql alone; pg_restore writes them between statements.
    """
    lines = iter(script)
    statements: list[bytes] = []
    for line in lines:
        if _COPY.fullmatch(line):
            _execute(connection, statements)
            with connection.cursor() as cursor, cursor.copy(line) as copy:
                for row in _rows(lines):
                    copy.write(row)
        elif not line.startswith((b"\\", b"--", _NEWER)):
            statements.append(line)
    _execute(connection, statements)
    connection.execute("RESET ALL")


def _rows(lines: Iterator[bytes]) -> Iterator[bytes]:
    for line in lines:
        if line in _END_OF_COPY:
            return
        yield line


def _execute(connection: Connection[Any], statements: list[bytes]) -> None:
    text = b"".join(statements).strip()
    if text:
        connection.execute(text)
    statements.clear()

"""A connection that PostgreSQL refuses is distinguished from one that cannot be made."""

import socketserver
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread

import psycopg
import pytest
from core.tests.files import files_left
from core.tests.shortages import resources
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from podmeter.db.refusals import TAKEN, refusal_state
from podmeter.db.session import make_engine
from podmeter.stack import shortages
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.process import wait_until
from podmeter.stack.shortages import Resource

pytestmark = pytest.mark.services


def take_all_connections(postgres: EmbeddedPostgres, held: ExitStack) -> None:
    url = postgres.url().replace("+psycopg", "")
    while True:
        try:
            held.enter_context(psycopg.connect(url))
        except psycopg.OperationalError:
            return


def test_a_database_that_refuses_a_connection_is_short_of_them(
    postgres: EmbeddedPostgres, engine_of
) -> None:
    postgres.start()
    with ExitStack() as held:
        take_all_connections(postgres, held)
        (found,) = shortages.of_database(engine_of(postgres))
        assert found.resource is Resource.DATABASE_CONNECTIONS
        assert "connection slots are reserved" in found.said


def test_a_refused_connection_is_recognized_in_any_language() -> None:
    """The text is in the language of the server's `lc_messages`."""
    body = b"SFATAL\0VFATAL\0C53300\0M" + "已经有太多的客户端".encode() + b"\0\0"
    refusal = b"E" + (len(body) + 4).to_bytes(4, "big") + body
    with refusing(refusal) as port:
        engine = make_engine(f"postgresql+psycopg://a:b@127.0.0.1:{port}/c?sslmode=disable")
        assert resources(shortages.of_database(engine)) == [Resource.DATABASE_CONNECTIONS]
    wrong_password = refusal.replace(b"53300", b"28P01")
    with refusing(wrong_password) as port:
        engine = make_engine(f"postgresql+psycopg://a:b@127.0.0.1:{port}/c?sslmode=disable")
        with pytest.raises(OperationalError):
            list(shortages.of_database(engine))


def test_a_process_with_few_files_left_cannot_reach_the_database(
    postgres: EmbeddedPostgres, engine_of
) -> None:
    """Asking why took a further file, and failed with an error that nobody expected."""
    postgres.start()
    engine = engine_of(postgres)
    with files_left(0), pytest.raises(OperationalError):
        list(shortages.of_database(engine))
    # Any step of connecting may take the last file.
    for count in range(1, 6):
        with files_left(count), suppress(OperationalError):
            assert list(shortages.of_database(engine)) == []
        engine.dispose()
    assert list(shortages.of_database(engine)) == []


def test_a_database_that_takes_the_second_connection_is_looked_at_again(
    postgres: EmbeddedPostgres, engine_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.start()
    engine = engine_of(postgres)
    with ExitStack() as held:
        take_all_connections(postgres, held)

        def asked(of: Engine) -> str | None:
            held.close()
            assert wait_until(lambda: refusal_state(of) == TAKEN, 30)
            return refusal_state(of)

        monkeypatch.setattr(shortages, "refusal_state", asked)
        # It has room now.
        assert resources(shortages.of_database(engine)) == []


@contextmanager
def refusing(refusal: bytes) -> Iterator[int]:
    """A PostgreSQL that answers each start of a connection by this; its port."""

    class Refusal(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            self.request.sendall(refusal)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusal) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()

import contextlib
import os
import signal
from pathlib import Path

import psycopg
import pytest

from podmeter.stack.errors import StackError
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.process import processes_in, wait_until

pytestmark = pytest.mark.services


def connect(server: EmbeddedPostgres) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(server.url().replace("+psycopg", ""), autocommit=True)


def listening_sockets(pid: int) -> set[str]:
    """The TCP sockets on which a process listens, as its open files name them."""
    listening = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                listening.add(f"socket:[{fields[9]}]")
    return listening & {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir()}


def test_keeps_what_was_written_over_a_restart(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    with connect(postgres) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (7)")
    postgres.stop()
    assert list(processes_in(postgres.data_dir)) == []
    postgres.start()
    with connect(postgres) as connection:
        assert connection.execute("SELECT n FROM kept").fetchall() == [(7,)]


def test_listens_on_no_network_address(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    assert postgres.process is not None
    assert listening_sockets(postgres.process.pid) == set()


def test_refuses_a_wrong_password(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    postgres.password = "another"
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(postgres)


def test_does_not_run_as_root(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    owners = {Path(f"/proc/{pid}").stat().st_uid for pid in processes_in(postgres.data_dir)}
    assert owners
    assert 0 not in owners


def test_starts_again_after_its_processes_were_killed(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    for pid in list(processes_in(postgres.data_dir)):
        # The others end by themselves once the first is gone.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert postgres.process is not None
    postgres.process.wait(60)
    assert (postgres.data_dir / "postmaster.pid").exists()
    postgres.start()
    connect(postgres).close()


@pytest.mark.full
def test_starts_though_the_stale_lock_names_a_living_stranger(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    postgres.stop()
    stranger = os.getpid()
    (postgres.data_dir / "postmaster.pid").write_text(f"{stranger}\n{postgres.data_dir}\n")
    postgres.start()
    connect(postgres).close()


@pytest.mark.full
def test_starts_though_a_stale_socket_lock_names_a_living_stranger(
    postgres: EmbeddedPostgres,
) -> None:
    postgres.start()
    postgres.stop()
    socket = postgres.folder / ".s.PGSQL.5432"
    socket.touch()
    lock = f"{os.getpid()}\n{postgres.data_dir}\n0\n5432\n{postgres.folder}\n"
    socket.with_name(f"{socket.name}.lock").write_text(lock)
    postgres.start()
    connect(postgres).close()


@pytest.mark.full
def test_takes_over_from_a_server_left_running(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    left = postgres.process
    assert left is not None
    second = EmbeddedPostgres(postgres.folder, postgres.password, durable=False)
    second.start()
    try:
        assert left.wait(60) is not None
        connect(second).close()
    finally:
        second.stop()


def test_a_long_path_gets_a_private_short_socket_folder(folder: Path) -> None:
    server = EmbeddedPostgres(folder / ("long" * 30), "a-password", durable=False)
    server.start()
    try:
        connect(server).close()
        socket_folder = Path(server.url().partition("?host=")[2])
        assert socket_folder != server.folder
        assert socket_folder.stat().st_mode & 0o077 == 0
    finally:
        server.stop()
        socket_folder.rmdir()
    assert wait_until(lambda: not list(processes_in(server.data_dir)), 60)


def test_a_lost_password_is_said_at_once(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    postgres.stop()
    postgres.password = "another"
    with pytest.raises(StackError, match="not the one"):
        postgres.start()
    assert list(processes_in(postgres.data_dir)) == []

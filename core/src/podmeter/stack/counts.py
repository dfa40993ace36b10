"""What workers did, counted in Redis for anyone who watches over them.

These are for watching alone: where Redis is lost they begin at 0 again, as counters may.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

KEY = "podmeter:counts"
Counted = tuple["Count", str]


class Count(StrEnum):
    """What is counted, each by how it ended."""

    RUNS = "runs"
    BLOCKS = "blocks"
    TRIALS = "trials"
    PREFLIGHTS = "preflights"
    #: Runs without a worker that were ended; clusters that were put right.
    RECOVERIES = "recoveries"
    RESTORES = "restores"
    #: Tokens of clusters.
    RENEWALS = "renewals"


class Redis(Protocol):
    """What is asked of a client of Redis."""

    def hincrby(self, name: str, key: str, amount: int) -> Any: ...

    def hgetall(self, name: str) -> Any: ...


def add(redis: Redis, counted: Mapping[Counted, int]) -> None:
    """Add to what was counted. Raises the client's errors."""
    for (what, how), number in counted.items():
        redis.hincrby(KEY, f"{what} {how}", number)


def read(redis: Redis) -> dict[Counted, int]:
    """All that was counted. Raises the client's errors."""
    found: dict[Counted, int] = {}
    for field, number in redis.hgetall(KEY).items():
        what, _, how = field.decode().partition(" ")
        if what in set(Count):
            found[Count(what), how] = int(number)
    return found

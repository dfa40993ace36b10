"""Requests that a tool sends one after another, each by a process of its own."""

from __future__ import annotations

from podmeter.domain.load import Load

#: Starting a process and its connection takes longer than a millisecond on any node.
_MOST_PER_SECOND = 1000
#: A Service that does not answer yet is asked again after 5 ms (images/bench/measure/ask.go).
_UNTIL_ANSWERED_PER_SECOND = 200
#: Of a request and the head of its answer.
_HEAD_BYTES = 1000


def sequential_load(requests: int, body_bytes: int = 0) -> Load:
    """What so many of them are at most, with answers of that size: all within a second if few."""
    return _load(min(requests, _MOST_PER_SECOND), requests, body_bytes)


def until_answered_load(body_bytes: int = 0) -> Load:
    """What asking until there is an answer is at most."""
    return _load(_UNTIL_ANSWERED_PER_SECOND, 1, body_bytes)


def _load(per_second: int, requests: int, body_bytes: int) -> Load:
    return Load(float(per_second), 8.0 * per_second * (_HEAD_BYTES + body_bytes), requests)

"""Requests that a tool sends one after another, each by a process of its own."""

from __future__ import annotations

from podmeter.domain.load import Load

#: Starting a process and its connection takes longer than a millisecond on any node.
_MOST_PER_SECOND = 1000
#: Of a request and the head of its answer.
_HEAD_BYTES = 1000


def sequential_load(requests: int, body_bytes: int = 0) -> Load:
    """What so many of them are at most, with answers of that size."""
    bits = 8.0 * _MOST_PER_SECOND * (_HEAD_BYTES + body_bytes)
    return Load(float(_MOST_PER_SECOND), bits, requests)

"""Shortages: how a disk is filled, and what an installation says it is short of."""

import os
from collections.abc import Iterable
from pathlib import Path

import httpx
import pytest

from podmeter.stack.shortages import Resource, Shortage

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")


def fill(file: Path) -> Path:
    """Write to a file until its file system is full; the file."""
    with file.open("wb", buffering=0) as filling:
        try:
            while filling.write(bytes(2**16)):
                pass
        except OSError:
            return file
    raise AssertionError("a disk without end")


def named(parts: httpx.Response) -> set[str]:
    """What /readyz/parts names as short, which answers 503 for as long as anything is; nothing
    where it was refused.
    """
    if parts.headers.get("content-type") != "application/json":
        return set()
    short = set(parts.json()["short"])
    assert parts.status_code == httpx.codes.SERVICE_UNAVAILABLE or not short
    return short


def figures(metrics: httpx.Response) -> set[str]:
    """What the metric says is short. It is silent of what the API cannot read."""
    lines = metrics.text.splitlines()
    assert any(line.startswith("podmeter_dependency_up{") for line in lines), metrics.text
    found = [line for line in lines if line.startswith("podmeter_short{")]
    return {line.split('"')[1] for line in found if line.endswith(" 1.0")}


def all_read(metrics: httpx.Response) -> bool:
    """Whether the metric has a figure for each resource."""
    return all(f'podmeter_short{{resource="{one}"}}' in metrics.text for one in Resource)


def resources(found: Iterable[Shortage]) -> list[Resource]:
    """What is short, without how short."""
    return [one.resource for one in found]

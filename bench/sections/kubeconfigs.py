"""How long a hostile kubeconfig keeps the API busy, and that it brings out the own error alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

from core.tests.credentials import kubeconfig_corpus as corpus
from core.tests.credentials.kubeconfig_maker import NOW

from bench.row import BenchEnvironment, BenchError, Row, Section
from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import KubeconfigRefusedError
from podmeter.credentials.kubeconfig import sanitize

_BAR_MS = 100.0
_SEED = 2026


def _measure(site: BenchEnvironment) -> list[Row]:
    count = 500 if site.quick else 10_000
    return [
        _row("named ones", corpus.named()),
        _row("mutated ones", corpus.mutated(_SEED, count)),
    ]


def _row(what: str, documents: Iterator[tuple[str, bytes]]) -> Row:
    """The slowest, by the CPU time it takes: nothing of it waits for anything."""
    found = {name: _milliseconds(name, raw) for name, raw in documents}
    slowest = max(found, key=lambda name: found[name])
    return Row(
        what=f"slowest of {len(found):,} {what}",
        value=found[slowest],
        unit="ms CPU",
        bar=_BAR_MS,
        note=f"“{slowest}”",
    )


def _milliseconds(name: str, raw: bytes) -> float:
    now: datetime = NOW
    begun = time.thread_time()
    try:
        sanitize(raw, now=now, policy=AddressPolicy())
    except KubeconfigRefusedError:
        pass
    except Exception as error:
        raise BenchError(f"the kubeconfig “{name}” raised {error!r}") from error
    return (time.thread_time() - begun) * 1000


SECTION = Section("kubeconfigs", "hostile kubeconfigs", needs_testbed=False, measure=_measure)

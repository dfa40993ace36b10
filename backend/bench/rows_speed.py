"""What reading a million measurements costs, row by row and by sample: the figures of ADR 0008.

Fills a PostgreSQL of its own as `api_speed.py` does, then reads everything that one organization
measured: as stored tuples, as rows, as a CSV file, and as the samples that analyses take, which
the database groups by case, metric, subject and round.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import psycopg
from api_speed import account, databases
from seed import seed
from served import free_port

from podmeter.db.repositories.rows import RowRepository
from podmeter.db.session import make_engine, make_sessions
from podmeter.kinds.registry import metrics_of
from podmeter.results.rows import RowCase, cells, rows
from podmeter.services.exports import csv_text
from podmeter.services.run_results.runs import load
from podmeter.services.work import Work


def main() -> None:
    """Fill, read, print."""
    with (
        tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder,
        databases(Path(folder), free_port()) as (postgres, _),
    ):
        _measure(postgres.url())


def _measure(url: str) -> None:
    organization = account(url)
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        seeded = seed(connection, organization, 1000)
    print(f"{seeded.measurements} measurements of {len(seeded.runs)} runs")
    with make_sessions(make_engine(url))() as session:
        repository = RowRepository(session, organization)
        found = repository.cases(seeded.runs)
        cases = {id_: RowCase(run, key, point) for id_, run, key, point in found}
        metrics = dict.fromkeys(seeded.runs, metrics_of("throughput"))
        axes = sorted({axis for case in cases.values() for axis in case.point})

        def table() -> None:
            every = rows(repository.stored(seeded.runs), cases, metrics)
            while portion := list(islice(every, 50_000)):
                csv_text.lines(cells(row, axes) for row in portion)

        _timed("stored tuples", lambda: deque(repository.stored(seeded.runs), maxlen=0))
        _timed(
            "rows", lambda: deque(rows(repository.stored(seeded.runs), cases, metrics), maxlen=0)
        )
        _timed("rows as CSV", table)
        _timed("samples", lambda: load(Work(session), organization, seeded.runs))


def _timed(what: str, read: Callable[[], object]) -> None:
    begun, cpu = time.monotonic(), time.process_time()
    read()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    took, of_cpu = time.monotonic() - begun, time.process_time() - cpu
    print(f"{what:15} {took:6.1f} s, {of_cpu:6.1f} s of CPU here, at most {peak:5.0f} MiB so far")


if __name__ == "__main__":
    main()

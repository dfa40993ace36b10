"""How fast the API answers with many runs stored: `python backend/bench/api_speed.py`.

Starts a PostgreSQL and a Redis of its own, fills them (1,000 runs with 1,152,000 measurements, and
100 of three times as many cases),
starts the API, and asks with 8 clients at once: first right after a start, then warm; comparisons
then once more while 2 of the clients list runs. All of it is done several times, since a machine
that shares its CPUs with others is at times half as fast: of each line the quickest round counts,
and every round is printed with its p95 and how long this machine took for a fixed loop at that
time. Exits with 1 where a p95 is above its bar.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from load import Ask, Latencies, Request, load
from seed import EVERY_PATH, seed
from served import databases, served
from sqlalchemy import select

from podmeter.credentials.passwords import Passwords
from podmeter.db.models import Organization
from podmeter.db.session import make_engine, make_sessions, unit_of_work
from podmeter.services.accounts.first_admin import ensure_first_admin
from podmeter.services.run_aggregates.precompute import AggregatePrecompute
from podmeter.services.work import Work
from podmeter.stack.redis import free_port

EMAIL, PASSWORD = "bench@localhost", "a password for the bench alone"


#: The highest p95 that passes, in milliseconds; a million measurements are what the bars are for.
BARS = {"GET /runs": 100.0, "POST /comparisons": 150.0}
LARGE = "POST /comparisons of 24 cases"
#: Of the clients, those that list runs while the others compare.
LISTING = 2


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    when: str
    latencies: Latencies
    cpu_seconds: float | None
    #: How long the fixed loop took, before it.
    loop_seconds: float

    @property
    def p95(self) -> float:
        """Seconds."""
        return self.latencies.percentile(0.95)


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=400, help="warm requests of each kind")
    parser.add_argument("--rounds", type=int, default=3, help="how often all of it is done")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder:
        lines = list(_measure(Path(folder), given))
    rows = [_row(rounds) for rounds in _by_line(lines)]
    say(
        f"{'':30} {'':28} {'n':>5} {'p50 ms':>8} {'p95 ms':>8} {'bar':>5} {'cpu ms':>7} {'1/s':>7}"
        "  p95 (loop) of each round, ms"
    )
    for row in rows:
        cpu = "" if row["api_cpu_ms"] is None else row["api_cpu_ms"]
        bar = "" if row["bar_ms"] is None else f"{row['bar_ms']:g}"
        say(
            f"{row['what']:30} {row['when']:28} {row['requests']:5} {row['p50_ms']:8} "
            f"{row['p95_ms']:8} {bar:>5} {cpu:7} {row['per_second']:7}  {row['rounds']}"
        )
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(
        0 if all(row["bar_ms"] is None or row["p95_ms"] <= row["bar_ms"] for row in rows) else 1
    )


def _by_line(lines: list[Line]) -> list[list[Line]]:
    """The rounds of each line."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        found.setdefault((line.what, line.when), []).append(line)
    return list(found.values())


def _row(rounds: list[Line]) -> dict[str, Any]:
    line = min(rounds, key=lambda one: one.p95)
    found, cpu = line.latencies, line.cpu_seconds
    return {
        "what": line.what,
        "when": line.when,
        "requests": len(found.seconds),
        "p50_ms": round(found.percentile(0.5) * 1000, 1),
        "p95_ms": round(line.p95 * 1000, 1),
        "bar_ms": BARS.get(line.what),
        "api_cpu_ms": None if cpu is None else round(1000 * cpu / len(found.seconds), 1),
        "per_second": round(len(found.seconds) / found.elapsed, 1),
        "rounds": ", ".join(
            f"{1e3 * one.p95:.0f} ({1e3 * one.loop_seconds:.0f})" for one in rounds
        ),
    }


def _measure(folder: Path, given: argparse.Namespace) -> Iterator[Line]:
    port = free_port()
    with databases(folder, port) as (postgres, environment):
        organization = account(postgres.url())
        with psycopg.connect(postgres.url().replace("+psycopg", "")) as connection:
            begun = time.monotonic()
            large = seed(
                connection, organization, given.runs // 10, spec=EVERY_PATH, cluster_name="large"
            )
            seeded = seed(connection, organization, given.runs)
            took = time.monotonic() - begun
        say(
            f"{given.runs} runs, {seeded.measurements} measurements, and {len(large.runs)} with "
            f"{large.measurements} in {took:.0f} s"
        )
        say(f"their digests, which the API makes when runs end: {_digest(postgres.url()):.0f} s")
        asked = _requests(seeded.runs, large.runs)
        for what in list(asked) * given.rounds:
            # What is cold after a restart is the API's caches and the database's.
            postgres.stop()
            postgres.start()
            with api(environment, port) as (headers, pid):
                yield from _ask(what, asked, given, port, headers, pid)


def _ask(
    what: str,
    asked: dict[str, Ask],
    given: argparse.Namespace,
    port: int,
    headers: dict[str, str],
    pid: int,
) -> Iterator[Line]:
    for when, count in (("after a start", given.clients * 10), ("warm", given.requests)):
        loop, before = loop_seconds(), _cpu_seconds(pid)
        found = load("127.0.0.1", port, headers, asked[what], clients=given.clients, requests=count)
        yield Line(what, when, found, _cpu_seconds(pid) - before, loop)
    listed = "GET /runs"
    if what != listed:
        loop = loop_seconds()
        found = load(
            "127.0.0.1",
            port,
            headers,
            asked[what],
            clients=given.clients,
            requests=given.requests,
            beside=asked[listed],
            clients_beside=LISTING,
        )
        yield Line(what, f"beside {LISTING} clients on {listed}", found, None, loop)


def _requests(runs: list[uuid.UUID], large: list[uuid.UUID]) -> dict[str, Ask]:
    draw = random.Random(2)  # noqa: S311 (the same requests every time)

    def list_runs(_: int) -> Request:
        return "GET", "/api/v1/runs", None

    def compare(among: list[uuid.UUID]) -> Ask:
        def ask(_: int) -> Request:
            one, two = draw.sample(among, 2)
            body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
            return "POST", "/api/v1/comparisons", json.dumps(body).encode()

        return ask

    return {"GET /runs": list_runs, "POST /comparisons": compare(runs), LARGE: compare(large)}


def account(url: str) -> uuid.UUID:
    """Make the first administrator as `podmeter-admin up` does; the organization's id."""
    engine = make_engine(url)
    with unit_of_work(make_sessions(engine)) as session:
        ensure_first_admin(Work(session), Passwords(), EMAIL, PASSWORD)
        found = session.scalars(select(Organization.id)).one()
    engine.dispose()
    return found


def _digest(url: str) -> float:
    """Make the digests of all runs; how long that took, in seconds."""
    begun, engine = time.monotonic(), make_engine(url)
    ahead = AggregatePrecompute(make_sessions(engine))
    while ahead.make_one():
        pass
    engine.dispose()
    return time.monotonic() - begun


@contextmanager
def api(environment: dict[str, str], port: int) -> Iterator[tuple[dict[str, str], int]]:
    """The API while it serves: the headers that its requests need, and its process."""
    administrator = {"PODMETER_ADMIN_EMAIL": EMAIL, "PODMETER_ADMIN_PASSWORD": PASSWORD}
    with served({**environment, **administrator}, port) as pid:
        yield {"Authorization": f"Bearer {_token(port)}", "Content-Type": "application/json"}, pid


def loop_seconds() -> float:
    """How long a million additions take: how fast the machine is now."""
    begun, total = time.perf_counter(), 0
    for number in range(1_000_000):
        total += number
    return time.perf_counter() - begun


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process and its children, proc(5) fields 14 and 15."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    spent = 0
    for one in (pid, *children):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        spent += int(fields[11]) + int(fields[12])
    return spent / os.sysconf("SC_CLK_TCK")


def _token(port: int) -> str:
    base = f"http://127.0.0.1:{port}/api/v1"
    login = _post(f"{base}/auth/login", {"email": EMAIL, "password": PASSWORD}, {})
    cookie = login[1].partition(";")[0]
    headers = {"Cookie": cookie, "X-CSRF-Token": login[0]["csrf_token"]}
    answer = _post(f"{base}/tokens", {"name": "bench", "role": "operator"}, headers)
    return str(answer[0]["token"])


def _post(url: str, body: object, headers: dict[str, str]) -> tuple[Any, str]:
    request = urllib.request.Request(  # noqa: S310 (our own API)
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
    )
    with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
        return json.load(response), response.headers.get("set-cookie", "")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""How fast things are found among 10,000 runs: `python backend/bench/search_speed.py`.

Starts a PostgreSQL and a Redis of its own, fills them with runs of many names and tags, and 1,000
each of comparisons and shared links, starts the API, and asks with 4 clients at once, each question
with other words every time: parts of names, modes, outcomes and tags that few runs have, that all
of them have, and that none has; then lists that are narrowed to the same, and ordered by name.
Exits with 1 where a p95 is above its bar.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
from api_speed import account, api, loop_seconds, say
from load import Ask, Latencies, Request, load
from seed import seed
from served import databases

from podmeter.stack.redis import free_port

#: Milliseconds.
BAR = 100.0
#: Comparisons, and as many links to one.
SHARED = 1000
_ENVIRONMENTS = ("production", "staging", "frankfurt", "singapore", "lab", "生产环境")
_SUBJECTS = ("overlay", "nightly", "kernel upgrade", "conntrack", "baseline", "回归测试")
_TAGS = [f"team-{number}" for number in range(200)]


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--requests", type=int, default=400, help="of each kind")
    parser.add_argument("--rounds", type=int, default=3, help="how often all of it is done")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder:
        rows = list(_measure(Path(folder), given))
    for row in rows:
        say(f"{row['what']:30} {row['when']}: p50 {row['p50_ms']} ms, p95 {row['p95_ms']} ms")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if all(row["p95_ms"] <= row["bar_ms"] for row in rows) else 1)


def _measure(folder: Path, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    port = free_port()
    with databases(folder, port) as (postgres, environment):
        organization = account(postgres.url())
        with psycopg.connect(postgres.url().replace("+psycopg", "")) as connection:
            seeded = seed(connection, organization, given.runs, trials=False)
            _name(connection, [str(one) for one in seeded.runs])
            compared = seed(connection, organization, 2, cluster_name="compared").runs
        with api(environment, port) as (headers, _):
            with psycopg.connect(postgres.url().replace("+psycopg", "")) as connection:
                _share(connection, port, headers, [str(one) for one in compared])
            for what, ask in _questions().items():
                load("127.0.0.1", port, headers, ask, clients=given.clients, requests=40)
                rounds = [
                    (
                        load(
                            "127.0.0.1",
                            port,
                            headers,
                            ask,
                            clients=given.clients,
                            requests=given.requests,
                        ),
                        loop_seconds(),
                    )
                    for _ in range(given.rounds)
                ]
                yield _row(what, given, rounds)


def _row(
    what: str, given: argparse.Namespace, rounds: list[tuple[Latencies, float]]
) -> dict[str, Any]:
    found = min((one for one, _ in rounds), key=lambda one: one.percentile(0.95))
    return {
        "what": what,
        "when": f"{given.runs:,} runs, {SHARED:,} comparisons and links, {given.clients} clients",
        "requests": len(found.seconds),
        "p50_ms": round(found.percentile(0.5) * 1000, 1),
        "p95_ms": round(found.percentile(0.95) * 1000, 1),
        "bar_ms": BAR,
        "api_cpu_ms": None,
        "rounds": ", ".join(
            f"{1e3 * one.percentile(0.95):.0f} ({1e3 * loop:.0f})" for one, loop in rounds
        ),
    }


def _name(connection: psycopg.Connection[Any], runs: list[str]) -> None:
    """Give the runs names, tags and outcomes of many kinds."""
    draw = random.Random(3)  # noqa: S311 (the same names every time)
    rows = [
        (
            f"{draw.choice(_ENVIRONMENTS)} {draw.choice(_SUBJECTS)} {draw.randrange(16**6):06x}",
            sorted(draw.sample(_TAGS, draw.randrange(4))),
            draw.choice(("succeeded", "succeeded", "partial", "failed", "cancelled")),
            run,
        )
        for run in runs
    ]
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE runs SET name = %s, tags = %s, outcome = %s WHERE id = %s", rows)
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE runs")


def _share(
    connection: psycopg.Connection[Any], port: int, headers: dict[str, str], runs: list[str]
) -> None:
    """Compare two runs and share that, then write the same under many names."""

    def made(what: str, body: object) -> str:
        url, data = f"http://127.0.0.1:{port}/api/v1/{what}", json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return str(json.load(answer)["id"])

    sides = {"baseline": {"run_id": runs[0]}, "contenders": [{"run_id": runs[1]}]}
    comparison = made("comparisons", sides)
    snapshot = made("snapshots", {"title": "ours", "comparison_id": comparison})
    draw = random.Random(5)  # noqa: S311 (the same names every time)
    names = [
        f"{draw.choice(_ENVIRONMENTS)} {draw.choice(_SUBJECTS)} {draw.randrange(16**6):06x}"
        for _ in range(SHARED)
    ]
    connection.execute(
        "INSERT INTO comparisons (id, organization_id, name, kind, request, outline, content, "
        "created_by) SELECT gen_random_uuid(), organization_id, named, kind, request, outline, "
        "content, created_by FROM comparisons, unnest(%s::text[]) AS named WHERE id = %s",
        (names, comparison),
    )
    connection.execute(
        "INSERT INTO snapshots (id, organization_id, title, token_hash, request, content, "
        "created_by, expires_at) SELECT gen_random_uuid(), organization_id, named, "
        "md5(named || random()::text), request, content, created_by, expires_at "
        "FROM snapshots, unnest(%s::text[]) AS named WHERE id = %s",
        (names, snapshot),
    )
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE comparisons, snapshots")


def _questions() -> dict[str, Ask]:
    draw = random.Random(4)  # noqa: S311 (the same questions every time)

    def words() -> str:
        return draw.choice(
            (
                f"{draw.randrange(16**3):03x}",
                f"{draw.randrange(16**6):06x}",
                f"{draw.choice(_ENVIRONMENTS)[2:]} {draw.choice(('succeeded', '失败', 'partial'))}",
                f"{draw.choice(_SUBJECTS)} vxlan",
                draw.choice(_TAGS),
                "throughput",
                draw.choice("aeos1"),
                "no such run anywhere",
            )
        )

    def ask(path: str, **asked: str) -> Request:
        return "GET", f"/api/v1/{path}?{urlencode(asked)}", None

    def search(_: int) -> Request:
        return ask("search", q=words())

    def narrowed(_: int) -> Request:
        narrow = draw.choice(({"q": words()}, {"tag": draw.choice(_TAGS)}, {"outcome": "failed"}))
        return ask("runs", **narrow, sort=draw.choice(("newest", "name")))

    return {"GET /search": search, "GET /runs, narrowed and sorted": narrowed}


if __name__ == "__main__":
    main()

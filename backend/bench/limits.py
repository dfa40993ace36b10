"""What one user feels of attacks on the API: `python backend/bench/limits.py`.

Starts a PostgreSQL, a Redis and the API of its own. A user at 127.0.0.2 lists runs and asks who he
is, five times a second. Beside him, each alone and then all together:

- 200 failed logins a minute of unknown accounts, from 127.0.0.3
- bodies of 190,000 keys, six at a time, from 127.0.0.4
- 400 event streams of one viewer, from 127.0.0.5, who opens again what is refused
- 2,500 half heads, 2,500 bodies that drip, headers without end, bursts of 1,000 connections, from
  127.0.0.10 alone and from 20 addresses

Another user, logged in before, is at 127.0.0.10 himself. The attackers are processes of their
own with a low priority: what they compute is not the user's time, nor the API's. Prints the user's
p50 and p99, how many of his requests were refused, the most memory (Pss) that any process of the
API had, and what the other user was answered. Exits with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import httpx
import strangers
from backend.tests.builders import queue_run
from served import databases, served

from podmeter.credentials.passwords import Passwords
from podmeter.db.models import Membership, Organization, Role, User
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.stack import open_files
from podmeter.stack.redis import free_port

PASSWORD = "a password for the bench alone"  # noqa: S105
#: How many times as long as one alone all attacks together are measured.
TOGETHER = 3
P99_BAR_SECONDS, MEMORY_BAR_MIB, SERVED_AGAIN_BAR_SECONDS = 1.0, 400.0, 30.0
#: Attackers have machines of their own in the field; here they take the time that is left.
ATTACKERS_NICE = 10
#: Where strangers attack from; a user who is there too is refused at worst.
ATTACKED_ADDRESS = "127.0.0.10"
_KEYS = json.dumps({f"key{number}": 0 for number in range(190_000)}).encode()


@dataclass
class Phase:
    """What the user felt beside some attacks, and what the attackers were answered."""

    what: str
    seconds: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    memory_mib: float = 0.0
    #: What the user at the attackers' address was answered, and how soon after the attack well.
    neighbour: Counter[str] = field(default_factory=Counter)
    served_again: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)

    def percentile(self, share: float) -> float:
        """In seconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def rows(self) -> list[dict[str, Any]]:
        """As the table of `make bench` takes them."""
        answered = _listed(self.answers)
        p50, p99 = (round(self.percentile(share) * 1000, 1) for share in (0.5, 0.99))
        return [
            {
                "what": f"p99 of a logged-in user, {self.what}",
                "value": p99,
                "unit": "ms",
                "bar": P99_BAR_SECONDS * 1000,
                "note": f"p50 {p50:g} ms, n = {len(self.seconds)}; {answered or 'no attack'}",
            },
            {
                "what": f"his requests that were refused, {self.what}",
                "value": self.refused.total(),
                "unit": "",
                "bar": 0,
                "note": _listed(self.refused),
            },
            {
                "what": f"memory of the largest API process, {self.what}",
                "value": round(self.memory_mib, 1),
                "unit": "MiB",
                "bar": MEMORY_BAR_MIB,
            },
            {
                "what": f"neighbour's requests with neither answer nor 429, {self.what}",
                "value": sum(
                    count for how, count in self.neighbour.items() if how not in ("200", "429")
                ),
                "unit": "",
                "bar": 0,
                "note": f"at the attackers' address; {_listed(self.neighbour)}",
            },
            {
                "what": f"neighbour is served again, {self.what}",
                "value": round(self.served_again, 1),
                "unit": "s",
                "bar": SERVED_AGAIN_BAR_SECONDS,
                "note": "after the attack",
            },
        ]


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{one}: {count}" for one, count in sorted(counted.items()))


Attack = Callable[["Site", Phase], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Site:
    """The API, and where an attack starts from."""

    url: str
    pid: int
    run_path: str

    def client(self, address: str) -> httpx.AsyncClient:
        """A client whose connections come from this address."""
        transport = httpx.AsyncHTTPTransport(
            local_address=address,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        )
        return httpx.AsyncClient(transport=transport, base_url=self.url, timeout=60)

    async def logged_in(self, address: str, email: str) -> httpx.AsyncClient:
        """The same, with a session."""
        client = self.client(address)
        body = {"email": email, "password": PASSWORD}
        answer = await client.post("/api/v1/auth/login", json=body)
        answer.raise_for_status()
        client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return client


async def failed_logins(site: Site, phase: Phase) -> None:
    """200 a minute, without waiting for an answer before the next one."""
    async with site.client("127.0.0.3") as client, asyncio.TaskGroup() as tries:

        async def log_in() -> None:
            body = {"email": f"{uuid.uuid4()}@example.org", "password": "wrong"}
            answer = await client.post("/api/v1/auth/login", json=body)
            phase.answers[f"login {answer.status_code}"] += 1

        while True:
            tries.create_task(log_in())
            await asyncio.sleep(60 / 200)


async def many_keys(site: Site, phase: Phase) -> None:
    """Six at a time, one after the other."""
    async with site.client("127.0.0.4") as client, asyncio.TaskGroup() as posts:

        async def post() -> None:
            while True:
                with suppress(httpx.TransportError):  # refused before it was sent to its end
                    answer = await client.post(
                        "/api/v1/imports",
                        content=_KEYS,
                        headers={"Content-Type": "application/json"},
                    )
                    phase.answers[f"keys {answer.status_code}"] += 1

        for _ in range(6):
            posts.create_task(post())


async def event_streams(site: Site, phase: Phase) -> None:
    """400 at a time; what is refused is asked for again after a second."""
    client = await site.logged_in("127.0.0.5", "viewer@example.org")
    async with aclosing(client), asyncio.TaskGroup() as streams:

        async def follow() -> None:
            while True:
                async with client.stream("GET", f"{site.run_path}/events") as answer:
                    phase.answers[f"stream {answer.status_code}"] += 1
                    if answer.status_code == 200:
                        async for _ in answer.aiter_bytes():
                            pass
                await asyncio.sleep(1)

        for _ in range(400):
            streams.create_task(follow())


ATTACKS: dict[str, tuple[Attack, ...]] = {
    "alone": (),
    "beside 200 failed logins a minute": (failed_logins,),
    "beside bodies of 190,000 keys": (many_keys,),
    "beside 400 event streams of one viewer": (event_streams,),
    "beside all of these": (failed_logins, many_keys, event_streams),
    **strangers.attacks(),
}


async def measure(site: Site, what: str, attacks: tuple[Attack, ...], seconds: float) -> Phase:
    """What the users feel for so long, once the attackers are there."""
    phase = Phase(what)
    user = await site.logged_in("127.0.0.2", "user@example.org")
    neighbour = await site.logged_in(ATTACKED_ADDRESS, "viewer@example.org")
    spawn = get_context("spawn")
    told: SimpleQueue[Counter[str]] = spawn.SimpleQueue()
    ready = spawn.Barrier(len(attacks) + 1)
    attackers = [
        spawn.Process(target=_attack, args=(one, site, seconds, ready, told), daemon=True)
        for one in attacks
    ]
    for one in attackers:
        one.start()
    async with aclosing(user), aclosing(neighbour):
        await asyncio.to_thread(ready.wait, 120)
        until = time.monotonic() + seconds
        async with asyncio.TaskGroup() as users:
            users.create_task(_use(site, user, phase, until))
            users.create_task(_use_beside(neighbour, phase, until))
        for _ in attackers:
            phase.answers += await asyncio.to_thread(told.get)
        ended = time.monotonic()
        while await _answered(neighbour, "/api/v1/me") != "200":
            await asyncio.sleep(0.5)
        phase.served_again = time.monotonic() - ended
    for one in attackers:
        one.join()
    return phase


async def _use(site: Site, user: httpx.AsyncClient, phase: Phase, until: float) -> None:
    paths = ("/api/v1/runs", "/api/v1/me", site.run_path, "/api/v1/clusters")
    number = 0
    while time.monotonic() < until:
        begun = time.perf_counter()
        # Each second request is the last one of its connection, so that others are opened too.
        headers = {"Connection": "close"} if number % 2 else {}
        answer = await _answered(user, paths[number % len(paths)], headers)
        phase.seconds.append(time.perf_counter() - begun)
        if answer != "200":
            phase.refused[answer] += 1
        number += 1
        if number % 5 == 0:
            phase.memory_mib = max(phase.memory_mib, largest_mib(site.pid))
        await asyncio.sleep(0.2)


async def _use_beside(neighbour: httpx.AsyncClient, phase: Phase, until: float) -> None:
    while time.monotonic() < until:
        phase.neighbour[await _answered(neighbour, "/api/v1/me", {"Connection": "close"})] += 1
        await asyncio.sleep(0.5)


async def _answered(
    client: httpx.AsyncClient, path: str, headers: dict[str, str] | None = None
) -> str:
    """The status; `429 at once` where nothing says when to ask again; the error without one."""
    try:
        answer = await client.get(path, headers=headers)
    except httpx.TransportError as error:
        return type(error).__name__
    if answer.status_code == 429 and "retry-after" not in answer.headers:
        return "429 at once"
    return str(answer.status_code)


def _attack(
    attack: Attack,
    site: Site,
    seconds: float,
    ready: Barrier,
    told: SimpleQueue[Counter[str]],
) -> None:
    """One attack, in a process of its own."""
    phase = Phase("")
    open_files.raise_limit()
    os.nice(ATTACKERS_NICE)

    async def bounded() -> None:
        # As long as the user asks, and a little: it has to go on until he is done.
        with suppress(TimeoutError):
            await asyncio.wait_for(attack(site, phase), seconds + 1)

    ready.wait(120)
    asyncio.run(bounded())
    told.put(phase.answers)


def largest_mib(supervisor: int) -> float:
    """The proportional set size of the largest process of the API."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return max(_pss_mib(pid) for pid in [str(supervisor), *children])


def _pss_mib(pid: str) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"process {pid} has no Pss")


def _add_users(sessions: Sessions) -> None:
    hashed = Passwords().hash(PASSWORD)
    with sessions.begin() as session:
        organization = Organization(name="bench")
        session.add(organization)
        session.flush()
        for name, role in (("user", Role.ADMIN), ("viewer", Role.VIEWER)):
            user = User(email=f"{name}@example.org", password_hash=hashed)
            session.add(user)
            session.flush()
            session.add(Membership(organization_id=organization.id, user_id=user.id, role=role))


def _queue_run(url: str, sessions: Sessions) -> str:
    """A queued run that the streams follow; its path."""
    with httpx.Client(base_url=url) as client:
        body = {"email": "user@example.org", "password": PASSWORD}
        answer = client.post("/api/v1/auth/login", json=body)
        client.headers["X-CSRF-Token"] = answer.raise_for_status().json()["csrf_token"]
        return f"/api/v1/runs/{queue_run(client, sessions)['id']}"


def _run(given: argparse.Namespace) -> list[Phase]:
    port = free_port()
    api = f"http://127.0.0.1:{port}"
    own = {"BENCH_IMAGE": "registry.invalid/bench:0.1.0", "PODMETER_PUBLIC_URL": api}
    with (
        tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder,
        databases(Path(folder), port) as (postgres, environment),
    ):
        sessions = make_sessions(make_engine(postgres.url()))
        _add_users(sessions)
        with served({**environment, **own}, port) as pid:
            site = Site(api, pid, _queue_run(api, sessions))
            return asyncio.run(_phases(site, given.seconds))


async def _phases(site: Site, seconds: float) -> list[Phase]:
    found = []
    for what, attacks in ATTACKS.items():
        # Together they make him wait longer: of fewer requests the p99 would be the slowest one.
        longer = seconds * TOGETHER if len(attacks) > 1 else seconds
        found.append(await measure(site, what, attacks, longer))
        for row in found[-1].rows():
            print(f"{row['what']:75} {row['value']:>8} {row['unit']:4} {row.get('note', '')}")
            sys.stdout.flush()
    return found


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=25, help="of each phase")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    rows = [row for phase in _run(given) for row in phase.rows()]
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if all(row["value"] <= row["bar"] for row in rows) else 1)


if __name__ == "__main__":
    main()

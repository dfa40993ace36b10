"""A thousand runs on a hundred clusters by four workers that are killed: `make scale`.

    python -m bench.scale [--runs 1000] [--clusters 100] [--workers 4] [--kills 20] [--seed N]

The clusters are scripted API servers (`bench/scripted`), each measurement takes `--seconds`. A
stack of its own first measures with the worker that it has, then with `--workers`, while one of
them, or a process of it that measures, is killed every few seconds. Five organizations have as many
clusters each; the first queues more than half of all runs before the others queue any. Exits with 1
unless

- every run ends, once; none is lost, none fails, and no more are interrupted than were killed;
- never two runs are in one cluster, by the database's word and by the clusters' own;
- on each cluster runs begin in the order they were queued in;
- while all organizations have runs that wait, each has as many places as every other, on the
  average over that time, give or take `FAIR`;
- what is stored, and what is left in the clusters, is as `make chaos` wants it.
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import func, select

from bench.chaos import verify as chaos
from bench.chaos.sites import ScriptedChaosCluster
from bench.chaos.verify import Check
from bench.row import BenchError, Row
from bench.scale import verify
from bench.scale.clusters import WatchedCluster
from bench.scale.tenants import Tenant, tenants
from bench.scale.workers import Workers
from bench.scripted.loop import Loop
from bench.stack import OwnStack, end_on_sigterm
from podmeter.db.base import now
from podmeter.db.models import Run
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.domain.run import RunState
from podmeter.version import BENCH_IMAGE

NAMES = ("acme", "bolt", "crag", "dune", "echo")
#: The least favoured organization's share of the most favoured one's places.
FAIR = 0.8
LEASE_SECONDS, PLACES = 10, 2
_PAUSE_SECONDS = 8.0
_STUCK_SECONDS = 120.0
_SHOWN = 5


def main() -> int:
    """0 if nothing is untrue."""
    given = _arguments()
    end_on_sigterm()
    print(f"seed {given.seed}; {given.clusters} scripted clusters", flush=True)
    settings = {
        "BENCH_IMAGE": BENCH_IMAGE,
        "PODMETER_ALLOWED_CLUSTER_NETWORKS": "127.0.0.0/8",
        "PODMETER_LEASE_SECONDS": str(LEASE_SECONDS),
        "PODMETER_WORKER_CONCURRENCY": str(PLACES),
        "PODMETER_LOG_LEVEL": "warning",
    }
    with tempfile.TemporaryDirectory(prefix="podmeter-scale-") as name, Loop() as loop:
        sites = [
            ScriptedChaosCluster(loop, f"scripted-{number + 1}", given.seconds, WatchedCluster)
            for number in range(given.clusters)
        ]
        with OwnStack(Path(name), settings) as stack:
            try:
                rows, found = Scale(given, stack, sites).measured()
            finally:
                if given.log:
                    given.log.write_text(stack.said())
    return _told(rows, found, given.json)


class Scale:
    """One whole measurement."""

    def __init__(
        self, given: argparse.Namespace, stack: OwnStack, sites: list[ScriptedChaosCluster]
    ) -> None:
        self.given, self.stack, self.sites = given, stack, sites
        self.seed = random.Random(given.seed)  # noqa: S311 (repeatable on purpose)
        self.engine = make_engine(stack.database_url(), pool_size=2, idle_in_transaction=0)
        self.sessions: Sessions = make_sessions(self.engine)
        self.tenants: list[Tenant] = []

    def measured(self) -> tuple[list[Row], list[Check]]:
        """The figures, and what is wrong."""
        try:
            self._register()
            alone = self._alone()
            return self._together(alone)
        finally:
            self.engine.dispose()

    def _register(self) -> None:
        begun = time.monotonic()
        self.tenants = tenants(self.stack, self.sessions, NAMES)
        each = len(self.sites) // len(NAMES)
        for number, tenant in enumerate(self.tenants):
            tenant.register(self.sites[number * each : (number + 1) * each])
        for tenant in self.tenants:
            tenant.wait_looked_at()
        print(f"registered and looked at after {time.monotonic() - begun:.0f} s", flush=True)

    def _alone(self) -> float:
        """Runs a second of one worker, the stack's own."""
        begun = time.monotonic()
        for tenant in self.tenants:
            tenant.queue(self.given.alone // len(NAMES))
        self._wait(lambda: None)
        rate = float(self.given.alone / (time.monotonic() - begun))
        print(f"one worker: {rate:.2f} runs/s", flush=True)
        return rate

    def _together(self, alone: float) -> tuple[list[Row], list[Check]]:
        given = self.given
        greedy = given.runs - (len(NAMES) - 1) * (given.runs // 10)
        with Workers(self.stack, self.seed) as workers:
            # All is queued before the others come, so that what is fair is seen from the first.
            for tenant, runs in zip(self.tenants, [greedy] + [given.runs // 10] * 4, strict=True):
                tenant.queue(runs)
            print(f"{given.runs} runs queued, {greedy} of them by {NAMES[0]}", flush=True)
            before, all_queued, begun = self._finished(), now(), time.monotonic()
            workers.start(given.workers - 1)
            strikes = Strikes(workers, given.kills, self.seed)
            self._wait(strikes)
            took = time.monotonic() - begun
            done = self._finished() - before
            killed = workers.killed
        rate = done / took
        most = killed["worker"] * PLACES + killed["measuring process"]
        with self.sessions() as session:
            shares = verify.places(session, [one.id for one in self.tenants], all_queued)
            found = [
                *verify.ended_once(session, given.runs + given.alone, most),
                verify.in_order(session),
                Check("two runs in one cluster, by its own word", self._together_in()),
                *chaos.checks(session, self.sites, set()),
            ]
            outcomes = chaos.outcomes(session)
        print(f"killed {dict(killed)}; runs {dict(outcomes)}", flush=True)
        fairest = min(shares.values()) / max(0.001, *shares.values())
        said = ", ".join(f"{one.name} {shares[one.id]:.2f}" for one in self.tenants)
        rows = [
            Row("one worker", alone, "runs/s", note=f"n = {given.alone}, {PLACES} places"),
            Row(
                f"{given.workers} workers",
                rate,
                "runs/s",
                note=f"n = {done}, {killed.total()} kills, {took:.0f} s",
            ),
            Row("… beside one", rate / alone, "times"),
            Row(
                "places of the least favoured organization, beside the most",
                fairest,
                "",
                bar=FAIR,
                higher_is_better=True,
                note=said,
            ),
        ]
        return rows, found

    def _together_in(self) -> list[str]:
        clusters = [site.cluster for site in self.sites]
        return [
            one for found in clusters if isinstance(found, WatchedCluster) for one in found.together
        ]

    def _finished(self) -> int:
        with self.sessions() as session:
            query = select(func.count()).where(Run.state == RunState.FINISHED)
            return session.scalar(query) or 0

    def _wait(self, meanwhile: object) -> None:
        """Until all that was queued has ended. Raises BenchError where nothing ends for long."""
        latest, at, told = -1, time.monotonic(), time.monotonic()
        while True:
            with self.sessions() as session:
                left = session.scalar(select(func.count()).where(Run.state != RunState.FINISHED))
            if not left:
                return
            if left != latest:
                latest, at = left, time.monotonic()
            if time.monotonic() - at > _STUCK_SECONDS:
                raise BenchError(f"{left} runs are left, and none ended for {_STUCK_SECONDS:g} s")
            if time.monotonic() - told > 30:
                told = time.monotonic()
                print(f"  {left} left", flush=True)
            if callable(meanwhile):
                meanwhile()
            time.sleep(0.3)


class Strikes:
    """Kills now and then, as often as it is to."""

    def __init__(self, workers: Workers, kills: int, seed: random.Random) -> None:
        self._workers, self._left, self._seed = workers, kills, seed
        self._next = time.monotonic() + _PAUSE_SECONDS

    def __call__(self) -> None:
        """Kill, if it is time to."""
        if self._left and time.monotonic() > self._next:
            self._workers.kill()
            self._left -= 1
            self._next = time.monotonic() + self._seed.uniform(0.5, 1.5) * _PAUSE_SECONDS


def _told(rows: list[Row], found: list[Check], file: Path | None) -> int:
    rows += [Row(one.what, one.count, "", bar=0) for one in found]
    for row in rows:
        bar = "" if row.bar is None else f"bar {row.bar:g}"
        verdict = "" if row.bar is None else "met" if row.met else "MISSED"
        print(f"{row.what:<60} {row.value:9.4g} {row.unit:7} {bar:8} {verdict:7} {row.note}")
    for one in found:
        for text in one.found[:_SHOWN]:
            print(f"    {one.what}: {text}")
    if file:
        file.write_text(json.dumps([vars(row) for row in rows], indent=2) + "\n")
    return 0 if all(row.met for row in rows) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--clusters", type=int, default=100)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--alone", type=int, default=50, help="runs that one worker measures first")
    parser.add_argument("--seconds", type=float, default=1.0, help="that a measurement takes")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--log", type=Path, help="keep what the stack printed there")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""Kill everything at random under runs that switch modes, then look whether all is true.

    python -m bench.chaos [--kills 200] [--seed N] [--clusters 4]
    python -m bench.chaos --testbed [--kills 30]

A stack of its own measures scripted clusters (`bench/scripted`), or the testbed. Workers and their
parts, PostgreSQL, Redis, the API, the clusters' API servers and the whole stack are killed, or
stopped for longer than a lease; several at a time now and then. The seed is printed. In the end
every run is brought to its end, each cluster must take a run that succeeds, and a table says what
is not as it must be. Exits with 1 where anything is.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.chaos import verify
from bench.chaos.runs import SPEC, Runs, wait_until
from bench.chaos.sites import ChaosCluster, ScriptedChaosCluster, TestbedChaosCluster
from bench.chaos.verify import Check, Watcher
from bench.chaos.victims import Strikes
from bench.row import BenchError
from bench.scripted.loop import Loop
from bench.stack import OwnStack, end_on_sigterm
from podmeter.db.session import make_engine, make_sessions
from podmeter.demo import cluster as registration
from podmeter.demo.api import DemoError
from podmeter.rbac import manifest
from podmeter.rbac.capabilities import Capability
from podmeter.version import BENCH_IMAGE

LEASE_SECONDS = 10
#: Between kills, on the average; several at a time as often as this says.
_PAUSE_SECONDS, _TOGETHER = 3.0, 0.2
#: A real cluster takes longer to switch a mode, and to come back.
_TESTBED_PAUSE_SECONDS = 12.0
_SETTLED_SECONDS = 300.0
_SHOWN = 5


def main() -> int:
    """0 if nothing is untrue."""
    given = _arguments()
    end_on_sigterm()
    print(f"seed {given.seed}; {given.kills} kills", flush=True)
    with tempfile.TemporaryDirectory(prefix="podmeter-chaos-") as name, _sites(given) as sites:
        folder = Path(name)
        settings = {
            "BENCH_IMAGE": BENCH_IMAGE,
            "PODMETER_ALLOWED_CLUSTER_NETWORKS": "" if given.testbed else "127.0.0.0/8",
            "PODMETER_LEASE_SECONDS": str(LEASE_SECONDS),
            "PODMETER_WORKER_CONCURRENCY": str(min(4, len(sites) + 1)),
        }
        with OwnStack(folder, settings) as stack:
            try:
                found = _chaos(given, stack, sites)
            finally:
                if given.log:
                    given.log.write_text(stack.said())
        left = [str(process) for process in stack.processes()]
        found.append(Check("processes left by the stack", left))
    return _told(found)


def _chaos(given: argparse.Namespace, stack: OwnStack, sites: list[ChaosCluster]) -> list[Check]:
    seed = random.Random(given.seed)  # noqa: S311 (repeatable on purpose)
    engine = make_engine(stack.database_url(), pool_size=2, idle_in_transaction=0)
    sessions = make_sessions(engine)
    clusters = {}
    for site in sites:
        registered = registration.register(
            stack.api, site.name, site.kubeconfig, allow_mode_switch=True
        )
        clusters[site.name] = registered["id"]
    strikes = Strikes(stack, sites, seed, LEASE_SECONDS)
    try:
        with Watcher(sessions) as watcher:
            with Runs(stack.api, clusters, seed) as runs:
                ends = _strike(given, stack, strikes, seed)
            print("the last kill is done; every run is brought to its end", flush=True)
            while strikes.wake():
                time.sleep(0.5)
            _await_finished(stack, clusters)
            wait_until(lambda: all(site.takes_pods() for site in sites), _SETTLED_SECONDS)
            first = _afterwards(stack, clusters)
        with sessions() as session:
            found = verify.checks(session, sites, watcher.seen)
            print(f"runs {dict(verify.outcomes(session))}, {len(watcher.seen)} trials stored")
            for reason in verify.reasons(session):
                print(f"    {reason}")
        print(f"killed {dict(strikes.done)}")
        print(f"taken up again {sum(runs.started.values())} times")
    finally:
        strikes.wake(all_of_them=True)  # a stopped process cannot be ended
        engine.dispose()
    unknown = [
        repr(one)[:200]
        for site in sites
        if isinstance(site, ScriptedChaosCluster)
        for one in site.cluster.unknown_commands()
    ]
    return [
        *found,
        Check("stacks that ended by themselves", ends),
        Check("what the API refused", runs.errors),
        Check("clusters that take no run afterwards", first),
        Check("commands that the script does not know", sorted(set(unknown))),
    ]


def _strike(
    given: argparse.Namespace, stack: OwnStack, strikes: Strikes, seed: random.Random
) -> list[str]:
    """Kill until it is enough; how often the stack ended without having been killed."""
    ends = []
    pause = _TESTBED_PAUSE_SECONDS if given.testbed else _PAUSE_SECONDS
    begun = time.monotonic()
    while strikes.done.total() < given.kills:
        until = time.monotonic() + min(seed.expovariate(1 / pause), 4 * pause)
        while time.monotonic() < until:
            strikes.wake()
            time.sleep(0.1)
        struck = []
        for _ in range(seed.choice((2, 3)) if seed.random() < _TOGETHER else 1):
            if strikes.done.total() < given.kills and (what := strikes.strike()):
                struck.append(what)
        if struck:
            at = f"{time.monotonic() - begun:6.1f} s {strikes.done.total():4}"
            print(f"{at}  {', '.join(struck)}", flush=True)
        if "whole stack" in struck and stack.process is not None:
            stack.process.wait()
            stack.start()
        elif stack.ended():
            ends.append(stack.said()[-400:])
            print("        the stack has ended by itself; it is started again", flush=True)
            stack.start()
    return ends


def _await_finished(stack: OwnStack, clusters: dict[str, str]) -> None:
    """Wait until every run is finished and no cluster is flagged, at most for a while."""

    def settled() -> bool:
        if stack.ended():
            stack.start()
        try:
            runs = list(stack.api.all("/runs"))
            found = [stack.api.get(f"/clusters/{one}") for one in clusters.values()]
        except (BenchError, DemoError):
            return False
        flagged = any(one["needs_restore"] for one in found)
        return not flagged and all(run["state"] == "finished" for run in runs)

    if not wait_until(settled, _SETTLED_SECONDS):
        print(f"not all was settled within {_SETTLED_SECONDS:g} s", flush=True)


def _afterwards(stack: OwnStack, clusters: dict[str, str]) -> list[str]:
    """Each cluster takes another run, which succeeds; why one does not."""
    experiment = stack.api.post("/experiments", {**SPEC, "name": "afterwards"})["id"]
    started: dict[str, Any] = {}
    faults = []
    for name, cluster_id in clusters.items():
        try:
            path = f"/experiments/{experiment}/runs"
            started[name] = stack.api.post(path, {"cluster_id": cluster_id})["id"]
        except (BenchError, DemoError) as error:
            faults.append(f"{name}: {error}")

    def runs() -> dict[str, Any]:
        return {name: stack.api.get(f"/runs/{run}") for name, run in started.items()}

    wait_until(lambda: all(run["state"] == "finished" for run in runs().values()), _SETTLED_SECONDS)
    return faults + [
        f"{name}: {run['state']} {run['outcome']} {run['reason']}"
        for name, run in runs().items()
        if run["outcome"] != "succeeded"
    ]


@contextmanager
def _sites(given: argparse.Namespace) -> Iterator[list[ChaosCluster]]:
    if given.testbed:
        with TestbedChaosCluster.ready(manifest.manifest(Capability.SWITCH_MODES, None)) as site:
            print("on the testbed", flush=True)
            yield [site]
        return
    with Loop() as loop:
        sites: list[ChaosCluster] = []
        for number in range(given.clusters):
            sites.append(ScriptedChaosCluster(loop, f"scripted-{number + 1}", given.seconds))
        print(f"on {len(sites)} scripted clusters", flush=True)
        yield sites


def _told(found: list[Check]) -> int:
    width = max(len(one.what) for one in found)
    for one in found:
        print(f"{one.what:{width}}  {one.count:5}  {'ok' if not one.count else 'WRONG'}")
        for text in one.found[:_SHOWN]:
            print(f"    {text}")
    return 0 if not any(one.count for one in found) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description=__doc__)
    parser.add_argument("--testbed", action="store_true", help="on the testbed instead; needs root")
    parser.add_argument("--kills", type=int, help="200, on the testbed 30")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--clusters", type=int, default=4, help="how many scripted ones")
    parser.add_argument("--seconds", type=float, default=0.2, help="that a scripted trial takes")
    parser.add_argument("--log", type=Path, help="keep what the stack printed there")
    given = parser.parse_args()
    given.kills = given.kills or (30 if given.testbed else 200)
    return given


if __name__ == "__main__":
    sys.exit(main())

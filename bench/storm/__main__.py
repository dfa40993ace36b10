"""Hostile API servers beside one honest cluster: `make storm`, `make storm MINUTES=1`.

    python -m bench.storm [--minutes 10] [--json FILE]

A stack of its own measures a scripted cluster (`bench/scripted`), first alone, then while the
hostile API servers of `bench/storm/hostile.py` are registered beside it: they are checked again
and again, and measured where they can be. Now and then the process that measures the honest
cluster is killed. Exits with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.bench.footprint import parents, pss_kib, tree

from bench.row import PROJECT, BenchError, Row
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.stack import OwnStack, end_on_sigterm
from podmeter.demo import cluster as registration
from podmeter.demo.api import DemoError
from podmeter.version import BENCH_IMAGE

#: What the honest cluster's runs may take, as a share of what they take alone.
SLOWER, RECOVERED_SECONDS, MEMORY_MIB = 1.2, 60.0, 400.0
#: What is measured before, and how often the measuring process is killed meanwhile.
_ALONE, _MOST_KILLS = 5, 3
_GIVEN_UP_SECONDS = 150.0
SPEC: dict[str, Any] = {
    "name": "honest",
    "kind": "throughput",
    "axes": {
        "path": ["node-node", "pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
        "kube_proxy_mode": ["iptables", "nftables"],
    },
    "repetition": {"trials": 2, "seconds": 1, "warmup": 1, "rounds": 1},
}


def main() -> int:
    """0 if every bar is met."""
    parser = argparse.ArgumentParser(prog="python -m bench.storm", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--log", type=Path, help="keep what the stack printed there")
    given = parser.parse_args()
    end_on_sigterm()
    settings = {
        "BENCH_IMAGE": BENCH_IMAGE,
        "PODMETER_ALLOWED_CLUSTER_NETWORKS": "127.0.0.0/8",
    }
    with tempfile.TemporaryDirectory(prefix="podmeter-storm-") as name, Loop() as loop:
        honest = ScriptedCluster("honest")
        loop.wait(honest.start())
        with OwnStack(Path(name), settings) as stack:
            try:
                rows = _storm(stack, honest, given.minutes * 60)
                _tell(rows)
            finally:
                if given.log:
                    given.log.write_text(stack.said())
    if given.json:
        given.json.write_text(json.dumps([vars(row) for row in rows], indent=2) + "\n")
    return 0 if all(row.met for row in rows) else 1


def _tell(rows: list[Row]) -> None:
    for row in rows:
        bar = "" if row.bar is None else f"bar {row.bar:g} {row.unit}"
        verdict = "" if row.bar is None else "met" if row.met else "MISSED"
        figure = f"{row.value:10.4g} {row.unit:8} {bar:16} {verdict:7}"
        print(f"{row.what:<48} {figure} {row.note}", flush=True)


def _storm(stack: OwnStack, honest: ScriptedCluster, seconds: float) -> list[Row]:
    kubeconfig = honest.server.kubeconfig(honest.name)
    cluster = registration.register(stack.api, "honest", kubeconfig, allow_mode_switch=True)
    runs = HonestRuns(stack, cluster["id"])
    print(f"{_ALONE} runs of the honest cluster, which is scripted, alone", flush=True)
    runs.once()  # what is made only once is not to be compared
    alone = [runs.once() for _ in range(_ALONE)]
    print(f"  {_spread(alone)}", flush=True)
    with hostile_servers() as kubeconfigs, Memory(stack) as memory:
        print(f"{len(kubeconfigs)} hostile API servers for {seconds:g} s", flush=True)
        with BackgroundLoad(stack, kubeconfigs) as besides:
            beside, recovered = runs.during(seconds)
        stuck = besides.await_last()
        besides.tell()
    return [
        Row("the honest cluster's runs, alone", statistics.median(alone), "s", note=_spread(alone)),
        Row("… beside the hostile ones", statistics.median(beside), "s", note=_spread(beside)),
        Row(
            "… as a share of alone, medians",
            statistics.median(beside) / statistics.median(alone),
            "",
            bar=SLOWER,
            note="from being asked for to being finished",
        ),
        Row(
            "an abandoned run is cleaned up, the slowest",
            max(recovered, default=float("inf")),
            "s",
            bar=RECOVERED_SECONDS,
            note=f"n = {len(recovered)}, from the kill of its worker",
        ),
        Row("largest process", memory.most, "MiB PSS", bar=MEMORY_MIB, note=memory.which),
        Row("preflights of hostile ones, the longest", max(besides.took, default=0.0), "s"),
        Row(
            "preflights that did not end within 5 min", len(stuck), "", bar=0, note=", ".join(stuck)
        ),
    ]


@dataclass
class HonestRuns:
    """Runs of the honest cluster, one after the other."""

    stack: OwnStack
    cluster_id: str
    experiment: str = ""

    def __post_init__(self) -> None:
        self.experiment = self.stack.api.post("/experiments", SPEC)["id"]

    def once(self) -> float:
        """A run that must succeed; the time it took, as the caller measures it."""
        begun = time.monotonic()
        run = self._finished(self._start())
        if run["outcome"] != "succeeded":
            raise BenchError(f"the honest cluster's run: {run['outcome']}, {run['reason']}")
        return time.monotonic() - begun

    def during(self, seconds: float) -> tuple[list[float], list[float]]:
        """How long runs took, and how long it took until a run without its worker was finished."""
        took: list[float] = []
        recovered: list[float] = []
        kills = max(1, min(_MOST_KILLS, int(seconds // 120)))
        begun = time.monotonic()
        while (since := time.monotonic() - begun) < seconds or not took or not recovered:
            kill = len(recovered) < kills and since >= seconds * (len(recovered) + 0.5) / kills
            try:
                (recovered if kill else took).append(self.abandoned() if kill else self.once())
            except BenchError as error:
                print(f"  {error}", flush=True)
                (recovered if kill else took).append(float("inf"))
                if since > seconds:
                    break
            else:
                did = f"cleaned up in {recovered[-1]:.1f}" if kill else f"a run took {took[-1]:.1f}"
                print(f"  {since:4.0f} s: {did} s", flush=True)
        return took or [float("inf")], recovered or [float("inf")]

    def abandoned(self) -> float:
        """Kill the process that measures in the middle of a run; seconds until that is finished."""
        run_id = self._start()
        self._wait(run_id, lambda run: run["progress"]["running"])
        holder = _holder(self.stack, run_id)
        begun = time.monotonic()
        os.kill(holder, signal.SIGKILL)
        run = self._finished(run_id)
        if run["outcome"] != "interrupted":
            raise BenchError(f"a run whose worker was killed is {run['outcome']}")
        return time.monotonic() - begun

    def _start(self) -> str:
        path = f"/experiments/{self.experiment}/runs"
        return str(self.stack.api.post(path, {"cluster_id": self.cluster_id})["id"])

    def _finished(self, run_id: str) -> Any:
        return self._wait(run_id, lambda run: run["state"] == "finished")

    def _wait(self, run_id: str, reached: Callable[[Any], object]) -> Any:
        deadline = time.monotonic() + _GIVEN_UP_SECONDS
        while not reached(run := self.stack.api.get(f"/runs/{run_id}")):
            if time.monotonic() > deadline:
                raise BenchError(
                    f"the honest cluster's run was {run['state']} for {_GIVEN_UP_SECONDS:g} s"
                )
            time.sleep(0.1)
        return run


@dataclass
class BackgroundLoad:
    """As a context: the hostile clusters are registered, looked at and measured all the time."""

    stack: OwnStack
    kubeconfigs: dict[str, str]
    ids: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    took: list[float] = field(default_factory=list)
    _begun: dict[str, float] = field(default_factory=dict)
    _run: str | None = None
    _over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._go_on, name="besides")

    def __enter__(self) -> BackgroundLoad:
        for name, kubeconfig in self.kubeconfigs.items():
            body = {"name": name, "kubeconfig": kubeconfig, "allow_mode_switch": True}
            self.ids[name] = self.stack.api.post("/clusters", body)["id"]
            self._look(name)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def await_last(self) -> list[str]:
        """The hostile clusters whose preflight does not end within five minutes more."""
        deadline = time.monotonic() + 300
        while (stuck := self._under_way()) and time.monotonic() < deadline:
            time.sleep(1)
        return stuck

    def tell(self) -> None:
        """Print what became of each preflight."""
        for name, said in self.said.items():
            print(f"  {name:14} {said[:180]}")

    def _go_on(self) -> None:
        experiment = self.stack.api.post("/experiments", {**SPEC, "name": "hostile"})["id"]
        turn = 0
        while not self._over.wait(2.0):
            under_way = self._under_way()
            for name in self.ids.keys() - set(under_way):
                self._look(name)
            turn += 1
            self._measure(experiment, list(self.ids)[turn % len(self.ids)])

    def _under_way(self) -> list[str]:
        found = []
        for cluster in self.stack.api.all("/clusters"):
            name = cluster["name"]
            if name not in self.ids:
                continue
            if cluster["preflight_state"] in ("queued", "running"):
                found.append(name)
                continue
            if begun := self._begun.pop(name, None):
                self.took.append(time.monotonic() - begun)
            error = cluster["preflight_error"]
            self.said[name] = f"{cluster['preflight_state']} {error['text'] if error else ''}"
        return found

    def _look(self, name: str) -> None:
        try:
            self.stack.api.post(f"/clusters/{self.ids[name]}/preflight")
            self._begun[name] = time.monotonic()
        except DemoError:
            pass  # too often, or it is being measured: then later

    def _measure(self, experiment: str, name: str) -> None:
        """One hostile cluster at a time is measured, so that a place is left for the honest one."""
        if self._run is not None:
            if self.stack.api.get(f"/runs/{self._run}")["state"] != "finished":
                return
            self._run = None
        try:
            path = f"/experiments/{experiment}/runs"
            self._run = self.stack.api.post(path, {"cluster_id": self.ids[name]})["id"]
        except DemoError:
            pass  # nobody knows yet which cluster it is


class Memory:
    """As a context: the largest process of the stack at any time, by its proportional set size."""

    def __init__(self, stack: OwnStack) -> None:
        self._stack = stack
        self.most, self.which = 0.0, ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(1.0):
            for process in tree(self._stack.pid):
                mib = pss_kib(process) / 1024
                if mib > self.most:
                    command = Path(f"/proc/{process}/cmdline")
                    try:
                        words = command.read_text(errors="replace").split("\0")
                    except OSError:
                        continue
                    self.most, self.which = mib, " ".join(words[:3])[-60:]


@contextmanager
def hostile_servers() -> Iterator[dict[str, str]]:
    """The hostile API servers in a process of their own: kubeconfigs by name."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.storm.hostile"],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if process.stdout is None or process.stdin is None:
        raise BenchError("no pipes")
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(30)


def _holder(stack: OwnStack, run_id: str) -> int:
    """The process that measures a run: who holds its lease, `host:process`."""
    from podmeter.db.models import Run
    from podmeter.db.session import make_engine, make_sessions

    engine = make_engine(stack.database_url(), pool_size=1)
    try:
        with make_sessions(engine)() as session:
            holder = session.get_one(Run, run_id).holder or ""
    finally:
        engine.dispose()
    process = int(holder.rpartition(":")[2])
    if process not in parents():
        raise BenchError(f"{holder} is no process")
    return process


def _spread(seconds: list[float]) -> str:
    return f"n = {len(seconds)}, {min(seconds):.1f} to {max(seconds):.1f} s"


if __name__ == "__main__":
    sys.exit(main())

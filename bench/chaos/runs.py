"""Runs that switch modes, one after the other on each cluster, whatever is killed meanwhile."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.row import BenchError
from bench.stack import PatientApi
from podmeter.demo.api import DemoError

SPEC: dict[str, Any] = {
    "name": "chaos",
    "kind": "throughput",
    "axes": {
        "path": ["node-node", "pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
        "kube_proxy_mode": ["iptables", "nftables"],
    },
    "repetition": {"trials": 3, "seconds": 1, "warmup": 1, "rounds": 1},
}
_PAUSE_SECONDS = 0.5


@dataclass
class Runs:
    """As a context: a thread for each cluster starts runs, and resumes what was interrupted."""

    api: PatientApi
    clusters: dict[str, str]
    seed: random.Random
    #: Every run that was started, with how often it was taken up again.
    started: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Runs:
        experiment = self.api.post("/experiments", SPEC)["id"]
        for name, cluster_id in self.clusters.items():
            mine = random.Random(f"{self.seed.random()} {name}")  # noqa: S311
            thread = threading.Thread(target=self._go_on, args=(experiment, cluster_id, mine))
            self._threads.append(thread)
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _go_on(self, experiment: str, cluster_id: str, seed: random.Random) -> None:
        run_id: str | None = None
        while not self._over.is_set():
            try:
                run_id = self._next(experiment, cluster_id, run_id, seed)
            except (BenchError, DemoError) as error:
                self.errors.append(str(error))
                run_id = None
            self._over.wait(_PAUSE_SECONDS)

    def _next(
        self, experiment: str, cluster_id: str, run_id: str | None, seed: random.Random
    ) -> str:
        """The run to look after from now on."""
        if run_id is not None:
            run = self.api.get(f"/runs/{run_id}")
            if run["state"] != "finished":
                return run_id
            if run["outcome"] == "interrupted" and seed.random() < 0.7:
                self.api.post(f"/runs/{run_id}/resume")
                self.started[run_id] += 1
                return run_id
        made: str = self.api.post(f"/experiments/{experiment}/runs", {"cluster_id": cluster_id})[
            "id"
        ]
        self.started[made] = 0
        return made


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether a condition came true within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True

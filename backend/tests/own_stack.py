"""A stack of a test's own, as `make up` starts it, on a small file system, with a cluster."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from bench.chaos.runs import SPEC
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.stack import OwnStack
from core.tests import shortages
from core.tests.strangers import API_PROCESSES, Crowd

from podmeter.demo import cluster as registration
from podmeter.stack import open_files

#: Whose requests tests watch the stack by, and who may ask for metrics.
OTHER = "127.0.0.2"


@dataclass
class Place:
    """A stack, the disk that it is on, and a cluster that it measures."""

    stack: OwnStack
    disk: Path
    cluster_id: str
    #: Of a client that stays connected; without it each request has a connection of its own.
    kept: httpx.Client | None = None

    def keep(self, client: httpx.Client | None) -> None:
        """Ask by this client from now on."""
        self.kept = client

    def crowd(self, count: int, sent: bytes, sources: tuple[str, ...], drip: bytes = b"") -> Crowd:
        """Strangers at these addresses."""
        address = urlsplit(self.stack.api.url)
        assert address.hostname
        assert address.port
        return Crowd(address.hostname, address.port, count, sent, sources, drip)

    def ask(self, path: str, source: str = OTHER) -> httpx.Response:
        """A request from this address, by a connection of its own."""
        if self.kept is not None:
            return self.kept.get(path)
        transport = httpx.HTTPTransport(local_address=source)
        with httpx.Client(transport=transport, base_url=self.stack.api.url, timeout=20) as client:
            return client.get(path)

    def short(self) -> set[str]:
        """What /readyz/parts names as short."""
        return shortages.named(self.ask("/readyz/parts"))

    def metric(self) -> set[str]:
        """What the metric says is short."""
        return shortages.figures(self.ask("/metrics"))

    def doctor(self) -> "subprocess.CompletedProcess[str]":
        """`podmeter-admin doctor`, beside the stack."""
        return subprocess.run(
            [sys.executable, "-m", "podmeter.cli", "doctor"],
            cwd=self.disk,
            env=self.stack.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def add_experiment(self, name: str) -> httpx.Response:
        """One try; the client of the stack would try again."""
        body = {**SPEC, "name": name}
        answer: httpx.Response = self.stack.api._client.post("/experiments", json=body)
        return answer

    def start_run(self) -> str:
        """A run that has stored trials and is not over."""
        experiment = self.stack.api.post("/experiments", SPEC)["id"]
        path = f"/experiments/{experiment}/runs"
        run: str = self.stack.api.post(path, {"cluster_id": self.cluster_id})["id"]
        until("two trials", lambda: len(self.trials(run)) >= 2)
        assert self.stack.api.get(f"/runs/{run}")["state"] == "running"
        return run

    def trials(self, run: str) -> set[str]:
        """Those that are stored."""
        return {one["id"] for one in self.stack.api.all(f"/runs/{run}/trials")}

    def finish(self, run: str) -> dict[str, Any]:
        """The run at its end; nobody resumes it."""

        def is_over() -> bool:
            return bool(self.stack.api.get(f"/runs/{run}")["state"] == "finished")

        until("the run to end", is_over, 300)
        found: dict[str, Any] = self.stack.api.get(f"/runs/{run}")
        return found


def until(what: str, condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain for {what}"
        time.sleep(0.3)


@contextmanager
def own_stack() -> Iterator[Place]:
    """The whole stack with its own settings, in a small file system where that may be mounted."""
    open_files.raise_limit()
    with ExitStack() as stack:
        # Not below pytest's folder, which PostgreSQL's own account may not pass through.
        disk = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="podmeter-tests-")))
        disk.chmod(0o755)
        if os.geteuid() == 0:
            options = "size=400m,nr_inodes=8000,mode=755"
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk], check=True)
            stack.callback(lambda: subprocess.run(["umount", "--lazy", str(disk)], check=True))
        settings = {
            "BENCH_IMAGE": "registry.invalid/bench:0.1.0",
            "PODMETER_ALLOWED_CLUSTER_NETWORKS": "127.0.0.0/8",
            "PODMETER_API_PROCESSES": str(API_PROCESSES),
            "PODMETER_METRICS_NETWORKS": f"{OTHER}/32",
        }
        loop = stack.enter_context(Loop())
        script = ScriptedCluster("scripted", measuring_seconds=1.0)
        loop.wait(script.start())
        stack.callback(lambda: loop.wait(script.stop()))
        # It stops before the cluster, which a run that is in progress restores.
        own = stack.enter_context(OwnStack(disk, settings))
        kubeconfig = script.server.kubeconfig("scripted")
        made = registration.register(own.api, "scripted", kubeconfig, allow_mode_switch=True)
        yield Place(own, disk, made["id"])

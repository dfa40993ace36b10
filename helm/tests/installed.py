"""Podmeter as it is installed on the testbed, and what it is asked there."""

from __future__ import annotations

import base64
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
from helm.tests.chart import CHART, NAMESPACE, RELEASE

from podmeter.demo.api import Api, DemoError
from podmeter_testbed.helm import Helm
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import Layout

T = TypeVar("T")
PORT = 30080
STORAGE_CLASS = "podmeter-tests"
KEPT = {
    "persistentvolumeclaim/data-podmeter-postgres-0",
    "persistentvolumeclaim/data-podmeter-redis-0",
}


@dataclass
class Installed:
    """A release on the testbed. `said` is what helm wrote last."""

    layout: Layout
    helm: Helm
    kubectl: Kubectl
    said: str = field(default="", init=False)

    @property
    def url(self) -> str:
        """Where this machine reaches it: a node port, as a team's own network would."""
        return f"http://{self.layout.address('node-1')}:{PORT}"

    @property
    def values(self) -> list[str]:
        """What the testbed needs, and that it is measured from inside."""
        values = {
            "publicUrl": self.url,
            "service.type": "NodePort",
            "service.nodePort": PORT,
            # node-1 answers, whichever nodes have the API's pods.
            "service.externalTrafficPolicy": "Cluster",
            "postgres.storage.className": STORAGE_CLASS,
            "redis.storage.className": STORAGE_CLASS,
            "measureThisCluster.enabled": "true",
            "measureThisCluster.capability": "switch_modes",
        }
        return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]

    def install(self) -> float:
        """Seconds until all is ready, and this cluster registered."""
        begun = time.monotonic()
        self.said = self.helm.run(
            *("install", RELEASE, str(CHART), "--namespace", NAMESPACE, "--create-namespace"),
            *(*self.values, "--wait", "--wait-for-jobs", "--timeout", "6m"),
            timeout=400,
        )
        return time.monotonic() - begun

    def upgrade(self, *words: str) -> None:
        """Upgrade with the same values and these."""
        where = ("--namespace", NAMESPACE, "--wait", "--timeout", "6m")
        self.said = self.helm.run(
            "upgrade", RELEASE, str(CHART), *where, *self.values, *words, timeout=400
        )

    def test(self) -> str:
        """`helm test`."""
        return self.helm.run("test", RELEASE, "--namespace", NAMESPACE, timeout=300)

    def secret(self, name: str) -> str:
        """A value of the release's Secret."""
        data = self.kubectl.get("--namespace", NAMESPACE, f"secret/{RELEASE}")["data"]
        return base64.b64decode(data[name]).decode()

    def in_shell(self, script: str, folder: Path) -> None:
        """Run what a page tells an administrator, whose kubectl reaches the testbed."""
        path = f"{self.kubectl.binary.parent}:{os.environ['PATH']}"
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=folder,
            env={**os.environ, "PATH": path, "KUBECONFIG": str(self.layout.kubeconfig)},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr

    def api(self) -> Api:
        """A session of the first administrator's."""
        api = Api(self.url)
        api.log_in("admin@localhost", self.secret("admin-password"))
        return api

    def pods(self) -> list[dict[str, Any]]:
        """All of the release's namespace."""
        found: list[dict[str, Any]] = self.kubectl.get("--namespace", NAMESPACE, "pods")["items"]
        return found

    def proxy_mode(self) -> str:
        """What kube-proxy is set to."""
        config = self.kubectl.get("--namespace", "kube-system", "configmap/kube-proxy")
        lines: list[str] = config["data"]["config.conf"].splitlines()
        (line,) = [one for one in lines if one.startswith("mode:")]
        return line.partition(":")[2].strip().strip('"')

    def noted(self) -> bool:
        """Whether it stands in the cluster itself that kube-proxy is switched."""
        config = self.kubectl.get("--namespace", "kube-system", "configmap/kube-proxy")
        return "podmeter.io/stood-before" in (config["metadata"].get("annotations") or {})


def until(what: str, condition: Callable[[], bool], seconds: float) -> None:
    """Wait for a condition; while the way in is switched, it may not be reached for a moment."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except (httpx.TransportError, DemoError):
            pass
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain for {what}"
        time.sleep(0.5)


def patiently(ask: Callable[[], T], seconds: float = 60) -> T:
    """What is answered, once it is: the way in goes through kube-proxy too."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except httpx.TransportError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def browser(folder: str, project: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Chromium, as `make compose-test` has it."""
    return subprocess.run(
        ["npx", "playwright", "test", "--config", "playwright.compose.ts", "--project", project],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )

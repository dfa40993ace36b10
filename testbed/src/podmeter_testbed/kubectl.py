"""kubectl, of the same version as the cluster."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from podmeter_testbed import builds
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import Layout
from podmeter_testbed.shell import run


class Kubectl:
    """The administrator's kubectl."""

    def __init__(self, layout: Layout) -> None:
        self.binary = builds.output(layout.cache, builds.KUBERNETES) / "kubectl"
        self._kubeconfig = layout.kubeconfig

    def argv(self, *words: str) -> list[str]:
        """The whole command line."""
        return [str(self.binary), "--kubeconfig", str(self._kubeconfig), *words]

    def run(self, *words: str, stdin: str | None = None, timeout: float = 60) -> str:
        """Standard output; TestbedError where it fails."""
        return run(*self.argv(*words), stdin=stdin, timeout=timeout)

    def get(self, *words: str) -> Any:
        """The answer of `kubectl get ... -o json`."""
        return json.loads(self.run("get", *words, "--output", "json"))

    def apply(self, manifest: str) -> None:
        """Server-side apply."""
        self.run("apply", "--server-side", "--force-conflicts", "--filename", "-", stdin=manifest)

    def api_is_ready(self) -> bool:
        """Whether the API server says so."""
        with contextlib.suppress(TestbedError):
            return self.run("get", "--raw", "/readyz", timeout=5) == "ok"
        return False

    def nodes_ready(self) -> dict[str, bool]:
        """Whether each node that registered is Ready."""
        return {
            node["metadata"]["name"]: any(
                condition["type"] == "Ready" and condition["status"] == "True"
                for condition in node["status"].get("conditions", ())
            )
            for node in self.get("nodes")["items"]
        }

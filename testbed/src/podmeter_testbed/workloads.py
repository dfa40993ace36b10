"""Pods and Services for tests and benchmarks, in a namespace that goes afterwards."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import BENCH_IMAGE
from podmeter_testbed.shell import wait_for

Manifest = dict[str, Any]
NGINX = ("nginx", "-g", "daemon off; error_log stderr;")
SLEEP = ("sleep", "infinity")


def pod(name: str, node: str, argv: tuple[str, ...] = SLEEP, **spec: Any) -> Manifest:
    """A pod of the bench image on `node`, labelled with its name."""
    container = {"name": "main", "image": BENCH_IMAGE, "command": list(argv)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "nodeName": node,
            "containers": [container],
            "terminationGracePeriodSeconds": 0,
            "enableServiceLinks": False,
            "securityContext": {"runAsUser": 0, "runAsGroup": 0},
            **spec,
        },
    }


def service(name: str, app: str, kind: str = "ClusterIP") -> Manifest:
    """A Service of `app`'s port 80."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": kind, "selector": {"app": app}, "ports": [{"port": 80}]},
    }


class Namespace:
    """One namespace of a cluster."""

    def __init__(self, kubectl: Kubectl, name: str) -> None:
        self.kubectl, self.name = kubectl, name

    def run(self, *words: str, timeout: float = 60) -> str:
        """Run kubectl in this namespace."""
        return self.kubectl.run("--namespace", self.name, *words, timeout=timeout)

    def get(self, *words: str) -> Any:
        """Run kubectl get in this namespace."""
        return self.kubectl.get("--namespace", self.name, *words)

    def apply(self, *manifests: Manifest) -> None:
        """Create or change objects."""
        documents = [
            {**manifest, "metadata": {**manifest["metadata"], "namespace": self.name}}
            for manifest in manifests
        ]
        self.kubectl.apply("\n---\n".join(map(json.dumps, documents)))

    def wait_until_ready(self, *pods: str, seconds: float = 180) -> None:
        """Return once the pods are Ready."""
        names = [f"pod/{name}" for name in pods]
        limit = f"--timeout={seconds:.0f}s"
        self.run("wait", "--for=condition=Ready", limit, *names, timeout=seconds + 5)

    def execute(self, name: str, *argv: str, timeout: float = 30) -> str:
        """Standard output of a command in a pod."""
        return self.run("exec", name, "--", *argv, timeout=timeout)

    def succeeds(self, name: str, *argv: str) -> bool:
        """Whether a command in a pod ends with 0."""
        with contextlib.suppress(TestbedError):
            self.execute(name, *argv)
            return True
        return False

    def address(self, name: str) -> str:
        """A pod's address."""
        address: str = self.get("pod", name)["status"]["podIP"]
        return address


@contextlib.contextmanager
def namespace(kubectl: Kubectl, name: str, gone_within: int = 180) -> Iterator[Namespace]:
    """A namespace that is gone afterwards; seconds that it has for that."""
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    kubectl.apply(json.dumps(made))
    one = Namespace(kubectl, name)
    try:
        # Pods cannot be made before their account is.
        wait_for("the default account", lambda: _has_account(one), 60)
        yield one
    finally:
        limit = f"--timeout={gone_within}s"
        kubectl.run("delete", "namespace", name, limit, timeout=gone_within + 10)


def _has_account(one: Namespace) -> bool:
    with contextlib.suppress(TestbedError):
        one.get("serviceaccount", "default")
        return True
    return False


FETCH = ("curl", "--silent", "--show-error", "--fail", "--max-time", "3")


def fetch(url: str) -> tuple[str, ...]:
    """The command that fetches a page, failing after 3 s."""
    return (*FETCH, url)

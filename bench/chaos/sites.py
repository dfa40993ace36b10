"""The clusters that chaos is made on: scripted ones, or the testbed."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from bench import testbed
from bench.row import BenchError
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.scripted.machine import Measured
from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize
from podmeter.demo.credentials import Kubectl, service_account_kubeconfig
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiUnavailableError
from podmeter_worker.kube.resources import (
    CONFIG_MAPS,
    DAEMON_SETS,
    ENDPOINT_SLICES,
    INGRESSES,
    LEASES,
    NETWORK_POLICIES,
    NODES,
    PODS,
    SERVICES,
    Resource,
)

#: How long a killed API server is away: mostly as long as a restart, sometimes a while.
_AWAY_SECONDS = (0.2, 1.0, 1.0, 3.0, 8.0)
_MADE: tuple[Resource, ...] = (PODS, SERVICES, ENDPOINT_SLICES, NETWORK_POLICIES, INGRESSES)


class ChaosCluster(Protocol):
    """A cluster, and what the final check needs to know about it."""

    name: str
    kubeconfig: str

    def kill_api_server(self, seed: random.Random) -> bool:
        """Kill its API server, which comes back by itself; False where it is away already."""

    def takes_pods(self) -> bool:
        """Whether its nodes are back from what was done to its API server."""

    def left(self) -> Sequence[str]:
        """What runs left in it."""

    def unrestored(self) -> Sequence[str]:
        """What of its modes is not as it was."""

    def measured(self) -> Sequence[Measured]:
        """What was measured, by the cluster's own witness; nothing where there is none."""


class ScriptedChaosCluster:
    """A scripted cluster on a loop."""

    def __init__(
        self,
        loop: Loop,
        name: str,
        measuring_seconds: float,
        make: type[ScriptedCluster] = ScriptedCluster,
    ) -> None:
        self._loop = loop
        self.name = name
        self.cluster = make(name, measuring_seconds=measuring_seconds)
        loop.wait(self.cluster.start())
        self.kubeconfig = self.cluster.server.kubeconfig(name)

    def kill_api_server(self, seed: random.Random) -> bool:
        """With or without an answer that gets lost."""
        if not self.cluster.server.listens:
            return False
        away, lose = seed.choice(_AWAY_SECONDS), seed.random() < 0.5
        self._loop.begin(self.cluster.kill_api_server(away, lose_an_answer=lose))
        return True

    def takes_pods(self) -> bool:
        """Its nodes are always there."""
        return True

    def left(self) -> Sequence[str]:
        """Looked up where they are kept."""
        return self._loop.wait(_later(self.cluster.left))

    def unrestored(self) -> Sequence[str]:
        """Of configuration, template and the nodes' kernels."""
        return self._loop.wait(_later(self.cluster.unrestored))

    def measured(self) -> Sequence[Measured]:
        """Everything."""
        return list(self.cluster.measured)


async def _later(look: Any) -> Any:
    return look()


@dataclass
class TestbedChaosCluster:
    """The testbed, as its administrator sees it."""

    name: str
    kubeconfig: str
    admin: KubeClient
    before: dict[str, Any]

    @classmethod
    @contextmanager
    def ready(cls, manifest: str) -> Iterator[TestbedChaosCluster]:
        """Started where it is not up, with Podmeter's rights; left as it was found."""
        with testbed.ready():
            kubectl = Kubectl(" ".join(testbed.KUBECTL))
            name, kubeconfig = service_account_kubeconfig(kubectl, manifest)
            policy = AddressPolicy.of([])
            own = sanitize(testbed.KUBECONFIG.read_bytes(), now=datetime.now(UTC), policy=policy)
            with KubeClient(ClusterAccess(own.kept_fields(), policy)) as admin:
                yield cls(name, kubeconfig, admin, _standing(admin))

    def kill_api_server(self, seed: random.Random) -> bool:
        """It is started again by the machine that it runs on."""
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                first = (entry / "cmdline").read_bytes().split(b"\0")[0]
            except OSError:
                continue
            if first.endswith(b"/kube-apiserver"):
                os.kill(int(entry.name), signal.SIGKILL)
                return True
        return False

    def takes_pods(self) -> bool:
        """Nodes that did not reach their API server are tainted until they have again."""
        nodes = self.admin.list_all(NODES.path()).items
        return not any(node["spec"].get("taints") for node in nodes)

    def left(self) -> Sequence[str]:
        """Objects in Podmeter's namespaces, a held Lease, annotations of Podmeter's."""
        found = []
        for resource in _MADE:
            for namespace in (POD_NAMESPACE, HOST_NAMESPACE):
                for item in self.admin.list_all(resource.path(namespace)).items:
                    found.append(f"{resource.plural} {namespace}/{item['metadata']['name']}")
        for item in self.admin.list_all(LEASES.path(POD_NAMESPACE)).items:
            if item["spec"].get("holderIdentity"):
                found.append(f"lease {item['metadata']['name']}: {item['spec']}")
        for resource in (CONFIG_MAPS, DAEMON_SETS):
            for item in self.admin.list_all(resource.path("kube-system")).items:
                marks = [
                    one for one in item["metadata"].get("annotations", {}) if "podmeter" in one
                ]
                if marks:
                    found.append(f"annotations {marks} on {item['metadata']['name']}")
        return found

    def unrestored(self) -> Sequence[str]:
        """Of kube-proxy's configuration and template; the kernels are checked by a preflight."""
        now = _standing(self.admin)
        return [what for what, before in self.before.items() if now[what] != before]

    def measured(self) -> Sequence[Measured]:
        """A real cluster keeps no account of it."""
        return ()


def _standing(admin: KubeClient) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while True:
        try:
            proxy = admin.get(CONFIG_MAPS.path("kube-system", "kube-proxy"))
            running = admin.get(DAEMON_SETS.path("kube-system", "kube-proxy"))
        except ApiUnavailableError as error:
            if time.monotonic() > deadline:
                raise BenchError(f"the testbed's API server did not come back: {error}") from error
            continue
        return {
            "kube-proxy's configuration": json.dumps(proxy["data"], sort_keys=True),
            "kube-proxy's template": json.dumps(running["spec"]["template"], sort_keys=True),
        }

"""A whole scripted cluster: two nodes, kube-proxy, flannel, Podmeter's namespaces."""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from bench.scripted import api
from bench.scripted.exec import Session, WebSocket
from bench.scripted.kubelet import Kubelets
from bench.scripted.machine import Machine, Measured
from bench.scripted.server import Connection, Request, TlsServer, head
from bench.scripted.store import Key, Object, RefusedError, Store
from bench.scripted.stored import StoreTools, place_of
from podmeter.domain.ports import ExecTarget

NAMESPACES = ("default", "kube-system", "kube-flannel", "podmeter", "podmeter-host")
_RUN = "podmeter.io/run"
#: What a run may leave in Podmeter's namespaces.
_MADE = (
    ("v1", "pods"),
    ("v1", "services"),
    ("discovery.k8s.io/v1", "endpointslices"),
    ("networking.k8s.io/v1", "networkpolicies"),
    ("networking.k8s.io/v1", "ingresses"),
)
_PROXY = """\
apiVersion: kubeproxy.config.k8s.io/v1alpha1
bindAddress: 0.0.0.0
clusterCIDR: 10.244.0.0/16
kind: KubeProxyConfiguration
metricsBindAddress: ""
mode: ""
"""
_FLANNEL = json.dumps({"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan"}})


@dataclass
class ScriptedCluster:
    """Serve with `start`. Call everything on the event loop it was started on.

    A measurement takes `measuring_seconds`, None being what its command asks for, and keeps
    `tool_cpus` busy meanwhile, None being what an older program does not tell. An answer is
    `latency_seconds` away, half of it before a request is seen to and half after, so that a
    server that is cut has sometimes done what it did not answer. `address` is where it listens.
    """

    name: str
    measuring_seconds: float | None = None
    tool_cpus: float | None = None
    latency_seconds: float = 0.002
    address: str = "127.0.0.1"
    uid: str = field(default_factory=lambda: str(uuid.uuid4()))
    store: Store = field(default_factory=Store)
    measured: list[Measured] = field(default_factory=list)
    requests: int = 0

    def __post_init__(self) -> None:
        self.machines = {
            f"node-{n}": Machine(f"node-{n}", f"192.168.77.{10 + n}", f"10.244.{n}.0/24")
            for n in (1, 2)
        }
        self.tools = StoreTools(
            store=self.store, machines=self.machines, measuring_seconds=self.measuring_seconds
        )
        self.server = TlsServer(self.serve, self.address)
        self.kubelets = Kubelets(self.store, self.machines, self._gone)
        self._sessions: dict[tuple[str, str], set[Connection]] = {}
        self._controllers: asyncio.Task[None] | None = None
        self._lose_an_answer = False
        self._fill()
        self._stood = self._standing()

    async def start(self) -> None:
        """Listen, and run what runs in the cluster; ready once kube-proxy's pods are."""
        await self.server.listen()
        self._controllers = asyncio.create_task(self.kubelets.run())
        while any(one.proxy is None for one in self.machines.values()) or not self._proxies_run():
            await self.store.changed(0.2)

    async def stop(self) -> None:
        """End all of it."""
        await self.server.cut()
        if self._controllers is not None:
            self._controllers.cancel()

    async def kill_api_server(self, away_seconds: float, *, lose_an_answer: bool) -> None:
        """End the API server and start it again later; first perhaps do what is asked, unanswered.

        What is in etcd stays, and the nodes go on.
        """
        if lose_an_answer:
            self._lose_an_answer = True
            for _ in range(50):
                if not self._lose_an_answer:
                    break
                await asyncio.sleep(0.01)
        self._lose_an_answer = False
        await self.server.cut()
        await asyncio.sleep(away_seconds)
        await self.server.listen()

    def modes(self) -> set[str]:
        """What the nodes' kernels are in, and what the kube-proxies on them tell."""
        kernels = {mode for machine in self.machines.values() for mode in machine.kernel}
        return kernels | {machine.proxy or "no kube-proxy" for machine in self.machines.values()}

    def left(self) -> list[str]:
        """What runs left in the cluster: objects, held Leases, annotations of Podmeter's."""
        found = [
            f"{key.plural} {key.namespace}/{key.name}"
            for key in self.store.objects
            if (key.version, key.plural) in _MADE and key.namespace in NAMESPACES[3:]
        ]
        for key, item in self.store.objects.items():
            if key.plural == "leases" and item["spec"].get("holderIdentity"):
                found.append(f"lease {key.name} of {item['spec']['holderIdentity']}")
            annotations = item["metadata"].get("annotations") or {}
            marks = [name for name in annotations if "podmeter" in name]
            if marks and key.plural in ("configmaps", "daemonsets", "namespaces", "nodes"):
                found.append(f"annotations {marks} on {key.plural} {key.name}")
            if key.plural == "namespaces" and key.name not in NAMESPACES:
                found.append(f"namespace {key.name}")
        return found

    def unrestored(self) -> list[str]:
        """What of the modes is not as it was at the beginning."""
        now = self._standing()
        found = [
            f"{what}: {now.get(what)!r}, was {before!r}"
            for what, before in self._stood.items()
            if now.get(what) != before
        ]
        for machine in self.machines.values():
            if machine.kernel != {"iptables"} or machine.proxy != "iptables":
                found.append(f"{machine.name}: {sorted(machine.kernel)}, proxy {machine.proxy}")
        return found

    def unknown_commands(self) -> list[tuple[str, ...]]:
        """Commands that this script has no answer to."""
        return [one for machine in self.machines.values() for one in machine.unknown]

    async def serve(self, connection: Connection) -> None:
        """Answer the requests of one connection."""
        while (request := await connection.request()) is not None:
            self.requests += 1
            await asyncio.sleep(self.latency_seconds / 2)
            if not await self.respond(connection, request):
                return

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Answer one request. Returns whether the connection stays open."""
        if "upgrade" in request.headers:
            await self._exec(connection, request)
            return False
        if request.query.get("watch"):
            await self._watch(connection, request)
            return True
        status, document = self.answer(request)
        if self._lose_an_answer and request.method != "GET":
            self._lose_an_answer = False
            connection.abort()
            return False
        await asyncio.sleep(self.latency_seconds / 2)
        await connection.answer(status, document)
        return True

    def answer(self, request: Request) -> tuple[int, Object]:
        """Status and document of what is no watch and no exec."""
        kind = request.headers.get("content-type", "")
        return api.answer(
            self.store, request.method, request.path, request.query, kind, request.document()
        )

    async def _watch(self, connection: Connection, request: Request) -> None:
        target = api.served(self.store, request.path)
        loop = asyncio.get_running_loop()
        until = loop.time() + float(request.query.get("timeoutSeconds", "60"))
        seen = int(request.query["resourceVersion"])
        if not self.store.remembers(seen):
            error = RefusedError(410, "Expired", "too old resource version")
            return await connection.answer(410, api.status_of(error))
        chunked = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
        await connection.send(head(200, chunked))
        while True:
            changes = self.store.since(seen)
            for change in changes:
                seen = change.version
                if event := api.told(target, change, request.query):
                    line = json.dumps(event).encode() + b"\n"
                    await connection.send(b"%x\r\n%b\r\n" % (len(line), line))
            left = until - loop.time()
            if left <= 0:
                break
            if self.store.version == seen or not changes:
                await self.store.changed(left)
        return await connection.send(b"0\r\n\r\n")

    async def _exec(self, connection: Connection, request: Request) -> None:
        parts = request.path.strip("/").split("/")
        namespace, name = parts[3], parts[5]
        pod = self.store.objects.get(Key("v1", "pods", namespace, name))
        if pod is None or pod["status"].get("phase") != "Running":
            error = RefusedError(404, "NotFound", f'pods "{name}" not found')
            await connection.answer(404, api.status_of(error))
            return
        await connection.send(WebSocket.accepted(request.headers))
        label = (pod["metadata"].get("labels") or {}).get(_RUN, "")
        sessions = self._sessions.setdefault((namespace, name), set())
        sessions.add(connection)
        try:
            await self.session(connection, place_of(pod), label)
        finally:
            sessions.discard(connection)

    async def session(self, connection: Connection, place: ExecTarget, run_label: str) -> None:
        """Serve the commands of one exec."""
        socket = WebSocket(connection.reader, connection.writer)
        await Session(socket, place, run_label, self).run()

    def _gone(self, namespace: str, name: str) -> None:
        for connection in list(self._sessions.pop((namespace, name), ())):
            connection.abort()

    def _proxies_run(self) -> bool:
        pods = list(self.store.all_of("v1", "pods", "kube-system"))
        return len(pods) == 2 and all(pod["status"]["phase"] == "Running" for pod in pods)

    def _standing(self) -> dict[str, Any]:
        proxy = self.store.get(Key("v1", "configmaps", "kube-system", "kube-proxy"))
        running = self.store.get(Key("apps/v1", "daemonsets", "kube-system", "kube-proxy"))
        return {
            "kube-proxy's configuration": proxy["data"],
            "kube-proxy's template": running["spec"]["template"],
        }

    def _fill(self) -> None:
        for name in NAMESPACES:
            metadata = {"uid": self.uid} if name == "kube-system" else {}
            key = Key("v1", "namespaces", "", name)
            self.store.put(key, {"metadata": metadata, "status": {"phase": "Active"}})
        for namespace in NAMESPACES:
            account = Key("v1", "serviceaccounts", namespace, "default")
            self.store.create(account, {"metadata": {}})
        for number, machine in enumerate(self.machines.values(), start=1):
            self.store.create(Key("v1", "nodes", "", machine.name), _node(machine, number))
        cidr = Key("networking.k8s.io/v1", "servicecidrs", "", "kubernetes")
        self.store.create(cidr, {"metadata": {}, "spec": {"cidrs": ["10.96.0.0/12"]}})
        for namespace, name, texts in (
            ("kube-system", "kube-proxy", {"config.conf": _PROXY}),
            ("kube-flannel", "kube-flannel-cfg", {"net-conf.json": _FLANNEL}),
        ):
            key = Key("v1", "configmaps", namespace, name)
            self.store.create(key, {"metadata": {}, "data": texts})
        proxy = "registry.k8s.io/kube-proxy:v1.34.4"
        flannel = "ghcr.io/flannel-io/flannel:v0.27.4"
        for namespace, name, image in (
            ("kube-system", "kube-proxy", proxy),
            ("kube-flannel", "kube-flannel-ds", flannel),
        ):
            key = Key("apps/v1", "daemonsets", namespace, name)
            self.store.create(key, _daemon_set(name, image))


def _node(machine: Machine, number: int) -> Object:
    return {
        "metadata": {
            "labels": {"kubernetes.io/os": "linux", "kubernetes.io/hostname": machine.name},
            "annotations": {"flannel.alpha.coreos.com/backend-type": "vxlan"},
        },
        "spec": {"podCIDR": machine.pods, "podCIDRs": [machine.pods]},
        "status": {
            "capacity": {"cpu": "4", "memory": "16384000Ki", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [
                {"type": "InternalIP", "address": machine.address},
                {"type": "Hostname", "address": machine.name},
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": f"b007{number}",
                "kernelVersion": "6.12.48",
                "operatingSystem": "linux",
                "osImage": "Debian GNU/Linux 13 (trixie)",
                "kubeletVersion": "v1.34.4",
                "containerRuntimeVersion": "containerd://2.1.4",
            },
        },
    }


def _daemon_set(name: str, image: str) -> Object:
    labels = {"k8s-app": name}
    return {
        "metadata": {"labels": dict(labels)},
        "spec": {
            "selector": {"matchLabels": dict(labels)},
            "template": {
                "metadata": {"labels": dict(labels)},
                "spec": {"hostNetwork": True, "containers": [{"name": name, "image": image}]},
            },
        },
        "status": {},
    }

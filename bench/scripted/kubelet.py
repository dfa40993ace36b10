"""What makes a scripted cluster's objects come true: kubelets, and the DaemonSet controller."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.scripted.machine import Machine
from bench.scripted.store import Key, Object, RefusedError, Store, timestamp

_MODE = re.compile(r"^mode:[ \t]*\"?(\w*)", re.MULTILINE)


@dataclass
class Kubelets:
    """All nodes of one cluster. Pods take `start_seconds` to run and `end_seconds` to be gone.

    `gone` is called with the (namespace, name) of a pod whose processes have ended.
    """

    store: Store
    machines: dict[str, Machine]
    gone: Callable[[str, str], None]
    start_seconds: float = 0.05
    end_seconds: float = 0.1
    sync_seconds: float = 0.1
    _number: int = 10

    async def run(self) -> None:
        """Go on until cancelled: after each change, whatever is not as it should be is seen to."""
        under_way: set[asyncio.Task[None]] = set()
        busy: set[str] = set()
        while True:
            seen = self.store.version
            self._run_daemon_sets()
            for pod in list(self.store.all_of("v1", "pods")):
                uid = pod["metadata"]["uid"]
                step = self._step(pod)
                if step is not None and uid not in busy:
                    busy.add(uid)
                    task = asyncio.create_task(self._take(step, pod, busy))
                    under_way.add(task)
                    task.add_done_callback(under_way.discard)
            if self.store.version == seen:
                await self.store.changed(0.5)

    async def _take(self, step: str, pod: Object, busy: set[str]) -> None:
        try:
            if step == "start":
                await asyncio.sleep(self.start_seconds)
                await self._start(pod)
            elif step == "end":
                await asyncio.sleep(self.end_seconds)
                self._end(pod)
            else:
                self._fail(pod)
        except RefusedError:
            pass  # gone, or changed meanwhile: looked at again
        finally:
            busy.discard(pod["metadata"]["uid"])

    def _step(self, pod: Object) -> str | None:
        if "deletionTimestamp" in pod["metadata"]:
            return "end"
        if pod["status"].get("phase") == "Pending" and pod["spec"].get("nodeName") in self.machines:
            return "start"
        limit, begun = pod["spec"].get("activeDeadlineSeconds"), pod["status"].get("startTime")
        if limit and begun and pod["status"]["phase"] == "Running":
            age = datetime.now(UTC) - datetime.fromisoformat(begun)
            return "fail" if age.total_seconds() > limit else None
        return None

    async def _start(self, pod: Object) -> None:
        key, machine = _key(pod), self.machines[pod["spec"]["nodeName"]]
        if _is_proxy(pod):
            await self._proxy_starts(machine)
        self._number += 1
        hosted = pod["spec"].get("hostNetwork")
        address = machine.address if hosted else f"{machine.pods[:9]}{self._number % 240 + 3}"
        container = pod["spec"]["containers"][0]
        digest = "sha256:" + "a" * 64
        self.store.status(
            key,
            {
                "phase": "Running",
                "podIP": address,
                "hostIP": machine.address,
                "startTime": timestamp(),
                "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [
                    {
                        "name": container["name"],
                        "ready": True,
                        "restartCount": 0,
                        "image": container["image"],
                        "imageID": f"{container['image']}@{digest}",
                        "containerID": f"containerd://{secrets.token_hex(32)}",
                        "state": {"running": {"startedAt": timestamp()}},
                    }
                ],
            },
        )

    def _end(self, pod: Object) -> None:
        if _is_proxy(pod):
            self.machines[pod["spec"]["nodeName"]].proxy = None
        self.gone(pod["metadata"]["namespace"], pod["metadata"]["name"])
        self.store.remove(_key(pod))

    def _fail(self, pod: Object) -> None:
        self.gone(pod["metadata"]["namespace"], pod["metadata"]["name"])
        said = {"phase": "Failed", "reason": "DeadlineExceeded", "containerStatuses": []}
        self.store.status(_key(pod), said)

    async def _proxy_starts(self, machine: Machine) -> None:
        """kube-proxy reads its configuration, tells its mode, writes its rules, removes others."""
        found = self.store.get(Key("v1", "configmaps", "kube-system", "kube-proxy"))
        written = _MODE.search(found["data"]["config.conf"])
        mode = (written[1] if written else "") or "iptables"
        machine.proxy = mode
        machine.kernel = machine.kernel | {mode}
        await asyncio.sleep(self.sync_seconds)
        machine.kernel = {mode}

    def _run_daemon_sets(self) -> None:
        for found in list(self.store.all_of("apps/v1", "daemonsets")):
            self._run_daemon_set(found)

    def _run_daemon_set(self, found: Object) -> None:
        metadata, template = found["metadata"], found["spec"]["template"]
        revision = str(hash(json.dumps(template, sort_keys=True)) & 0xFFFFFFFF)
        labels = {
            one["metadata"]["name"]: one["metadata"].get("labels") or {}
            for one in self.store.all_of("v1", "nodes")
        }
        wish = template["spec"].get("nodeSelector") or {}
        wanted = {name for name, has in labels.items() if wish.items() <= has.items()}
        mine = list(self._pods_of(found))
        for pod in mine:
            node = pod["spec"]["nodeName"]
            old = pod["metadata"]["labels"]["controller-revision-hash"] != revision
            if (node not in wanted or old) and "deletionTimestamp" not in pod["metadata"]:
                ending = {**pod["metadata"], "deletionTimestamp": timestamp()}
                self.store.replace(_key(pod), {**pod, "metadata": ending})
        for node in wanted - {pod["spec"]["nodeName"] for pod in mine}:
            name = f"{metadata['name']}-{secrets.token_hex(3)[:5]}"
            self.store.create(
                Key("v1", "pods", metadata["namespace"], name),
                {
                    "metadata": {
                        "generateName": f"{metadata['name']}-",
                        "labels": {
                            **template["metadata"]["labels"],
                            "controller-revision-hash": revision,
                            "pod-template-generation": str(metadata["generation"]),
                        },
                        "ownerReferences": [
                            {
                                "apiVersion": "apps/v1",
                                "kind": "DaemonSet",
                                "name": metadata["name"],
                                "uid": metadata["uid"],
                                "controller": True,
                            }
                        ],
                    },
                    "spec": {**template["spec"], "nodeName": node},
                    "status": {"phase": "Pending"},
                },
            )
        ready = [
            pod
            for pod in self._pods_of(found)
            if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]
        ]
        status = {
            "observedGeneration": metadata["generation"],
            "desiredNumberScheduled": len(wanted),
            "currentNumberScheduled": len(mine),
            "updatedNumberScheduled": len(ready),
            "numberReady": len(ready),
            "numberAvailable": len(ready),
            "numberMisscheduled": 0,
        }
        if found.get("status") != status:
            key = Key("apps/v1", "daemonsets", metadata["namespace"], metadata["name"])
            self.store.replace(key, {**found, "status": status})

    def _pods_of(self, found: Object) -> Iterator[Object]:
        for pod in list(self.store.all_of("v1", "pods", found["metadata"]["namespace"])):
            owners = pod["metadata"].get("ownerReferences") or []
            if any(owner["uid"] == found["metadata"]["uid"] for owner in owners):
                yield pod


def _key(pod: Object) -> Key:
    return Key("v1", "pods", pod["metadata"]["namespace"], pod["metadata"]["name"])


def _is_proxy(pod: Object) -> bool:
    return bool((pod["metadata"].get("labels") or {}).get("k8s-app") == "kube-proxy")

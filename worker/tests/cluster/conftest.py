import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from podmeter.db.models import Cluster, PreflightState
from podmeter.db.session import Sessions
from podmeter.domain import labels
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.domain.run import RunState
from podmeter.jobs import Reap
from podmeter.services.runs import run_control
from podmeter.services.work import work_with
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.lease import NAME as LEASE
from podmeter_worker.kube.leftovers import run_labels
from podmeter_worker.kube.resources import CONFIG_MAPS, LEASES, PODS

from ..real_worker import RealStack
from ..relay import Relay

WORKER = Path(__file__).parents[2]


class HeldStack(RealStack):
    """A real worker on a real cluster, which can be held at a step."""

    cluster_id: Any

    @property
    def held(self) -> Path:
        return self.folder / "held"

    def hold_at(self, step: str) -> None:
        self.held.mkdir(exist_ok=True)
        self.app = "tests.held_app"
        self.extra |= {"HELD": str(self.held), "PYTHONPATH": str(WORKER)}
        (self.held / "pause").write_text(step)

    def is_held(self) -> bool:
        return (self.held / "reached").exists()

    def release_lease(self) -> None:
        (self.held / "pause").unlink()

    def take_over(self, run_id: Any, cleared: Callable[[], bool] = lambda: True) -> None:
        """By another worker, until the run of one that was killed is ended, and all `cleared`."""
        self.start_worker()
        next_reap = time.monotonic()

        def over() -> bool:
            nonlocal next_reap
            if time.monotonic() >= next_reap:
                # Each takes 20 ms of the worker, which is to take over besides.
                self.send(Reap())
                next_reap = time.monotonic() + 1
            return self.run(run_id).state is RunState.FINISHED and cleared()

        self.wait(over, "the run is ended", 300)

    def cancel(self, run_id: Any) -> None:
        with work_with(self.sessions, self.queue) as work:
            run_control.cancel(work, self.owner, run_id)


@pytest.fixture
def stack(
    sessions: Sessions,
    database_url: str,
    redis_url: str,
    tmp_path: Path,
    granted: dict[str, str],
    admin: KubeClient,
    relay: Relay,
) -> Iterator[HeldStack]:
    """The cluster is registered with no more rights than the manifest gives, through a relay."""
    stack = HeldStack(sessions, database_url, redis_url, tmp_path)
    stack.allowed = ("127.0.0.0/8",)
    document = as_kubeconfig(granted, relay.port, admin.access.tls_name)
    stack.cluster_id = stack.register("testbed", document, allow_mode_switch=True)
    yield stack
    stack.stop()
    stack.empty_queues()


@pytest.fixture(scope="package")
def seen() -> dict[str, Any]:
    """What the first worker found of the cluster; the others start from there."""
    return {}


@pytest.fixture
def looked_at(stack: HeldStack, seen: dict[str, Any]) -> HeldStack:
    """With a worker that has looked at the cluster, and may be held from the start."""
    if seen:
        stack.empty_queues()
        with stack.sessions.begin() as session:
            cluster = session.get_one(Cluster, stack.cluster_id)
            for name, value in seen.items():
                setattr(cluster, name, value)
        return stack
    worker = stack.start_worker("--concurrency=2")
    done = (PreflightState.SUCCEEDED, PreflightState.FAILED)
    stack.wait(
        lambda: stack.cluster(stack.cluster_id).preflight_state in done, "it is looked at", 240
    )
    assert not stack.cluster(stack.cluster_id).preflight_error
    worker.terminate()
    worker.wait(60)
    found = stack.cluster(stack.cluster_id)
    names = ("cluster_uid", "capabilities", "preflight_state", "preflighted_at")
    seen.update({name: getattr(found, name) for name in names})
    return stack


@pytest.fixture
def proxy_mode(admin: KubeClient) -> Callable[[], str]:
    """kube-proxy's current configuration."""
    path = CONFIG_MAPS.path("kube-system", "kube-proxy")
    return lambda: str(admin.get(path)["data"]["config.conf"])


@pytest.fixture
def left_behind(admin: KubeClient) -> Callable[[], list[str]]:
    """What of any run is left in the cluster."""

    def look() -> list[str]:
        pods = [
            item["metadata"]["name"]
            for namespace in (POD_NAMESPACE, HOST_NAMESPACE)
            for item in admin.list_all(PODS.path(namespace), labels=labels.RUN).items
        ]
        lease = admin.find(LEASES.path(POD_NAMESPACE, LEASE))
        return [*pods, *run_labels(admin), *([LEASE] if lease else [])]

    return look


def as_kubeconfig(fields: dict[str, str], port: int, tls_name: str) -> bytes:
    import base64

    authority = base64.b64encode(fields["certificate_authority"].encode()).decode()
    cluster = {
        "server": f"https://127.0.0.1:{port}",
        "certificate-authority-data": authority,
        "tls-server-name": tls_name,
    }
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": fields["token"]}}],
    }
    return json.dumps(document).encode()

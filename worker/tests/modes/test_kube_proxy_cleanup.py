"""How long a cleanup by kube-proxy may take, and what is reported of it meanwhile."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.messages import Message, say
from podmeter_worker.modes.kube_proxy import cleanup
from podmeter_worker.modes.kube_proxy.cleanup import complaint
from podmeter_worker.modes.switcher import SwitchContext

#: Captured from `kube-proxy --cleanup` 1.34.4, whose modprobe did not know IPVS.
SAID = """E1123 10:07:55.066139       1 proxier.go:488] "Failed to execute iptables-restore" err=<
\texit status 4: ip6tables-restore v1.8.11 (nf_tables):\x20
\tline 5: CHAIN_DEL failed (Device or resource busy): chain KUBE-PROXY-FIREWALL
 > table="filter"
E1123 10:07:56.027081       1 run.go:72] "command failed" \
err="encountered an error while tearing down rules"
"""


def pod(node: str, **status: Any) -> dict[str, Any]:
    return {"spec": {"nodeName": node}, "status": {"containerStatuses": [status]} if status else {}}


def terminated(code: int, message: str) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, "message": message}}


def test_what_kube_proxy_said_is_told_with_its_node() -> None:
    waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
    failed = pod("node-2", state=waiting, lastState=terminated(1, SAID))
    told = complaint([pod("node-1"), failed])
    assert told == say("on_node", node="node-2", what=" ".join(SAID.split())[-600:])
    assert "chain KUBE-PROXY-FIREWALL" in told
    assert told.endswith('while tearing down rules"')


def test_nothing_is_told_of_what_ended_well_or_said_nothing() -> None:
    well = pod("node-1", state=terminated(0, "all of it"))
    assert complaint([well, pod("node-2", state=terminated(1, ""))]) is None
    assert complaint([]) is None


class Cluster:
    """Two nodes; the cleanup on node-2 ends after so many seconds of its clock."""

    def __init__(self, takes: float) -> None:
        self.takes, self.now = takes, 100.0
        self.pods: dict[str, dict[str, Any]] = {}
        self.deadlines: list[int] = []
        self.said: list[Message] = []

    def monotonic(self) -> float:
        return self.now

    def create(self, path: str, body: Any) -> dict[str, Any]:
        name = body["metadata"]["name"]
        self.deadlines.append(body["spec"]["activeDeadlineSeconds"])
        metadata = {"uid": name, "name": name, "namespace": "podmeter-host"}
        self.pods[name] = {"metadata": metadata, "spec": body["spec"], "status": {}}
        return self.pods[name]

    def list_all(self, path: str, *, labels: str) -> Any:
        return SimpleNamespace(items=tuple(self.pods.values()))

    def delete(self, path: str, *, uid: str) -> None:
        del self.pods[path.rpartition("/")[2]]

    def wait_until(
        self, client: Any, path: str, condition: Any, *, deadline_seconds: float, **of: Any
    ) -> None:
        check: Callable[[], None] = of["check"]
        deadline = self.now + deadline_seconds
        while self.now < deadline:
            check()
            self.now += 2
            for pod in self.pods.values():
                if pod["spec"]["nodeName"] == "node-1" or self.now >= 100 + self.takes:
                    pod["status"] = {"phase": "Succeeded"}
            if condition({("", name): pod for name, pod in self.pods.items()}):
                return
        raise ConvergenceError("too late")


def clean(monkeypatch: pytest.MonkeyPatch, takes: float, service_ports: int) -> Cluster:
    cluster = Cluster(takes)
    monkeypatch.setattr(cleanup, "time", cluster)
    monkeypatch.setattr(cleanup, "wait_until", cluster.wait_until)
    monkeypatch.setattr(cleanup, "wait_until_gone", lambda *of, **more: None)
    shells = {
        node: SimpleNamespace(node=node, labels={"of": "the run"}) for node in ("node-1", "node-2")
    }
    context = SimpleNamespace(
        client=cluster,
        shells=shells,
        service_ports=service_ports,
        missing=frozenset(),
        check=lambda: None,
        progress=cluster.said.append,
    )
    cleanup.clean(cast(SwitchContext, context), {"image": "kube-proxy"})
    return cluster


def test_a_cleanup_is_given_longer_the_more_rules_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = clean(monkeypatch, 1600, 30_000)
    assert cluster.deadlines == [3360, 3360]
    assert cluster.pods == {}
    with pytest.raises(ConvergenceError):
        clean(monkeypatch, 200, 0)


def test_a_long_cleanup_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert clean(monkeypatch, 20, 30_000).said == []
    said = clean(monkeypatch, 100, 30_000).said
    running = {"code": "cleanup_runs", "params": {"nodes": ["node-2"]}}
    assert [one.params["wrong"] for one in said] == [running] * 3
    assert [one.params["seconds"] for one in said] == [1650, 1620, 1590]

"""kube-proxy that is not in its mode yet: its first sync failed, or it is still starting."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from bench.scripted.outputs import kube_proxy_metrics

from podmeter.domain.errors import ConvergenceError, LabError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import kube_proxy as kube_proxy_driver
from podmeter_worker.kube.facts.kube_proxy import ConfiguredAt
from podmeter_worker.modes import daemon_set, waiting
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy import effect as kube_proxy_effect
from podmeter_worker.modes.kube_proxy import nodes as kube_proxy_nodes
from podmeter_worker.modes.kube_proxy import switcher as kube_proxy
from podmeter_worker.modes.kube_proxy import syncs
from podmeter_worker.modes.kube_proxy.effect import Target, await_effect, force_sync
from podmeter_worker.modes.kube_proxy.switcher import KubeProxySwitcher
from podmeter_worker.modes.switcher import SwitchContext

PORT = 10249
IPVS, IPTABLES = KubeProxyMode.IPVS, KubeProxyMode.IPTABLES


class Node:
    """A node whose kube-proxy begins to answer after some questions, and whose kernel follows.

    Where it is stuck its rules are there once it was helped so many times. It writes its rules for
    the first `syncing` looks at its metrics; `asked` counts the looks at its kernel. After a nudge
    its second sync takes `resyncs` looks. Nothing can be asked for the first `away` commands. Of
    the looks at its metrics the first `dumb` time out once it has written its rules. Where it is
    `changing` each look finds a change queued, and each of so many looks another sync ended.
    """

    def __init__(
        self,
        name: str,
        *,
        silent: int = 0,
        stuck: int = 0,
        syncing: int = 0,
        resyncs: int = 0,
        away: int = 0,
        dumb: int = 0,
        changing: int = 0,
    ) -> None:
        self.node, self.silent, self.stuck, self.syncing = name, silent, stuck, syncing
        self.resyncs, self.away, self.dumb = resyncs, away, dumb
        self.changing, self.changes = changing, 0
        self.asked, self.nudges, self.syncs, self.restarts = 0, 0, 1, 0

    def nudge(self) -> None:
        self.nudges += 1
        if not self.resyncs:
            self.syncs += 1
            self.stuck = max(0, self.stuck - 1)

    def restart(self) -> None:
        self.restarts, self.syncs = self.restarts + 1, 1
        self.stuck -= 1

    def run(self, argv: tuple[str, ...], limit_seconds: float = 30.0) -> CommandOutput:
        if self.away > 0:
            self.away -= 1
            raise LabError("the API server is away")
        if argv == kube_proxy_driver.argv(PORT):
            return self._metrics()
        if argv[0] != "curl":
            return CommandOutput("", "", 0, 0.0)
        if self.silent > 0:
            self.silent -= 1
            return CommandOutput("", "curl: (7) Failed to connect", 7, 0.0)
        return CommandOutput(IPVS, "", 0, 0.0)

    def _metrics(self) -> CommandOutput:
        if self.syncing > 0:
            self.syncing -= 1
            return kube_proxy_metrics(0, has_succeeded=False)
        if self.dumb > 0:
            self.dumb -= 1
            return CommandOutput("", "curl: (28) Operation timed out", 28, 10.0)
        if self.nudges and self.resyncs > 0:
            self.resyncs -= 1
            if self.resyncs == 0:
                self.stuck, self.syncs = 0, self.syncs + 1
        if self.changing:
            self.changes += 1
            ended = 1 + self.changes // self.changing
            return kube_proxy_metrics(
                ended, queued=1 + self.changes, restarts=self.restarts, seconds=1e-9
            )
        return kube_proxy_metrics(
            self.syncs,
            has_succeeded=not self.stuck,
            restarts=self.restarts,
            queued=self.nudges / 10,
            seconds=1e-9,
        )


@pytest.fixture
def helped(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was done, each time: "nudge", or the nodes that kube-proxy was restarted on."""
    found: list[object] = []

    def restart(context: Any, _: object, nodes: set[str]) -> None:
        found.append(set(nodes))
        for node in nodes:
            context.shells[node].restart()

    def nudge(context: Any) -> None:
        found.append("nudge")
        for shell in context.shells.values():
            shell.nudge()

    monkeypatch.setattr(daemon_set, "restart", restart)
    monkeypatch.setattr(kube_proxy_effect, "force_sync", nudge)
    monkeypatch.setattr(kube_proxy_effect, "_EFFECTIVE_SECONDS", (0.0, 0.0, 0.0, 30.0))
    monkeypatch.setattr(waiting, "_POLL_SECONDS", 0.0)
    return found


def await_ipvs(monkeypatch: pytest.MonkeyPatch, *nodes: Node) -> None:
    def observed(shell: Node, port: int, services: int) -> str:
        shell.asked += 1
        # What `observed` asks first; the kernel's own rules are read in the tests on a cluster.
        if kube_proxy_effect._told(cast(Any, shell), port).exit_code != 0:
            raise PreconditionError(say("proxy_silent", node=shell.node, said="refused"))
        return IPTABLES if shell.stuck or shell.syncing else IPVS

    monkeypatch.setattr(kube_proxy_effect, "observed", observed)
    context = SimpleNamespace(
        shells={node.node: node for node in nodes},
        service_ports=0,
        check=lambda: None,
        progress=lambda said: None,
    )
    target = Target(IPVS, PORT, None, sure=True)
    await_effect(cast(SwitchContext, context), {}, target)


def test_one_whose_first_sync_failed_is_given_cause_for_another(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    await_ipvs(monkeypatch, Node("node-1"), Node("node-2", stuck=1))
    assert helped == ["nudge"]


def test_one_that_this_does_not_help_is_started_anew_and_nudged_again(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    await_ipvs(monkeypatch, Node("node-1"), Node("node-2", stuck=3))
    assert helped == ["nudge", {"node-2"}, "nudge"]


def test_one_that_is_still_starting_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    await_ipvs(monkeypatch, Node("node-1", silent=12), Node("node-2"))
    assert helped == []


def test_one_that_writes_its_rules_is_left_alone_however_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    """A restart would discard its work, although the time limit for help is over."""
    node = Node("node-1", syncing=300)
    await_ipvs(monkeypatch, node, Node("node-2"))
    assert helped == []
    assert node.syncing == 0
    # Its kernel is not asked while it writes it for the first time.
    assert node.asked == 1


def test_one_whose_second_sync_is_under_way_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    """A nudge was cause for it; by its first one alone it would be lost."""
    await_ipvs(monkeypatch, Node("node-1", stuck=1, resyncs=300), Node("node-2"))
    assert helped == ["nudge"]


def test_one_that_does_not_tell_what_it_does_for_some_looks_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    """It may be writing, although its kernel is not in the mode."""
    node = Node("node-1", stuck=1, dumb=20)
    monkeypatch.setattr(node, "_metrics", unstuck_after(node, node._metrics))
    await_ipvs(monkeypatch, node, Node("node-2"))
    assert helped == []


def unstuck_after(node: Node, metrics: Callable[[], CommandOutput]) -> Callable[[], CommandOutput]:
    """The node's metrics; once they can be read its rules are there."""

    def read() -> CommandOutput:
        if not node.dumb:
            node.stuck = 0
        return metrics()

    return read


def test_one_that_never_tells_what_it_does_is_helped_after_a_while(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    monkeypatch.setattr(syncs, "_SILENT_SECONDS", 0.0)
    await_ipvs(monkeypatch, Node("node-1", stuck=2, dumb=1_000_000), Node("node-2"))
    assert helped == ["nudge", {"node-1"}]


def test_a_node_that_cannot_be_asked_for_a_while_ends_no_wait(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    await_ipvs(monkeypatch, Node("node-1", away=40), Node("node-2"))
    assert helped == []


def test_the_last_error_of_a_node_that_cannot_be_asked_is_named_at_the_limit(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    monkeypatch.setattr(kube_proxy_effect, "_EFFECTIVE_SECONDS", (0.0, 0.0, 0.0, 0.0))
    with pytest.raises(ConvergenceError, match="node-1: the API server is away"):
        await_ipvs(monkeypatch, Node("node-1", away=1_000_000), Node("node-2"))
    assert helped == []


def test_beside_one_that_writes_its_rules_another_is_helped_by_itself(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    """A nudge would have both of them sync once more."""
    await_ipvs(monkeypatch, Node("node-1", syncing=60), Node("node-2", stuck=1))
    assert helped == [{"node-2"}]


def test_one_whose_changes_never_end_is_helped_once_a_sync_has_not(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    """What is wrong is not about syncs: the next one did not bring it about."""
    node = Node("node-1", stuck=1, changing=20)
    await_ipvs(monkeypatch, node, Node("node-2"))
    assert helped == [{"node-1"}]
    assert 20 <= node.changes < 60


def test_one_whose_changes_never_end_is_waited_for_no_longer_than_a_sync(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    monkeypatch.setattr(kube_proxy_effect, "_EFFECTIVE_SECONDS", (0.0, 0.0, 0.0, 0.0))
    with pytest.raises(ConvergenceError, match="node-1"):
        await_ipvs(monkeypatch, Node("node-1", stuck=99, changing=20), Node("node-2"))
    assert helped == [{"node-1"}] * 3


def test_beside_one_whose_changes_never_end_another_that_cannot_be_asked_has_its_own_time(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    """Its neighbour has its mode: there is nothing to wait for."""
    monkeypatch.setattr(kube_proxy_effect, "_EFFECTIVE_SECONDS", (0.0, 0.0, 0.0, 0.0))
    with pytest.raises(ConvergenceError, match=r"after 0 s: .* node-1: the API server is away"):
        await_ipvs(monkeypatch, Node("node-1", away=1_000_000), Node("node-2", changing=20))
    assert helped == []


def test_a_sync_that_never_ends_is_said(
    monkeypatch: pytest.MonkeyPatch, helped: list[object]
) -> None:
    monkeypatch.setattr(kube_proxy_effect, "_LONGEST_SYNC_SECONDS", 0.0)
    monkeypatch.setattr(kube_proxy_effect, "_EFFECTIVE_SECONDS", (0.0, 0.0, 0.0, 0.0))
    with pytest.raises(ConvergenceError, match="kube-proxy on node-1 is writing its rules"):
        await_ipvs(monkeypatch, Node("node-1", syncing=10_000))
    assert helped == []


def test_a_kernel_with_many_services_is_given_longer_to_tell() -> None:
    limits: list[float] = []

    def run(argv: tuple[str, ...], limit_seconds: float = 30.0) -> CommandOutput:
        if argv[0] == "curl":
            return CommandOutput("nftables", "", 0, 0.0)
        limits.append(limit_seconds)
        return CommandOutput("nftables\nend\n", "", 0, 0.0)

    shell = cast(Any, SimpleNamespace(node="node-1", run=run))
    for services in (0, 20_000):
        assert kube_proxy_effect.observed(shell, PORT, services) == "nftables"
    assert limits == [30.0, 430.0]


def test_a_nudge_is_a_service_of_the_runs_own_that_goes_again() -> None:
    done: list[tuple[str, str]] = []

    def create(path: str, body: Any) -> Any:
        assert body["metadata"]["labels"] == {"of": "the run"}
        assert "selector" not in body["spec"]
        done.append(("create", path))
        return {"metadata": {"name": "pm-nudge-abc"}}

    client = SimpleNamespace(create=create, delete=lambda path: done.append(("delete", path)))
    shells = {"node-1": SimpleNamespace(labels={"of": "the run"})}
    force_sync(cast(SwitchContext, SimpleNamespace(client=client, shells=shells)))
    services = "/api/v1/namespaces/podmeter/services"
    assert done == [("create", services), ("delete", f"{services}/pm-nudge-abc")]


@pytest.mark.parametrize(
    ("stood", "steps"),
    [(IPVS, ["pause", "clean", "resume"]), (KubeProxyMode.NFTABLES, ["resume", "restart"])],
)
def test_a_kube_proxy_that_just_started_in_ipvs_mode_is_cleaned_after(
    monkeypatch: pytest.MonkeyPatch, stood: str, steps: list[str]
) -> None:
    """Where a switch was cut short it has written nothing yet, and would a moment later."""
    done: list[str] = []

    def rewritten(client: Any, path: str, key: str, wanted: Callable[[str], str]) -> Any:
        return wanted(f"kind: KubeProxyConfiguration\nmode: {stood}\n"), True

    configured = ConfiguredAt("kube-proxy", "config.conf")
    monkeypatch.setattr(kube_proxy, "configured_at", lambda client: configured)
    monkeypatch.setattr(kube_proxy, "rewrite", rewritten)
    monkeypatch.setattr(kube_proxy, "_daemon_set", lambda context: {})
    monkeypatch.setattr(kube_proxy, "_container", lambda running: {})
    monkeypatch.setattr(kube_proxy, "await_effect", lambda *of: None)
    monkeypatch.setattr(kube_proxy_cleanup, "has_ipvs_rules", lambda context: False)
    monkeypatch.setattr(kube_proxy_nodes, "is_installed", lambda client: False)
    monkeypatch.setattr(kube_proxy_cleanup, "end_left", lambda context: None)
    monkeypatch.setattr(kube_proxy_cleanup, "clean", lambda *of: done.append("clean"))
    for step in ("pause", "resume", "restart"):
        monkeypatch.setattr(daemon_set, step, lambda *of, step=step: done.append(step))
    context = cast(
        SwitchContext, SimpleNamespace(client=None, nodes=None, progress=lambda said: None)
    )
    KubeProxySwitcher().restore(context, {"mode": IPTABLES})
    assert done == steps

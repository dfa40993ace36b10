"""kube-proxy that is not in its mode yet: its first sync failed, or it is still starting."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.ports import CommandOutput
from podmeter_worker.modes import daemon_set, kube_proxy, kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy import KubeProxySwitcher
from podmeter_worker.modes.switcher import Site

IPVS, IPTABLES = KubeProxyMode.IPVS, KubeProxyMode.IPTABLES


class Node:
    """A node whose kube-proxy begins to answer after some questions, and whose kernel follows."""

    def __init__(self, name: str, *, silent: int = 0, stuck: bool = False) -> None:
        self.node, self.silent, self.stuck = name, silent, stuck

    def run(self, argv: tuple[str, ...]) -> CommandOutput:
        if argv[0] != "curl":
            return CommandOutput("", "", 0, 0.0)
        if self.silent > 0:
            self.silent -= 1
            return CommandOutput("", "curl: (7) Failed to connect", 7, 0.0)
        return CommandOutput(IPVS, "", 0, 0.0)


@pytest.fixture
def restarted(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Which nodes kube-proxy was started anew on, each time; it mends one that was stuck."""
    found: list[set[str]] = []

    def restart(site: Any, _: object, nodes: set[str]) -> None:
        found.append(set(nodes))
        for node in nodes:
            site.shells[node].stuck = False

    monkeypatch.setattr(daemon_set, "restart", restart)
    monkeypatch.setattr(kube_proxy, "_EFFECTIVE_SECONDS", (0.1, 0.1, 30.0))
    return found


def await_ipvs(monkeypatch: pytest.MonkeyPatch, *nodes: Node) -> None:
    def observed(shell: Node, port: int) -> str:
        # What `observed` asks first; the kernel's own rules are read in the tests on a cluster.
        if kube_proxy._told(cast(Any, shell), port).exit_code != 0:
            raise PreconditionError("silent")
        return IPTABLES if shell.stuck else IPVS

    monkeypatch.setattr(kube_proxy, "observed", observed)
    site = SimpleNamespace(
        shells={node.node: node for node in nodes},
        added=0,
        check=lambda: None,
        progress=lambda said: None,
    )
    target = kube_proxy._Target(IPVS, 10249, None, sure=True)
    kube_proxy._await(cast(Site, site), {}, target)


def test_one_whose_first_sync_failed_is_started_anew(
    monkeypatch: pytest.MonkeyPatch, restarted: list[set[str]]
) -> None:
    await_ipvs(monkeypatch, Node("node-1"), Node("node-2", stuck=True))
    assert restarted == [{"node-2"}]


def test_one_that_is_still_starting_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, restarted: list[set[str]]
) -> None:
    await_ipvs(monkeypatch, Node("node-1", silent=12), Node("node-2"))
    assert restarted == []


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

    monkeypatch.setattr(kube_proxy, "rewrite", rewritten)
    monkeypatch.setattr(kube_proxy, "_daemon_set", lambda site: {})
    monkeypatch.setattr(kube_proxy, "_container", lambda running: {})
    monkeypatch.setattr(kube_proxy, "_await", lambda *of: None)
    monkeypatch.setattr(kube_proxy_cleanup, "ipvs_stands", lambda site: False)
    monkeypatch.setattr(kube_proxy_cleanup, "clean", lambda *of: done.append("clean"))
    for step in ("pause", "resume", "restart"):
        monkeypatch.setattr(daemon_set, step, lambda *of, step=step: done.append(step))
    site = cast(Site, SimpleNamespace(client=None, progress=lambda said: None))
    KubeProxySwitcher().restore(site, {"mode": IPTABLES})
    assert done == steps

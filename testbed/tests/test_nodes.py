"""Further nodes: their names and addresses, and a testbed that has them."""

from pathlib import Path

import pytest

from podmeter_testbed import lifecycle, status
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import Layout
from podmeter_testbed.settings import Settings
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, fetch, namespace, pod, service

NAMES = ("node-1", "node-2", "node-3")


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """The layout that is asked for, with nothing started."""
    for name in ("KERNEL", "SUBNET", "SUBNETS"):
        monkeypatch.delenv(f"PODMETER_TESTBED_{name}", raising=False)
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path))
    monkeypatch.setenv("PODMETER_TESTBED_NODES", "3")
    return Layout.from_environment()


def test_it_has_a_name_and_an_address(three: Layout) -> None:
    assert three.nodes == NAMES
    assert three.machines == ("control-plane", *NAMES)
    assert three.address("node-3") == "10.89.0.13"


def test_there_are_two_unless_three_are_asked_for(
    three: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PODMETER_TESTBED_NODES")
    assert Layout.from_environment().nodes == NAMES[:2]


@pytest.mark.parametrize("count", ["4", "5"])
def test_there_may_be_more(three: Layout, monkeypatch: pytest.MonkeyPatch, count: str) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_NODES", count)
    layout = Layout.from_environment()
    assert layout.nodes == (*NAMES, "node-4", "node-5")[: int(count)]
    assert layout.address(layout.nodes[-1]) == f"10.89.0.1{count}"


def test_other_numbers_of_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_NODES", "6")
    with pytest.raises(
        TestbedError, match=r"NODES=6 is none of 2, 3, 4, 5; without it .* two nodes"
    ):
        Settings.from_environment()


def test_a_kernel_of_its_own_has_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_NODES", "3")
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "uml")
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "")
    with pytest.raises(TestbedError, match="memory and a disk for two nodes"):
        Settings.from_environment()


@pytest.mark.usefixtures("taken_for_up")
def test_a_testbed_that_was_started_keeps_its_nodes(
    three: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command knows them, with or without the setting; another start is refused."""
    three.asked.keep(three.state)
    monkeypatch.delenv("PODMETER_TESTBED_NODES")
    layout = Layout.from_environment()
    assert layout.nodes == NAMES
    lifecycle.up(layout)
    lifecycle.up(three)
    monkeypatch.setenv("PODMETER_TESTBED_NODES", "2")
    with pytest.raises(TestbedError, match="up with NODES=3, not 2"):
        lifecycle.up(Layout.from_environment())


@pytest.mark.cluster
@pytest.mark.nodes("3")
def test_the_third_node_runs_pods(
    testbed: Layout, kubectl: Kubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status.report(testbed)
    assert f"node-3         {testbed.address('node-3')}" in capsys.readouterr().out
    with namespace(kubectl, "nodes") as room:
        room.apply(
            pod("client", "node-3"), pod("server", "node-1", NGINX), service("server", "server")
        )
        room.wait_until_ready("client", "server")
        address = room.get("service", "server")["spec"]["clusterIP"]
        for url in (f"http://{room.address('server')}/", f"http://{address}/"):
            wait_for(url, lambda url=url: room.succeeds("client", *fetch(url)), 60)  # type: ignore[misc]

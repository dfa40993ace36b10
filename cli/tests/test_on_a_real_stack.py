"""The command, and the action's script, on a whole Podmeter that measures a scripted cluster.

Workers, databases and API are real; of the cluster only what its tools print is captured.
"""

# ruff: noqa: F811 (fixtures of other modules)
from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.stack import OwnStack
from worker.tests.relay import Relay

from podmeter.stack.process import wait_until
from podmeter.version import BENCH_IMAGE
from podmeter_cli.exits import ExitCode

from .conftest import Podmeter
from .test_action import GitHub, act, github  # noqa: F401 (a fixture)
from .test_interruptions import Start, read_until, start  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.services, pytest.mark.full, pytest.mark.timeout(600)]

SPEC: dict[str, Any] = {
    "name": "two paths",
    "kind": "throughput",
    "axes": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "repetition": {"trials": 3, "seconds": 1, "warmup": 1, "rounds": 2},
}
MODES = {**SPEC["axes"], "kube_proxy_mode": ["iptables", "nftables"]}


@pytest.fixture(scope="module")
def cluster() -> Iterator[ScriptedCluster]:
    with Loop() as loop:
        cluster = ScriptedCluster("ci", measuring_seconds=0.3)
        loop.wait(cluster.start())
        yield cluster
        loop.wait(cluster.stop())


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnStack]:
    settings = {
        "BENCH_IMAGE": BENCH_IMAGE,
        "PODMETER_ALLOWED_CLUSTER_NETWORKS": "127.0.0.0/8",
        "PODMETER_API_PROCESSES": "1",
    }
    with OwnStack(tmp_path_factory.mktemp("stack"), settings) as stack:
        yield stack


@pytest.fixture(scope="module")
def stack_token(stack: OwnStack) -> str:
    made = stack.api.post("/tokens", {"name": "ci", "role": "admin"})
    return str(made["token"])


@pytest.fixture(autouse=True)
def login(stack: OwnStack, stack_token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_URL", stack.environment["PODMETER_PUBLIC_URL"])
    monkeypatch.setenv("PODMETER_TOKEN", stack_token)


@pytest.fixture
def logged_in(stack: OwnStack) -> str:
    return stack.environment["PODMETER_PUBLIC_URL"]


@pytest.fixture
def relay(stack: OwnStack) -> Iterator[Relay]:
    """The network between the command and the server."""
    address = httpx.URL(stack.environment["PODMETER_PUBLIC_URL"])
    assert address.port is not None
    relay = Relay(address.host, address.port)
    yield relay
    relay.close()


@pytest.fixture
def added(
    podmeter: Podmeter,
    stack: OwnStack,
    cluster: ScriptedCluster,
    tmp_path: Path,
    kubectl: str,
    monkeypatch: pytest.MonkeyPatch,
) -> ScriptedCluster:
    """The cluster, registered with the user's own kubectl and looked at by a worker."""
    if stack.api.get("/clusters")["items"] == []:
        (tmp_path / "kubeconfig").write_text(cluster.server.kubeconfig("ci"))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
        registered = podmeter("clusters", "add", "ci", "--allow", "switch_modes", "--yes")
        assert registered.code == 0, registered.err
        assert "kube_proxy_mode" in registered.out
    return cluster


def written(folder: Path, name: str, *, rounds: int = 2, **axes: object) -> str:
    repetition = {**SPEC["repetition"], "rounds": rounds}
    document = {**SPEC, "name": name, "axes": axes or SPEC["axes"], "repetition": repetition}
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(document))
    return str(file)


def run_id(said: str) -> str:
    found = re.search(r"^Run ([0-9a-f-]{36}): ", said, re.MULTILINE)
    assert found, said
    return found[1]


def nothing_is_left(cluster: ScriptedCluster) -> None:
    assert wait_until(lambda: not cluster.left(), 60), cluster.left()


def kill_the_server(stack: OwnStack) -> None:
    """End every process of the API; the supervisor starts it again."""
    killed = 0
    for process in stack.processes():
        with suppress(OSError):
            if b"podmeter_api" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGKILL)
                killed += 1
    assert killed


def test_three_jobs_keep_one_comment_and_end_with_their_verdicts(
    added: ScriptedCluster,
    stack: OwnStack,
    github: GitHub,
    tmp_path: Path,
    stack_token: str,
) -> None:
    """The action's own script, from a specification to the comment of the pull request."""
    inputs = {"url": stack.environment["PODMETER_PUBLIC_URL"], "token": stack_token}

    def job(spec: str, cluster: str = "ci") -> int:
        ended = act(tmp_path, None, **inputs, spec=spec, cluster=cluster)
        assert f"exit-code={ended.returncode}\n" in (tmp_path / "output").read_text(), ended.stderr
        (comment,) = github.comments
        bodies.append(comment["body"])
        return ended.returncode

    bodies: list[str] = []
    assert job(written(tmp_path, "paths")) == ExitCode.FINE
    # One round decides nothing.
    assert job(written(tmp_path, "modes", rounds=1, **MODES)) == ExitCode.UNDECIDED
    assert job(written(tmp_path, "paths"), "no such cluster") == ExitCode.USAGE
    fine, undecided, refused = bodies
    assert "pod-pod" in fine
    assert "nftables" in undecided
    assert "could not run (exit code 4)" in refused
    runs = stack.api.get("/runs")["items"]
    assert [run["labels"]["commit"] for run in runs] == ["1a2b3c", "1a2b3c"]
    assert f"/runs/{runs[1]['id']}" in fine
    assert f"/runs/{runs[0]['id']}" in undecided
    nothing_is_left(added)


def test_a_server_that_is_restarted_interrupts_nothing(
    added: ScriptedCluster, stack: OwnStack, start: Start, tmp_path: Path
) -> None:
    running = start("run", written(tmp_path, "restarted"), "--cluster", "ci", "--wait")
    read_until(running, "running")
    kill_the_server(stack)
    out, said = running.communicate(timeout=120)
    assert running.returncode == ExitCode.FINE, said
    assert "waiting for it" in said
    assert "pod-pod" in out
    nothing_is_left(added)


def test_a_network_that_is_away_for_a_minute_interrupts_nothing(
    added: ScriptedCluster,
    stack: OwnStack,
    relay: Relay,
    start: Start,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PODMETER_URL", f"http://127.0.0.1:{relay.port}")
    running = start("run", written(tmp_path, "away"), "--cluster", "ci", "--wait")
    said = read_until(running, "running")
    relay.go_away()
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(60)
    # The run did not wait for its command.
    assert stack.api.get(f"/runs/{run_id(said)}")["state"] == "finished"
    relay.come_back()
    out, said = running.communicate(timeout=60)
    assert running.returncode == ExitCode.FINE, said
    assert "waiting for it" in said
    assert "pod-pod" in out
    nothing_is_left(added)


def test_ctrl_c_cancels_the_run_where_that_was_asked_for(
    added: ScriptedCluster, stack: OwnStack, start: Start, tmp_path: Path
) -> None:
    words = ("--cluster", "ci", "--wait", "--if-interrupted", "cancel")
    running = start("run", written(tmp_path, "cancelled", **MODES), *words)
    said = read_until(running, "running")
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=120)
    assert running.returncode == ExitCode.INTERRUPTED
    run = f"/runs/{run_id(said)}"
    assert wait_until(lambda: stack.api.get(run)["state"] == "finished", 120)
    assert stack.api.get(run)["outcome"] == "cancelled"
    nothing_is_left(added)
    assert added.modes() == {"iptables"}


def test_a_client_at_its_limit_is_said_on_the_terminal_and_in_the_report(
    added: ScriptedCluster,
    stack: OwnStack,
    podmeter: Podmeter,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both modes measure alike, as one thread of the client is busy with both."""
    monkeypatch.setattr(added, "tool_cpus", 0.97)
    ended = podmeter("run", written(tmp_path, "limited", rounds=6, **MODES), "--cluster", "ci")
    run = run_id(ended.err + ended.out)
    shown = podmeter("runs", "watch", run)
    assert shown.code == ExitCode.UNDECIDED, shown.out
    assert "client CPU" in shown.out
    assert "more clients" in shown.out
    report = stack.api.get(f"/runs/{run}/summaries")
    paths = [one for one in report["cases"] if "path" in one["point"]]
    assert {one["limited_by"] for one in paths} == {"client_cpu"}
    assert any("use more clients" in one["text"] for one in report["headline"]["sentences"])
    trials = stack.api.get(f"/runs/{run}/trials?status=counted")["items"]
    assert "client_cpu" in {one["limited_by"] for one in trials}
    nothing_is_left(added)


def test_watching_picks_up_the_run_of_a_closed_terminal(
    added: ScriptedCluster, start: Start, tmp_path: Path
) -> None:
    running = start("run", written(tmp_path, "closed"), "--cluster", "ci", "--wait")
    said = read_until(running, "running")
    running.send_signal(signal.SIGHUP)
    running.communicate(timeout=120)
    assert running.returncode == ExitCode.INTERRUPTED
    watching = start("runs", "watch", run_id(said))
    out, said = watching.communicate(timeout=120)
    assert watching.returncode == ExitCode.FINE, said
    assert "pod-pod" in out
    nothing_is_left(added)

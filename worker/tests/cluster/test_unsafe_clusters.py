"""A run on a real cluster stops when a node is lost, and cleans up once the node is back."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter.jobs import Reap
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.nodes import node_conditions

from .conftest import HeldStack
from .processes import kubelet_of

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(1800)]

#: Minutes of short trials: it ends by itself long before.
LONG = {
    "name": "until a node is lost",
    "kind": "service_scale",
    "parameters": {"latency_requests": 20},
    "axes": {"services": [10, 40], "target": ["last"], "probe": ["latency"]},
    "repetition": {"trials": 100, "rounds": 4, "warmup": 0},
}


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """It does nothing until the context is left, as when its machine hangs."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_a_node_that_is_lost_stops_a_run_which_is_cleaned_up_once_it_is_back(
    looked_at: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]]
) -> None:
    def ready(node: str) -> bool:
        return {one.name: one.ready for one in node_conditions(admin)}[node]

    report = looked_at.cluster(looked_at.cluster_id).capabilities
    assert report is not None
    node = max(one["name"] for one in report["nodes"] if one["why_unfit"] is None)
    run_id = looked_at.start_run(looked_at.cluster_id, LONG)
    looked_at.start_worker()
    looked_at.wait(
        lambda: any(one.status is TrialStatus.COUNTED for one in looked_at.trials(run_id)),
        "a trial is counted",
        300,
    )
    with stopped(kubelet_of(node)):
        looked_at.wait(lambda: not ready(node), f"{node} is not ready", 180)
        run = looked_at.wait_finished(run_id, 900)
        assert run.outcome is Outcome.PARTIAL, run.reason
        assert f"node {node} was ready when the run started" in run.reason
        trials = looked_at.trials(run_id)
        assert len(trials) < 800
        assert {one.status for one in trials} <= {
            *(TrialStatus.COUNTED, TrialStatus.VOID, TrialStatus.FAILED)
        }
    looked_at.wait(lambda: ready(node), f"{node} is ready again", 180)
    next_reap = 0.0

    def clean() -> bool:
        nonlocal next_reap
        if time.monotonic() >= next_reap:
            looked_at.send(Reap())
            next_reap = time.monotonic() + 5
        return not looked_at.cluster(looked_at.cluster_id).needs_restore and left_behind() == []

    looked_at.wait(clean, "nothing is left behind", 600)

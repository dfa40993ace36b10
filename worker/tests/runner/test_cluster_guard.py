"""When the guard of a cluster looks, and how long something is wrong before a run stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from podmeter.domain.errors import LabError, PreconditionError, UnsafeClusterError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, CommandOutput, ExecTarget, ServiceBatch, ServiceType
from podmeter.domain.safety import NodeCondition
from podmeter.drivers import node_room
from podmeter_worker.runner.cluster_guard import (
    AGAIN_SECONDS,
    LOOK_SECONDS,
    STEADY_SECONDS,
    SWITCHING_SECONDS,
    ClusterGuard,
)
from podmeter_worker.runner.tracked_lab import TrackedLab

READY, LOST = NodeCondition("n1", ready=True), NodeCondition("n1", ready=False)


class Cluster:
    """Its nodes' conditions and its pods, and a clock."""

    def __init__(self) -> None:
        self.now, self.looks = 0.0, 0
        self.node = READY
        #: Those besides it.
        self.others = [NodeCondition("n2", ready=True)]
        self.asked: list[str] = []
        self.conntrack = 10
        self.gone: set[str] = set()
        self.guard = ClusterGuard(lambda: self.now)

    def conditions(self) -> tuple[NodeCondition, ...]:
        self.looks += 1
        return (self.node, *self.others)

    def execute(self, place: ExecTarget, argv: Any, *, timeout_seconds: float) -> CommandOutput:
        assert argv == node_room.ARGV
        self.asked.append(place.name)
        if place.name in self.gone:
            raise LabError("the pod is gone")
        files = (
            "== /proc/meminfo\nMemTotal: 100 kB\nMemAvailable: 50 kB\n"
            f"== /proc/sys/net/netfilter/nf_conntrack_count\n{self.conntrack}\n"
            "== /proc/sys/net/netfilter/nf_conntrack_max\n100\n== end\n"
        )
        frames = [f"ran 0 {len(one)}\n{one}\n" for one in (files, "4096 100 50\n")]
        return CommandOutput("".join([*frames, "end\n"]), "", 0, 0.0)

    def check(self, *places: ExecTarget) -> None:
        self.guard.check(self.conditions, self, places)  # type: ignore[arg-type]

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def wait_in_a_switch(self, *places: ExecTarget) -> None:
        while self.now < 1000:
            self.guard.check(self.conditions, self, places, switching=True)  # type: ignore[arg-type]
            self.now += 1


def place(name: str, node: str | None, access: Access) -> ExecTarget:
    return ExecTarget(name, "192.0.2.1", node, access)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_nodes_are_looked_at_now_and_then(cluster: Cluster) -> None:
    for _ in range(3):
        cluster.check()
    assert cluster.looks == 1
    cluster.now += LOOK_SECONDS + 1
    cluster.check()
    assert cluster.looks == 2


def test_the_place_nearest_to_each_node_is_asked(cluster: Cluster) -> None:
    cluster.check(
        place("pod", "n1", Access.POD),
        place("shell", "n1", Access.HOST_ADMIN),
        place("other", "n2", Access.POD),
        place("away", None, Access.OUTSIDE),
    )
    assert sorted(cluster.asked) == ["other", "shell"]


def test_what_is_wrong_stops_a_run_once_it_stays(cluster: Cluster) -> None:
    cluster.check()
    cluster.node = LOST
    cluster.now += LOOK_SECONDS + 1
    cluster.check()
    began = cluster.now
    with pytest.raises(UnsafeClusterError):
        cluster.guard.settle(cluster.conditions, None, (), cluster.wait)
    assert STEADY_SECONDS <= cluster.now - began <= STEADY_SECONDS + AGAIN_SECONDS
    # For good, however well the cluster becomes.
    cluster.node = READY
    with pytest.raises(UnsafeClusterError):
        cluster.check()


def test_a_node_that_the_run_has_pods_on_and_that_is_deleted_stops_it(cluster: Cluster) -> None:
    used = place("pod", "n2", Access.POD)
    cluster.check(used)
    cluster.others = []
    with pytest.raises(UnsafeClusterError) as raised:
        cluster.wait_in_a_switch(used)
    assert raised.value.said == say("stopped_node_gone", node="n2")
    assert STEADY_SECONDS <= cluster.now <= LOOK_SECONDS + STEADY_SECONDS + 3 * AGAIN_SECONDS


def test_a_node_without_pods_of_the_run_may_be_deleted(cluster: Cluster) -> None:
    used = place("pod", "n1", Access.POD)
    cluster.check(used)
    cluster.others = []
    while cluster.now < 1000:
        cluster.now += LOOK_SECONDS
        cluster.check(used)
    assert cluster.guard.why is None


def test_what_passes_does_not(cluster: Cluster) -> None:
    cluster.check()
    cluster.node = LOST
    cluster.now += LOOK_SECONDS + 1

    def wait(seconds: float) -> None:
        cluster.now += seconds
        if cluster.now > 30:
            cluster.node = READY

    cluster.guard.settle(cluster.conditions, None, (), wait)
    assert cluster.guard.why is None


def test_figures_that_change_while_it_stays_wrong_are_the_same_fault(cluster: Cluster) -> None:
    shell = place("shell", "n1", Access.HOST)
    cluster.conntrack = 90

    def wait(seconds: float) -> None:
        cluster.now += seconds
        cluster.conntrack = 170 - cluster.conntrack

    with pytest.raises(UnsafeClusterError):
        cluster.guard.settle(cluster.conditions, cluster, [shell], wait)  # type: ignore[arg-type]
    assert cluster.now <= STEADY_SECONDS + AGAIN_SECONDS


@pytest.mark.parametrize(
    "error", [LabError("the API server is away"), PreconditionError("nodes may not be listed")]
)
def test_a_node_that_was_never_ready_and_a_server_that_does_not_tell_stop_nothing(
    cluster: Cluster, error: Exception
) -> None:
    cluster.node = LOST
    cluster.check()

    def away() -> Iterator[NodeCondition]:
        raise error

    cluster.now = 1000.0
    cluster.guard.check(away)
    cluster.gone = {"shell"}
    cluster.now = 2000.0
    cluster.conntrack = 99
    cluster.check(place("shell", "n1", Access.HOST))
    assert cluster.guard.why is None


def test_a_switch_may_make_a_node_unready_for_a_while(cluster: Cluster) -> None:
    cluster.check()
    cluster.node = LOST
    while cluster.now < SWITCHING_SECONDS:
        cluster.now += 5
        cluster.guard.check(cluster.conditions, switching=True)
    # Once it is over, the node is given the usual time to become ready.
    began = cluster.now
    with pytest.raises(UnsafeClusterError):
        cluster.guard.settle(cluster.conditions, None, (), cluster.wait)
    assert STEADY_SECONDS <= cluster.now - began <= STEADY_SECONDS + AGAIN_SECONDS


def test_a_node_that_stays_unready_ends_a_switch(cluster: Cluster) -> None:
    cluster.check()
    cluster.node = LOST
    with pytest.raises(UnsafeClusterError):
        cluster.wait_in_a_switch()
    assert SWITCHING_SECONDS <= cluster.now <= SWITCHING_SECONDS + LOOK_SECONDS + 10


def test_what_no_switch_causes_ends_it_as_soon_as_anything_else(cluster: Cluster) -> None:
    shell = place("shell", "n1", Access.HOST_ADMIN)
    cluster.conntrack = 90
    with pytest.raises(UnsafeClusterError):
        cluster.wait_in_a_switch(shell)
    assert cluster.now <= STEADY_SECONDS + AGAIN_SECONDS


class CreatingLab(Cluster):
    """Creates Services slowly."""

    def create_services(self, batch: ServiceBatch, progress: Callable[[int], None]) -> None:
        for count in range(1, 100):
            self.now += 5
            if count == 10:
                self.node = LOST
            progress(count)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def check_cancelled(self) -> None: ...


def test_long_waits_are_ended_too() -> None:
    lab = CreatingLab()
    tracked = TrackedLab(lab, None, lab.guard, lab.conditions)  # type: ignore[arg-type]
    tracked.check_cancelled()
    told: list[int] = []
    batch = ServiceBatch(("s",), ServiceType.CLUSTER_IP, 80, ("192.0.2.1",), 80)
    with pytest.raises(UnsafeClusterError):
        tracked.create_services(batch, told.append)
    assert 10 <= max(told) <= 20
    with pytest.raises(UnsafeClusterError):
        tracked.sleep(1)

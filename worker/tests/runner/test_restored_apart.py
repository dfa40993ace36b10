"""Each axis of a cluster is restored by itself: one that fails leaves no other one switched."""

import threading
from typing import Any

import pytest

from podmeter.domain.errors import PodmeterError, PreconditionError
from podmeter.domain.run import Outcome
from podmeter.services.execution import recovery
from podmeter_worker.kube.errors import LeaseLostError
from podmeter_worker.restoring import restore_cluster

from ..bench import SWITCHING, Bench

pytestmark = pytest.mark.services
BOTH: dict[str, Any] = {
    **SWITCHING,
    "axes": {
        "path": ["pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
        "kube_proxy_mode": ["iptables", "nftables"],
        "encapsulation": ["vxlan", "host-gw"],
    },
}
AXES = {"kube_proxy_mode", "encapsulation"}


class Refusing:
    """Steps of which restoring an axis fails, so often and then no more."""

    def __init__(self, error: PodmeterError, failing: int) -> None:
        self.error, self.failing, self.tried = error, failing, 0

    def __call__(self, step: str) -> None:
        if step == "restoring":
            self.tried += 1
            if self.tried <= self.failing:
                raise self.error


def still_switched(bench: Bench, run_id: Any) -> set[str]:
    return {saved.axis for saved in bench.saved_modes(run_id) if saved.restored_at is None}


def restore(bench: Bench) -> None:
    (flagged,) = bench.database.write(recovery.flagged)
    restore_cluster(
        bench.database,
        lambda handle: bench.connect(bench.owner.organization_id, handle),
        flagged,
        threading.Event(),
    )


def test_an_axis_that_fails_leaves_no_other_one_switched(bench: Bench) -> None:
    bench.steps = refusing = Refusing(PreconditionError("a webhook refuses it"), 1)
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, BOTH)
    assert bench.lead(run_id)
    assert {saved.axis for saved in bench.saved_modes(run_id)} == AXES
    assert refusing.tried == 2
    assert len(still_switched(bench, run_id)) == 1
    assert "a webhook refuses it" in bench.registered(cluster_id).needs_restore_reason
    assert bench.run(run_id).outcome is Outcome.PARTIAL


def test_nor_does_it_when_the_reaper_restores(bench: Bench) -> None:
    bench.steps = Refusing(PreconditionError("a webhook refuses it"), 3)
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, BOTH)
    assert bench.lead(run_id)
    assert still_switched(bench, run_id) == AXES
    with pytest.raises(PreconditionError, match="a webhook refuses it"):
        restore(bench)
    assert len(still_switched(bench, run_id)) == 1
    assert bench.registered(cluster_id).needs_restore
    restore(bench)
    assert still_switched(bench, run_id) == set()
    assert bench.cluster.is_clean
    assert not bench.registered(cluster_id).needs_restore


def test_with_the_lease_lost_no_other_axis_is_touched(bench: Bench) -> None:
    bench.steps = refusing = Refusing(LeaseLostError("another one holds the Lease"), 1)
    run_id = bench.start_run(bench.add_cluster(), BOTH)
    assert bench.lead(run_id)
    assert refusing.tried == 1
    assert still_switched(bench, run_id) == AXES

"""An axis that cannot be restored holds up no other one, but for kube-proxy's."""

from typing import Any

import pytest

from podmeter.domain.errors import PodmeterError, PreconditionError
from podmeter.domain.run import Outcome
from podmeter_worker.kube.errors import LeaseLostError

from ..bench import SWITCHING, Bench
from ..fake_modes import FakeModes

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
KUBE_PROXY_FIRST = ["kube_proxy_mode", "encapsulation"]
AXES = set(KUBE_PROXY_FIRST)


class Refusing:
    """Restores of which those of one axis, or of all, fail so often and then no more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.error: PodmeterError = PreconditionError("a webhook refuses it")
        self.axis: str | None = None
        self.failing = 0
        self.tried: list[str] = []
        restore = FakeModes.restore

        def refuse(control: FakeModes, axis: str, saved: dict[str, Any]) -> None:
            self.tried.append(axis)
            if self.failing and self.axis in (None, axis):
                self.failing -= 1
                raise self.error
            restore(control, axis, saved)

        monkeypatch.setattr(FakeModes, "restore", refuse)


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    return Refusing(monkeypatch)


def still_switched(bench: Bench, run_id: Any) -> set[str]:
    return {saved.axis for saved in bench.saved_modes(run_id) if saved.restored_at is None}


def test_an_axis_that_fails_leaves_no_other_one_switched(bench: Bench, refusing: Refusing) -> None:
    refusing.axis, refusing.failing = "encapsulation", 1
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, BOTH)
    assert bench.lead(run_id)
    assert {saved.axis for saved in bench.saved_modes(run_id)} == AXES
    assert refusing.tried == KUBE_PROXY_FIRST
    assert still_switched(bench, run_id) == {"encapsulation"}
    assert "a webhook refuses it" in bench.registered(cluster_id).needs_restore_reason
    assert bench.run(run_id).outcome is Outcome.PARTIAL


def test_a_pod_network_is_not_restarted_while_kube_proxy_is_away(
    bench: Bench, refusing: Refusing
) -> None:
    """Its new agents would not reach the API server."""
    refusing.axis, refusing.failing = "kube_proxy_mode", 2
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, BOTH)
    assert bench.lead(run_id)
    assert still_switched(bench, run_id) == AXES
    assert "a webhook refuses it" in bench.registered(cluster_id).needs_restore_reason
    with pytest.raises(PreconditionError, match="a webhook refuses it"):
        bench.restore_flagged()
    assert refusing.tried == ["kube_proxy_mode"] * 2
    bench.restore_flagged()
    assert refusing.tried[2:] == KUBE_PROXY_FIRST
    assert still_switched(bench, run_id) == set()


def test_an_axis_that_fails_holds_up_no_other_when_the_reaper_restores(
    bench: Bench, refusing: Refusing
) -> None:
    refusing.failing = 1
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, BOTH)
    assert bench.lead(run_id)
    assert still_switched(bench, run_id) == AXES
    refusing.axis, refusing.failing = "encapsulation", 1
    with pytest.raises(PreconditionError, match="a webhook refuses it"):
        bench.restore_flagged()
    assert still_switched(bench, run_id) == {"encapsulation"}
    assert bench.registered(cluster_id).needs_restore
    bench.restore_flagged()
    assert still_switched(bench, run_id) == set()
    assert bench.cluster.is_clean
    assert not bench.registered(cluster_id).needs_restore


def test_with_the_lease_lost_no_other_axis_is_touched(bench: Bench, refusing: Refusing) -> None:
    refusing.error, refusing.failing = LeaseLostError("another one holds the Lease"), 1
    run_id = bench.start_run(bench.add_cluster(), BOTH)
    assert bench.lead(run_id)
    assert len(refusing.tried) == 1
    assert still_switched(bench, run_id) == AXES

"""A run whose modes somebody else switches on a real cluster, and one where nobody does."""

import uuid
from collections.abc import Callable

import pytest

from podmeter.db.models import Cluster, Run
from podmeter.domain.by_hand import Waiting
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.run import Outcome, RunState
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.lease import NAME as LEASE
from podmeter_worker.kube.resources import CONFIG_MAPS, LEASES, PODS
from podmeter_worker.modes.kube_proxy.text import with_mode

from .conftest import HeldStack
from .specs import SWITCHING

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(900)]
CONFIGURATION = CONFIG_MAPS.path("kube-system", "kube-proxy")


@pytest.fixture
def of_hands(looked_at: HeldStack) -> HeldStack:
    """Podmeter may not switch it; somebody does."""
    with looked_at.sessions.begin() as session:
        cluster = session.get_one(Cluster, looked_at.cluster_id)
        cluster.allow_mode_switch, cluster.allow_switch_by_hand = False, True
    return looked_at


def waiting(stack: HeldStack, run_id: uuid.UUID, mode: str) -> Waiting:
    found: list[Waiting] = []

    def asked() -> bool:
        run: Run = stack.run(run_id)
        assert run.state is not RunState.FINISHED, run.reason
        if run.state is RunState.WAITING and run.waiting is not None:
            found[:] = [Waiting.model_validate(run.waiting)]
        return bool(found) and found[0].mode == mode

    stack.wait(asked, f"it waits for {mode}", 240)
    return found[0]


def switch(admin: KubeClient, mode: str) -> None:
    """As a person does: the configuration, and kube-proxy started anew on every node."""
    text = admin.get(CONFIGURATION)["data"]["config.conf"]
    admin.patch(CONFIGURATION, {"data": {"config.conf": with_mode(text, mode)}})
    pods = admin.list_all(PODS.path("kube-system"), labels="k8s-app=kube-proxy").items
    for pod in pods:
        admin.delete(PODS.path("kube-system", pod["metadata"]["name"]))


def test_two_modes_are_measured_that_somebody_switches(
    of_hands: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]]
) -> None:
    written = admin.get(CONFIGURATION)["data"]["config.conf"]
    of_hands.start_worker()
    run_id = of_hands.start_run(of_hands.cluster_id, SWITCHING)
    try:
        waiting(of_hands, run_id, "nftables")
        assert admin.find(LEASES.path(POD_NAMESPACE, LEASE)) is not None
        switch(admin, "nftables")
        back = waiting(of_hands, run_id, "iptables")
        assert back.original or back.seen == "nftables"
        switch(admin, "iptables")
        run = of_hands.wait_finished(run_id, 300)
    finally:
        admin.patch(CONFIGURATION, {"data": {"config.conf": written}})
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert left_behind() == []
    assert not of_hands.cluster(of_hands.cluster_id).needs_restore


def test_a_switch_that_never_comes_is_cancelled_cleanly(
    of_hands: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    of_hands.start_worker()
    run_id = of_hands.start_run(of_hands.cluster_id, SWITCHING)
    waiting(of_hands, run_id, "nftables")
    of_hands.cancel(run_id)
    run = of_hands.wait_finished(run_id, 120)
    assert run.outcome is Outcome.CANCELLED
    assert left_behind() == []
    assert not of_hands.cluster(of_hands.cluster_id).needs_restore

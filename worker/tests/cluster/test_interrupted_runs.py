"""Runs on a real cluster whose worker, pods or API server go away."""

import time
from collections.abc import Callable

import pytest

from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.run import Outcome, RunState
from podmeter.domain.trial import TrialStatus
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import PODS, SERVICES
from podmeter_worker.kube.wait import wait_until_gone
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.registry import configurations

from ..relay import Relay
from .conftest import HeldStack
from .specs import REQUESTS, SWITCHING, TRANSPORT, TWO_PATHS

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(900)]

#: Steps at which the original mode is noted in the cluster: each block sets its mode up again.
NOTED = ("preparing", "trial", "patched", "rolled", "restoring")


@pytest.mark.parametrize(
    "step",
    [
        *("preparing", "trial", "rolled", "restoring", "sweeping"),
        pytest.param("patched", marks=pytest.mark.smoke),
    ],
)
def test_a_killed_worker_leaves_nothing_that_the_next_one_does_not_put_right(
    looked_at: HeldStack,
    admin: KubeClient,
    proxy_mode: Callable[[], str],
    left_behind: Callable[[], list[str]],
    step: str,
) -> None:
    before = proxy_mode()
    looked_at.hold_at(step)
    run_id = looked_at.start_run(looked_at.cluster_id, SWITCHING)
    worker = looked_at.start_worker()
    looked_at.wait(looked_at.is_held, f"it stands at {step}", 240)
    stored = [trial.id for trial in looked_at.trials(run_id)]
    state = looked_at.run(run_id).state

    looked_at.kill(worker)
    # The cluster's own note shows that it is switched, if it is.
    assert bool(switch_record.read_all(admin, configurations(admin))) == (step in NOTED)

    looked_at.release_lease()
    looked_at.take_over(run_id)
    run = looked_at.run(run_id)
    cleaning = state is RunState.CLEANING
    assert run.outcome is (Outcome.SUCCEEDED if cleaning else Outcome.INTERRUPTED), run.reason
    assert [trial.id for trial in looked_at.trials(run_id)] == stored
    assert proxy_mode() == before
    assert switch_record.read_all(admin, configurations(admin)) == []
    assert left_behind() == []
    assert not looked_at.cluster(looked_at.cluster_id).needs_restore


def test_a_deleted_pod_fails_its_trial_alone(
    looked_at: HeldStack,
    admin: KubeClient,
    left_behind: Callable[[], list[str]],
) -> None:
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, TWO_PATHS)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    path, pods = PODS.path(POD_NAMESPACE), admin.list_all(PODS.path(POD_NAMESPACE)).items
    for pod in pods:
        admin.delete(PODS.path(POD_NAMESPACE, pod["metadata"]["name"]))
    gone = {pod["metadata"]["uid"] for pod in pods}
    wait_until_gone(admin, path, gone, what="the pods are gone", deadline_seconds=120)
    looked_at.release_lease()
    run = looked_at.wait_finished(run_id)
    statuses = [trial.status for trial in looked_at.not_void(run_id)]
    assert len(statuses) == 4
    # The paths between nodes need none of the pods that were deleted.
    assert statuses.count(TrialStatus.FAILED) == 1, run.reason
    assert run.outcome is Outcome.PARTIAL
    assert left_behind() == []


def test_an_api_server_away_for_a_minute_is_waited_for(
    looked_at: HeldStack, relay: Relay, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, TWO_PATHS)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    relay.go_away()
    looked_at.release_lease()
    back = time.monotonic() + 60
    looked_at.wait(lambda: time.monotonic() > back, "a minute is over", 70)
    relay.come_back()
    run = looked_at.wait_finished(run_id)
    trials = looked_at.not_void(run_id)
    assert len(trials) == 4
    assert [trial.status for trial in trials].count(TrialStatus.COUNTED) >= 3, run.reason
    assert left_behind() == []


def services(admin: KubeClient) -> list[str]:
    """Of measuring pods."""
    listed = admin.list_all(SERVICES.path(POD_NAMESPACE)).items
    return [str(item["metadata"]["name"]) for item in listed]


@pytest.mark.parametrize("end", ["killed", "cancelled", "without an API server"])
@pytest.mark.parametrize("spec", [TRANSPORT, REQUESTS], ids=["transport", "request_latency"])
def test_kinds_whose_paths_are_services_leave_none(
    looked_at: HeldStack,
    admin: KubeClient,
    relay: Relay,
    left_behind: Callable[[], list[str]],
    spec: dict[str, object],
    end: str,
) -> None:
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, spec)
    worker = looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    assert services(admin)
    if end == "killed":
        looked_at.kill(worker)
        looked_at.release_lease()
        looked_at.take_over(run_id)
    elif end == "cancelled":
        looked_at.cancel(run_id)
        looked_at.release_lease()
        looked_at.wait_finished(run_id)
    else:
        relay.go_away()
        looked_at.release_lease()
        back = time.monotonic() + 20
        looked_at.wait(lambda: time.monotonic() > back, "20 s are over", 30)
        relay.come_back()
        looked_at.wait_finished(run_id)
    run, trials = looked_at.run(run_id), looked_at.not_void(run_id)
    if end == "without an API server":
        failed = [trial for trial in trials if trial.status is not TrialStatus.COUNTED]
        assert len(failed) <= 1, run.reason
        assert len(trials) == (13 if spec is TRANSPORT else 6)
    else:
        ends = {"killed": Outcome.INTERRUPTED, "cancelled": Outcome.CANCELLED}
        assert run.outcome is ends[end], run.reason
    assert services(admin) == []
    assert left_behind() == []

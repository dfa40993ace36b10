"""Runs of network_policy on a real cluster, whose kube-router enforces policies or does not."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import select

from podmeter.db.models import MeasurementRecord, Trial
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import DAEMON_SETS, NETWORK_POLICIES, PODS

from ..relay import Relay
from .conftest import HeldStack

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.addons("network-policies"),
    pytest.mark.services,
    pytest.mark.timeout(600),
]

POLICIES: dict[str, Any] = {
    "name": "policies",
    "kind": "network_policy",
    "axes": {"policies": [0, 10], "response_size": ["0.5k"], "keep_alive": ["off", "on"]},
    "parameters": {"requests": 200, "requests_per_second": 200},
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}
THEIRS = {
    "apiVersion": NETWORK_POLICIES.version,
    "kind": "NetworkPolicy",
    "metadata": {"name": "theirs", "namespace": POD_NAMESPACE},
    "spec": {"podSelector": {"matchLabels": {"app": "theirs"}}, "policyTypes": ["Ingress"]},
}


def policies(admin: KubeClient) -> list[str]:
    listed = admin.list_all(NETWORK_POLICIES.path(POD_NAMESPACE)).items
    return [str(item["metadata"]["name"]) for item in listed]


@contextmanager
def policy_of_others(admin: KubeClient) -> Iterator[None]:
    admin.create(NETWORK_POLICIES.path(POD_NAMESPACE), THEIRS)
    try:
        yield
    finally:
        admin.delete(NETWORK_POLICIES.path(POD_NAMESPACE, "theirs"))


@pytest.mark.smoke
def test_what_policies_cost_and_how_long_they_take_is_measured(
    looked_at: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    with policy_of_others(admin):
        run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, POLICIES))
        assert policies(admin) == ["theirs"]
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.trials(run.id)
    assert [trial.status for trial in trials].count(TrialStatus.COUNTED) == 5
    # kube-router's rules name policies: ten that do not match, and the matching one.
    places = {trial.facts.get("position", "") for trial in trials if trial.facts}
    assert any(re.fullmatch(r"([1-9]|1[01]) of 11 policies", place) for place in places), places
    assert "not applicable: there is no policy" in places
    with looked_at.sessions() as session:
        rows = session.execute(
            select(MeasurementRecord.metric, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id, Trial.status == TrialStatus.COUNTED)
        ).all()
    found: dict[str, list[float]] = {}
    for metric, value in rows:
        found.setdefault(metric, []).append(value)
    assert len(found["request_mean"]) == 4
    assert 10e-6 < min(found["request_mean"]) < max(found["request_mean"]) < 1
    assert min(found["request_rate"]) > 190
    (convergence,) = found["policy_convergence"]
    (resolution,) = found["convergence_resolution"]
    assert 0 < resolution <= convergence < 60
    assert left_behind() == []


def test_a_cluster_that_does_not_enforce_policies_fails_with_that_reason_and_no_figure(
    looked_at: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    with without_kube_router(admin):
        spec = {**POLICIES, "parameters": {"requests": 200, "convergence_seconds": 3}}
        run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, spec))
    assert run.outcome is Outcome.FAILED
    assert "does not enforce NetworkPolicies" in run.reason
    with looked_at.sessions() as session:
        stored = session.scalars(
            select(MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id)
        ).all()
    assert stored == []
    assert policies(admin) == []
    assert left_behind() == []


@pytest.mark.parametrize("end", ["killed", "cancelled"])
def test_policies_do_not_outlive_a_run_that_is_killed_or_cancelled(
    looked_at: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]], end: str
) -> None:
    spec = {
        **POLICIES,
        "axes": {**POLICIES["axes"], "policies": [10]},
        "parameters": {"requests": 6000, "requests_per_second": 200},
    }
    with policy_of_others(admin):
        run_id = looked_at.start_run(looked_at.cluster_id, spec)
        worker = looked_at.start_worker()
        looked_at.wait(lambda: len(policies(admin)) == 12, "all policies stand", 240)
        if end == "killed":
            looked_at.kill(worker)
            looked_at.take_over(run_id)
        else:
            looked_at.cancel(run_id)
            looked_at.wait_finished(run_id)
        expected = Outcome.INTERRUPTED if end == "killed" else Outcome.CANCELLED
        assert looked_at.run(run_id).outcome is expected
        assert policies(admin) == ["theirs"]
    assert left_behind() == []


@pytest.mark.parametrize("step", ["preparing", "policies", "sweeping"])
def test_a_worker_killed_at_a_step_leaves_no_policy(
    looked_at: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]], step: str
) -> None:
    looked_at.hold_at(step)
    with policy_of_others(admin):
        run_id = looked_at.start_run(looked_at.cluster_id, POLICIES)
        worker = looked_at.start_worker()
        looked_at.wait(looked_at.is_held, f"it stands at {step}", 240)
        stored = [trial.id for trial in looked_at.trials(run_id)]
        # By which it is proved that the cluster enforces them.
        assert (len(policies(admin)) == 2) is (step == "policies")
        looked_at.kill(worker)
        looked_at.release_lease()
        looked_at.take_over(run_id)
        expected = Outcome.SUCCEEDED if step == "sweeping" else Outcome.INTERRUPTED
        assert looked_at.run(run_id).outcome is expected
        assert [trial.id for trial in looked_at.trials(run_id)] == stored
        assert policies(admin) == ["theirs"]
    assert left_behind() == []


def test_an_api_server_away_beside_policies_costs_no_more_than_a_trial(
    looked_at: HeldStack, admin: KubeClient, relay: Relay, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, POLICIES)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    relay.go_away()
    looked_at.release_lease()
    back = time.monotonic() + 20
    looked_at.wait(lambda: time.monotonic() > back, "20 s are over", 30)
    relay.come_back()
    run = looked_at.wait_finished(run_id)
    statuses = [trial.status for trial in looked_at.not_void(run_id)]
    assert len(statuses) == 5
    assert statuses.count(TrialStatus.COUNTED) >= 4, run.reason
    assert policies(admin) == []
    assert left_behind() == []


@contextmanager
def without_kube_router(admin: KubeClient) -> Iterator[None]:
    """Nobody enforces policies; what rules stand, stay."""
    path = DAEMON_SETS.path("kube-system", "kube-router")

    def run_on(selector: dict[str, str] | None) -> None:
        admin.patch(path, {"spec": {"template": {"spec": {"nodeSelector": selector}}}})

    def running() -> int:
        listed = admin.list_all(PODS.path("kube-system"), labels="k8s-app=kube-router").items
        return sum(item["status"].get("phase") == "Running" for item in listed)

    run_on({"podmeter.io/nowhere": "true"})
    try:
        wait_for("kube-router to be gone", lambda: not running(), 60)
        yield
    finally:
        run_on(None)
        wait_for("kube-router to run again", lambda: running() == 2, 60)

"""Runs that switch kube-proxy's mode or its sync periods on a real cluster."""

from collections.abc import Callable

import pytest
from sqlalchemy import select

from podmeter.db.models import CaseRecord, FingerprintRecord, MeasurementRecord, Trial
from podmeter.domain.messages import say
from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.wait import wait_until_gone

from .conftest import HeldStack
from .specs import CLIMBED, SCALED, SWITCHING, SYNCED

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(900)]


def test_switches_are_timed_with_a_population(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, SCALED), 600)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    with looked_at.sessions() as session:
        rows = session.execute(
            select(MeasurementRecord.trial_id, MeasurementRecord.metric, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id)
        ).all()
    found: dict[int, dict[str, float]] = {}
    for trial, metric, value in rows:
        found.setdefault(trial, {})[metric] = value
    trials = looked_at.trials(run.id)
    own = [found[one.id] for one in trials if "mode_stood" in one.facts]
    switched = [one for one in trials if one.facts.get("switched_from")]
    # On the higher rung one switch of each mode.
    assert len(own) == len(switched) == 2
    untold = [one for one in switched if "switch_convergence" not in found[one.id]]
    # Where connections failed before a switch already, there is rightly no figure.
    early = [one for one in untold if say("watch_failed_before") in " ".join(one.warnings)]
    assert untold == early, [one.warnings for one in trials]
    assert len(untold) < len(switched)
    for one in own:
        assert min(one.values()) >= 0
        assert one.get("switch_seconds", one.get("roll_seconds", 0)) > 0
        assert one["switch_resolution"] > 0
    assert proxy_mode() == before
    assert left_behind() == []


@pytest.mark.smoke
def test_a_ladder_is_climbed_once_while_modes_are_switched_and_none_of_it_is_left(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, CLIMBED), 600)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.not_void(run.id)
    assert [one.status for one in trials] == [TrialStatus.COUNTED] * 8
    # The lowest rung is made once: in both rounds its last Service has the same address.
    asked = [one.facts["service"] for one in trials if one.facts["backend"] == "nftables"]
    lowest = [one for one in asked if "-00009 at " in one]
    assert len(lowest) == 2
    assert len(set(lowest)) == 1
    assert left_behind() == []
    assert proxy_mode() == before


def test_a_killed_workers_ladder_is_swept_by_the_next(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    """Killed in the second block, which found all Services of the first."""
    before = proxy_mode()
    looked_at.hold_at("standing")
    run_id = looked_at.start_run(looked_at.cluster_id, CLIMBED)
    worker = looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "the second block finds the first one's Services", 240)
    looked_at.kill(worker)
    looked_at.release_lease()
    looked_at.take_over(run_id, lambda: left_behind() == [])
    assert proxy_mode() == before


def test_sync_periods_are_measured_with_recorded_and_put_back(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, SYNCED), 600)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    with looked_at.sessions() as session:
        (seen,) = session.scalars(
            select(FingerprintRecord.content)
            .join(CaseRecord, CaseRecord.fingerprint_id == FingerprintRecord.id)
            .where(CaseRecord.run_id == run.id)
            .distinct(FingerprintRecord.id)
        ).all()
        measured = session.execute(
            select(MeasurementRecord.metric, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id)
        ).all()
    assert seen["kube_proxy"]["sync_period"] == 75.0
    assert seen["kube_proxy"]["min_sync_period"] == 2.0
    found = {one.metric: one.value for one in measured}
    # One after the other, each waits for the least time between two syncs.
    for metric in ("service_convergence", "service_removal_convergence"):
        assert 0 < found[metric] < 60
    assert found["removal_resolution"] <= found["service_removal_convergence"]
    assert proxy_mode() == before
    assert left_behind() == []


def test_sync_periods_of_a_killed_worker_are_put_back_by_the_next(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.hold_at("rolled")
    run_id = looked_at.start_run(looked_at.cluster_id, SYNCED)
    worker = looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "kube-proxy runs with them", 240)
    assert "syncPeriod: 75s" in proxy_mode()
    looked_at.kill(worker)
    looked_at.release_lease()
    looked_at.take_over(run_id, lambda: left_behind() == [])
    assert proxy_mode() == before


def test_a_cancel_during_a_switch_puts_the_mode_back(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.hold_at("patched")
    run_id = looked_at.start_run(looked_at.cluster_id, SWITCHING)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "the mode is patched", 240)
    assert proxy_mode() != before
    looked_at.cancel(run_id)
    looked_at.release_lease()
    run = looked_at.wait_finished(run_id)
    assert run.outcome is Outcome.CANCELLED
    assert proxy_mode() == before
    assert left_behind() == []


def test_a_mode_that_was_changed_and_changed_back_during_a_block_is_seen(
    looked_at: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]]
) -> None:
    """Somebody rolls kube-proxy: its configuration says what it said, its pods are others."""
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, SWITCHING)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    path = PODS.path("kube-system")
    pods = admin.list_all(path, labels="k8s-app=kube-proxy").items
    gone = {pod["metadata"]["uid"] for pod in pods}
    for pod in pods:
        admin.delete(PODS.path("kube-system", pod["metadata"]["name"]))
    wait_until_gone(admin, path, gone, what="the pods are gone", deadline_seconds=120)
    looked_at.release_lease()
    run = looked_at.wait_finished(run_id)
    first, second = [
        [trial for trial in looked_at.trials(run_id) if trial.block_id == block]
        for block in sorted({trial.block_id for trial in looked_at.trials(run_id)})
    ]
    assert TrialStatus.COUNTED not in {trial.status for trial in first}
    assert {trial.status for trial in second} == {TrialStatus.COUNTED}
    assert "another user or controller changed its component" in run.reason
    assert run.outcome is Outcome.PARTIAL
    assert left_behind() == []

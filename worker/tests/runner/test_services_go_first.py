"""A run's Services are removed before its modes are restored: kube-proxy writes fewer rules."""

import logging
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from podmeter.domain.errors import LabError, PodmeterError
from podmeter.domain.run import Outcome
from podmeter.services.execution import recovery
from podmeter_worker.kube.errors import ApiRefusedError, LeaseLostError
from podmeter_worker.restoring import restore_cluster
from podmeter_worker.runner import services_removal
from podmeter_worker.runner.context import label_of
from podmeter_worker.runner.services_removal import TimeLeft

from ..bench import SWITCHING, Bench
from ..fake_link import FakeLink

pytestmark = pytest.mark.services


def test_services_are_removed_before_the_mode_is_put_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services_removal, "_SECONDS_BETWEEN", 0.0)
    left: list[object] = []

    def steps(step: str) -> None:
        with bench.cluster.change() as state:
            if step == "restoring":
                left.append(state["services"])
            elif step == "trial":
                state["services"] = {label_of(run_id): 20_000, "another": 3}

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    assert bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert left == [{"another": 3}]
    lines = bench.log(run_id)
    left_then, removed, restored = (
        next(place for place, line in enumerate(lines) if said in line)
        for said in (
            "Services left to remove: 10,000 of 20,000",
            "removed 20000 Services of the run",
            "restoring kube_proxy_mode",
        )
    )
    assert left_then < removed < restored


def test_a_restore_logs_how_many_services_are_left(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Tens of thousands take minutes, in which nothing else says what the worker does."""
    monkeypatch.setattr(services_removal, "_SECONDS_BETWEEN", 0.0)

    def steps(step: str) -> None:
        if step == "restoring":
            raise LabError("the API server could not be reached")

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    bench.steps = lambda step: None
    with bench.cluster.change() as state:
        state["services"] = {label_of(run_id): 20_000, "another": 3}
    (flagged,) = bench.database.write(recovery.flagged)
    with caplog.at_level(logging.INFO, "podmeter_worker"):
        restore_cluster(
            bench.database,
            lambda handle: bench.connect(bench.owner.organization_id, handle),
            flagged,
            threading.Event(),
        )
    assert bench.cluster.now()["services"] == {"another": 3}
    lines = [record.getMessage() for record in caplog.records]
    assert f"{flagged.name}: Services left to remove: 10,000 of 20,000" in lines
    assert f"{flagged.name}: removed 20000 Services of the run" in lines


def failing_with(error: PodmeterError) -> Any:
    def sweep_services(*_: Any) -> int:
        raise error

    return sweep_services


def test_services_that_cannot_be_removed_hold_up_no_mode(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweep tries it again, and reports what is left."""
    refused = ApiRefusedError(403, "Forbidden", "a webhook refuses it")
    monkeypatch.setattr(FakeLink, "sweep_services", failing_with(refused))
    run_id = bench.new_run(SWITCHING)
    assert bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert bench.cluster.is_clean


def test_with_the_lease_lost_nothing_else_is_touched(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = LeaseLostError("another one holds the Lease")
    monkeypatch.setattr(FakeLink, "sweep_services", failing_with(lost))
    restored: list[str] = []
    bench.steps = lambda step: restored.append(step) if step == "restoring" else None
    run_id = bench.new_run(SWITCHING)
    assert bench.lead(run_id)
    assert restored == []
    assert "another one holds the Lease" in bench.run(run_id).reason


@pytest.mark.parametrize(("stopping", "shown"), [(False, 9), (True, 3)])
def test_a_worker_that_is_to_end_leaves_services_for_the_modes(
    monkeypatch: pytest.MonkeyPatch, stopping: bool, shown: int
) -> None:
    """It has 45 s for them, of all runs on all clusters together."""
    seconds = [0.0]
    clock = SimpleNamespace(monotonic=lambda: seconds[0])
    monkeypatch.setattr(services_removal, "time", clock)
    left: list[str] = []

    def sweep_services(run_label: str, progress: Any) -> int:
        for count in (2, 1, 0):
            left.append(run_label)
            seconds[0] += 20.0
            progress(count, 3)
        return 3

    link: Any = SimpleNamespace(sweep_services=sweep_services)
    time_left = TimeLeft(lambda: stopping)
    for cluster, runs in {"here": ["one", "two"], "there": ["three"]}.items():
        services_removal.remove_services(link, runs, cluster, lambda line: None, time_left)
    assert len(left) == shown

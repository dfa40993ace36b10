"""A run continues with the plan from its start, or not at all."""

from typing import Any

import pytest
from core.tests.kinds.changed_kinds import Change, defaults, new_axis, new_version

from podmeter.db.models import Cluster
from podmeter.domain import experiment
from podmeter.domain.bench_image import OwnImage
from podmeter.domain.experiment import Profile
from podmeter.domain.planning import Block, plan_blocks
from podmeter.domain.run import CaseStatus, Outcome, Reopening
from podmeter.kinds import registry

from ..bench import Bench

pytestmark = pytest.mark.services
#: Paths, and how many trials, are left to the defaults.
OPEN: dict[str, Any] = {
    "name": "open",
    "kind": "throughput",
    "axes": {"protocol": ["tcp"], "streams": [1]},
    "repetition": {"seconds": 3},
}
CASES = 6


def test_a_resume_under_other_defaults_measures_what_was_planned(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.steps = lambda step: None
    # Of three rounds, which are fewer than today's default and more than the one of later.
    quick = experiment._PROFILES[Profile.QUICK]
    shorter = quick.model_copy(update={"rounds": 3})
    monkeypatch.setitem(experiment._PROFILES, Profile.QUICK, shorter)
    run_id = bench.new_run(OPEN)
    assert len(bench.cases(run_id)) == CASES
    defaults(monkeypatch)

    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 7:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = steps
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    bench.stopping.clear()
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.SUCCEEDED, run.reason
    counted = [trial for trial in bench.trials(run_id) if not trial.warmup]
    planned = {
        (case.id, round_, number)
        for case in bench.cases(run_id)
        for round_ in range(1, 4)
        for number in (1, 2)
    }
    assert {(trial.case_id, trial.round, trial.number) for trial in counted} == planned
    assert len(counted) == len(planned)
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}


@pytest.mark.parametrize("change", [new_axis, new_version])
def test_a_queued_run_that_would_be_measured_otherwise_fails_before_anything_is_made(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    run_id = bench.new_run(OPEN)
    change(monkeypatch)
    assert bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "start a new run" in run.reason
    assert bench.trials(run_id) == []


def test_a_run_is_measured_with_the_clusters_image_as_it_was_when_it_was_taken(
    bench: Bench,
) -> None:
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id)

    def has(reference: str) -> None:
        with bench.sessions.begin() as session:
            session.get_one(Cluster, cluster_id).bench_image = reference

    def steps(step: str) -> None:
        seen.append(bench.image)
        has("later:2")

    has("own:1")
    seen: list[OwnImage] = []
    bench.steps = steps
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert set(seen) == {OwnImage("own:1")}


def test_a_run_is_planned_once_when_it_is_started_and_once_by_who_leads_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[int] = []

    def noted(*given: Any, **named: Any) -> tuple[Block, ...]:
        blocks = plan_blocks(*given, **named)
        planned.append(len(blocks))
        return blocks

    monkeypatch.setattr(registry, "plan_blocks", noted)
    axes = {**OPEN["axes"], "path": ["node-node", "pod-pod"]}
    run_id = bench.new_run({**OPEN, "axes": axes, "repetition": {"seconds": 3, "rounds": 2}})
    assert planned == [2]
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.SUCCEEDED, run.reason
    assert planned == [2, 2]

"""A run's Services are removed before its modes are restored: kube-proxy writes fewer rules."""

import pytest

from podmeter.domain.run import Outcome
from podmeter_worker.runner import cleaning
from podmeter_worker.runner.context import label_of

from ..bench import SWITCHING, Bench

pytestmark = pytest.mark.services


def test_services_are_removed_before_the_mode_is_put_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaning, "_SECONDS_BETWEEN", 0.0)
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

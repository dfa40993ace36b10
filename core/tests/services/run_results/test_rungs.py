"""What a rung of a ladder costs against another one: the round is the evidence, not the trial."""

from typing import Any

import pytest

from podmeter.results.projected import Projected
from podmeter.services.headlines.headline import NOISE
from podmeter.services.run_results.loss import DIFFERENCE, LOSS
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.losses import losses

from .measured_runs import Values, around, measured_run

SPEC: dict[str, Any] = {
    "name": "policies",
    "kind": "network_policy",
    "axes": {"policies": [0, 10, 200], "response_size": ["0.5k", "1M"], "keep_alive": ["off"]},
    "repetition": {"trials": 2, "rounds": 6},
}
#: As the article has them, in seconds.
MEANS = {("0.5k", 0): 732e-6, ("0.5k", 10): 744e-6, ("0.5k", 200): 783e-6}


def as_published(point: dict[str, Any]) -> Values:
    size = point.get("response_size")
    if size is None:
        return {("policy_convergence", ""): around(1.5)}
    return {("request_mean", ""): around(MEANS.get((size, point["policies"]), 10.5e-3))}


def found(measured: MeasuredRun, code: str = LOSS) -> dict[tuple[Any, Any], Projected]:
    return {
        (one.key.point["response_size"], one.key.point["policies"]): one
        for one in losses(measured, NOISE)
        if one.key.metric == "policy_cost" and one.code == code
    }


def test_a_cost_is_told_in_share_and_in_seconds() -> None:
    """Against no policy, for answers of the same size; the way up has none."""
    run = measured_run(SPEC, as_published)
    costs = found(run)
    assert set(costs) == {(size, count) for size in ("0.5k", "1M") for count in (10, 200)}
    most = costs["0.5k", 200]
    difference = found(run, DIFFERENCE)["0.5k", 200]
    assert most.key.against is not None
    assert most.key.against["policies"] == 0
    assert most.value == pytest.approx(783 / 732 - 1, abs=0.01)
    assert difference.value == pytest.approx(51e-6, abs=6e-6)
    assert (most.key.unit, difference.key.unit) == ("ratio", "s")
    assert None not in (most.low, most.high, difference.low)
    assert (most.verdict, most.low > NOISE) == ("worse", True)  # type: ignore[operator]
    assert costs["1M", 200].verdict == "same"


def test_many_trials_of_few_rounds_decide_nothing() -> None:
    """What a rung left behind when it was set up is in all of its trials."""
    spec = {**SPEC, "repetition": {"trials": 12, "rounds": 2}}

    def drifted(point: dict[str, Any]) -> Values:
        values = as_published(point)
        return {key: tuple(one * 6 for one in rounds[:2]) for key, rounds in values.items()}

    cost = found(measured_run(spec, drifted))["0.5k", 200]
    assert cost.value is not None
    assert (cost.verdict, cost.text("reason")) == ("undecided", "too_few_rounds")

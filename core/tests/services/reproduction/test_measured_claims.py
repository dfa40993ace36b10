"""Claims that an article shows no figures of, told by runs of ours."""

from typing import Any

import pytest

from podmeter.references.library import references
from podmeter.services.reproduction.document import OurClaim, OurVerdict, WhyNot
from podmeter.services.reproduction.read import reproduce
from podmeter.services.reproduction.rendering import results
from podmeter.services.run_results.runs import MeasuredRun

from ..run_results.measured_runs import Values, around, measured_run


def claim(reference: str, name: str, run: MeasuredRun) -> OurClaim:
    found = reproduce(references()[reference], [run], lambda _: {})
    return next(one for one in found.claims if one.id == name)


def policies(cost: dict[str, float], keep: list[str]) -> MeasuredRun:
    """What 200 policies add to a request of 1 ms, by whether connections are kept."""
    spec = {
        "name": "policies",
        "kind": "network_policy",
        "axes": {"policies": [0, 200], "response_size": ["0.5k"], "keep_alive": keep},
    }

    def measure(point: dict[str, Any]) -> Values:
        if "keep_alive" not in point:
            return {}
        added = cost[point["keep_alive"]] if point["policies"] else 0.0
        # Other centres, or both would vary alike.
        centre = 1e-3 + added + (1e-7 if point["keep_alive"] == "on" else 0.0)
        return {("request_mean", ""): around(centre)}

    return measured_run(spec, measure)


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        ({"off": 400e-6, "on": 0.0}, OurVerdict.HOLDS),
        ({"off": 400e-6, "on": 800e-6}, OurVerdict.DOES_NOT_HOLD),
    ],
)
def test_a_cost_shrinks_where_its_intervals_leave_no_other(cost, told):
    found = claim("network-policies-2016", "persistent", policies(cost, ["off", "on"]))
    (one,) = found.results
    assert one.value == pytest.approx(cost["on"] - cost["off"], abs=30e-6)
    assert one.low < one.value < one.high
    assert (found.verdict, found.why_not, found.asked) == (told, None, 1)
    # There is no comparison of two changes: none is named.
    assert one.verdict is None
    assert "None" not in results(found)
    assert "µs [" in results(found)


def test_a_cost_that_is_not_clear_cannot_shrink():
    run = policies({"off": 1e-6, "on": -400e-6}, ["off", "on"])
    found = claim("network-policies-2016", "persistent", run)
    assert found.results[0].high < 0
    assert (found.verdict, found.why_not) == (OurVerdict.CANNOT_BE_TOLD, WhyNot.UNDECIDED)


def test_nothing_is_told_where_one_side_was_not_measured():
    found = claim("network-policies-2016", "persistent", policies({"off": 400e-6}, ["off"]))
    assert (found.verdict, found.why_not) == (OurVerdict.CANNOT_BE_TOLD, WhyNot.NOT_MEASURED)
    assert found.results == []


def replicas(excess: float, count: int = 2) -> MeasuredRun:
    spec = {
        "name": "split",
        "kind": "transport",
        "axes": {"path": ["pod-service-pod"], "qperf_test": ["conf"]},
        "parameters": {"replicas": count},
    }
    return measured_run(spec, lambda _: {("replica_excess", ""): around(excess)})


@pytest.mark.parametrize(
    ("excess", "told", "why"),
    [
        (0.04, OurVerdict.HOLDS, None),
        (0.3, OurVerdict.DOES_NOT_HOLD, None),
        (0.1, OurVerdict.CANNOT_BE_TOLD, WhyNot.ACROSS),
    ],
)
def test_an_even_split_is_what_chance_makes_of_one(excess, told, why):
    found = claim("flannel-qperf", "even-split", replicas(excess))
    assert (found.verdict, found.why_not) == (told, why)
    assert found.results[0].value == pytest.approx(excess, rel=0.1)


def test_one_replica_says_nothing_of_two():
    found = claim("flannel-qperf", "even-split", replicas(0.0, count=1))
    assert (found.verdict, found.why_not) == (OurVerdict.CANNOT_BE_TOLD, WhyNot.NOT_MEASURED)

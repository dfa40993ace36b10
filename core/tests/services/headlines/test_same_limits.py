"""What is the same is the same by what decided it: a share, or the metric's own threshold."""

import random
import re
from dataclasses import replace
from typing import Any

import pytest

from podmeter.services.exports.comparison_files import as_markdown
from podmeter.services.headlines import headline
from podmeter.services.headlines.document import Headline
from podmeter.services.headlines.same_limits import known_limit
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.statistics import Estimate, Interval, NoiseThreshold
from podmeter.statistics.verdict import amount_inside

from ..run_results.measured_runs import Values, measured_run
from .test_headlines import POLICIES, comparison_of, report_of
from .test_side_effects import rounds_of

SPEC: dict[str, Any] = {
    **POLICIES,
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "policies": [50],
        "response_size": ["0.5k"],
        "keep_alive": ["off"],
    },
    "repetition": {"rounds": 8, "trials": 2},
}


def convergence(baseline: float, contender: float) -> MeasuredRun:
    """Policies take so long to take effect; requests take as long with both modes."""
    draw = random.Random(4)

    def measure(point: dict[str, Any]) -> Values:
        if "response_size" in point:
            return {("request_mean", ""): rounds_of(draw, 0.01, 0.001, 8)}
        centre = contender if point["encapsulation"] == "vxlan" else baseline
        return {("policy_convergence", ""): rounds_of(draw, centre, 0.03, 8)}

    return measured_run(SPEC, measure)


def both(found: MeasuredRun) -> list[Headline]:
    made = [report_of(found).headline, headline.of_comparison(comparison_of(found))]
    return [one for one in made if one is not None]


@pytest.mark.parametrize(
    ("baseline", "contender", "way"), [(0.12, 0.25, "higher"), (0.25, 0.12, "lower")]
)
def test_what_is_the_same_by_the_metrics_own_threshold_names_that(
    baseline: float, contender: float, way: str
) -> None:
    """Twice as long, and less than the interval of checks."""
    found = convergence(baseline, contender)
    for made in both(found):
        said = [one for one in made.sentences if "convergence" in str(one.parameters["what"])]
        small = "small_more" if way == "higher" else "small_less"
        assert [one.code for one in said] == ["same", small]
        assert str(said[0]).endswith("is the same as with host-gw, within 200 ms")
        assert said[0].text_in("zh").endswith("差异在 200 ms 以内")
        assert re.search(
            rf" is 1[23]\d ms \[1\d\d to 1\d\d ms\] {way} than with host-gw: certain, and less "
            "than the 200 ms that counts as a difference",
            str(said[1]),
        )
        (either,) = [one for one in made.recommendation if one.code == "either"]
        assert "the same within 3 % or 200 ms" in str(either)
        assert "3 % 或 200 ms" in either.text_in("zh")


def test_findings_and_files_name_it_too() -> None:
    found = convergence(0.12, 0.25)
    said = [
        one.text_in("en") for one in report_of(found).findings if one.metric == "policy_convergence"
    ]
    assert len(said) == 1
    assert "; within 200 ms; p" in said[0]
    lines = as_markdown(comparison_of(found)).splitlines()
    (line,) = [one for one in lines if one.startswith("|") and "policy\\_convergence" in one]
    assert "same within 200 ms: " in line


def test_what_is_the_same_by_its_share_names_the_share() -> None:
    effects = [
        one
        for pair in comparison_of(convergence(0.12, 0.1205)).contenders[0].pairs
        for one in effects_of(pair.effects)
    ]
    requests = [one for one in effects if one.key.metric == "request_mean"]
    assert requests
    assert {one.verdict for one in requests} == {"same"}
    assert all(one.judged.number("same_amount") is None for one in requests)


def test_an_older_effect_that_kept_its_share_alone_does_not_name_it() -> None:
    effects = [
        one
        for pair in comparison_of(convergence(0.12, 0.25)).contenders[0].pairs
        for one in effects_of(pair.effects)
    ]
    limits = {one.key.metric: known_limit(_older(one)) for one in effects}
    assert limits["policy_convergence"] is None
    assert str(limits["request_mean"]) == "3 %"


def _older(effect: Effect) -> Effect:
    parameters = {
        name: one for name, one in effect.judged.parameters.items() if name != "same_amount"
    }
    return replace(effect, judged=replace(effect.judged, parameters=parameters))


def estimate(value: float, reach: float) -> Estimate:
    return Estimate(value, Interval(value - reach, value + reach, 0.95))


@pytest.mark.parametrize(
    ("shift", "ratio", "threshold", "amount"),
    [
        # By its share, whatever the amount is.
        (estimate(0.1, 0.01), estimate(1.01, 0.001), NoiseThreshold(0.03, 0.2), None),
        (estimate(0.1, 0.01), estimate(2.0, 0.1), NoiseThreshold(0.03, 0.2), 0.2),
        # Neither.
        (estimate(0.1, 0.2), estimate(2.0, 0.1), NoiseThreshold(0.03, 0.2), None),
        # Without a ratio the share is one of the baseline's centre.
        (estimate(0.1, 0.01), None, NoiseThreshold(0.03, 0.2).without_ratio(10), None),
        (estimate(0.1, 0.01), None, NoiseThreshold(0.03, 0.2).without_ratio(1), 0.2),
        # Nothing at all is within any share.
        (estimate(0.0, 0.0), None, NoiseThreshold(0.03), None),
    ],
)
def test_the_amount_is_told_where_it_alone_decides(
    shift: Estimate, ratio: Estimate | None, threshold: NoiseThreshold, amount: float | None
) -> None:
    own = NoiseThreshold(0.03, 0.2 if threshold.absolute else 0.0)
    assert amount_inside(shift, ratio, threshold, own) == amount

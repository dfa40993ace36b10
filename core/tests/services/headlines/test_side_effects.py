"""What a mode costs besides its figures, and trials that failed, in what is recommended."""

import random
import re
from collections.abc import Callable
from statistics import mean
from typing import Any

import pytest

from podmeter.services.exports.comparison_files import as_markdown
from podmeter.services.headlines import headline
from podmeter.services.headlines.document import Headline

from ..run_results.measured_runs import Values, measured_run
from .test_headlines import LADDER, THROUGHPUT, comparison_of, report_of

Measure = Callable[[dict[str, Any]], Values]
SPEC: dict[str, Any] = {**THROUGHPUT, "axes": {**THROUGHPUT["axes"], "path": ["pod-pod"]}}
TWO_PATHS = {**SPEC, "axes": {**SPEC["axes"], "path": ["pod-pod", "pod-service-pod"]}}


def both(spec: dict[str, Any], rounds: int, measure: Measure) -> list[Headline]:
    """Of the run, and of the comparison of its modes."""
    repetition = spec.get("repetition", {"rounds": rounds, "trials": 2})
    found = measured_run({**spec, "repetition": repetition}, measure)
    made = [report_of(found).headline, headline.of_comparison(comparison_of(found))]
    return [one for one in made if one is not None]


def rounds_of(draw: random.Random, centre: float, spread: float, rounds: int) -> Any:
    return tuple((centre * (1 + draw.gauss(0, spread)),) for _ in range(rounds))


def failing(share: float, seed: int) -> Measure:
    """VXLAN is 5 % faster, and fails this share of its trials, two a round."""
    draw = random.Random(seed)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        lost = round(share * 24) if vxlan else 0
        trials = draw.sample([1.0] * lost + [0.0] * (24 - lost), 24)
        failed = tuple((mean(pair),) for pair in zip(trials[::2], trials[1::2], strict=True))
        return {
            ("throughput", ""): rounds_of(draw, 1.05e10 if vxlan else 1e10, 0.01, 12),
            ("failed_trials", ""): failed,
        }

    return measure


@pytest.mark.parametrize("seed", range(20))
def test_a_mode_that_fails_a_third_of_its_trials_is_never_preferred(seed: int) -> None:
    for made in both(SPEC, 12, failing(0.35, seed)):
        codes = [one.code for one in made.recommendation]
        assert codes[0] == "failing", codes
        assert "prefer" not in codes
        first = str(made.recommendation[0])
        assert first.startswith("Find out why trials fail before you choose VXLAN: ")
        assert "is 0 %" not in first
        assert "0.0 % with host-gw" in first or "0 % with host-gw" in first


def test_a_mode_whose_trials_fail_no_more_often_is_preferred() -> None:
    for made in both(SPEC, 12, failing(0.0, 1)):
        assert made.recommendation[0].code == "prefer"


@pytest.mark.parametrize(("rounds_with_a_void_trial", "code"), [(1, "prefer"), (2, "failing")])
def test_one_void_trial_is_no_reason_against_a_mode(
    rounds_with_a_void_trial: int, code: str
) -> None:
    draw = random.Random(7)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        void = rounds_with_a_void_trial if vxlan else 0
        return {
            ("throughput", ""): rounds_of(draw, 1.2e10 if vxlan else 1e10, 0.01, 12),
            ("failed_trials", ""): ((0.5,),) * void + ((0.0,),) * (12 - void),
        }

    for made in both(SPEC, 12, measure):
        assert made.recommendation[0].code == code


def test_a_mode_that_failed_on_one_path_is_not_preferred_for_the_other() -> None:
    draw = random.Random(3)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        if vxlan and point["path"] == "pod-service-pod":
            return {("failed_trials", ""): ((1.0,),) * 6}
        return {
            ("throughput", ""): rounds_of(draw, 1.2e10 if vxlan else 1e10, 0.01, 6),
            ("failed_trials", ""): ((0.0,),) * 6,
        }

    for made in both(TWO_PATHS, 6, measure):
        assert made.recommendation[0].code == "failing"
        assert made.recommendation[0].cases[0]["path"] == "pod-service-pod"
        assert any("failed trials" in str(one) for one in made.sentences)


def test_a_mode_that_is_better_somewhere_has_its_failing_trials_named_first() -> None:
    draw = random.Random(9)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        faster = 1.2 if point["path"] == "pod-pod" else 0.8
        fails = vxlan and point["path"] == "pod-pod"
        return {
            ("throughput", ""): rounds_of(draw, (faster if vxlan else 1) * 1e10, 0.01, 12),
            ("failed_trials", ""): ((0.5,),) * (3 if fails else 0)
            + ((0.0,),) * (9 if fails else 12),
        }

    for made in both(TWO_PATHS, 12, measure):
        codes = [one.code for one in made.recommendation]
        assert codes[:2] == ["failing", "depends"]
        first = made.recommendation[0]
        assert str(first).startswith("Find out why trials fail before you choose VXLAN: ")
        assert [case["path"] for case in first.cases] == ["pod-pod"]


@pytest.mark.parametrize("fewest", [0.0, 0.02])
def test_a_difference_of_shares_without_a_ratio_is_in_percentage_points(fewest: float) -> None:
    """Where one round is zero there is no share of the baseline that it could be percent of."""
    draw = random.Random(13)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        lost = 0.5 if vxlan else 0.04
        rounds = tuple((lost * (1 + draw.gauss(0, 0.05)),) for _ in range(11))
        first = ((lost if vxlan else fewest),)
        return {
            ("throughput", ""): rounds_of(draw, 1e10, 0.003, 12),
            ("failed_trials", ""): (first, *rounds),
            ("udp_loss", ""): (first, *rounds),
        }

    points = r"4[67](\.\d+)? percentage points \[4\d(\.\d)? to \d\d(\.\d)? percentage points\]"
    made = both({**SPEC, "axes": {**SPEC["axes"], "protocol": ["udp"]}}, 12, measure)
    for one in made:
        (failed,) = [said for said in one.sentences if "failed trials" in str(said)]
        (besides,) = [said for said in one.recommendation if said.code == "side_worse"]
        for said in (failed, besides):
            assert bool(re.search(points, str(said))) is (fewest == 0), str(said)
            assert ("个百分点" in said.text_in("zh")) is (fewest == 0)


def test_files_and_findings_have_percentage_points_too() -> None:
    draw = random.Random(13)

    def measure(point: dict[str, Any]) -> Values:
        lost = 0.5 if point["encapsulation"] == "vxlan" else 0.0
        return {
            ("throughput", ""): rounds_of(draw, 1e10, 0.003, 12),
            ("udp_loss", ""): tuple((lost * (1 + draw.gauss(0, 0.05)),) for _ in range(12)),
        }

    repetition = {"rounds": 12, "trials": 2}
    found = measured_run({**SPEC, "repetition": repetition}, measure)
    lines = as_markdown(comparison_of(found)).splitlines()
    (line,) = [one for one in lines if one.startswith("|") and "udp\\_loss" in one]
    assert re.search(r"\| (49|50)(\.\d)? percentage points \\\[", line)
    (said,) = [one for one in report_of(found).findings if one.metric == "udp_loss"]
    assert "percentage points" in said.text_in("en")


def test_what_is_the_same_and_costs_more_is_said_to_cost_more() -> None:
    draw = random.Random(4)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        return {
            ("throughput", ""): rounds_of(draw, 1e10, 0.003, 12),
            ("retransmits", ""): rounds_of(draw, 5000 if vxlan else 100, 0.05, 12),
            ("node_cpu", "client"): rounds_of(draw, 0.9 if vxlan else 0.4, 0.02, 12),
        }

    for made in both(SPEC, 12, measure):
        codes = [one.code for one in made.recommendation]
        assert codes[0] == "either"
        assert "everything" not in str(made.recommendation[0])
        besides = next(one for one in made.recommendation if one.code == "side_worse")
        assert str(besides).startswith("Besides, VXLAN is clearly worse in other figures: ")
        assert "retransmi" in str(besides)
        assert "CPU" in str(besides)


def test_an_effect_too_small_to_matter_is_told_all_the_same() -> None:
    draw = random.Random(5)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        return {("throughput", ""): rounds_of(draw, 0.976e10 if vxlan else 1e10, 0.002, 12)}

    for made in both(SPEC, 12, measure):
        said = {one.code: str(one) for one in made.sentences}
        assert "within 3 %" in said["same"]
        assert re.search(r"2\.\d+ % \[", said["small_less"])
        assert "lower than with host-gw: certain" in said["small_less"]


def test_what_is_undecided_states_its_bounds() -> None:
    draw = random.Random(6)

    def measure(point: dict[str, Any]) -> Values:
        return {("throughput", ""): rounds_of(draw, 1e10, 0.06, 12)}

    for made in both(SPEC, 12, measure):
        (said,) = [str(one) for one in made.sentences]
        assert "is undecided: with VXLAN it is between" in said
        assert "% lower and" in said
        assert "% higher than with host-gw" in said


@pytest.mark.parametrize(
    ("change", "spread", "first", "answer"),
    [(0.03, 0.07, "between", "yes in 1"), (-0.3, 0.01, "costs", "no in 1")],
)
def test_whether_a_mode_costs_more_than_what_matters_is_answered(
    change: float, spread: float, first: str, answer: str
) -> None:
    draw = random.Random(11)

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        return {("throughput", ""): rounds_of(draw, (1 + change * vxlan) * 1e10, spread, 12)}

    until = {"until_decided": {"difference": 0.1, "most_minutes": 30}}
    for made in both({**SPEC, "repetition": until}, 12, measure):
        assert [one.code for one in made.sentences] == [first, "budget"]
        assert str(made.sentences[1]).rpartition(": ")[2] == answer


def test_a_switch_of_modes_that_was_asked_for_decides_what_is_recommended() -> None:
    spec = {
        **LADDER,
        "axes": {**LADDER["axes"], "probe": ["mode-switch"]},
        "parameters": {"mode_switch_from": 250},
    }
    draw = random.Random(3)

    def measure(point: dict[str, Any]) -> Values:
        centre = 3.0 if point["kube_proxy_mode"] == "iptables" else 9.0
        return {("switch_convergence", ""): rounds_of(draw, centre, 0.02, 8)}

    for made in both(spec, 8, measure):
        (prefer, *_) = made.recommendation
        assert str(prefer) == (
            "Prefer iptables to nftables: it is clearly better in 2 of 2 cases "
            "and clearly worse in none"
        )
        assert "raises_times" in [one.code for one in made.sentences]

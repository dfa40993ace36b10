"""Controls are not reported as cases, nor are differences as small as theirs."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from podmeter.services.headlines.document import Headline
from podmeter.services.run_results.curve_rows import pairs

from .test_headlines import LADDER, LATENCY, comparison_of, report_of, run_of

AXES: dict[str, Any] = {
    "kube_proxy_mode": ["iptables", "nftables"],
    "services": [10, 500],
    "target": ["last", "pod"],
    "probe": ["qps", "qps-keepalive"],
}
WITH_CONTROL = {**LADDER, "axes": AXES}
Made = Callable[[Any], Any]


def nftables(service: float, control: float) -> Callable[[dict[str, Any]], float]:
    def centre(point: dict[str, Any]) -> float:
        if point["kube_proxy_mode"] == "iptables":
            return 9000.0
        kept = (point["target"], point["probe"]) == ("pod", "qps-keepalive")
        return 9000.0 * (control if kept else service)

    return centre


def texts(found: Headline | None) -> str:
    assert found is not None
    return " | ".join(str(one) for one in [*found.sentences, *found.recommendation])


@pytest.mark.parametrize("of", [report_of, comparison_of])
def test_what_differs_by_far_more_than_its_control_is_told_without_it(of: Made) -> None:
    said = texts(of(run_of(WITH_CONTROL, nftables(0.5, 0.96), 0.002, 6)).headline)
    assert "nftables costs" in said
    assert "6 of 6 cases" in said
    assert "8 of" not in said


@pytest.mark.parametrize("of", [report_of, comparison_of])
def test_what_differs_as_its_control_does_is_not_told_as_the_modes_doing(of: Made) -> None:
    found = of(run_of(WITH_CONTROL, nftables(0.9, 0.9), 0.002, 6)).headline
    said = texts(found)
    assert "costs" not in said
    assert found.recommendation == []


@pytest.mark.parametrize("of", [report_of, comparison_of])
def test_a_control_that_differs_the_other_way_hides_nothing(of: Made) -> None:
    said = texts(of(run_of(WITH_CONTROL, nftables(0.5, 1.1), 0.002, 12)).headline)
    assert "6 of 6 cases" in said
    assert "not counted" not in said


def test_controls_that_were_asked_for_alone_are_told_of() -> None:
    alone = {**LADDER, "axes": {**AXES, "target": ["pod"], "probe": ["qps-keepalive"]}}
    said = texts(comparison_of(run_of(alone, nftables(1.0, 0.5), 0.002, 6)).headline)
    assert "nftables costs" in said


def test_a_curve_that_does_not_fall_does_not_get_worse_faster() -> None:
    def centre(point: dict[str, Any]) -> float:
        grows = point["kube_proxy_mode"] == "nftables" and point["services"] == 500
        return 9000.0 * (1.04 if grows else 1.0)

    found = comparison_of(run_of(LADDER, centre, 0.0005, 8))
    curves = [one for contender in found.contenders for one in pairs(contender.curves)]
    assert curves
    kept = [one.difference for one in curves if one.key.metric == "requests_per_second"]
    assert all(one.value is not None and one.value > 1 for one in kept)
    assert [one.degrades_more for one in curves] == [""] * len(curves)
    assert "gets worse faster" not in texts(found.headline)


@pytest.mark.parametrize("of", [report_of, comparison_of])
def test_the_headline_is_of_the_path_that_was_asked_about(of: Made) -> None:
    """New connections cost more on the control's path too; the largest difference is said after."""

    def centre(point: dict[str, Any]) -> float:
        if point["kube_proxy_mode"] == "iptables" or point["probe"] == "qps-keepalive":
            return 900.0
        return 900.0 * (12.0 if point["target"] == "pod" else 4.0)

    found = of(run_of(WITH_CONTROL, centre, 0.01, 6)).headline
    assert found is not None
    assert re.match(
        r"nftables gives (4\.\d|3\.9) times \[.* times\] the requests per second "
        r"\(.*last Service.*\) of iptables$",
        str(found.sentences[0]),
    )
    (largest,) = (one for one in found.recommendation if one.code == "largest")
    assert re.search(r"the pod directly.*: 1[12](\.\d)? times", str(largest))


@pytest.mark.parametrize("of", [report_of, comparison_of])
@pytest.mark.parametrize(
    ("at_last", "said"), [(1.0, []), (2.0, ["10 to 500 Service ports: nftables is better"])]
)
def test_a_rung_whose_control_failed_is_one_of_all_rungs(
    of: Made, at_last: float, said: list[str]
) -> None:
    spec = {**LADDER, "axes": {**AXES, "services": [10, 250, 500], "probe": ["qps-keepalive"]}}

    def centre(point: dict[str, Any]) -> float:
        if point["kube_proxy_mode"] == "iptables" or point["target"] == "pod":
            return 9000.0
        return 9000.0 * (at_last if point["services"] == 500 else 2.0)

    found = run_of(spec, centre, 0.002, 6)
    failed = {"kube_proxy_mode": "nftables", "services": 500, "target": "pod"}
    gone = {case.id for case in found.cases if failed.items() <= case.point.items()}
    assert gone
    by_case = {one: () if one in gone else samples for one, samples in found.by_case.items()}
    advised = of(replace(found, by_case=by_case)).headline.recommendation
    apart = [str(one) for one in advised if one.code == "no_crossover"]
    assert len(apart) == len(said)
    assert all(text in one and "all 3 rungs" in one for text, one in zip(said, apart, strict=True))


def test_what_a_path_takes_many_times_of_is_told_as_times() -> None:
    axes = {"kube_proxy_mode": ["iptables"], "path": ["pod-pod", "pod-service-pod"]}
    spec = {**LATENCY, "axes": axes}

    def centre(point: dict[str, Any]) -> float:
        return 0.003 * (1.0 if point["path"] == "pod-pod" else 3.2)

    found = report_of(run_of(spec, centre, 0.01, 6)).headline
    assert found is not None
    (said,) = (one for one in found.sentences if one.code == "has_times")
    factor: Any = said.parameters["factor"]
    assert factor["low"] < 3.2 < factor["high"]
    assert factor["value"] == pytest.approx(3.2, rel=0.02)
    assert re.search(r"request latency on .* is 3\.[12]\d? times \[", str(said), re.IGNORECASE)
    (advised,) = (one for one in found.recommendation if one.code == "expect_times")
    assert advised.parameters["factor"] == factor

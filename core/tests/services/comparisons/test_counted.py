"""Which effects have no say in what a comparison comes to."""

from typing import Any

import pytest

from podmeter.results.projected import Key
from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.counted import marked, not_counted, sets_up
from podmeter.services.comparisons.document import CaseRef, Pair, Point
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.exports.comparison_files import as_markdown
from podmeter.services.run_results import effect_rows
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.figures import Figure

from ..exports import documents
from ..headlines.test_headlines import LATENCY
from ..run_results.measured_runs import Values, around, measured_run

CONTROLS = {"path": "node-node"}


def effect(
    metric: str, verdict: str = "worse", ratio: float = 0.9, point: Point | None = None
) -> Effect:
    shared = point or {}
    sides = {**shared, "kube_proxy_mode": "b"}, {**shared, "kube_proxy_mode": "a"}
    key = Key(metric, "", "s", "lower", *sides)
    figure = Figure(ratio, ratio - 0.01, ratio + 0.01)
    rows = effect_rows.of_pair(
        key,
        [[[1.0]], [[1.0]]],
        [None, None],
        [None, None],
        ratio=figure,
        difference=None,
        verdict=verdict,
        reason="clear_effect",
        main=True,
    )
    return effects_of(rows)[0]


def test_what_sets_up_a_mode_is_not_counted() -> None:
    other: Point = {"encapsulation": "vxlan"}
    cases: list[Any] = [
        ({}, effect("throughput")),
        (other, effect("switch_convergence", point=other)),
        ({}, effect("roll_seconds")),
    ]
    assert not_counted(cases, CONTROLS) == ["", "set_up", "set_up"]


@pytest.mark.parametrize("metric", ["switch_convergence", "switch_seconds", "roll_seconds"])
def test_a_switch_of_a_mode_that_was_asked_for_is_counted(metric: str) -> None:
    where: Point = {"probe": "mode-switch", "services": 1000}
    cases: list[Any] = [
        ({}, effect(metric)),
        (where, effect(metric, point=where)),
        # Two rungs of one mode share nothing that tells of a probe where a run has no other.
        ({}, effect(metric, point=where)),
    ]
    assert not_counted(cases, {}) == ["set_up", "", ""]


def test_a_control_is_not_counted_beside_others() -> None:
    cases: list[Any] = [
        ({"path": "node-node"}, effect("throughput")),
        ({"path": "pod-pod"}, effect("throughput", ratio=0.5)),
    ]
    assert not_counted(cases, CONTROLS) == ["control", ""]


def test_what_differs_no_more_than_its_control_is_not_counted() -> None:
    def codes(service: float, verdict: str = "worse") -> list[str]:
        cases: list[Any] = [
            ({"path": "node-node"}, effect("throughput", "worse", 0.9)),
            ({"path": "pod-pod"}, effect("throughput", verdict, service)),
        ]
        return not_counted(cases, CONTROLS)

    assert codes(0.92) == ["control", "like_control"]
    assert codes(0.5) == ["control", ""]
    assert codes(1.1, "better") == codes(0.92, "undecided") == ["control", ""]


def test_controls_alone_are_what_was_asked_for() -> None:
    cases: list[Any] = [
        ({"path": "node-node"}, effect("throughput")),
        ({}, effect("switch_convergence")),
    ]
    assert not_counted(cases, CONTROLS) == ["", "set_up"]


def test_two_paths_of_one_mode_are_counted() -> None:
    """They are all of their run, so that both sides share no axis."""
    spec = {**LATENCY, "axes": {"path": ["pod-pod", "pod-service-pod"]}}

    def measure(point: dict[str, Any]) -> Values:
        return {("curl_total_mean", ""): around(0.003 if point["path"] == "pod-pod" else 0.004)}

    found = measured_run(
        {**spec, "repetition": {"rounds": 6, "trials": 2}},
        measure,
    )
    sides = [
        choose_cases(Side(found.run.id, where={"path": path}), found, [])
        for path in ("pod-pod", "pod-service-pod")
    ]
    compared = compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)
    (pair,) = compared.pairs
    assert pair.shared == {}
    (judged,) = effects_of(pair.effects)
    assert (judged.verdict, judged.not_counted) == ("worse", "")
    assert not sets_up(pair, found.run.kind)


def test_files_name_the_set_up_and_the_only_case() -> None:
    def pair(metric: str, point: dict[str, Any]) -> Pair:
        case = CaseRef(1, "", point, "succeeded", None)
        return Pair({}, case, case, "comparable", effect(metric).rows)

    pairs = marked(
        [pair("switch_seconds", {"encapsulation": "b"}), pair("throughput", {"path": "pod-pod"})],
        ["throughput"],
        ["encapsulation"],
    )
    found = documents.comparison()
    found.contenders[0].pairs[:] = pairs
    text = as_markdown(found)
    assert "| mode setup | switch\\_seconds |" in text
    assert "| only case | throughput |" in text


def test_the_marks_are_in_the_documents() -> None:
    def measure(point: dict[str, Any]) -> Values:
        return {("throughput", ""): around(8e9 if point["encapsulation"] == "vxlan" else 1e10)}

    found = measured_run(documents.SPEC, measure)
    sides = [
        choose_cases(Side(found.run.id, where={"encapsulation": mode}), found, [])
        for mode in ("host-gw", "vxlan")
    ]
    compared = compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)
    codes = {
        pair.shared["path"]: one.judged.text("not_counted")
        for pair in compared.pairs
        for one in effects_of(pair.effects)
    }
    assert codes["node-node"] == "control"
    assert codes["pod-pod"] == codes["node-pod"] == ""

"""Receivers that get all that was offered, losses that are none, thresholds of single metrics."""

import re
from dataclasses import replace
from typing import Any

import pytest

from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.exports.comparison_files import as_markdown
from podmeter.services.headlines.document import Headline
from podmeter.services.headlines.headline import NOISE
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses

from ..headlines.test_headlines import comparison_of, report_of
from .measured_runs import Values, around, measured_run

OFFERED = 1e9
SPEC: dict[str, Any] = {
    "name": "udp",
    "kind": "throughput",
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "path": ["node-node", "pod-pod"],
        "protocol": ["udp"],
        "streams": [1],
    },
    "repetition": {"trials": 2, "rounds": 6},
}


def run_of(got: dict[str, float], offered: float | None = OFFERED, **more: Any) -> MeasuredRun:
    """A run whose cases got so much, by path or by encapsulation; `more` are other metrics."""

    def measure(point: dict[str, Any]) -> Values:
        centre = got.get(point["path"]) or got[point["encapsulation"]]
        found = {("throughput", ""): around(centre)}
        if offered is not None:
            found["udp_offered", ""] = ((offered, offered),) * 6
        by_mode = more.get(point["encapsulation"], {})
        return found | {(metric, ""): rounds for metric, rounds in by_mode.items()}

    return measured_run(SPEC, measure)


def effect(found: MeasuredRun, metric: str = "throughput") -> Effect:
    """VXLAN against host-gw, pod to pod."""
    sides = [
        choose_cases(Side(found.run.id, where={"encapsulation": one, "path": "pod-pod"}), found, [])
        for one in ("host-gw", "vxlan")
    ]
    compared = compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)
    ((one,),) = [
        [one for one in effects_of(pair.effects) if one.key.metric == metric]
        for pair in compared.pairs
    ]
    return one


@pytest.mark.parametrize(
    ("host_gw", "vxlan", "said"),
    [
        # Both got all of it: nobody knows what either would take.
        (0.999, 0.998, ("undecided", "at_offered_rate")),
        (0.98, 0.999, ("undecided", "at_offered_rate")),
        # One got less, by more than noise: it is the worse one, however good the other is.
        (0.999, 0.8, ("worse", "clear_effect")),
        (0.8, 0.999, ("better", "clear_effect")),
        # Neither got it.
        (0.8, 0.8, ("same", "within_threshold")),
        # Close to it and close to each other, one at the offered rate.
        (0.975, 0.96, ("undecided", "at_offered_rate")),
    ],
)
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_what_was_offered_is_never_the_same(
    protocol: str, host_gw: float, vxlan: float, said: tuple[str, str]
) -> None:
    spec = {**SPEC, "axes": {**SPEC["axes"], "protocol": [protocol]}}

    def measure(point: dict[str, Any]) -> Values:
        got = {"host-gw": host_gw, "vxlan": vxlan}[point["encapsulation"]] * OFFERED
        offered = ((OFFERED, OFFERED),) * 6
        return {("throughput", ""): around(got), (f"{protocol}_offered", ""): offered}

    one = effect(measured_run(spec, measure))
    assert (one.verdict, one.reason) == said


def headlines(found: MeasuredRun) -> list[Headline]:
    """Of the run, and of the comparison of its modes."""
    made = [report_of(found).headline, comparison_of(found).headline]
    return [one for one in made if one is not None]


def test_no_bounds_are_given_of_what_got_all_that_was_offered() -> None:
    for made in headlines(run_of({"host-gw": 0.999e9, "vxlan": 0.998e9, "node-node": 0.9e9})):
        first = made.sentences[0]
        assert str(first) == (
            "VXLAN against host-gw: pod→pod throughput is undecided, as the offered rate was "
            "reached; offer more"
        )
        assert "已达到设定速率" in first.text_in("zh")


def test_no_bounds_are_given_where_one_of_the_cases_got_all_that_was_offered() -> None:
    scattered = ((0.5e9,), (0.9e9,), (0.6e9,), (0.8e9,), (0.7e9,), (0.4e9,))

    def measure(point: dict[str, Any]) -> Values:
        got = around(0.999e9) if point["path"] == "pod-pod" else scattered
        offered = tuple(tuple(OFFERED for _ in one) for one in got)
        if point["encapsulation"] == "vxlan" and got is scattered:
            got = scattered[::-1]
        return {("throughput", ""): got, ("udp_offered", ""): offered}

    paths = ["pod-pod", "pod-service-pod"]
    spec = {**SPEC, "axes": {**SPEC["axes"], "path": paths}}
    for made in headlines(measured_run(spec, measure)):
        assert [one.code for one in made.sentences] == ["unclear"]


def test_without_a_limit_it_is_the_same() -> None:
    one = effect(run_of({"host-gw": 1e9, "vxlan": 1e9}, offered=None))
    assert (one.verdict, one.reason) == ("same", "within_threshold")


def loss(found: MeasuredRun) -> Any:
    return losses(found, NOISE)[0]


def test_a_loss_between_two_that_got_all_is_not_told() -> None:
    found = run_of({"node-node": 0.999e9, "pod-pod": 0.998e9})
    one, difference, *_ = losses(found, NOISE)
    assert (one.value, difference.value) == (None, None)
    assert [note["code"] for note in one.warnings] == ["both_as_offered"]
    said = findings(found, [one], lambda _: {})[-1]
    assert said.code == "loss_unknown"
    assert "both reached the offered rate" in said.text_in("en")


def test_a_loss_against_one_that_got_all_is_no_smaller() -> None:
    one = loss(run_of({"node-node": 0.999e9, "pod-pod": 0.8e9}))
    assert one.value == pytest.approx(0.2, abs=0.01)
    assert [note["code"] for note in one.warnings] == ["baseline_as_offered"]


def test_a_loss_against_one_that_got_all_is_at_least_so_large_in_every_sentence() -> None:
    found = run_of({"node-node": 0.999e9, "pod-pod": 0.8e9})
    (made, _) = headlines(found)
    (lost,) = [one for one in made.sentences if one.code == "loses"]
    assert re.search(r"loses at least (19|20)(\.\d+)? % \[", str(lost))
    assert re.search(r"损失至少 (19|20)(\.\d+)? % \[", lost.text_in("zh"))
    (expected,) = [one for one in made.recommendation if one.code == "expect"]
    assert "to lose at least " in str(expected)
    assert "低至少 " in expected.text_in("zh")
    said = [one.text_in("en") for one in report_of(found).findings if one.code == "loss"]
    assert said
    assert all("loses at least " in one for one in said)


@pytest.mark.parametrize(
    ("host_gw", "vxlan", "said", "warned"),
    [
        (0.999, 0.8, "VXLAN costs at least ", True),
        (0.8, 0.999, "VXLAN gives at least ", True),
        (0.3, 0.999, "VXLAN gives at least 3.", True),
        (0.7, 0.8, "VXLAN gives ", False),
    ],
)
def test_a_difference_to_a_mode_that_got_all_is_at_least_so_large(
    host_gw: float, vxlan: float, said: str, warned: bool
) -> None:
    found = run_of({"host-gw": host_gw * 1e9, "vxlan": vxlan * 1e9, "node-node": 0.9e9})
    codes = [note["code"] for note in effect(found).judged.warnings]
    assert ("faster_as_offered" in codes) is warned
    for made in headlines(found):
        first = str(made.sentences[0])
        assert first.startswith(said)
        assert ("at least" in first) is warned
    (finding,) = [
        one.text_in("en")
        for one in report_of(found).findings
        if one.code.startswith("mode_") and one.point["path"] == "pod-pod"
    ]
    assert ("the faster side reached the offered rate, so" in finding) is warned
    lines = as_markdown(comparison_of(found)).splitlines()
    assert any("the faster side reached" in one for one in lines if one.startswith("|")) is warned


def test_a_difference_without_a_ratio_is_at_least_so_large_too() -> None:
    """There is none where the other side got nothing in a round."""

    def measure(point: dict[str, Any]) -> Values:
        fast = point["encapsulation"] == "vxlan" or point["path"] == "node-node"
        got = around(0.999e9 if fast else 0.2e9)
        got = got if fast else ((0.0, 0.0), *got[1:])
        return {("throughput", ""): got, ("udp_offered", ""): ((OFFERED, OFFERED),) * 6}

    found = measured_run(SPEC, measure)
    assert effect(found).ratio is None
    for made in headlines(found):
        first = made.sentences[0]
        assert re.match(r"VXLAN gives at least 8\d\d Mbit/s \[", str(first))
        assert "至少 8" in first.text_in("zh")


def test_the_slower_side_that_got_all_bounds_nothing() -> None:
    """It was offered less than the other one: what it would take of more is open."""

    def measure(point: dict[str, Any]) -> Values:
        vxlan = point["encapsulation"] == "vxlan"
        offered = 0.6e9 if vxlan else 1e9
        got = around(0.599e9 if vxlan else 0.9e9)
        return {("throughput", ""): got, ("udp_offered", ""): ((offered, offered),) * 6}

    one = effect(measured_run(SPEC, measure))
    assert one.verdict == "worse"
    assert one.judged.warnings == []


def with_nics(found: MeasuredRun, nics: dict[str, str | None]) -> MeasuredRun:
    cases = [
        replace(case, placement={**case.placement, "nic": nics[str(case.point["path"])]})
        for case in found.cases
        if case.placement is not None
    ]
    return replace(found, cases=tuple(cases))


@pytest.mark.parametrize(
    ("nics", "code"),
    [
        ({"node-node": "eth0", "pod-pod": "eth1"}, ["two_nics"]),
        ({"node-node": "eth0", "pod-pod": "eth0"}, []),
        ({"node-node": "eth0", "pod-pod": None}, []),
    ],
)
def test_a_loss_over_two_nics_is_refused(nics: dict[str, str | None], code: list[str]) -> None:
    found = with_nics(run_of({"node-node": 1e10, "pod-pod": 8e9}, offered=None), nics)
    one = loss(found)
    assert [note["code"] for note in one.warnings] == code
    assert (one.value is None) == bool(code)


@pytest.mark.parametrize(
    ("nics", "verdict"),
    [
        ({"node-node": "eth0", "pod-pod": "eth1"}, "refused"),
        ({"node-node": "eth0", "pod-pod": "eth0"}, "comparable"),
        # Runs of before do not tell.
        ({"node-node": "eth0", "pod-pod": None}, "comparable"),
    ],
)
def test_paths_over_two_nics_are_not_compared(nics: dict[str, str | None], verdict: str) -> None:
    found = with_nics(run_of({"node-node": 1e10, "pod-pod": 8e9}, offered=None), nics)
    where = {"encapsulation": "host-gw"}
    sides = [
        choose_cases(Side(found.run.id, where={**where, "path": one}), found, []) for one in nics
    ]
    environment = {
        "cluster_uid": "u",
        "kubernetes_version": "v1.34.4",
        "nodes": [],
        "shared_host": False,
        "cni": {"name": "flannel"},
        "kube_proxy": {},
    }
    compared = compare_sides(
        sides[0], sides[1], lambda ids: dict.fromkeys(ids, environment), noise=0.03, alpha=0.05
    )
    assert compared.gate.verdict == verdict
    if verdict == "refused":
        (one,) = [one for one in compared.gate.differences if one.axis is None]
        assert (one.field, one.baseline, one.contender) == ("placement.nic", "eth0", "eth1")


def rounds(*centres: float) -> tuple[tuple[float, ...], ...]:
    return tuple((one, one) for one in centres)


@pytest.mark.parametrize(
    ("metric", "one", "other", "verdict"),
    [
        # A loss of 0.001 % is not one of 0.94 %.
        (
            "udp_loss",
            rounds(*[1e-5] * 6),
            rounds(0.0094, 0.0095, 0.0093, 0.0094, 0.0096, 0.0092),
            "worse",
        ),
        ("udp_loss", rounds(*[1e-5] * 6), rounds(1e-4, 2e-4, 1e-4, 0, 1e-4, 2e-4), "same"),
        # Zeros on both sides are nothing, one zero does not make a few retransmits an effect.
        ("retransmits", rounds(*[0] * 6), rounds(*[0] * 6), "same"),
        ("retransmits", rounds(0, 3, 2, 1, 2, 1), rounds(4, 4, 5, 4, 5, 4), "same"),
        ("retransmits", rounds(0, 3, 2, 1, 2, 1), rounds(400, 410, 390, 405, 395, 400), "worse"),
        (
            "retransmits",
            rounds(1000, 0, 1010, 1000, 1005, 1001),
            rounds(1001, 1, 1011, 1001, 1006, 1002),
            "same",
        ),
        ("retransmits_per_byte", rounds(*[0] * 6), rounds(*[2e-9] * 6), "same"),
        (
            "retransmits_per_byte",
            rounds(*[0] * 6),
            rounds(*[9e-7, 8e-7, 9e-7, 1e-6, 9e-7, 8e-7]),
            "worse",
        ),
    ],
)
def test_each_metric_has_a_threshold_of_its_own(
    metric: str, one: Any, other: Any, verdict: str
) -> None:
    measured = {"host-gw": {metric: one}, "vxlan": {metric: other}}
    found = run_of({"node-node": 1e9, "pod-pod": 1e9}, None, **measured)
    assert effect(found, metric).verdict == verdict

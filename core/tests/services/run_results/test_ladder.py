"""Curves with their control, from the cases of a run to what is said of them."""

from collections.abc import Callable
from typing import Any

import pytest

from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.curves import text
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.headlines.headline import NOISE
from podmeter.services.run_results.curve_rows import CurvePair, pairs
from podmeter.services.run_results.ladder import curves
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses

from .measured_runs import Values, around, measured_run

SPEC = {
    "name": "ladder",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 1000, 2000],
        "target": ["last", "pod"],
        "probe": ["qps", "qps-keepalive"],
    },
    "repetition": {"trials": 2, "rounds": 6},
}


def slowing(point: dict[str, Any]) -> Values:
    """The machine is a tenth slower by the last rung, and iptables loses half besides."""
    machine = 1 - 0.1 * point["services"] / 2000
    kept = point["probe"] == "qps-keepalive"
    iptables = point["kube_proxy_mode"] == "iptables" and not kept
    own = 1 - 0.5 * point["services"] / 2000 * iptables
    centre = (8000 if point["target"] == "last" else 9000) * machine * own
    return {("requests_per_second", ""): around(centre)}


@pytest.fixture
def measured() -> MeasuredRun:
    return measured_run(SPEC, slowing)


def test_every_curve_knows_its_control_and_a_control_none(measured: MeasuredRun) -> None:
    for one in curves(measured, measured.cases):
        rest = dict(one.rest)
        assert (one.control is None) == (
            (rest["target"], rest["probe"]) == ("pod", "qps-keepalive")
        )
    # Also where the control is not among the cases that are asked for.
    asked = [case for case in measured.cases if case.point["target"] == "last"]
    assert all(one.control is not None for one in curves(measured, asked))


def test_the_findings_tell_the_services_from_the_machine(measured: MeasuredRun) -> None:
    said = {
        (one.point["kube_proxy_mode"], one.point["target"], one.point["probe"]): one
        for one in findings(measured, [], lambda _: {})
        if one.code.startswith("curve_")
    }
    assert said["iptables", "last", "qps"].code == "curve_falls"
    # A new connection to the pod passes the same chains: what Services cost it is no machine's.
    assert said["iptables", "pod", "qps"].code == "curve_falls"
    assert "against the control" in said["iptables", "pod", "qps"].text_in("en")
    assert said["nftables", "last", "qps"].code == "curve_flat"
    assert "against the control of each rung" in said["nftables", "last", "qps"].text_in("en")
    # The machine itself did slow down, and that is said as well.
    assert said["nftables", "pod", "qps-keepalive"].code == "curve_falls"
    assert "against" not in said["nftables", "pod", "qps-keepalive"].text_in("en")


def test_a_comparison_goes_by_the_controls_too(measured: MeasuredRun) -> None:
    sides = [
        choose_cases(Side(measured.run.id, where={"kube_proxy_mode": mode}), measured, [])
        for mode in ("iptables", "nftables")
    ]
    compared = compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)
    (last,) = [
        one
        for one in pairs(compared.curves)
        if (one.shared["target"], one.shared["probe"]) == ("last", "qps")
    ]
    assert (last.baseline.text("shape"), last.contender.text("shape")) == ("falls", "flat")
    assert last.baseline.holds("controlled")
    assert last.contender.holds("controlled")
    assert last.baseline.value == pytest.approx(0.5, abs=0.02)
    assert last.degrades_more == "baseline"
    assert "against the control of each rung" in text(last)


def last_rung(unmeasured: Callable[[dict[str, Any]], bool]) -> CurvePair:
    """What is said of new connections to the last Service, in a run that lacks some controls."""

    def measure(point: dict[str, Any]) -> Values:
        lacks = point["probe"] == "qps-keepalive" and unmeasured(point)
        return {} if lacks else slowing(point)

    measured = measured_run(SPEC, measure)
    sides = [
        choose_cases(Side(measured.run.id, where={"kube_proxy_mode": mode}), measured, [])
        for mode in ("iptables", "nftables")
    ]
    compared = compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)
    (found,) = [
        one
        for one in pairs(compared.curves)
        if (one.shared["target"], one.shared["probe"]) == ("last", "qps")
    ]
    return found


@pytest.mark.parametrize("modes", [{"iptables"}, {"nftables"}, {"iptables", "nftables"}])
def test_two_curves_are_described_over_the_rungs_that_they_are_judged_on(modes: set[str]) -> None:
    found = last_rung(lambda point: point["services"] == 2000 and point["kube_proxy_mode"] in modes)
    assert found.xs == found.baseline.numbers("xs") == found.contender.numbers("xs") == [10, 1000]
    assert found.baseline.holds("controlled")
    assert found.contender.holds("controlled")
    # What iptables keeps at 1,000 Services of what it had at 10, beside the machine's own fall.
    assert found.baseline.value == pytest.approx(0.75, abs=0.02)
    assert found.contender.value == pytest.approx(1.0, abs=0.02)
    assert found.difference.value == pytest.approx(1 / 0.75, abs=0.04)
    assert "over 10 to 1000 services" in text(found)


def test_without_a_control_of_one_curve_neither_is_judged_against_one() -> None:
    found = last_rung(
        lambda point: point["services"] > 10 and point["kube_proxy_mode"] == "nftables"
    )
    assert found.xs == [10, 1000, 2000]
    assert not found.baseline.holds("controlled")
    assert not found.contender.holds("controlled")
    # The machine's fall is in both.
    assert found.baseline.value == pytest.approx(0.5 * 0.9, abs=0.02)
    assert found.contender.value == pytest.approx(0.9, abs=0.02)
    assert "against the control" not in text(found)


def test_curves_may_cross_on_a_rung_without_a_control() -> None:
    def measure(point: dict[str, Any]) -> Values:
        if point["probe"] == "qps-keepalive" and point["services"] == 2000:
            return {}
        falls = point["kube_proxy_mode"] == "iptables" and point["services"] == 2000
        ahead = point["kube_proxy_mode"] == "iptables" and not falls
        return {("requests_per_second", ""): around(9000 * (0.5 if falls else 1 + 0.2 * ahead))}

    measured = measured_run(SPEC, measure)
    sides = [
        choose_cases(Side(measured.run.id, where={"kube_proxy_mode": mode}), measured, [])
        for mode in ("iptables", "nftables")
    ]
    compared = compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)
    found = next(one for one in pairs(compared.curves) if one.shared["target"] == "last")
    assert found.xs == [10, 1000]
    assert found.crossing is not None
    assert (found.crossing.low, found.crossing.high) == (1000, 2000)


def test_what_a_service_costs_on_each_rung_is_a_loss(measured: MeasuredRun) -> None:
    found = {
        (one.key.point["kube_proxy_mode"], one.key.point["services"]): one
        for one in shares(losses(measured, NOISE))
        if one.key.metric == "requests_loss" and one.key.point["probe"] == "qps"
    }
    assert len(found) == 6
    # Against the pod's own address, whose new connections pass the same rules.
    assert [one.value for one in found.values()] == pytest.approx([1 / 9] * 6, abs=0.01)
    # The curve says it of all rungs at once.
    assert not [
        one for one in findings(measured, list(found.values()), lambda _: {}) if "loss" in one.code
    ]


def test_a_run_without_a_control_is_judged_as_before() -> None:
    axes = {**SPEC["axes"], "target": ["last"]}  # type: ignore[dict-item]
    measured = measured_run({**SPEC, "axes": axes}, slowing)
    assert all(one.control is None for one in curves(measured, measured.cases))
    codes = {one.code for one in findings(measured, [], lambda _: {})}
    assert "curve_falls" in codes

"""Curves with their control, from the cases of a run to what is said of them."""

from typing import Any

import pytest

from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.curves import text
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.headlines.headline import NOISE
from podmeter.services.run_results.curve_rows import pairs
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

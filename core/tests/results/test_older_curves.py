"""Snapshots whose findings were kept as curves say the same as rows, also without their kind."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from podmeter.results.older import snapshots
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import RowEvidence

CHANGE = {"value": -0.3, "low": -0.4, "high": -0.2, "confidence": 0.95}
SLOPE = {"value": -5.0, "low": -6.0, "high": -4.0, "confidence": 0.95}
SHAPE: dict[str, Any] = {"shape": "falls", "change": CHANGE, "slope": SLOPE, "p": 0.01}
CURVE: dict[str, Any] = {**SHAPE, "axis": "services", "xs": [10.0, 1000.0]}
CURVES: dict[str, Any] = {
    "metric": "qps",
    "subject": "",
    "unit": "request/s",
    "axis": "services",
    "xs": [10.0, 1000.0],
    "shared": {},
    "baseline": SHAPE,
    "contender": {**SHAPE, "shape": "flat", "p": 0.5},
    "difference": {"value": 0.2, "low": 0.1, "high": 0.3, "confidence": 0.95},
    "degrades_more": "baseline",
    "crossing": {
        "estimate": 200.0,
        "last_before": 100.0,
        "first_after": 300.0,
        "contender_leads_after": True,
    },
    "text": "",
}


def summary(mode: str, services: int, n: int) -> dict[str, Any]:
    return {
        "metric": "qps",
        "subject": "",
        "unit": "request/s",
        "direction": "higher",
        "point": {"kube_proxy_mode": mode, "services": services},
        "n": n,
    }


SUMMARIES = [
    summary("iptables", 10, 3),
    summary("iptables", 1000, 4),
    summary("iptables", 5000, 50),
    summary("nftables", 10, 6),
    summary("nftables", 1000, 7),
]


def evidence_of(stored: dict[str, Any], point: dict[str, Any]) -> RowEvidence:
    kept = {"code": "c", "metric": "qps", "point": point, "as_written": "t", "evidence": stored}
    axes = {"kube_proxy_mode": ["iptables", "nftables"], "services": [10, 1000, 5000]}
    run = {"axes": axes, "summaries": SUMMARIES, "findings": [kept]}
    (finding,) = snapshots.with_curve_rows({"run": run, "comparison": None})["run"]["findings"]
    evidence = TypeAdapter(Finding).validate_python(finding).evidence
    assert isinstance(evidence, RowEvidence)
    return evidence


@pytest.mark.parametrize("kind", [{}, {"kind": "curve"}])
def test_a_finding_on_a_curve_is_its_change_and_slope(kind: dict[str, str]) -> None:
    point = {"kube_proxy_mode": "iptables"}
    change, slope = evidence_of({**CURVE, **kind}, point).rows
    assert (change.code, change.value, change.low, change.high) == ("change", -0.3, -0.4, -0.2)
    assert (slope.code, slope.value, slope.low, slope.high) == ("slope", -5.0, -6.0, -4.0)
    # Of the trials on the curve's rungs alone.
    assert (change.n, slope.n) == (7, 7)
    assert (change.key.unit, slope.key.unit) == ("ratio", "request/s")
    assert change.key.point == slope.key.point == point
    assert change.key.direction == "higher"
    assert change.parameters == {
        "axis": "services",
        "xs": [10.0, 1000.0],
        "shape": "falls",
        "p": 0.01,
        "controlled": False,
        "confidence": 0.95,
    }


@pytest.mark.parametrize("kind", [{}, {"kind": "curves"}])
def test_a_finding_on_two_curves_says_where_each_lies(kind: dict[str, str]) -> None:
    modes = {"baseline_value": "iptables", "contender_value": "nftables"}
    rows = evidence_of({**CURVES, **modes, **kind}, {}).rows
    assert [(row.code, row.value, row.n) for row in rows] == [
        ("change", -0.3, 7),
        ("slope", -5.0, 7),
        ("change", -0.3, 13),
        ("slope", -5.0, 13),
        ("curve_difference", 0.2, 13),
        ("crossing", 200.0, 13),
    ]
    assert [row.parameters.get("side") for row in rows[:4]] == [
        *["baseline"] * 2,
        *["contender"] * 2,
    ]
    assert [row.parameters.get("shape") for row in rows[:4]] == ["falls", None, "flat", None]
    iptables, nftables = {"kube_proxy_mode": "iptables"}, {"kube_proxy_mode": "nftables"}
    assert [row.key.point for row in rows] == [*[iptables] * 2, *[nftables] * 4]
    assert [row.key.against for row in rows[4:]] == [iptables, iptables]
    difference, crossing = rows[4:]
    assert difference.parameters["degrades_more"] == "baseline"
    assert (crossing.low, crossing.high) == (100.0, 300.0)
    assert crossing.parameters["contender_leads_after"] is True


def test_of_two_curves_that_did_not_say_their_modes_all_trials_count() -> None:
    rows = evidence_of({**CURVES, "crossing": None}, {}).rows
    assert [(row.code, row.n) for row in rows] == [
        ("change", 20),
        ("slope", 20),
        ("change", 20),
        ("slope", 20),
        ("curve_difference", 20),
    ]
    assert rows[-1].key.point == rows[-1].key.against == {}

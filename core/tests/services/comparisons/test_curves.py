from typing import Any

import pytest

from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.curves import text
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.run_results.curve_rows import CurvePair, pairs

from ..run_results.measured_runs import Values, around, measured_run

SPEC = {
    "name": "ladder",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 1000, 2000],
        "target": ["last"],
        "probe": ["qps", "latency"],
    },
    "repetition": {"trials": 2, "rounds": 6},
}


def measure(point: dict[str, Any]) -> Values:
    """Iptables gets worse with every Service: fewer requests, each of them slower."""
    factor = 1 + point["services"] / 1000 * (point["kube_proxy_mode"] == "iptables")
    if point["probe"] == "qps":
        return {("requests_per_second", ""): around(9000 / factor)}
    return {("curl_total_mean", ""): around(0.001 * factor)}


@pytest.fixture
def curves() -> dict[str, CurvePair]:
    found = measured_run(SPEC, measure)
    baseline, contender = (
        choose_cases(Side(found.run.id, where={"kube_proxy_mode": mode}), found, [])
        for mode in ("iptables", "nftables")
    )
    compared = compare_sides(baseline, contender, lambda _: {}, noise=0.03, alpha=0.05)
    return {one.key.metric: one for one in pairs(compared.curves)}


def test_each_probe_has_its_curve(curves: dict[str, CurvePair]) -> None:
    assert set(curves) == {"requests_per_second", "curl_total_mean"}
    assert curves["requests_per_second"].baseline.text("shape") == "falls"
    assert curves["curl_total_mean"].baseline.text("shape") == "rises"


def test_who_degrades_more_goes_by_the_direction(curves: dict[str, CurvePair]) -> None:
    assert curves["requests_per_second"].degrades_more == "baseline"
    assert curves["curl_total_mean"].degrades_more == "baseline"


def test_there_is_no_crossing_where_none_is(curves: dict[str, CurvePair]) -> None:
    assert curves["requests_per_second"].crossing is None
    assert "no crossing is shown" in text(curves["requests_per_second"])

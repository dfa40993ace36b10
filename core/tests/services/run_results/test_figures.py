from typing import Any

from podmeter.services.overview.clear_curves import clear_curves
from podmeter.services.run_results.effect_rows import CENTRE
from podmeter.services.run_results.figures import Figure
from podmeter.services.run_results.words import change, quantity, share
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.services.summaries.report import assemble

from .measured_runs import Values, measured_run

LADDER: dict[str, Any] = {
    "name": "ladder",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables"],
        "services": [10, 1000],
        "target": ["last"],
        "probe": ["qps"],
    },
    "repetition": {"trials": 2, "rounds": 6},
}


def test_words() -> None:
    assert change(Figure(0.9, 0.85, 0.95, 0.96)) == "−10 % [−15 to −5 %]"
    assert change(Figure(1.000705, 0.988, 1.013, 0.96)) == "+0.1 % [−1.2 to +1.3 %]"
    assert change(Figure(0.9)) == "−10 % (no interval)"
    assert change(Figure(1.0, 1.0, 1.0, 0.96)) == "0 % [0 to 0 %]"
    assert change(None) == "–"
    assert share(Figure(-0.02, -0.05, 0.01, 0.96)) == "−2.0 % [−5.0 to 1.0 %]"
    assert (
        quantity(Figure(2.65e9, 2.6e9, 2.7e9, 0.95), "bit/s") == "2.65 Gbit/s [2.60 to 2.70 Gbit/s]"
    )


def test_what_is_reported_of_what_cannot_be_negative_has_no_interval_below_zero() -> None:
    """That of the mean is symmetric, and the trials are not."""

    def measure(point: dict[str, Any]) -> Values:
        rare = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 90.0))
        plenty = tuple((9000.0 + n, 9001.0 + n) for n in range(6))
        return {("requests_per_second", ""): plenty if point["services"] == 10 else rare}

    measured = measured_run(LADDER, measure)
    report = assemble(measured, [], [], lambda _: {})
    rare = [one for one in report.summaries if one.key.point["services"] == 1000]
    assert [one.code for one in rare] == ["median", "mean"]
    for figure in rare:
        assert figure.low == 0.0
        assert figure.high is not None
    (chart,) = clear_curves(measured, report.findings)
    low = [row.low for row in chart.rows]
    assert low[1] == 0.0
    assert low[0] is not None
    assert low[0] > 8000.0


def test_curves_between_modes_have_the_centres_that_the_differences_are_of() -> None:
    """The run's own page draws these, so its overview shows the same figures."""
    axes = {**LADDER["axes"], "kube_proxy_mode": ["iptables", "nftables"]}

    def measure(point: dict[str, Any]) -> Values:
        falls = point["kube_proxy_mode"] == "iptables" and point["services"] == 1000
        centre = 1000.0 if falls else 9000.0
        # The mean of the rounds lies above their median.
        rounds = tuple((centre + n, centre + 1 + n * n * n) for n in range(6))
        return {("requests_per_second", ""): rounds}

    measured = measured_run({**LADDER, "axes": axes}, measure)
    report = assemble(measured, [], [], lambda _: {})
    (chart,) = clear_curves(measured, report.findings)
    assert {row.code for row in chart.rows} == {"centre"}
    centres = [
        row
        for one in report.findings
        if isinstance(one.evidence, RowEvidence)
        for row in one.evidence.rows
        if row.code == CENTRE
    ]
    assert centres
    for row in chart.rows:
        own = [one for one in centres if row.key.point.items() <= one.key.point.items()]
        assert {(one.value, one.low, one.high) for one in own} == {(row.value, row.low, row.high)}

"""Rounds in which a control is zero: they enter no comparison that it is the covariate of."""

from typing import Any

import pytest

from podmeter.services.headlines.headline import NOISE
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.services.summaries.report import assemble

from .measured_runs import Values, around, measured_run

SPEC = {
    "name": "retransmits",
    "kind": "throughput",
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "path": ["node-node", "pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
    },
    "repetition": {"trials": 2, "rounds": 7},
}


def retransmits(point: dict[str, Any]) -> Values:
    """None in the first round; later VXLAN has eight times as many between pods."""
    many = 800.0 if point == {**point, "encapsulation": "vxlan", "path": "pod-pod"} else 100.0
    return {
        ("throughput", ""): (*around(1e10), *around(1e10)[:1]),
        ("retransmits", ""): ((0.0, 0.0), *around(many)),
    }


def test_a_run_whose_control_is_zero_in_a_round_has_its_report() -> None:
    report = assemble(measured_run(SPEC, retransmits), [], [], lambda _: {})
    effects: list[Effect] = [
        effect
        for one in report.findings
        if isinstance(one.evidence, RowEvidence)
        for effect in effects_of(one.evidence.rows)
        if effect.key.metric == "retransmits"
    ]
    (found,) = effects
    assert (found.verdict, found.rounds) == ("worse", 6)
    baseline, contender = found.centres
    assert baseline is not None
    assert contender is not None
    assert found.ratio is not None
    assert baseline.value == pytest.approx(100, rel=NOISE)
    assert contender.value / baseline.value == pytest.approx(found.ratio.value)

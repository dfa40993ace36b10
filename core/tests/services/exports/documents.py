"""A run and a comparison with something of everything, always the same."""

import uuid
from typing import Any

from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import kind_of
from podmeter.services.comparisons.build import compare_sides, compared_run
from podmeter.services.comparisons.document import Comparison
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.run_results.facts import axis_facts
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.report import assemble
from podmeter.statistics import METHOD_VERSION

from ..run_results.measured_runs import MOMENT, Values, around, measured_run

SPEC = {
    "name": '=HYPERLINK("http://x") | *paths*',
    "kind": "throughput",
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "path": ["node-node", "pod-pod", "node-pod"],
        "protocol": ["tcp"],
        "streams": [1],
    },
    "repetition": {"trials": 2, "rounds": 6},
}


def _measure(point: dict[str, Any]) -> Values:
    if point["encapsulation"] == "vxlan" and point["path"] == "node-pod":
        return {}
    slow = point["encapsulation"] == "vxlan" and point["path"] == "pod-pod"
    retransmits = ((0.0, 0.0), (1.0, 0.0), (0.0, 2.0), (0.0, 0.0), (0.0, 1.0), (0.0, 0.0))
    return {
        ("throughput", ""): around(8e9 if slow else 1e10),
        ("retransmits", ""): retransmits,
        ("node_cpu", "client"): around(0.5),
    }


def example_run() -> MeasuredRun:
    return measured_run(SPEC, _measure)


def run_of_one_mode() -> MeasuredRun:
    """Nothing was measured with vxlan."""
    return measured_run(
        SPEC, lambda point: {} if point["encapsulation"] == "vxlan" else _measure(point)
    )


def run_report() -> RunReport:
    found = example_run()
    counts: list[Any] = []
    for case in found.cases:
        if case.reason:
            message = "-2 iperf3: error | no route"
            counts.append((case.id, TrialStatus.FAILED, "tool_failed", 12, message))
        else:
            counts.append((case.id, TrialStatus.COUNTED, None, 12, None))
        counts.append((case.id, TrialStatus.WARMUP, None, 1, None))
    overheads = [
        (case.id, 1, 100 * case.id + n, 0.2 + (10 * case.id + n) / 100)
        for case in found.cases
        if not case.reason
        for n in range(6)
    ]
    return assemble(found, counts, overheads, lambda _: {})


def comparison(found: MeasuredRun | None = None) -> Comparison:
    found = found or example_run()
    sides = [
        choose_cases(Side(found.run.id, where={"encapsulation": value}), found, [])
        for value in ("host-gw", "vxlan")
    ]
    return Comparison(
        id=uuid.UUID(int=9),
        created_at=MOMENT,
        kind="throughput",
        metrics="all",
        noise_threshold=0.03,
        alpha=0.05,
        method_version=METHOD_VERSION,
        baseline=compared_run(sides[0]),
        contenders=[compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)],
        axis_facts=axis_facts(kind_of(found.spec).axes, found.spec.matrix),
    )

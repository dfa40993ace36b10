"""A run of pairs of nodes: each is measured, and what is gone is why its own trials fail."""

from typing import Any

import pytest

from podmeter.domain.run import CaseStatus, Outcome

from ..bench import SPEC, Bench

pytestmark = pytest.mark.services


def pairs(*values: str) -> dict[str, Any]:
    return {**SPEC, "axes": {**SPEC["axes"], "path": ["pod-pod"], "node_pair": list(values)}}


def test_each_pair_is_a_case_with_its_own_nodes(bench: Bench) -> None:
    run_id = bench.new_run(pairs("n1~n2", "n2~n1"))
    assert bench.lead(run_id)
    assert (bench.run(run_id).outcome, bench.run(run_id).reason) == (Outcome.SUCCEEDED, "")
    placed = {
        case.point["node_pair"]: (case.placement["client_node"], case.placement["server_node"])
        for case in bench.cases(run_id)
        if case.placement is not None
    }
    assert placed == {"n1~n2": ("n1", "n2"), "n2~n1": ("n2", "n1")}
    assert bench.cluster.is_clean


def test_a_node_that_is_gone_since_the_start_leaves_the_others_measured(bench: Bench) -> None:
    run_id = bench.new_run(pairs("n1~n2", "n1~gone", "gone~n2"))
    assert bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    by_pair = {case.point["node_pair"]: case for case in bench.cases(run_id)}
    assert by_pair["n1~n2"].status is CaseStatus.SUCCEEDED
    for pair in ("n1~gone", "gone~n2"):
        assert by_pair[pair].status is CaseStatus.FAILED
        assert by_pair[pair].placement is not None
    failed = [trial for trial in bench.trials(run_id) if trial.failure_code]
    assert len(failed) == 6
    assert {str(trial.failure_message) for trial in failed} == {
        "node gone cannot run measuring pods; available nodes: n1, n2"
    }
    assert bench.cluster.is_clean

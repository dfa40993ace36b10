"""A run whose pair of nodes changes by round: where its trials run, and what it says of pairs."""

import uuid
from collections import Counter
from typing import Any

import pytest

from podmeter.db.models import Cluster
from podmeter.domain.cluster_report import ClusterReport, NodeReport
from podmeter.domain.experiment import FROZEN
from podmeter.domain.run import Outcome, Reopening
from podmeter.services.exports import results_table
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.run_results.figures import MEDIAN
from podmeter.services.run_results.link_rows import links_of
from podmeter.services.summaries.document import Finding, RunReport
from podmeter.services.summaries.report import run_report
from podmeter.services.work import work_with

from ..bench import SPEC, SWITCHING, Bench

pytestmark = pytest.mark.services
NODES = ("n1", "n2", "n3")
PAIRS = {f"{one}~{other}" for one in NODES for other in NODES if one != other}


def rotating(spec: dict[str, Any], rounds: int = 12) -> dict[str, Any]:
    return {
        **spec,
        "axes": {**spec["axes"], "path": ["pod-pod"], "node_pair": ["rotate"]},
        "repetition": {**spec["repetition"], "rounds": rounds, "trials": 1, "warmup": 0},
    }


def start(bench: Bench, spec: dict[str, Any], **slow: float) -> uuid.UUID:
    """A run on three nodes, some of which send at a share of the others' rate."""
    cluster_id = bench.add_cluster(f"c-{uuid.uuid4()}")
    common = dict.fromkeys(("architecture", "kernel", "os", "cpus"), "4")
    nodes = [NodeReport(name=name, address=None, why_unfit=None, **common) for name in NODES]
    report = ClusterReport(kubernetes_version="v1.34.4", nodes=nodes, rights={})
    with bench.sessions.begin() as session:
        row = session.get_one(Cluster, cluster_id)
        row.capabilities = report.model_dump(mode="json")
    with bench.cluster.change() as state:
        state["nodes"], state["slow"] = list(NODES), slow
    return bench.start_run(cluster_id, spec)


def pairs_by_round(bench: Bench, run_id: uuid.UUID) -> dict[int, set[str]]:
    """The pairs that trials recorded, which are those that their ends sat on."""
    found: dict[int, set[str]] = {}
    for trial in bench.trials(run_id):
        client = trial.facts["client"].rpartition(" on ")[2]
        server = trial.facts["server"].rpartition(" on ")[2].partition(" at ")[0]
        assert trial.facts["node_pair"] == f"{client}~{server}"
        found.setdefault(trial.round, set()).add(trial.facts["node_pair"])
    return found


def report_of(bench: Bench, run_id: uuid.UUID) -> RunReport:
    with work_with(bench.sessions, bench.queue) as work:
        return run_report(work, bench.owner, run_id)


def about_pairs(report: RunReport) -> list[Finding]:
    return [one for one in report.findings if links_of(getattr(one.evidence, "rows", []))]


def test_each_round_is_on_another_pair_and_the_slow_node_is_named(bench: Bench) -> None:
    run_id = start(bench, rotating(SPEC), n3=1 / 3)
    assert bench.lead(run_id)
    assert (bench.run(run_id).outcome, bench.run(run_id).reason) == (Outcome.SUCCEEDED, "")
    taken = pairs_by_round(bench, run_id)
    assert Counter(pair for (pair,) in taken.values()) == dict.fromkeys(PAIRS, 2)
    (case,) = bench.cases(run_id)
    assert case.point == {"path": "pod-pod", "protocol": "tcp", "streams": 1}
    assert case.placement == {"client_node": "n1, n2, n3", "server_node": "n1, n2, n3", "nic": None}
    assert bench.cluster.is_clean

    report = report_of(bench, run_id)
    (finding,) = about_pairs(report)
    links = links_of(finding.evidence.rows)  # type: ignore[union-attr]
    assert links is not None
    assert (links.apart.text("what"), links.apart.text("shared")) == ("from_node", "n3")
    assert "The links from n3 are slower in pod→pod throughput" in str(finding)
    assert "It widens" in str(finding) or "They widen the interval" in str(finding)
    assert report.headline is not None
    assert report.headline.sentences[0].code == "slow_pairs"
    main = next(r for r in report.summaries if r.code == MEDIAN and r.parameters["main"])
    # The slow pairs are inside of the interval, which the other pairs alone would not have.
    slow = links.median.value
    assert slow is not None
    assert main.low is not None
    assert main.high is not None
    assert main.low <= slow <= main.high
    assert slow < 0.4 * main.high
    expected = [next(iter(taken[round_])) for round_ in range(1, 13)]
    assert main.parameters["round_node_pairs"] == expected


def test_modes_are_compared_within_a_round_on_its_pair(bench: Bench) -> None:
    run_id = start(bench, rotating(SWITCHING), n3=1 / 3)
    assert bench.lead(run_id)
    taken = pairs_by_round(bench, run_id)
    assert all(len(pairs) == 1 for pairs in taken.values())
    assert {len(bench.trials(run_id)) / 24, len(taken) / 12} == {1.0}
    report = report_of(bench, run_id)
    (effect,) = [
        effect
        for finding in report.findings
        for effect in effects_of(getattr(finding.evidence, "rows", []))
        if effect.main and effect.key.metric == "throughput"
    ]
    # Both modes are as slow from n3, so that no mode is.
    assert effect.verdict == "same"
    assert effect.node_pairs == sorted(PAIRS)
    texts = [str(finding) for finding in report.findings]
    assert any("over 6 node pairs" in text for text in texts)


def test_a_resumed_run_keeps_the_sequence(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 5:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = steps
    run_id = start(bench, rotating(SPEC, rounds=6))
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    with bench.cluster.change() as state:
        # A node that joins meanwhile is in no pair of the run.
        state["nodes"] = [*NODES, "n4"]
    bench.stopping.clear()
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RESUME)
    assert bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    spec = FROZEN.read(bench.run(run_id).spec)
    taken = pairs_by_round(bench, run_id)
    assert taken == {round_: {spec.node_pair(round_)} for round_ in range(1, 7)}
    assert set().union(*taken.values()) == PAIRS


def test_each_row_has_its_rounds_pair(bench: Bench) -> None:
    run_id = start(bench, rotating(SPEC, rounds=6))
    assert bench.lead(run_id)
    taken = pairs_by_round(bench, run_id)
    with work_with(bench.sessions, bench.queue) as work:
        table = results_table.of_run(work, bench.owner, run_id)
        rows = list(table.rows)
    assert set(table.axes["node_pair"]) == PAIRS
    assert rows
    assert all({row.on("node_pair")} == taken[row.round] for row in rows)

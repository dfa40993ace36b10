"""Pairs of nodes of throughput and transport, on the fake lab."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bench.scripted.lab import FakeLab

from podmeter.domain.axes import NODE_PAIR_AXIS
from podmeter.domain.errors import InvalidSpecError, LabError, PreconditionError
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.node_pairs import KnownNode
from podmeter.domain.ports import Access
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import (
    KINDS,
    cases_of,
    pairs_left_open,
    plan,
    read_spec,
    resolve,
    why_not_measured,
    with_pairs,
)

NODES = ("n1", "n2", "n3")
#: A run's frozen spec as it was stored before there were pairs.
STORED = Path(__file__).parents[1] / "fixtures" / "stored_spec_without_pairs.json"


#: The kinds that measure pairs of nodes, and of each the values of its axes that make one case.
PAIRED = [name for name, kind in KINDS.items() if NODE_PAIR_AXIS in kind.axes]
ONE_CASE = {
    "throughput": {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "transport": {"path": ["pod-pod"], "qperf_test": ["tcp_lat"]},
}


def document(kind="throughput", pairs=("all",), **axes):
    assert kind in ONE_CASE, f"{kind} measures pairs of nodes: add its axes to ONE_CASE"
    return {
        "name": "x",
        "kind": kind,
        "axes": ONE_CASE[kind] | axes | {"node_pair": list(pairs)},
        # What qperf once printed lasted a second.
        "parameters": {"tcp_lat_seconds": 1} if kind == "transport" else {},
        "repetition": {"seconds": 3, "trials": 1, "rounds": 1, "warmup": 0},
    }


def spec(kind="throughput", pairs=("all",), nodes=NODES, **axes):
    read = resolve(read_spec(document(kind, pairs, **axes)))
    return with_pairs(read, [KnownNode(name) for name in nodes])


@dataclass
class ManyNodes(FakeLab):
    """`dead` nodes are listed, and no pod comes up there; `deaf` addresses are never reached."""

    node_names: tuple = NODES
    dead: tuple = ()
    deaf: tuple = ()
    started: list = field(default_factory=list)

    def start_pods(self, requests):
        dead = [one.node for one in requests if one.node in self.dead]
        if dead:
            raise LabError(f"no pod comes up on {dead[0]}")
        self.started += requests
        return super().start_pods(requests)

    def execute(self, place, argv, *, timeout_seconds):
        if set(self.deaf) & set(argv) and ("--bytes" in argv or argv[-1] == "conf"):
            self.now += 1
            raise LabError("no answer") if argv[0] == "qperf" else PreconditionError("refused")
        return super().execute(place, argv, timeout_seconds=timeout_seconds)


def run(lab, experiment):
    kind = KINDS[experiment.kind]
    (block,) = plan(experiment)
    with kind.prepared(lab, experiment, block) as prepared:
        return {
            trial.case.text("node_pair"): (
                prepared.placement(trial.case),
                prepared.run_trial(trial),
            )
            for trial in block.trials
        }


@pytest.mark.parametrize("kind", PAIRED)
@pytest.mark.parametrize("path", ["pod-pod", "node-node"])
def test_every_pair_is_measured_between_its_two_nodes_by_one_pod_of_a_role_on_each(kind, path):
    lab = ManyNodes()
    reports = run(lab, spec(kind, path=[path]))
    assert len(reports) == 6
    for pair, (placement, report) in reports.items():
        assert report.status is TrialStatus.COUNTED, report.failure
        assert f"{placement.client_node}~{placement.server_node}" == pair
        facts = dict(report.facts)
        assert facts["client"].endswith(f" on {placement.client_node}")
        assert f" on {placement.server_node} at " in facts["server"]
    access = Access.POD if path == "pod-pod" else Access.HOST
    assert sorted((one.node, one.access) for one in lab.started) == [
        (node, access) for node in NODES for _ in range(2)
    ]
    assert not lab.places


def test_a_pair_goes_through_a_service_of_its_servers_own_node():
    lab = ManyNodes()
    reports = run(lab, spec(path=["pod-service-pod"], pairs=["n1~n2", "n3~n2", "n2~n1"]))
    assert all(report.status is TrialStatus.COUNTED for _, report in reports.values())
    assert len(lab.batches) == 2
    assert all(len(batch.backend_addresses) == 1 for batch in lab.batches)
    assert not lab.services


def test_a_path_that_stays_on_one_node_and_the_split_over_replicas_are_no_pairs():
    throughput = spec(path=["pod-pod", "pod-pod-same-node"], nodes=("n1", "n2"))
    assert {case.text("path") for case in cases_of(throughput)} == {"pod-pod"}
    qperf = spec("transport", path=["pod-service-pod"], qperf_test=["tcp_lat", "conf"])
    assert {case.text("qperf_test") for case in cases_of(qperf)} == {"tcp_lat"}
    with pytest.raises(InvalidSpecError):
        read_spec(document(path=["pod-pod-same-node"]))


def test_a_node_that_vanished_is_why_its_own_trials_fail():
    lab = ManyNodes(node_names=("n1", "n3"))
    reports = run(lab, spec())
    for pair, (placement, report) in reports.items():
        if "n2" in pair:
            assert report.status is TrialStatus.FAILED
            assert report.failure.message.code == "no_such_node"
            assert f"{placement.client_node}~{placement.server_node}" == pair
        else:
            assert report.status is TrialStatus.COUNTED, report.failure


def test_a_node_where_no_pod_comes_up_keeps_none_of_the_others_from_being_measured():
    lab = ManyNodes(dead=("n3",))
    reports = run(lab, spec("transport"))
    failed = {pair for pair, (_, one) in reports.items() if one.status is TrialStatus.FAILED}
    assert failed == {pair for pair in reports if "n3" in pair}
    assert "no pod comes up on n3" in reports["n1~n3"][1].failure.message
    assert not lab.places


@pytest.mark.parametrize("kind", PAIRED)
def test_a_link_that_carries_nothing_is_waited_for_once_and_told_of_its_own_trials(kind):
    lab = ManyNodes(deaf=("192.168.0.2",))
    reports = run(lab, spec(kind, path=["node-node"]))
    failed = {pair for pair, (_, one) in reports.items() if one.status is TrialStatus.FAILED}
    assert failed == {"n1~n2", "n3~n2"}


def test_where_no_pair_is_there_the_block_says_why():
    experiment = spec(pairs=["n1~n2"])
    with pytest.raises(PreconditionError, match="n2"):
        run(ManyNodes(node_names=("n1",)), experiment)
    with pytest.raises(LabError, match="no pod comes up"):
        run(ManyNodes(dead=("n1", "n2")), experiment)


def test_pairs_that_are_left_open_are_named_from_the_clusters_nodes_and_no_others():
    read = resolve(read_spec(document(pairs=["sample-2"])))
    assert pairs_left_open(read) == "sample-2"
    found = spec(pairs=["sample-2"])
    assert pairs_left_open(found) is None
    assert len(found.matrix["node_pair"]) == len(cases_of(found)) == 2
    # What was frozen is whole when it is read again, and says the same by itself.
    again = ResolvedSpec.model_validate_json(found.model_dump_json())
    assert with_pairs(again, []) == found
    assert why_not_measured(again) is None


def test_too_many_pairs_for_the_matrix_are_refused_with_what_fits():
    nodes = [KnownNode(f"n{number}") for number in range(50)]
    read = resolve(read_spec(document(path=["pod-pod", "node-node"])))
    with pytest.raises(InvalidSpecError, match="at most 1000 fit into a run"):
        with_pairs(read, nodes)


def test_pairs_of_several_clusters_are_not_left_open():
    with pytest.raises(InvalidSpecError, match="one cluster per run"):
        read_spec(document(cluster=["one", "two"]))
    assert read_spec(document(pairs=["n1~n2"], cluster=["one", "two"]))


def test_a_repeated_run_names_as_many_pairs_as_it_has_and_other_axes_no_more():
    pairs = [f"n{one}~m{one}" for one in range(400)]
    assert len(resolve(read_spec(document(pairs=pairs))).matrix["node_pair"]) == 400
    with pytest.raises(InvalidSpecError, match="1 to 50 values"):
        read_spec(document(pairs=["n1~n2"], streams=list(range(1, 52))))


def test_a_spec_that_was_stored_before_there_were_pairs_is_measured_as_it_was():
    before = ResolvedSpec.model_validate(json.loads(STORED.read_text()))
    # TCP can have a rate since version 3 of the kind; 0 measures the same as before.
    paced = {**before.parameters, "tcp_bits_per_second": 0}
    stored = before.model_copy(update={"kind_version": 3, "parameters": paced})
    assert [case.key for case in cases_of(before)] == [case.key for case in cases_of(stored)]
    written = {
        "name": "six paths",
        "kind": "throughput",
        "axes": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1, 8]},
        "repetition": {"rounds": 2},
    }
    assert resolve(read_spec(written)) == stored
    one = {**written, "axes": {**written["axes"], "node_pair": ["one"]}}
    assert resolve(read_spec(one)) == stored
    assert why_not_measured(stored) is None
    assert [case.key for case in cases_of(stored)] == [
        f"path={path},protocol=tcp,streams={streams}"
        for path in ("node-node", "pod-pod")
        for streams in (1, 8)
    ]
    lab = FakeLab()
    block = plan(stored)[0]
    with KINDS["throughput"].prepared(lab, stored, block) as prepared:
        assert sorted(lab.places) == [
            f"pm-ab12cd-{role}" for role in ("client", "client-host", "server", "server-host")
        ]
        assert prepared.placement(block.cases[0]).server_node == "n2"

"""Modes of kube-proxy side by side: each on a client's and a backend's node of its own."""

from dataclasses import dataclass, field, replace

import pytest
from bench.scripted.lab import FakeLab
from bench.scripted.tools import BACKENDS

from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.fingerprint import Placement
from podmeter.domain.planning import nodes_of_seat
from podmeter.domain.trial import TrialStatus
from podmeter.drivers.netfilter.backend import PROBE_ARGV
from podmeter.kinds.measured_nodes import measured_nodes, seats
from podmeter.kinds.registry import plan, rests_on_one_seating
from podmeter.kinds.switch_outage import assumed_sync
from podmeter.services.experiments.mode_changes import switching_blocks
from podmeter.services.experiments.pace import Pace

from .service_scale_runs import KIND, spec

MODES = {"kube_proxy_mode": ["iptables", "nftables"]}
#: Those that are in the modes: the clients', then the backends'.
NODES = ("n1", "n2", "n3", "n4")
OF_BEFORE = {"services_stay": True, "rung_by_rung": True, "assignment": "side_by_side"}
BESIDE = {"assignment": "side_by_side"}


@dataclass
class FiveNodes(FakeLab):
    """Each node's kernel is in a mode of its own; the fifth one's is its owner's."""

    node_names: tuple = ("n1", "n2", "n3", "n4", "n5")
    modes: dict = field(default_factory=lambda: {"n5": "iptables"})
    probe_limits: set = field(default_factory=set)

    def execute(self, place, argv, *, timeout_seconds):
        if argv == PROBE_ARGV:
            self.probe_limits.add(timeout_seconds)
        self.backend = BACKENDS[self.modes.get(place.node, "iptables")]
        return super().execute(place, argv, timeout_seconds=timeout_seconds)


@pytest.fixture
def lab():
    return FiveNodes()


def beside(parameters=None, rounds=2, **axes):
    given = MODES | {"probe": ["qps"]} | axes
    given = {axis: values for axis, values in given.items() if values is not None}
    experiment = spec(BESIDE | (parameters or {}), **given)
    repetition = experiment.repetition.model_copy(update={"rounds": rounds})
    return experiment.model_copy(update={"repetition": repetition})


def modes_of(block):
    return [dict(modes)["kube_proxy_mode"] for modes in block.seating]


def assign(lab, block):
    """Have the nodes in the block's modes, as the worker does."""
    lab.modes |= {
        node: mode
        for seat, mode in enumerate(modes_of(block))
        for node in nodes_of_seat(NODES, seat)
    }


def walk(lab, experiment, check=lambda block, reports: None):
    blocks = [block.of_kind for block in plan(experiment)]
    for block in blocks:
        assign(lab, block)
        followed = replace(block, followed=block.index < len(blocks) - 1)
        with KIND.prepared(lab, experiment, followed) as prepared:
            reports = [prepared.run_trial(trial) for trial in block.trials]
            check(block, reports)


def test_a_look_at_the_modes_is_given_longer_the_more_services_there_may_be(lab):
    """All rungs may stand when a block begins."""
    walk(lab, beside({"ports_per_service": 100}, services=[10, 2_000]))
    assert min(lab.probe_limits) >= 120 + 2_000 / 50


def test_client_and_backend_are_on_nodes_that_have_the_mode(lab):
    """A new connection passes the rules of both."""
    met, targets = [], set()

    def check(block, reports):
        mode = dict(block.modes)["kube_proxy_mode"]
        client = next(p for name, p in lab.places.items() if name.endswith("-client"))
        seat = block.seat
        backend = next(p for n, p in lab.places.items() if n.endswith(f"-backend-{seat + 1}"))
        assert (client.node, backend.node) == nodes_of_seat(NODES, seat)
        assert lab.modes[client.node] == lab.modes[backend.node] == mode
        for report in reports:
            assert report.status is TrialStatus.COUNTED, report.failure
            facts = dict(report.facts)
            assert facts["backend"] == BACKENDS[mode]
            assert facts["node_modes"] == ", ".join(
                f"{node}: {lab.modes[node]}" for node in ("n1", "n3", "n2", "n4")
            )
            asked = lab.services.get(facts["service"].split(" at ")[0])
            if asked is not None:
                assert lab.endpoints[asked.cluster_ip] == (backend.address,)
                targets.add(facts["service"])
        met.append((mode, client.node))

    walk(lab, beside(rounds=4), check)
    # The first Service of either backend, and the last one of both rungs.
    assert len(targets) == 6
    # Each mode was on either pair of nodes, and Services were created once.
    assert set(met) == {(mode, node) for mode in ("iptables", "nftables") for node in ("n1", "n2")}
    assert [len(batch.names) for batch in lab.batches] == [10, 30]


def test_the_lowest_rung_has_a_service_for_each_backend(lab):
    stood, backends = [], []

    def check(block, reports):
        services = lab.services.values()
        stood.append([len(one.ports) for one in services])
        backends[:] = [lab.endpoints[one.cluster_ip] for one in services]

    walk(lab, beside({"ports_per_service": 100}, rounds=1, services=[10, 250]), check)
    assert stood == [[5, 5], [5, 5], [5, 5, 100, 100, 40], [5, 5, 100, 100, 40]]
    first, second = backends[:2]
    assert first != second
    assert backends == [first, second, first, second, first]


def test_a_case_is_of_all_nodes_that_it_comes_to(lab):
    experiment = beside(rounds=1)
    placed = []
    for block in plan(experiment):
        assign(lab, block)
        with KIND.prepared(lab, experiment, block) as prepared:
            placed += [prepared.placement(case) for case in block.cases]
    assert {(one.client_node, one.server_node) for one in placed} == {("n1, n2", "n3, n4")}
    assert all(isinstance(one, Placement) for one in placed)


def test_a_mode_that_somebody_changes_between_trials_makes_the_next_one_void(lab):
    experiment = beside(rounds=1)
    block = plan(experiment)[0]
    assign(lab, block)
    with KIND.prepared(lab, experiment, block) as prepared:
        first, second, *_ = block.trials
        assert prepared.run_trial(first).status is TrialStatus.COUNTED
        other = nodes_of_seat(NODES, 1 - block.seat)[1]
        lab.modes[other] = dict(block.modes)["kube_proxy_mode"]
        report = prepared.run_trial(second)
    assert report.status is TrialStatus.VOID
    assert report.failure.message.startswith(f"{other}: ")


def test_a_rung_is_waited_for_on_every_node(lab):
    """The other mode's node too, whose kube-proxy would still be busy on a shared machine."""
    experiment = beside(rounds=1)
    block = plan(experiment)[0]
    assign(lab, block)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.commands.clear()
        prepared.run_trial(block.trials[0])
    asked = {place for place, argv in lab.commands if place.startswith("shell-")}
    assert asked == {f"shell-{number}" for number in range(5)}


def slots(height, rounds=12):
    blocks = plan(beside(rounds=rounds, services=[height]))
    return {block.round: tuple(modes_of(block)) for block in blocks}


def test_nodes_swap_modes_as_often_as_a_full_sync_fits():
    small, medium, large = (slots(height) for height in (1000, 5000, 10_000))
    for found in (small, medium):
        for mode in ("iptables", "nftables"):
            # As many rounds on either node, also of the six that decide at least.
            for rounds in (6, 12):
                on_first = sum(found[round_][0] == mode for round_ in range(1, rounds + 1))
                assert on_first == rounds / 2
    assert [medium[round_] == medium[1] for round_ in range(1, 7)] == [True] * 3 + [False] * 3
    assert len(set(large.values())) == 1


@pytest.mark.parametrize("height", [1000, 5000])
@pytest.mark.parametrize("rounds", [2, 3, 4, 5])
def test_a_run_of_few_rounds_swaps_too(height, rounds):
    found = slots(height, rounds)
    assert len(set(found.values())) == 2
    experiment = beside(rounds=rounds)
    assert not rests_on_one_seating(experiment, {"services": height}, rounds)
    # A stored run of before did not: its nodes kept their modes for three rounds.
    stored = experiment.model_copy(update={"kind_version": 11, "parameters": OF_BEFORE})
    swapped = not rests_on_one_seating(stored, {"services": height}, rounds)
    assert swapped == (height == 1000 or rounds > 3)


def test_the_seed_decides_which_node_begins():
    def first(seed):
        experiment = beside(services=[10_000])
        repetition = experiment.repetition.model_copy(update={"seed": seed})
        return tuple(modes_of(plan(experiment.model_copy(update={"repetition": repetition}))[0]))

    assert len({first(seed) for seed in range(8)}) == 2


def test_both_blocks_of_a_round_have_one_seating():
    for block in plan(beside(rounds=6, services=[10, 1000, 6000])):
        assert block.seating[block.seat] == block.modes
        assert len(set(block.seating)) == 2


def test_only_swaps_are_switches():
    blocks = plan(beside(rounds=6, services=[10_000, 20_000]))
    assert [block.index for block in switching_blocks(blocks)] == [0]
    blocks = plan(beside(rounds=6, services=[5000]))
    assert [block.round for block in switching_blocks(blocks)] == [1, 4]
    assert len(switching_blocks(plan(beside({"assignment": "switched"}, rounds=6)))) == 24


def test_the_plan_counts_a_full_sync_of_each_swap_alone():
    def seconds(assignment):
        experiment = beside({"assignment": assignment}, rounds=6, services=[20_000])
        blocks = Pace().reckoning.of_blocks(experiment, plan(experiment))
        return [sum(getattr(one, part) for one in blocks) for part in ("measuring", "switching")]

    (measuring, switched), (same, beginning) = seconds("switched"), seconds("side_by_side")
    assert measuring == same
    # The first switch comes before the climb.
    assert beginning == Pace().switch_seconds
    assert switched == pytest.approx(12 * beginning + 11 * assumed_sync(20_000))


@pytest.mark.parametrize(
    ("height", "rounds", "one"),
    [(1000, 1, True), (1000, 2, False), (5000, 3, True), (5000, 6, False), (10_000, 60, True)],
)
def test_a_rung_without_a_swap_rests_on_one_assignment(height, rounds, one):
    assert rests_on_one_seating(beside(rounds=60), {"services": height}, rounds) is one
    assert not rests_on_one_seating(beside({"assignment": "switched"}), {"services": height}, 1)


def test_each_mode_takes_two_nodes_and_the_others_are_spared(lab):
    nodes = lab.nodes()
    assert seats(beside(), nodes) == NODES
    assert measured_nodes(beside(), nodes) == set(NODES)
    assert seats(beside({"assignment": "switched"}), nodes) == ()
    with pytest.raises(PreconditionError) as few:
        seats(beside(), nodes[:3])
    assert few.value.said.code == "seats_needed"


@pytest.mark.parametrize(
    ("parameters", "axes", "code"),
    [
        ({}, {"kube_proxy_mode": None}, "beside_needs_mode"),
        ({}, {"encapsulation": ["host-gw", "vxlan"]}, "beside_recreates"),
        ({}, {"service_type": ["ClusterIP", "NodePort"]}, "beside_needs_one"),
        ({"client_node": "n1"}, {}, "beside_places_ends"),
        ({"backend_node": "n1"}, {}, "beside_places_ends"),
        ({}, {"services": [1, 10]}, "beside_lowest_rung"),
        ({"mode_switch_from": 10}, {}, "beside_switches_nothing"),
        ({}, {"client": ["outside"], "service_type": ["NodePort"]}, "beside_excludes"),
    ],
)
def test_what_excludes_it_is_said(parameters, axes, code):
    with pytest.raises(InvalidSpecError) as refused:
        beside(parameters, **axes)
    assert code in [problem.message.code for problem in refused.value.problems]

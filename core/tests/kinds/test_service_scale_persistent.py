"""Services that stay while kube-proxy's mode is switched, from block to block."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from podmeter.domain.errors import InvalidSpecError, RunCancelledError
from podmeter.domain.ports import Access, ExecTarget
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import cases_of, plan
from podmeter.kinds.service_scale.persistent_services import share_measured

from .service_scale_runs import KIND, spec

MODES = {"kube_proxy_mode": ["iptables", "nftables"]}
THREE = ["iptables", "nftables", "ipvs"]
STAY = {"services_stay": True}
BACKENDS = {"iptables": "iptables-nft", "nftables": "nftables"}


def staying(parameters=None, rounds=2, **axes):
    experiment = spec(STAY | (parameters or {}), **(MODES | {"probe": ["qps"]} | axes))
    repetition = experiment.repetition.model_copy(update={"rounds": rounds})
    return experiment.model_copy(update={"repetition": repetition})


def blocks_of(experiment):
    found = [block.of_kind for block in plan(experiment)]
    last = len(found) - 1
    return [replace(block, followed=block.index < last) for block in found]


def walk(lab, experiment, blocks, after=lambda block: None):
    """Run blocks one after another; every trial counts."""
    for block in blocks:
        lab.backend = BACKENDS[dict(block.modes)["kube_proxy_mode"]]
        with KIND.prepared(lab, experiment, block) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
        after(block)


def created(lab):
    return [len(batch.names) for batch in lab.batches]


def test_the_ladder_is_climbed_in_every_second_block_alone(lab):
    experiment = staying()
    stood, pods = [], []

    def look(block):
        stood.append(len(lab.services))
        pods.append(tuple(lab.places.values()))

    walk(lab, experiment, blocks_of(experiment), look)
    assert stood == [40, 10, 40, 0]
    assert created(lab) == [10, 30, 30]
    # The same pods serve all of them, and go with the last block.
    assert len(set(pods[:-1])) == 1
    assert pods[-1] == ()


def test_rung_by_rung_the_ladder_is_climbed_once(lab):
    experiment = staying({"rung_by_rung": True})
    stood, backends = [], []

    def look(block):
        stood.append(len(lab.services))
        backends.append(tuple(lab.places.values()))

    blocks = blocks_of(experiment)
    walk(lab, experiment, blocks, look)
    assert stood == [10, 10, 10, 10, 40, 40, 40, 0]
    # Each block has a client of its own, and all of them the backend that the Services lead to.
    assert [len(places) for places in backends] == [1] * 7 + [0]
    assert len(set(backends[:-1])) == 1
    assert created(lab) == [10, 30]
    assert [dict(block.modes)["services"] for block in blocks] == [10] * 4 + [40] * 4


def test_the_way_to_a_rung_is_the_clusters_time(lab, monkeypatch):
    """As in IPVS mode, where it takes minutes: none of them is Podmeter's overhead."""
    create = lab.create_services

    def slowly(batch, progress=None):
        lab.now += 900
        return create(batch, progress)

    monkeypatch.setattr(lab, "create_services", slowly)
    experiment = staying({"rung_by_rung": True}, rounds=1)
    waited = []
    for block in blocks_of(experiment):
        lab.backend = BACKENDS[dict(block.modes)["kube_proxy_mode"]]
        with KIND.prepared(lab, experiment, block) as prepared:
            reports = [prepared.run_trial(trial) for trial in block.trials]
        assert not any("way_to_rung" in dict(report.facts) for report in reports[1:])
        first, *others = (report.waited_seconds for report in reports)
        assert set(others) == {0}
        waited.append(first > 900)
        if first:
            assert dict(reports[0].facts)["way_to_rung"] == f"{first:.1f} s"
        assert all(report.seconds - report.waited_seconds < 60 for report in reports)
    assert waited == [True, False, True, False]


def test_rung_by_rung_is_of_services_that_stay():
    with pytest.raises(InvalidSpecError) as refused:
        spec({"rung_by_rung": True}, probe=["qps"], **MODES)
    (problem,) = refused.value.problems
    assert problem.pointer == "/parameters/rung_by_rung"
    assert "also set services_stay" in problem.message


def test_rung_by_rung_the_plan_takes_the_way_once():
    def way(rounds, **given):
        experiment = staying(given, rounds, services=[10, 1000, 5000], kube_proxy_mode=THREE)
        blocks = [block.of_kind for block in plan(experiment)]
        steps = sum(len(dict.fromkeys(t.case.number("services") for t in b.trials)) for b in blocks)
        return sum(KIND.block_seconds(experiment, block) for block in blocks) - 2 * steps

    syncs = 3 * sum(1.0e-6 * rung**2 for rung in (10, 1000, 5000))
    up = way(1, rung_by_rung=True) - syncs
    assert up > 60
    # Each further round writes the rules of each rung in each mode, and climbs nowhere.
    assert way(2, rung_by_rung=True) == pytest.approx(up + 2 * syncs, rel=0.01)
    # Three modes walk it twice up and once down, and the other way round.
    assert way(2) == pytest.approx(4.5 * up, rel=0.01)


def test_rungs_that_are_not_measured_yet_belong_to_the_family():
    once = staying({"rung_by_rung": True}, services=[10, 20, 40])
    some = [{"services": 10, "target": "pod"}, {"services": 10}, {"services": 40}]
    assert share_measured(once, some) == Fraction(2, 3)
    assert share_measured(once, []) == share_measured(staying(), some[:1]) == 1


def test_without_it_every_block_begins_on_the_ground(lab):
    experiment = staying({"services_stay": False}, probe=["climb", "qps"])
    walk(lab, experiment, blocks_of(experiment), lambda block: lab.services or lab.places)
    assert created(lab) == [10, 30] * 4


def test_services_of_a_backend_that_is_gone_are_made_anew(lab):
    experiment = staying()
    first, second, *_ = blocks_of(experiment)

    def lose_the_backend(block):
        name = next(name for name in lab.places if name.endswith("-backend"))
        address = lab.places.pop(name).address
        # Its successor gets another address.
        lab.places["another"] = ExecTarget("another", "10.244.0.99", "n1", Access.POD)
        assert (address,) in lab.endpoints.values()

    walk(lab, experiment, [first], lose_the_backend)
    walk(lab, experiment, [second])
    assert created(lab) == [10, 30, 40]
    (backend,) = [one for name, one in lab.places.items() if name.endswith("-backend")]
    assert {lab.endpoints[one.cluster_ip] for one in lab.services.values()} == {(backend.address,)}


def test_what_stands_above_a_gap_is_made_anew(lab):
    experiment = staying()
    first, second, *_ = blocks_of(experiment)
    walk(lab, experiment, [first], lambda block: lab.services.pop("pm-ab12cd-00019"))
    walk(lab, experiment, [second])
    assert created(lab) == [10, 30, 21]
    assert len(lab.services) == 10


def test_a_block_that_fails_leaves_nothing(lab):
    experiment = staying()
    first, second, *_ = blocks_of(experiment)
    walk(lab, experiment, [first])
    lab.backend = BACKENDS[dict(second.modes)["kube_proxy_mode"]]
    lab.cancel_on = "ab"
    with (
        pytest.raises(RunCancelledError),
        KIND.prepared(lab, experiment, second) as prepared,
    ):
        prepared.run_trial(second.trials[0])
    assert not lab.services
    assert not lab.places


def test_what_stands_already_needs_no_further_room(fake_lab):
    """A lab's room is the run's: what this run has taken counts as free."""
    lab = fake_lab(free_cluster_ips=40)
    experiment = staying()
    walk(lab, experiment, blocks_of(experiment))


def test_nodes_are_left_nine_tenths_of_their_time_between_looks(fake_lab):
    """Nothing is measured of that wait, and listing many rules takes a slow node long."""

    class Slow(fake_lab):
        def _chain(self, argv):
            self.looked = [*getattr(self, "looked", []), self.now]
            return replace(super()._chain(argv), seconds=2.0)

    lab = Slow()
    experiment = staying({}, rounds=1, kube_proxy_mode=["iptables"])
    walk(lab, experiment, blocks_of(experiment))
    took = [later - one for one, later in pairwise(lab.looked)]
    assert max(took) > 20


def test_neither_the_climb_nor_the_switch_is_a_case():
    experiment = staying(probe=["climb", "qps", "mode-switch"])
    found = [case.get("probe") for case in cases_of(experiment)]
    assert set(found) == {"qps"}
    assert not any(case.sets_up for case in cases_of(experiment))


def test_the_plan_takes_half_the_way():
    def way(**given):
        experiment = staying(given, services=[10, 5000])
        return sum(KIND.block_seconds(experiment, block.of_kind) for block in plan(experiment))

    assert 1.8 < way(services_stay=False) / way() < 2.2


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"kube_proxy_mode": None}, "add the axis kube_proxy_mode"),
        ({"encapsulation": ["host-gw", "vxlan"]}, "cannot be combined with encapsulation"),
        ({"service_type": ["ClusterIP", "NodePort"]}, "give one value of service_type"),
    ],
)
def test_what_it_cannot_be_had_with_is_refused(axes, said):
    given = {axis: values for axis, values in (MODES | axes).items() if values is not None}
    with pytest.raises(InvalidSpecError) as refused:
        spec(STAY, probe=["qps"], **given)
    (problem,) = refused.value.problems
    assert problem.pointer == "/parameters/services_stay"
    assert said in problem.message

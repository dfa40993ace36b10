"""The order of a ladder's rungs: climbed once, its Services used from block to block."""

from dataclasses import replace
from itertools import pairwise

import pytest

from podmeter.domain.errors import InvalidSpecError, RunCancelledError
from podmeter.domain.planning import LadderOrder
from podmeter.domain.ports import Access, ExecTarget
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import cases_of, plan, walk_of
from podmeter.kinds.service_scale.ladder_order import parts_axis

from .service_scale_runs import KIND, spec

MODES = {"kube_proxy_mode": ["iptables", "nftables"]}
THREE = ["iptables", "nftables", "ipvs"]
BACKENDS = {"iptables": "iptables-nft", "nftables": "nftables"}


def ladder(rounds=2, parameters=None, **axes):
    """With two modes, unless given otherwise; an axis of None is left out."""
    given = MODES | {"probe": ["qps"]} | axes
    given = {axis: values for axis, values in given.items() if values is not None}
    experiment = spec(parameters, **given)
    repetition = experiment.repetition.model_copy(update={"rounds": rounds})
    return experiment.model_copy(update={"repetition": repetition})


def blocks_of(experiment):
    found = [block.of_kind for block in plan(experiment)]
    last = len(found) - 1
    return [replace(block, followed=block.index < last) for block in found]


def walk(lab, experiment, blocks, after=lambda block: None):
    """Run blocks one after another; every trial counts."""
    for block in blocks:
        lab.backend = BACKENDS[dict(block.modes).get("kube_proxy_mode", "iptables")]
        with KIND.prepared(lab, experiment, block) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
        after(block)


def created(lab):
    return [len(batch.names) for batch in lab.batches]


@pytest.mark.parametrize(
    ("rounds", "modes"), [(2, ["iptables", "nftables"]), (4, ["iptables"]), (4, None)]
)
def test_the_ladder_is_climbed_once_whether_modes_are_switched_or_not(lab, rounds, modes):
    experiment = ladder(rounds, kube_proxy_mode=modes)
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


def test_a_default_ladder_is_climbed_once():
    """With the probes that nobody named, so that 30,000 Services are created once."""
    found = {case.text("probe") for case in cases_of(ladder(probe=None))}
    assert {"qps", "latency", "service-ready"} <= found
    assert "climb" not in found


def test_a_climb_that_is_measured_is_gone_in_each_block_of_its_rung(lab):
    experiment = ladder(probe=["climb", "qps"])
    stood = []
    walk(lab, experiment, blocks_of(experiment), lambda block: stood.append(len(lab.services)))
    assert stood == [10, 10, 10, 10, 40, 40, 40, 0]
    assert created(lab) == [10] * 4 + [30] * 4


def test_the_way_to_a_rung_is_the_clusters_time(lab, monkeypatch):
    """As in IPVS mode, where it takes minutes: none of them is Podmeter's overhead."""
    create = lab.create_services

    def slowly(batch, progress=None):
        lab.now += 900
        return create(batch, progress)

    monkeypatch.setattr(lab, "create_services", slowly)
    experiment = ladder(rounds=1)
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


def with_the_one_before(experiment):
    blocks = [block.of_kind for block in plan(experiment)]
    return list(pairwise([None, *blocks]))


def seconds_of(experiment):
    found = 0.0
    for before, block in with_the_one_before(experiment):
        climbs = [one.case for one in block.trials if one.case.text("probe") == "climb"]
        found += sum(KIND.trial_seconds(case, experiment) for case in climbs)
        found += KIND.climb_seconds(experiment, block, before)
        found += KIND.block_seconds(experiment, block) - 2
    return found


def test_the_plan_takes_the_way_once():
    def way(rounds, **axes):
        return seconds_of(ladder(rounds, services=[10, 1000, 5000], **axes))

    up = way(1, kube_proxy_mode=None)
    assert up > 60
    # Further rounds and modes climb nowhere; what a switch writes is the time of the switch.
    assert way(6, kube_proxy_mode=None) == pytest.approx(up, rel=0.01)
    assert way(6, kube_proxy_mode=None, arm=["a", "b"]) == pytest.approx(up, rel=0.01)
    assert way(2, kube_proxy_mode=THREE) == pytest.approx(up, rel=0.01)
    # A climb that is measured is gone down and up again for, in each block.
    climbs = way(2, kube_proxy_mode=THREE, probe=["climb"])
    assert climbs == pytest.approx(2 * 3 * 1.5 * up, rel=0.02)


def test_the_block_that_is_first_on_a_rung_climbs():
    experiment = ladder(2, services=[10, 1000, 5000], kube_proxy_mode=THREE)
    pairs = with_the_one_before(experiment)
    climbs = [KIND.climb_seconds(experiment, block, before) for before, block in pairs]
    assert [seconds > 0 for seconds in climbs] == ([True] + 5 * [False]) * 3


def test_creating_is_reckoned_once_but_for_climbs_that_are_measured():
    def creating(**axes):
        experiment = ladder(2, services=[10, 1000, 5000], **axes)
        pairs = with_the_one_before(experiment)
        return sum(KIND.creating_seconds(experiment, block, before) for before, block in pairs)

    once = creating()
    assert once > 60
    assert creating(kube_proxy_mode=None) == pytest.approx(once)
    assert creating(probe=["climb", "qps"]) == pytest.approx(4 * once)


def test_a_ladder_that_is_climbed_once_is_measured_rung_by_rung():
    again = ladder(services=[10, 20, 40], encapsulation=["host-gw", "vxlan"])
    assert parts_axis(ladder(services=[10, 20, 40])) == "services"
    assert parts_axis(again) is None


@pytest.mark.parametrize(
    "axes",
    [
        {"kube_proxy_mode": None, "encapsulation": ["host-gw", "vxlan"]},
        {"kube_proxy_mode": None, "service_type": ["ClusterIP", "NodePort"]},
    ],
)
def test_where_the_next_block_could_use_no_service_each_climbs_the_whole_ladder(lab, axes):
    experiment = ladder(2, probe=["climb"], **axes)
    assert walk_of(experiment) is LadderOrder.RESTART
    walk(lab, experiment, blocks_of(experiment), lambda block: lab.services or lab.places)
    assert created(lab) == [10, 30] * 4
    assert not lab.services


@pytest.mark.parametrize(
    ("parameters", "order"),
    [
        ({}, LadderOrder.RESTART),
        ({"services_stay": False, "rung_by_rung": False}, LadderOrder.RESTART),
        # Blocks that went down as well had all rungs each.
        ({"services_stay": True}, LadderOrder.RESTART),
        ({"services_stay": True, "rung_by_rung": True}, LadderOrder.STEP_BY_STEP),
        (
            {"services_stay": True, "rung_by_rung": True, "assignment": "side_by_side"},
            LadderOrder.SIDE_BY_SIDE,
        ),
    ],
)
def test_a_stored_run_is_read_in_the_order_that_it_asked_for(parameters, order):
    today = ladder(2)
    stored = today.model_copy(
        update={"kind_version": 11, "parameters": today.parameters | parameters}
    )
    assert walk_of(stored) is order
    rungs = {"services" in dict(block.modes) for block in plan(stored)}
    assert rungs == {order.climbs_once}
    assert parts_axis(stored) == ("services" if order.climbs_once else None)


@pytest.mark.parametrize("name", ["services_stay", "rung_by_rung"])
def test_the_order_is_no_choice(name):
    assert name in KIND.removed_parameters
    with pytest.raises(InvalidSpecError) as refused:
        ladder(parameters={name: True})
    assert [one.pointer for one in refused.value.problems] == [f"/parameters/{name}"]


def test_services_of_a_backend_that_is_gone_are_made_anew(lab):
    experiment = ladder()
    first, second, *_ = blocks_of(experiment)

    def lose_the_backend(block):
        name = next(name for name in lab.places if name.endswith("-backend"))
        address = lab.places.pop(name).address
        # Its successor gets another address.
        lab.places["another"] = ExecTarget("another", "10.244.0.99", "n1", Access.POD)
        assert (address,) in lab.endpoints.values()

    walk(lab, experiment, [first], lose_the_backend)
    walk(lab, experiment, [second])
    assert created(lab) == [10, 10]
    (backend,) = [one for name, one in lab.places.items() if name.endswith("-backend")]
    assert {lab.endpoints[one.cluster_ip] for one in lab.services.values()} == {(backend.address,)}


def test_what_stands_above_a_gap_is_made_anew(lab):
    experiment = ladder()
    blocks = blocks_of(experiment)
    walk(lab, experiment, blocks[:5])
    lab.services.pop("pm-ab12cd-00019")
    walk(lab, experiment, blocks[5:6])
    assert created(lab) == [10, 30, 21]
    assert len(lab.services) == 40


def test_a_block_that_fails_leaves_nothing(lab):
    experiment = ladder()
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
    experiment = ladder()
    walk(lab, experiment, blocks_of(experiment))


def test_nodes_are_left_nine_tenths_of_their_time_between_looks(fake_lab):
    """Nothing is measured of that wait, and listing many rules takes a slow node long."""

    class Slow(fake_lab):
        def _chain(self, argv):
            self.looked = [*getattr(self, "looked", []), self.now]
            return replace(super()._chain(argv), seconds=2.0)

    lab = Slow()
    experiment = ladder(rounds=1, kube_proxy_mode=["iptables"])
    walk(lab, experiment, blocks_of(experiment))
    took = [later - one for one, later in pairwise(lab.looked)]
    assert max(took) > 20


def test_setting_up_a_block_is_no_case_since_each_finds_another_number_of_services():
    assert not any(case.sets_up for case in cases_of(ladder(probe=["climb", "qps"])))

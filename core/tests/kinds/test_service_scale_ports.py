"""Rungs of Service ports: several on each Service, and what a run says of how they were made."""

from dataclasses import replace
from itertools import pairwise

import pytest

from podmeter.domain.cluster_report import RoomReport
from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.ports import LogLevel
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import plan, read_spec, resolve, room_notes
from podmeter.kinds.service_scale.creating import CreatedFacts, creating_seconds
from podmeter.kinds.service_scale.layout import Layout

from .service_scale_runs import KIND, failed, only, run, spec, values

BACKENDS = ["iptables-nft", "nftables", "ipvs"]


def ports_of(lab):
    return [len(service.ports) for service in lab.services.values()]


def climbed(lab, experiment):
    """How many ports each Service has on each rung."""
    blocks = [one.of_kind for one in plan(experiment)]
    stood = {}
    for block in blocks:
        followed = replace(block, followed=block is not blocks[-1])
        with KIND.prepared(lab, experiment, followed) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
                stood[trial.case.number("services")] = ports_of(lab)
    return stood


@pytest.mark.parametrize(
    ("rungs", "each", "expected"),
    [
        ([3], 1, (1, 1, 1)),
        ([10, 40], 100, (10, 30)),
        ([10, 1000], 100, (10, *[100] * 9, 90)),
        ([100, 250], 100, (100, 100, 50)),
        ([40, 10, 10], 15, (10, 15, 15)),
        ([], 100, ()),
    ],
)
def test_each_rung_has_services_of_its_own(rungs, each, expected):
    layout = Layout(tuple(rungs), each)
    assert layout.port_counts() == expected
    assert sum(expected) == max(rungs, default=0)
    for height in (0, *rungs):
        count = layout.service_count(height)
        # A lower rung is the beginning of a higher one.
        assert sum(expected[:count]) == height


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_rung_that_is_no_multiple_has_one_service_with_fewer_ports(fake_lab, backend):
    lab = fake_lab(backend=backend)
    experiment = spec({"ports_per_service": 25}, services=[10, 40, 100], probe=["climb"])
    assert climbed(lab, experiment) == {10: [10], 40: [10, 25, 5], 100: [10, 25, 5, 25, 25, 10]}
    assert not lab.services


@pytest.mark.parametrize("backend", BACKENDS)
def test_first_and_last_are_service_ports(fake_lab, backend):
    lab = fake_lab(backend=backend)
    experiment = spec({"ports_per_service": 4}, services=[10], probe=["qps"])
    reports = run(lab, experiment)
    facts = {key.split("target=")[1]: dict(report.facts) for key, report in reports.items()}
    assert {report.status for report in reports.values()} == {TrialStatus.COUNTED}
    assert facts["first"]["service"] == "pm-ab12cd-00000 at http://10.96.8.1:80/"
    # The second of the third Service's two ports.
    assert facts["last"]["service"] == "pm-ab12cd-00002 at http://10.96.8.3:81/"
    if backend == "iptables-nft":
        assert facts["last"]["position"] == "11 of 12 rules"


def test_the_kernel_decides_which_ports_are_first_and_last(fake_lab):
    class Backwards(fake_lab):
        def _held(self):
            return super()._held()[::-1]

    experiment = spec({"ports_per_service": 4}, services=[10], probe=["qps"], target=["first"])
    (report,) = run(Backwards(), experiment).values()
    assert dict(report.facts)["service"] == "pm-ab12cd-00002 at http://10.96.8.3:81/"


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_rung_is_reached_once_kernels_hold_each_port(fake_lab, backend):
    class OnePortShort(fake_lab):
        def _held(self):
            return super()._held()[:-1]

    lab = OnePortShort(backend=backend)
    parameters = {"ports_per_service": 4, "convergence_seconds": 5}
    report = only(lab, spec(parameters, services=[10], probe=["climb"]), "climb")
    assert "every kernel holds 10 Service ports" in failed(report).message


def test_each_port_has_a_node_port_of_its_own(fake_lab):
    lab = fake_lab()
    axes = {"services": [10], "service_type": ["NodePort"], "probe": ["qps"]}
    reports = run(lab, spec({"ports_per_service": 4}, **axes))
    asked = {dict(report.facts)["service"].split(" at ")[1] for report in reports.values()}
    assert {"http://192.168.0.1:30000/", "http://192.168.0.1:30009/"} < asked


def test_room_is_of_addresses_for_services_and_of_node_ports_for_ports(fake_lab):
    inside = spec({"ports_per_service": 10}, probe=["climb"])
    run(fake_lab(free_cluster_ips=4), inside)
    with pytest.raises(PreconditionError, match="3 free ClusterIPs, but the experiment needs 4"):
        run(fake_lab(free_cluster_ips=3), inside)
    outside = spec({"ports_per_service": 10}, probe=["climb"], service_type=["NodePort"])
    with pytest.raises(PreconditionError, match="39 free node ports, but the experiment needs 40"):
        run(fake_lab(free_node_ports=39), outside)


def test_one_more_service_has_one_port(lab):
    experiment = spec({"ports_per_service": 4}, services=[10], probe=["climb", "service-ready"])
    assert values(only(lab, experiment, "service-ready"))["service_ready"] > 0
    assert lab.batches[-1].port_counts == {}
    assert not lab.services


def test_a_trial_tells_which_services_its_rung_added(lab):
    report = only(lab, spec({"ports_per_service": 4}, services=[10], probe=["climb"]), "climb")
    facts = dict(report.facts)
    created = CreatedFacts.read(facts)
    assert created == CreatedFacts(services=3, before=0, ports=10, seconds=1.0)
    assert facts["service_ports_created"] == "10"
    # Three say nothing of the API server's rate.
    assert created.pace is None
    assert CreatedFacts.read({"services_created": "3"}) is None


def test_the_pace_of_creating_is_against_what_is_assumed_at_that_height():
    assumed = creating_seconds(1000) - creating_seconds(400)
    facts = CreatedFacts(services=600, before=400, ports=600, seconds=2 * assumed)
    assert facts.pace == pytest.approx((2 * assumed, assumed))
    assert KIND.creating_pace(facts.written) == pytest.approx((2 * assumed, assumed), rel=0.01)
    assert KIND.creating_pace({}) is None


MODES = {"kube_proxy_mode": ["iptables", "nftables"]}
PORTS = {"ports_per_service": 25}


def test_a_ladder_is_grown_and_no_service_of_it_changes(lab):
    experiment = spec(PORTS, services=[10, 40, 100], probe=["qps"], target=["last"], **MODES)
    repetition = experiment.repetition.model_copy(update={"rounds": 2})
    experiment = experiment.model_copy(update={"repetition": repetition})
    blocks = [block.of_kind for block in plan(experiment)]
    expected = {10: [10], 40: [10, 25, 5], 100: [10, 25, 5, 25, 25, 10]}
    first = set()
    for block in blocks:
        lab.backend = {"iptables": "iptables-nft", "nftables": "nftables"}[
            dict(block.modes)["kube_proxy_mode"]
        ]
        followed = replace(block, followed=block.index < len(blocks) - 1)
        with KIND.prepared(lab, experiment, followed) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
                assert ports_of(lab) == expected[trial.case.number("services")]
                first.add(next(iter(lab.services.values())))
    assert not lab.services
    # The first Service stood through all of it.
    assert len(first) == 1
    made = [sum(batch.port_counts.get(name, 1) for name in batch.names) for batch in lab.batches]
    assert made == [10, 30, 60]


def test_a_service_with_other_ports_is_made_again(lab):
    experiment = spec(PORTS, services=[40], probe=["qps"], target=["last"], **MODES)
    first, second = [block.of_kind for block in plan(experiment)]
    for block, followed in ((first, True), (second, False)):
        lab.backend = {"iptables": "iptables-nft", "nftables": "nftables"}[
            dict(block.modes)["kube_proxy_mode"]
        ]
        with KIND.prepared(lab, experiment, replace(block, followed=followed)) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
        if followed:
            name = "pm-ab12cd-00000"
            stands = lab.services[name]
            lab.services[name] = replace(stands, ports=stands.ports[:20])
    again = lab.batches[1]
    assert again.names[0] == "pm-ab12cd-00000"
    assert again.port_counts["pm-ab12cd-00000"] == 25


def test_a_long_climb_says_how_far_it_has_got(fake_lab):
    class Slow(fake_lab):
        def create_services(self, batch, progress=None):
            for created in range(len(batch.names) + 1):
                self.now += 6
                progress(created)
            return super().create_services(batch, progress)

        def _chain(self, argv):
            """The second node holds nothing until its fourth look, of 20 s each."""
            output = super()._chain(argv)
            if self.place.node == "n2" and self.late:
                self.late -= 1
                return replace(output, stdout="2 0\nend\n", seconds=20)
            return replace(output, seconds=20)

    lab = Slow()
    lab.late = 3
    experiment = spec({"ports_per_service": 50}, services=[220], probe=["climb"])
    report = only(lab, experiment, "climb")
    assert report.status is TrialStatus.COUNTED, report.failure
    lines = [line for level, line in lab.log_lines if level is LogLevel.INFO]
    assert lines[0] == "Service ports 50 of 220 created; in the kernel of 0 of 2 nodes"
    assert lines[-1] == "Service ports 220 of 220 created; in the kernel of 1 of 2 nodes"
    assert "220/220" in lines[-1].in_language("zh")


def test_a_short_climb_says_nothing(lab):
    only(lab, spec(services=[10], probe=["climb"]), "climb")
    assert not [line for level, line in lab.log_lines if level is LogLevel.INFO]


def test_more_ports_than_a_service_may_have_are_refused():
    for ports in (0, 101):
        with pytest.raises(InvalidSpecError) as refused:
            spec({"ports_per_service": ports})
        (problem,) = refused.value.problems
        assert problem.pointer == "/parameters/ports_per_service"


def noted(parameters, room=None, **axes):
    written = read_spec(
        {"name": "x", "kind": "service_scale", "parameters": parameters, "axes": axes}
        | {"repetition": {"profile": "reference"}}
    )
    resolved = resolve(written, room)
    return {one.code: one.params for one in room_notes(written, resolved, room)}


def test_the_plan_says_how_many_services_have_how_many_ports():
    rungs = [10, 1000, 30_000]
    told = noted({"ports_per_service": 100}, services=rungs)
    # One for the lowest rung, ten for what is missing to 1,000, 290 for the rest.
    assert told["ladder_services"] == {"services": 301, "ports": 30_000, "each": 100}
    assert "ladder_services" not in noted({}, services=rungs)


def test_a_ladder_ends_where_its_services_have_no_room():
    room = RoomReport(services=7, free_cluster_ips=52, free_node_ports=2_700)
    told = noted({"ports_per_service": 100}, room)
    # 5,000 take 51 Services with the first rung's own, and one stands for a moment besides.
    assert told["ladder_ends_cluster_ips"]["last"] == 5000
    assert noted({}, room)["ladder_ends_cluster_ips"]["last"] == 10
    told = noted({"ports_per_service": 100}, room, service_type=["NodePort"])
    assert told["ladder_ends_node_ports"]["last"] == 1000


def test_what_a_cluster_needs_room_for():
    few = KIND.services_added(spec({"ports_per_service": 100}, services=[10, 5000]))
    assert few == (51, 0)
    assert KIND.services_added(spec(services=[10, 5000], service_type=["NodePort"])) == (5000, 5000)


def test_the_plan_reckons_with_services_and_with_ports():
    def seconds(**parameters):
        experiment = spec(parameters, services=[10, 30_000], probe=["climb"])
        trials = [trial for one in plan(experiment) for trial in one.of_kind.trials]
        return sum(KIND.trial_seconds(trial.case, experiment) for trial in trials)

    one, hundred = seconds(), seconds(ports_per_service=100)
    # The table: nine minutes to 30,000 with 100 ports each.
    assert 450 < hundred < 600
    assert one > 2 * hundred


def test_the_part_of_creating_is_known():
    def creating(**parameters):
        experiment = spec(parameters, services=[10, 5000], probe=["qps"], **MODES)
        blocks = [one.of_kind for one in plan(experiment)]
        pairs = pairwise([None, *blocks])
        return sum(KIND.creating_seconds(experiment, block, before) for before, block in pairs)

    assert creating() == pytest.approx(creating_seconds(5000))
    assert creating(ports_per_service=100) == pytest.approx(creating_seconds(51))

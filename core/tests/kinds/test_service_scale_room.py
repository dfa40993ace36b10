"""Where a ladder of service_scale may stand, who asks, and what is cleaned up."""

from dataclasses import replace

import pytest

from podmeter.domain.errors import LabError, PreconditionError, RunCancelledError
from podmeter.domain.ports import Access
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import access_of, plan

from .service_scale_runs import KIND, OUTSIDE, only, run, spec


@pytest.mark.parametrize("room", [{"free_node_ports": 40}, {"free_cluster_ips": 39}])
def test_too_little_room_is_refused_before_anything_is_created(fake_lab, room):
    lab = fake_lab(**room)
    with pytest.raises(PreconditionError, match=r"but the experiment needs 41"):
        run(lab, spec(service_type=["NodePort"]))
    assert lab.commands == []
    assert lab.places == {}


def test_node_ports_do_not_matter_where_none_is_used(fake_lab):
    run(fake_lab(free_node_ports=0), spec(services=[10], probe=["climb"]))


def test_room_that_cannot_be_told_is_said(fake_lab):
    lab = fake_lab(free_cluster_ips=None)
    run(lab, spec(services=[10], probe=["climb"]))
    assert "is unknown" in lab.log_lines[0][1]


def test_node_ports_are_asked_at_the_client_nodes_own_address(lab):
    report = only(lab, spec(services=[10], service_type=["NodePort"], target=["first"]), "qps")
    assert "http://192.168.0.1:30000/" in dict(report.facts)["service"]


def test_both_types_are_climbed_one_after_the_other(lab):
    reports = run(lab, spec(service_type=["ClusterIP", "NodePort"], probe=["climb"]))
    assert [dict(r.facts)["services_created"] for r in reports.values()] == ["10", "30"] * 2


def test_a_client_outside_asks_node_ports_only(fake_lab):
    axes = {"client": ["outside"], "service_type": ["ClusterIP", "NodePort"], "probe": ["qps"]}
    experiment = spec(**axes)
    assert {case.text("service_type") for case in KIND.cases(experiment)} == {"NodePort"}
    assert access_of(experiment) == {
        Access.POD,
        Access.HOST_ADMIN,
        Access.OUTSIDE,
    }
    with pytest.raises(PreconditionError, match="client outside"):
        run(fake_lab(), experiment)
    lab = fake_lab(outside_place=OUTSIDE)
    # No node is the client's: what the entry node is busy with is the mode's cost.
    for report in run(lab, experiment).values():
        subjects = {m.subject for m in report.measurements if m.metric == "node_cpu"}
        assert subjects == {"entry", "server"}
    assert {place for place, argv in lab.commands if argv[0] == "ab" and "-n" in argv} == {"laptop"}
    # A cluster of one node will do, as for the article's.
    alone = run(fake_lab(outside_place=OUTSIDE, node_names=("n1",)), experiment)
    assert {report.status for report in alone.values()} == {TrialStatus.COUNTED}


@pytest.mark.parametrize("when", ["-n", "KUBE-SERVICES"])
def test_a_cancel_in_the_middle_cleans_up(fake_lab, when):
    lab = fake_lab(cancel_on=when)
    with pytest.raises(RunCancelledError):
        run(lab, spec())
    assert not lab.places
    assert not lab.services


def test_cleaning_goes_on_when_a_part_of_it_fails(fake_lab):
    class Stubborn(fake_lab):
        def remove_services(self, names, progress=None):
            raise LabError("the API server is away")

    lab = Stubborn()
    with pytest.raises(LabError):
        run(lab, spec(services=[10], probe=["climb"]))
    assert not lab.places


def test_only_what_was_created_is_removed_and_the_log_says_what_is_left(fake_lab):
    class CutShort(fake_lab):
        removed = ()

        def create_services(self, batch, progress=None):
            super().create_services(replace(batch, names=batch.names[:3]), progress)
            raise LabError("the API server is away")

        def remove_services(self, names, progress=None):
            self.removed = names
            for count in range(3):
                self.now += 6
                progress(count)
            return super().remove_services(names)

    lab = CutShort()
    run(lab, spec(services=[10], probe=["climb"]))
    assert len(lab.removed) == 3
    assert lab.services == {}
    assert "Services left to remove: 2 of 3" in [str(line) for _, line in lab.log_lines]


def test_another_mode_than_the_blocks_is_refused(fake_lab):
    with pytest.raises(PreconditionError, match="mode nftables, but the block measures iptables"):
        run(fake_lab(backend="nftables"), spec(kube_proxy_mode=["iptables"]))


def test_a_cluster_without_kube_proxy_is_refused_and_left_clean(fake_lab):
    class Cilium(fake_lab):
        def _probe(self, argv):
            return super()._once(argv).__class__("end\n", "", 0, 0.0)

    lab = Cilium()
    with pytest.raises(PreconditionError, match="absent"):
        run(lab, spec())
    assert not lab.places


def test_a_climb_tried_again_alone_starts_from_the_rung_below(lab):
    experiment = spec(probe=["climb"], services=[10, 40])
    _, block = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        (report,) = [prepared.run_trial(trial) for trial in block.trials]
    assert dict(report.facts)["services_created"] == "30"

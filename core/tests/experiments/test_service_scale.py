from dataclasses import replace

import pytest

from podmeter.domain.errors import (
    ConvergenceError,
    InvalidSpecError,
    LabError,
    PreconditionError,
    RunCancelledError,
)
from podmeter.domain.ports import Access, Place
from podmeter.domain.switching import SyncPeriods
from podmeter.domain.trial import TrialStatus
from podmeter.experiments import sync_periods
from podmeter.experiments.registry import KINDS, plan, read_spec, resolve

KIND = KINDS["service_scale"]
OUTSIDE = Place("laptop", "203.0.113.5", None, Access.OUTSIDE)


#: Of the captured runs.
PARAMETERS = {
    "requests": 2000,
    "keepalive_requests": 2000,
    "latency_requests": 10,
    "concurrency": 10,
    "body_bytes": 9,
}


def spec(parameters=None, **axes):
    return resolve(
        read_spec(
            {
                "name": "x",
                "kind": "service_scale",
                "axes": {"services": [10, 40]} | axes,
                "parameters": PARAMETERS | (parameters or {}),
                "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
            }
        )
    )


def run(lab, experiment):
    (block,) = [one.of_kind for one in plan(experiment)]
    with KIND.prepared(lab, experiment, block) as prepared:
        return {trial.case.key: prepared.run_trial(trial) for trial in block.trials}


def only(lab, experiment, probe):
    (found,) = [r for key, r in run(lab, experiment).items() if f"probe={probe}," in key]
    return found


def values(report):
    return {m.metric: m.value for m in report.measurements if not m.subject}


def failed(report, status=TrialStatus.FAILED):
    assert report.status is status
    assert report.measurements == ()
    return report.failure


@pytest.mark.parametrize("backend", ["iptables-nft", "iptables-legacy", "nftables"])
def test_everything_on_every_rung(fake_lab, backend):
    lab = fake_lab(backend=backend)
    reports = run(lab, spec())
    assert len(reports) == 2 * (3 + 3 * 3)
    for key, report in reports.items():
        assert report.status is TrialStatus.COUNTED, (key, report.failure)
        assert values(report).keys() <= {metric.name for metric in KIND.metrics}
    assert not lab.places
    assert not lab.services


def test_what_each_probe_measures(lab):
    measured = {}
    for key, report in run(lab, spec(services=[10], target=["first"])).items():
        probe = key.split("probe=")[1].split(",")[0]
        measured[probe] = values(report).keys()
    assert measured == {
        "climb": {
            "convergence",
            "rules_convergence",
            "convergence_resolution",
            "service_create_rate",
            "services_total",
        },
        "qps": {"requests_per_second", "ab_request_mean"},
        "qps-keepalive": {"requests_per_second", "ab_request_mean"},
        "latency": {
            "curl_process_mean",
            "curl_namelookup_mean",
            "curl_connect_mean",
            "curl_starttransfer_mean",
            "curl_total_mean",
            "curl_total_p50",
            "curl_total_p90",
        },
        "rule-change": {"rule_add", "rule_delete"},
        "service-ready": {
            "service_ready",
            "service_convergence",
            "convergence_resolution",
            "service_gone",
            "service_removal_convergence",
            "removal_resolution",
        },
    }


def test_the_lock_is_apart_in_legacy(fake_lab):
    legacy = only(fake_lab(backend="iptables-legacy"), spec(services=[10]), "rule-change")
    assert values(legacy)["xtables_lock_wait"] < values(legacy)["rule_add"]


@pytest.mark.parametrize(
    ("backend", "counted"),
    [
        ("iptables-nft", {"iptables_rules": (2400, 2407)}),
        ("nftables", {"nftables_rules": (1810, 1810), "nftables_map_elements": (11, 11)}),
        ("ipvs", {"ipvs_virtual_servers": (11, 11), "ipvs_real_servers": (12, 12)}),
    ],
)
def test_what_kernels_hold_is_counted_on_every_node_by_names_of_its_own(fake_lab, backend, counted):
    class Uneven(fake_lab):
        """One node of three has fewer rules of its own."""

        def execute(self, place, argv, *, timeout_seconds):
            output = super().execute(place, argv, timeout_seconds=timeout_seconds)
            return replace(output, stdout=output.stdout.replace("2407", self.own(place)))

        def own(self, place):
            return "2400" if place.node == "n2" else "2407"

    lab = Uneven(backend=backend, node_names=("n1", "n2", "n3"))
    report = only(lab, spec(services=[10], probe=["climb"]), "climb")
    found = {
        metric: tuple(
            next(m.value for m in report.measurements if (m.metric, m.subject) == (metric, which))
            for which in ("least", "most")
        )
        for metric in {m.metric for m in report.measurements if m.subject == "most"}
    }
    assert found == counted
    facts = dict(report.facts)
    assert all(facts[metric].count("n") >= 3 for metric in counted)
    if backend == "iptables-nft":
        assert facts["iptables_rules"] == "n1: 2407, n2: 2400, n3: 2407"


def test_convergence_is_told_without_the_api_and_how_finely(lab):
    """The fake API takes a second, the kernels are found wanting once, half a second before."""
    found = values(only(lab, spec(services=[10], probe=["climb"]), "climb"))
    assert found["convergence"] == pytest.approx(found["rules_convergence"] + 1.0)
    assert 0.5 < found["convergence_resolution"] <= found["rules_convergence"]


def test_a_new_service_is_told_without_the_api_and_how_finely(lab):
    probes = spec(services=[10], probe=["climb", "service-ready"])
    found = values(only(lab, probes, "service-ready"))
    assert found["service_ready"] == pytest.approx(found["service_convergence"] + 1.0)
    assert found["convergence_resolution"] == pytest.approx(0.062, abs=1e-3)


def test_a_removed_service_is_told_without_the_api_and_how_finely(fake_lab):
    """The API takes half a second, and 52 ms later nothing answers for the first time."""

    class Slow(fake_lab):
        def remove_services(self, names):
            self.now += 0.5
            return super().remove_services(names)

    lab = Slow()
    found = values(
        only(lab, spec(services=[10], probe=["climb", "service-ready"]), "service-ready")
    )
    # The command took 62 ms and 50 of the lab's, its last 10 after the first attempt in vain.
    assert found["service_removal_convergence"] == pytest.approx(0.102, abs=1e-3)
    assert found["service_gone"] == pytest.approx(0.602, abs=1e-3)
    assert found["removal_resolution"] == pytest.approx(0.020, abs=1e-3)
    assert not lab.services


def test_a_removed_service_that_goes_on_answering_is_a_failure_not_a_number(fake_lab):
    class Sticky(fake_lab):
        def _until_silent(self, argv):
            return replace(super()._until_silent(argv), stdout="", exit_code=1)

    probes = spec(services=[10], probe=["climb", "service-ready", "qps"])
    reports = run(Sticky(), probes)
    for key, report in reports.items():
        if "probe=service-ready" in key:
            assert "answers still" in failed(report).message
        else:
            assert report.status is TrialStatus.COUNTED, report.failure


def test_one_that_answered_at_once_may_have_done_so_all_along(fake_lab):
    class Prompt(fake_lab):
        def _until_answered(self, argv):
            return replace(super()._until_answered(argv), stdout="0 0 end\n")

    probes = spec(services=[10], probe=["climb", "service-ready"])
    found = values(only(Prompt(), probes, "service-ready"))
    assert found["convergence_resolution"] == found["service_convergence"]


def test_the_control_asks_the_backend_itself_on_every_rung(fake_lab):
    lab = fake_lab()
    reports = run(lab, spec(probe=["qps", "qps-keepalive", "latency"], target=["last", "pod"]))
    control = {key: report for key, report in reports.items() if "target=pod" in key}
    assert len(control) == 2 * 3
    address = "10.244.0.3"  # the second pod's, after the client's
    for report in control.values():
        assert report.status is TrialStatus.COUNTED, report.failure
        facts = dict(report.facts)
        assert facts["service"] == f"pm-ab12cd-backend at http://{address}:8080/"
        assert facts["position"] == "not applicable: no Service is asked"
    forgotten = [" ".join(argv) for _, argv in lab.commands if "conntrack" in " ".join(argv)]
    assert any(f"--orig-dst {address} --dport 8080" in one for one in forgotten)


def test_the_control_does_not_mind_a_service_that_moves(fake_lab):
    class Resyncing(fake_lab):
        def _ab(self, argv):
            self.order = lambda names: sorted(names, reverse=True)
            return super()._ab(argv)

    report = only(Resyncing(), spec(services=[10], probe=["qps"], target=["pod"]), "qps")
    assert report.status is TrialStatus.COUNTED


def test_what_a_request_costs_in_cpu_and_single_requests_cost_none(lab):
    reports = run(lab, spec(services=[10], target=["last"]))
    metrics = {
        key.split("probe=")[1].split(",")[0]: {m.metric for m in report.measurements}
        for key, report in reports.items()
    }
    for probe, measured in metrics.items():
        assert ("node_cpu_per_request" in measured) == (probe in ("qps", "qps-keepalive"))
        single = probe in ("latency", "rule-change", "service-ready")
        assert ("node_cpu" in measured) != single


def test_the_ladder_creates_only_the_difference(lab):
    created = {
        k: dict(r.facts)["services_created"]
        for k, r in run(lab, spec(probe=["climb"], services=[10, 40, 90])).items()
    }
    assert sorted(created.values()) == ["10", "30", "50"]


def test_first_and_last_are_by_position_in_the_chain(fake_lab):
    lab = fake_lab(order=lambda names: sorted(names, key=lambda name: name[::-1]))
    reports = run(lab, spec(services=[40], probe=["qps"]))
    facts = {key.split("target=")[1]: dict(r.facts) for key, r in reports.items()}
    assert facts["first"]["position"] == "1 of 42 rules"
    assert facts["last"]["position"] == "41 of 42 rules"
    assert facts["first"]["service"].startswith("pm-ab12cd-00000 ")
    assert facts["last"]["service"].startswith("pm-ab12cd-00039 ")


def test_a_map_has_no_position(fake_lab):
    report = only(fake_lab(backend="nftables"), spec(services=[10], target=["last"]), "qps")
    assert dict(report.facts)["position"].startswith("not applicable")


def test_a_service_that_moved_voids_the_trial(fake_lab):
    class Resyncing(fake_lab):
        """kube-proxy writes its chain anew, in another order, while ab runs."""

        def _ab(self, argv):
            self.order = lambda names: sorted(names, reverse=True)
            return super()._ab(argv)

    report = only(Resyncing(), spec(services=[10], probe=["qps"], target=["first"]), "qps")
    failure = failed(report, TrialStatus.VOID)
    assert "pm-ab12cd-00000" in failure.message
    assert "pm-ab12cd-00009" in failure.message
    assert report.invocations[0].tool == "ab"


def test_a_chain_that_lost_a_service_again_voids_the_trial(fake_lab):
    class Reverting(fake_lab):
        """A Service vanishes between the settling of the rung and the trial."""

        def _chain(self, argv):
            climbed = any("--connect-timeout 0.05" in " ".join(argv) for _, argv in self.commands)
            self.order = (lambda names: sorted(names)[:-1]) if climbed else sorted
            return super()._chain(argv)

    report = only(Reverting(), spec(services=[10], probe=["qps"], target=["first"]), "qps")
    assert "holds 9 Services of the run, not 10" in failed(report, TrialStatus.VOID).message


def test_a_drop_counter_that_moved_voids_the_trial(fake_lab, real, changed):
    calm = real("proc-6.18", "counters-after")
    lines = calm.stdout.splitlines()
    row, names = lines[2].split(), lines[1].split()
    row[names.index("early_drop")] = "00000003"
    dropped = changed(calm, stdout="\n".join([*lines[:2], " ".join(row), *lines[3:], ""]))
    # Two node places and the backend are read before and after.
    lab = fake_lab(answers={"counters": [calm, calm, calm, dropped, calm, calm]})
    report = only(lab, spec(services=[10], probe=["qps"], target=["first"]), "qps")
    assert "conntrack.early_drop" in failed(report, TrialStatus.VOID).message


@pytest.mark.parametrize("probe", ["qps", "qps-keepalive", "latency"])
def test_answers_of_another_server_void_the_trial(fake_lab, probe):
    """A server that has the node's port answers, and the backend is never asked."""

    class Foreign(fake_lab):
        @property
        def accepted(self):
            return 7

        @accepted.setter
        def accepted(self, count):
            pass

    report = only(Foreign(), spec(services=[10], probe=[probe], target=["first"]), probe)
    assert "the backend accepted 0 of" in failed(report, TrialStatus.VOID).message


def test_another_answer_than_the_backends_is_an_error(fake_lab):
    report = only(fake_lab(), spec({"body_bytes": 612}, services=[10], target=["first"]), "qps")
    assert "Document Length 9, 612 was asked for" in failed(report).message


HIDDEN = ["/proc/net/stat/nf_conntrack", "/proc/sys/net/netfilter/nf_conntrack_count"]


@pytest.mark.parametrize("path", HIDDEN)
def test_a_drop_guard_that_cannot_see_says_so(fake_lab, path):
    """Kernels are built without the one, and without the module there is none of them."""

    class Hidden(fake_lab):
        def _counters(self, argv):
            output = super()._counters(argv)
            before, _, rest = output.stdout.partition(f"== {path}\n")
            return replace(output, stdout=before + "== " + rest.partition("== ")[2])

    report = only(Hidden(), spec(services=[10], target=["first"], probe=["qps"]), "qps")
    assert report.status is TrialStatus.COUNTED
    # On both nodes; the backend's pod tracks nothing of itself.
    named = [warning for warning in report.warnings if "does not show conntrack" in warning]
    assert len(named) == 2
    calm = only(fake_lab(), spec(services=[10], target=["first"], probe=["qps"]), "qps")
    assert calm.warnings == ()


def test_the_way_to_the_backend_is_recorded(lab):
    report = only(lab, spec(services=[10], target=["first"], probe=["qps"]), "qps")
    assert dict(report.facts)["route"] == "by v0 (veth), MTU 1500"
    assert dict(report.facts)["node_route"] == "by flannel.1 (vxlan), MTU 1450, NIC v0"


def looks(lab):
    """How often the client node's chain was read together with its counters."""
    return sum("::next::" in argv and "KUBE-SERVICES" in argv for _, argv in lab.commands)


def test_what_stood_after_a_trial_stands_before_the_next_one(fake_lab):
    lab = fake_lab()
    reports = run(lab, spec(services=[10], probe=["qps", "latency"]))
    assert all(report.status is TrialStatus.COUNTED for report in reports.values())
    assert looks(lab) == 1 + len(reports)


def test_a_later_trial_or_another_rung_is_looked_at_anew(fake_lab):
    lab = fake_lab()
    experiment = spec(services=[10, 40], probe=["qps"])
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        for trial in block.trials:
            assert prepared.run_trial(trial).status is TrialStatus.COUNTED
            lab.sleep(2)
    assert looks(lab) == 2 * len(block.trials)
    without_pause = fake_lab()
    run(without_pause, experiment)
    rungs = 1 + sum(
        one.case.number("services") != other.case.number("services")
        for one, other in zip(block.trials, block.trials[1:], strict=False)
    )
    assert looks(without_pause) == rungs + len(block.trials)


def test_a_service_that_moved_between_two_trials_voids_the_second(fake_lab):
    lab = fake_lab()
    experiment = spec(services=[10], probe=["qps"], target=["first", "last"])
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        first, second = block.trials
        assert prepared.run_trial(first).status is TrialStatus.COUNTED
        lab.order = lambda names: sorted(names, reverse=True)
        assert "of the chain was" in failed(prepared.run_trial(second), TrialStatus.VOID).message
        assert prepared.run_trial(second).status is TrialStatus.COUNTED


@pytest.mark.parametrize("name", ["refused", "non-2xx", "length-varies"])
def test_a_tool_error_is_a_failed_trial(fake_lab, real, name):
    lab = fake_lab(answers={"ab": [real("ab-2.3", name)]})
    report = only(lab, spec(services=[10], probe=["qps"], target=["first"]), "qps")
    assert failed(report).code == "tool_failed"
    forgotten = [argv for _, argv in lab.commands if "conntrack" in " ".join(argv)]
    assert forgotten, "connections of a failed trial are forgotten too"


def test_one_failed_trial_does_not_spoil_the_next(fake_lab, real):
    answers = [real("ab-2.3", "refused"), real("ab-2.3", "plain")]
    experiment = spec(services=[10], probe=["qps"], target=["first", "last"])
    reports = run(fake_lab(answers={"ab": answers}), experiment)
    assert sorted(r.status for r in reports.values()) == [TrialStatus.COUNTED, TrialStatus.FAILED]


def test_a_full_connection_table_is_refused_before_it_drops(fake_lab, real, changed):
    counters = real("proc-6.18", "counters-after")
    limit = counters.stdout.split("nf_conntrack_max\n")[1].split("\n")[0]
    full = changed(counters, stdout=counters.stdout.replace(f"_max\n{limit}", "_max\n3000"))
    lab = fake_lab(answers={"counters": [full]})
    report = only(lab, spec(services=[10], probe=["qps"], target=["first"]), "qps")
    assert "room for" in failed(report).message


def test_a_rung_that_does_not_settle_is_never_measured_on(fake_lab, real):
    class Stuck(fake_lab):
        def _held(self):
            return super()._held()[:9]

    reports = run(Stuck(), spec({"convergence_seconds": 5}, services=[10], probe=["climb", "qps"]))
    assert len(reports) == 4
    for report in reports.values():
        assert failed(report).code == ConvergenceError.code
        assert "every kernel holds 10 Services" in report.failure.message


def test_a_service_that_never_answers_is_a_failure_not_a_number(fake_lab):
    lab = fake_lab()
    lab._until_answered = lambda argv: lab._once(argv).__class__("", "", 1, 5.0)
    report = only(lab, spec(services=[10], probe=["climb"]), "climb")
    assert "did not answer within" in failed(report).message


def test_counts_of_the_api_server_are_asserted(fake_lab):
    class Forgetful(fake_lab):
        def service_room(self):
            room = super().service_room()
            return type(room)(room.total, room.of_run // 2, room.endpoint_slices, None, None)

    report = only(Forgetful(), spec(services=[10], probe=["climb"]), "climb")
    assert "holds 5 Services and 10 EndpointSlices" in failed(report).message


def test_a_failed_creation_is_temporary_and_all_is_cleaned_up(fake_lab):
    class Away(fake_lab):
        def create_services(self, batch):
            super().create_services(batch)
            raise LabError("the API server is away")

    lab = Away()
    assert failed(only(lab, spec(services=[10], probe=["climb"]), "climb")).temporary
    assert not lab.services


def test_one_more_service_is_gone_again_afterwards(lab):
    reports = run(lab, spec(services=[10], probe=["service-ready", "qps"], target=["last"]))
    assert all(report.status is TrialStatus.COUNTED for report in reports.values())


@pytest.mark.parametrize("room", [{"free_node_ports": 40}, {"free_cluster_ips": 39}])
def test_too_little_room_is_refused_before_anything_is_created(fake_lab, room):
    lab = fake_lab(**room)
    with pytest.raises(PreconditionError, match=r"free in the .*, the experiment needs 41"):
        run(lab, spec(service_type=["NodePort"]))
    assert lab.commands == []
    assert lab.places == {}


def test_node_ports_do_not_matter_where_none_is_used(fake_lab):
    run(fake_lab(free_node_ports=0), spec(services=[10], probe=["climb"]))


def test_room_that_cannot_be_told_is_said(fake_lab):
    lab = fake_lab(free_cluster_ips=None)
    run(lab, spec(services=[10], probe=["climb"]))
    assert "cannot be told" in lab.log_lines[0][1]


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
    assert KIND.access(experiment) == {Access.POD, Access.HOST_ADMIN, Access.OUTSIDE}
    with pytest.raises(PreconditionError, match="client outside"):
        run(fake_lab(), experiment)
    lab = fake_lab(outside_place=OUTSIDE)
    run(lab, experiment)
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
        def remove_services(self, names):
            raise LabError("the API server is away")

    lab = Stubborn()
    with pytest.raises(LabError):
        run(lab, spec(services=[10], probe=["climb"]))
    assert not lab.places


def test_another_mode_than_the_blocks_is_refused(fake_lab):
    with pytest.raises(PreconditionError, match="runs as nftables, the block is iptables"):
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
    (block,) = plan(experiment)
    again = [trial for trial in block.trials if trial.case.number("services") == 40]
    with KIND.prepared(lab, experiment, block) as prepared:
        (report,) = [prepared.run_trial(trial) for trial in again]
    assert dict(report.facts)["services_created"] == "30"


MODES = ["iptables", "nftables"]


def switching(lab, modes=MODES, **parameters):
    """Trials of a block of the iptables mode, by case, on a ladder of 10 and 40."""
    experiment = spec(parameters, kube_proxy_mode=modes, probe=["mode-switch", "climb"])
    (block,) = [
        one.of_kind for one in plan(experiment) if dict(one.modes)["kube_proxy_mode"] == "iptables"
    ]
    with KIND.prepared(lab, experiment, block) as prepared:
        return {trial.case.key: prepared.run_trial(trial) for trial in block.trials}


def test_a_switch_is_timed_while_the_rung_stands_until_its_last_service_answers(lab):
    reports = switching(lab, mode_switch_from=40)
    (found,) = [one for key, one in reports.items() if "probe=mode-switch" in key]
    assert found.status is TrialStatus.COUNTED
    assert values(found) == {
        "switch_convergence": pytest.approx(1.5),
        "switch_outage": pytest.approx(0.5),
        "switch_seconds": pytest.approx(3.0),
        "switch_resolution": pytest.approx(0.1),
    }
    assert dict(found.facts)["switched_from"] == "nftables"
    assert [one.value for one in lab.switches] == ["nftables", "iptables"]
    away, back = lab.switches
    assert away.services == back.services
    assert back.services == ("10.96.8.40:80",)
    assert (back.added, back.patience_seconds) == (40, 1800)
    assert [one.place for one in found.invocations] == ["shell-n1", "shell-n2"]


def test_a_run_of_one_mode_has_it_rolled(lab):
    reports = switching(lab, ["iptables"], mode_switch_from=1)
    found = [one for key, one in reports.items() if "probe=mode-switch" in key]
    assert [set(values(one)) for one in found] == [
        {"roll_outage", "roll_seconds", "switch_resolution"}
    ] * 2
    assert [one.value for one in lab.switches] == ["iptables"] * 2


def test_a_switch_that_does_not_take_effect_fails_its_trial(lab):
    lab.answers["switch"] = [ConvergenceError("still not")]
    reports = switching(lab, mode_switch_from=40)
    (found,) = [one for key, one in reports.items() if "probe=mode-switch" in key]
    failed(found)


def test_no_switch_is_timed_where_none_was_asked_for_or_no_mode_is_switched():
    def probes(parameters, **axes):
        cases = KIND.cases(spec(parameters, **axes))
        found = [case for case in cases if case.get("probe") == "mode-switch"]
        assert all(case.once and case.get("target") is None for case in found)
        return [case.number("services") for case in found]

    assert probes({}, kube_proxy_mode=MODES) == []
    assert probes({"mode_switch_from": 10}) == []
    assert probes({"mode_switch_from": 10}, kube_proxy_mode=["iptables"]) == [10, 40]
    assert probes({"mode_switch_from": 11}, kube_proxy_mode=["iptables"]) == [40]
    assert probes({"mode_switch_from": 41}, kube_proxy_mode=["iptables"]) == []


def test_sync_periods_are_set_with_the_mode():
    document = {"name": "x", "kind": "service_scale", "parameters": {"sync_period_seconds": 180}}
    with pytest.raises(InvalidSpecError, match="name the axis kube_proxy_mode"):
        read_spec(document)
    resolved = resolve(read_spec(document | {"axes": {"kube_proxy_mode": ["iptables"]}}))
    assert sync_periods.wanted(resolved) == SyncPeriods(period=180.0)
    assert sync_periods.wanted(spec()) is None
    with pytest.raises(InvalidSpecError, match="must not exceed the sync period"):
        spec({"sync_period_seconds": 1, "min_sync_period_seconds": 2}, kube_proxy_mode=["iptables"])

"""What voids or fails a trial of service_scale: Services that move, drops, another server."""

from dataclasses import replace
from itertools import pairwise

import pytest

from podmeter.domain.errors import ConvergenceError, LabError
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import plan

from .service_scale_runs import KIND, failed, only, run, spec


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
        """kube-proxy writes its chain again, in another order, while ab runs."""

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
            climbed = any("until-answered" in argv for _, argv in self.commands)
            self.order = (lambda names: sorted(names)[:-1]) if climbed else sorted
            return super()._chain(argv)

    report = only(Reverting(), spec(services=[10], probe=["qps"], target=["first"]), "qps")
    assert (
        "holds 9 Service ports of the run instead of 10" in failed(report, TrialStatus.VOID).message
    )


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
    assert "the backend accepted only 0 of" in failed(report, TrialStatus.VOID).message


def test_another_answer_than_the_backends_is_an_error(fake_lab):
    report = only(fake_lab(), spec({"body_bytes": 612}, services=[10], target=["first"]), "qps")
    assert "Document Length 9 instead of 612" in failed(report).message


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
    named = [warning for warning in report.warnings if "does not report conntrack" in warning]
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
    # With the pod network switched one block has both rungs.
    experiment = spec(services=[10, 40], probe=["qps"], encapsulation=["vxlan"])
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        for trial in block.trials:
            assert prepared.run_trial(trial).status is TrialStatus.COUNTED
            lab.sleep(2)
    assert looks(lab) == 2 * len(block.trials)
    without_pause = fake_lab()
    run(without_pause, experiment)
    heights = [one.case.number("services") for one in block.trials]
    rungs = 1 + sum(one != other for one, other in pairwise(heights))
    assert looks(without_pause) == rungs + len(block.trials)


def test_a_service_that_moved_between_two_trials_voids_the_second(fake_lab):
    lab = fake_lab()
    experiment = spec(services=[10], probe=["qps"], target=["first", "last"])
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        first, second = block.trials
        assert prepared.run_trial(first).status is TrialStatus.COUNTED
        lab.order = lambda names: sorted(names, reverse=True)
        assert (
            "of the chain changed" in failed(prepared.run_trial(second), TrialStatus.VOID).message
        )
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
        assert "every kernel holds 10 Service ports" in report.failure.message


def test_a_service_that_never_answers_is_a_failure_not_a_number(fake_lab):
    lab = fake_lab()
    lab._until_answered = lambda argv: lab._once(argv).__class__("", "", 1, 5.0)
    report = only(lab, spec(services=[10], probe=["climb"]), "climb")
    assert "did not respond within" in failed(report).message


def test_counts_of_the_api_server_are_asserted(fake_lab):
    class Forgetful(fake_lab):
        def service_room(self):
            room = super().service_room()
            return type(room)(room.total, room.of_run // 2, room.endpoint_slices, None, None)

    report = only(Forgetful(), spec(services=[10], probe=["climb"]), "climb")
    assert "has 5 Services and 10 EndpointSlices" in failed(report).message


def test_a_failed_creation_is_temporary_and_all_is_cleaned_up(fake_lab):
    class Away(fake_lab):
        def create_services(self, batch, progress=None):
            super().create_services(batch, progress)
            raise LabError("the API server is away")

    lab = Away()
    assert failed(only(lab, spec(services=[10], probe=["climb"]), "climb")).temporary
    assert not lab.services


def test_one_more_service_is_gone_again_afterwards(lab):
    reports = run(lab, spec(services=[10], probe=["service-ready", "qps"], target=["last"]))
    assert all(report.status is TrialStatus.COUNTED for report in reports.values())

"""A network_policy run on the fake lab, which enforces policies a little after they are made."""

from dataclasses import replace

import pytest
from bench.scripted.lab import FakeLab
from bench.scripted.outputs import printed, vegeta

from podmeter.domain.errors import LabError, PreconditionError, RunCancelledError
from podmeter.domain.ports import Access
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import KINDS, access_of, plan, read_spec, resolve

KIND = KINDS["network_policy"]


def spec(parameters=None, rounds=1, **axes):
    return resolve(
        read_spec(
            {
                "name": "x",
                "kind": "network_policy",
                "axes": {"policies": [0, 10], "response_size": ["0.5k"], "keep_alive": ["off"]}
                | axes,
                "parameters": {"requests": 100} | (parameters or {}),
                "repetition": {"trials": 1, "rounds": rounds, "warmup": 0},
            }
        )
    )


def run(lab, experiment, change=lambda trial: None):
    """The reports of all blocks by their trials' keys; `change` is called before each trial."""
    reports = {}
    for block in plan(experiment):
        with KIND.prepared(lab, experiment, block) as prepared:
            for trial in block.trials:
                change(trial)
                reports[trial.key] = prepared.run_trial(trial)
        assert lab.policies == {}
        assert lab.places == {}
    return reports


def values(report):
    assert report.status is TrialStatus.COUNTED, report.failure
    return {(m.metric, m.subject): m.value for m in report.measurements}


def failure(report):
    assert report.failure is not None
    return report.status, str(report.failure.message)


CLIMB, NONE, TEN = (
    "policies=10#r1t1",
    "keep_alive=off,policies=0,response_size=0.5k#r1t1",
    "keep_alive=off,policies=10,response_size=0.5k#r1t1",
)


def test_what_a_plan_without_axes_has():
    """The article's table, kept connections besides, and the way up to each number of policies."""
    experiment = resolve(read_spec({"name": "x", "kind": "network_policy"}))
    cases = KIND.cases(experiment)
    requests = [case for case in cases if not case.once]
    assert len(requests) == 5 * 5 * 2
    assert [case.number("policies") for case in cases if case.once] == [10, 50, 100, 200]
    assert experiment.parameters["requests"] == 2000


def test_requests_and_the_way_up_are_measured():
    lab = FakeLab()
    reports = run(lab, spec())
    assert list(reports) == [NONE, CLIMB, TEN]
    none, ten = values(reports[NONE]), values(reports[TEN])
    assert none["request_mean", ""] == pytest.approx(500e-6 + 49.5 * 100e-9)
    assert none["request_median", ""] == pytest.approx(none["request_mean", ""])
    assert none["request_median", ""] < none["request_p90", ""] < none["request_p99", ""]
    assert none["request_rate", ""] == pytest.approx(1000)
    assert ("node_cpu", "server") in ten
    climb = values(reports[CLIMB])
    assert 0 < climb["convergence_resolution", ""] <= climb["policy_convergence", ""]
    assert climb["policy_convergence", ""] < climb["policy_ready", ""]
    # Ten that do not match and a matching one, the last of them by itself.
    assert climb["policy_create_rate", ""] == pytest.approx(11 / 0.2)


def test_where_the_matching_policy_is_is_kept_with_a_trial():
    reports = run(FakeLab(), spec())
    assert dict(reports[TEN].facts)["position"] == "11 of 11 policies"
    assert "no policy" in dict(reports[NONE].facts)["position"]
    unnamed = run(FakeLab(names_policies=False), spec())
    assert dict(unnamed[TEN].facts)["position"].startswith("unknown")
    unread = FakeLab(answers={"policies": [printed("", 4, "iptables: Could not fetch rule set")]})
    report = run(unread, spec())[TEN]
    assert values(report)
    assert dict(report.facts)["position"].startswith("unknown")


def test_policies_differ_by_their_port_alone_and_the_last_is_made_last():
    lab = FakeLab()
    made = []
    create = lab.create_policies
    lab.create_policies = lambda policies: made.append(policies) or create(policies)
    run(lab, spec())
    proof, first, last = made
    assert [one.port for one in proof] == [8080]
    assert [one.port for one in (*first, *last)] == [8080, *range(20_001, 20_011)]
    assert len(last) == 1
    assert {(one.server, one.client) for one in (*first, *last)} == {
        ("pm-ab12cd-server", "pm-ab12cd-client")
    }


def test_the_second_round_climbs_first_and_is_measured_on_the_way_down():
    keys = list(run(FakeLab(), spec(rounds=2, policies=[0, 10, 50])))[5:]
    assert [key.partition("policies=")[2].partition(",")[0].partition("#")[0] for key in keys] == [
        *("10", "50"),
        *("50", "10", "0"),
    ]


def test_a_cluster_that_does_not_enforce_policies_is_refused():
    """And has no figure at all: nothing it would measure is of policies."""
    lab = FakeLab(enforces=False)
    with pytest.raises(PreconditionError, match="does not enforce NetworkPolicies"):
        run(lab, spec())
    assert (lab.policies, lab.places) == ({}, {})
    assert not any("vegeta" in argv for _, argv in lab.commands if "-version" not in argv)


def test_a_policy_that_shuts_out_whom_it_lets_in_is_told_apart():
    lab = FakeLab()
    asked = lab._asked

    def shut(argv):
        return asked(argv) if not lab.enforced else printed("7 " * len(argv[3:]) + "end\n")

    lab._asked = shut
    with pytest.raises(PreconditionError, match="the allowed client got no response"):
        run(lab, spec())


def test_policies_of_others_that_select_the_pods_are_in_the_way():
    with pytest.raises(PreconditionError, match=r"already select.*default-deny"):
        run(FakeLab(foreign=("default-deny",)), spec())


def test_a_rate_near_saturation_is_refused():
    with pytest.raises(PreconditionError, match="maximum of 1500"):
        run(FakeLab(capacity=1500), spec())
    run(FakeLab(capacity=1500), spec({"requests_per_second": 500}))


def test_a_busy_moment_does_not_refuse_a_rate():
    lab = FakeLab()
    lab.answers["vegeta"] = [vegeta(750, 1500, 512), *2 * [vegeta(4000, 8000, 512)]]
    lab.answers["vegeta"].append(vegeta(100, 1000, 512))
    experiment = spec(policies=[0], response_size=["0.5k"])
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        assert prepared.taken == {("0.5k", "off"): pytest.approx(8000)}


def test_large_answers_are_asked_for_less_often():
    reports = run(FakeLab(), spec(response_size=["1M"], policies=[0]))
    (report,) = reports.values()
    assert values(report)["request_rate", ""] == pytest.approx(119, rel=0.01)


def test_a_client_that_cannot_keep_up_gives_no_figure():
    lab = FakeLab()
    lab.answers["vegeta"] = [vegeta(4000, 8000, 512), vegeta(100, 900, 512)]
    assert failure(run(lab, spec(policies=[0]))[NONE]) == (
        TrialStatus.VOID,
        (
            "only 100 of 100 requests were sent, at 900 per second instead of 1000: "
            "the client could not keep up"
        ),
    )


def test_requests_that_were_not_all_sent_give_no_figure():
    lab = FakeLab()
    lab.answers["vegeta"] = [vegeta(4000, 8000, 512), vegeta(98, 1000, 512)]
    status, message = failure(run(lab, spec(policies=[0]))[NONE])
    assert status is TrialStatus.VOID
    assert "98 of 100 requests" in message


def test_a_trial_in_which_enforcement_ended_is_void():
    lab = FakeLab()

    def let_go(trial):
        lab.enforces = trial.key != TEN

    reports = run(lab, spec(), let_go)
    status, message = failure(reports[TEN])
    assert status is TrialStatus.VOID
    assert "with 10 policies" in message


def test_a_trial_in_which_the_policies_moved_is_void():
    lab, order = FakeLab(), iter(["1", "11"])
    real = lab._policies

    def moving(argv):
        told = real(argv)
        if not told.stdout.startswith("11 ") or not trials:
            return told
        return replace(told, stdout=f"11 {next(order, 11)} end\n")

    trials = []
    lab._policies = moving
    reports = run(lab, spec(), lambda trial: trials.append(trial) if trial.key == TEN else None)
    status, message = failure(reports[TEN])
    assert status is TrialStatus.VOID
    assert "the number of policies in the kernel changed" in message


@pytest.mark.parametrize(("keep_alive", "opened"), [("off", 2), ("on", 100)])
def test_connections_that_are_not_those_of_the_trial_make_it_void(keep_alive, opened):
    lab = FakeLab()
    real = lab._vegeta

    def other(argv):
        before = lab.accepted
        output = real(argv)
        lab.accepted = before + opened
        return output

    lab._vegeta = other
    (report,) = run(lab, spec(policies=[0], keep_alive=[keep_alive])).values()
    status, message = failure(report)
    assert status is TrialStatus.VOID
    assert f"accepted {opened + 3} connections" in message


def test_kept_connections_are_few():
    (report,) = run(FakeLab(), spec(policies=[0], keep_alive=["on"])).values()
    assert "request_mean" in {metric for metric, _ in values(report)}


def test_without_host_access_the_position_is_not_known():
    experiment = spec({"read_rules": False})
    assert access_of(experiment) == {Access.POD}
    assert access_of(spec()) == {Access.POD, Access.HOST_ADMIN}
    lab = FakeLab()
    reports = run(lab, experiment)
    assert dict(reports[TEN].facts)["position"].startswith("unknown")
    assert lab.shells == {}


def test_an_answer_of_another_length_gives_no_figure():
    lab = FakeLab()
    lab.answers["vegeta"] = [vegeta(4000, 8000, 512), vegeta(100, 1000, 511)]
    status, message = failure(run(lab, spec(policies=[0]))[NONE])
    assert status is TrialStatus.FAILED
    assert "Content-Length 511" in message


def test_a_cancel_leaves_nothing():
    lab = FakeLab()
    lab.cancel_on = "-rate=1000/1s"
    with pytest.raises(RunCancelledError):
        run(lab, spec())
    assert (lab.policies, lab.places) == ({}, {})


def test_policies_that_could_not_be_made_are_removed_again():
    lab = FakeLab()
    create, made = lab.create_policies, []

    def torn(policies):
        made.append(policies)
        create(policies)
        if len(made) == 2:
            raise LabError("the API server is away")
        return 0.1

    lab.create_policies = torn
    reports = run(lab, spec())
    assert "the API server is away" in failure(reports[CLIMB])[1]
    # The next trial makes what is missing.
    assert reports[TEN].status is TrialStatus.COUNTED


def test_the_way_up_is_the_same_when_it_is_tried_again():
    lab, experiment = FakeLab(), spec(policies=[0, 10, 50])
    (block,) = plan(experiment)
    climbs = [trial for trial in block.trials if trial.case.once]
    with KIND.prepared(lab, experiment, block) as prepared:
        for trial in (*climbs, climbs[0]):
            report = prepared.run_trial(trial)
            values(report)
    assert dict(report.facts)["policies_created"] == "11"

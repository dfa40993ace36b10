"""Answers of another server, failures and cuts of request_latency: no number comes of them."""

from dataclasses import replace

import pytest

from podmeter.domain.errors import (
    CommandTimeoutError,
    ConvergenceError,
    LabError,
    PreconditionError,
    RunCancelledError,
)
from podmeter.domain.ports import CommandOutput
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import plan

from .request_latency_runs import INSIDE, KIND, only, run, spec, values

NOT_OURS = "the response did not come from pm-ab12cd-server on n2"


def answering(fake_lab, told):
    """A lab whose trials are answered by what `told` says; what it is reached by is not."""

    class Answering(fake_lab):
        def _answered_by(self, host, port):
            honest = super()._answered_by(host, port)
            return honest | (told if int(self.commands[-1][1][3]) > 1 else {})

    return Answering()


@pytest.mark.parametrize(
    ("path", "complaint"),
    [("pod-pod", NOT_OURS), ("pod-service-pod", "not one of the Service's replicas")],
)
def test_another_server_voids_the_trial(fake_lab, path, complaint):
    report = only(answering(fake_lab, {"server": "somebody"}), spec(path=[path]))
    assert report.status is TrialStatus.VOID
    assert complaint in report.failure.message
    assert report.measurements == ()


def test_another_replica_is_not_the_pod_that_was_asked(fake_lab):
    lab = answering(fake_lab, {"server": "pm-ab12cd-server-2"})
    report = run(lab, spec(path=["pod-pod", "pod-service-pod"]))["pod-pod"][1]
    assert report.status is TrialStatus.VOID
    assert NOT_OURS in report.failure.message


def test_a_name_that_leads_elsewhere_voids_the_trial(fake_lab):
    lab = answering(fake_lab, {"address": "203.0.113.9"})
    report = only(lab, spec(path=["pod-service-name"]))
    assert report.status is TrialStatus.VOID
    assert "pm-ab12cd-server resolved to 203.0.113.9" in report.failure.message


def test_another_server_is_never_measured(fake_lab):
    class Mapped(fake_lab):
        def _answered_by(self, host, port):
            own = self.place.name.endswith("-server")
            return super()._answered_by(host, port) | ({} if own else {"server": "somebody"})

    lab = Mapped()
    with pytest.raises(PreconditionError, match=NOT_OURS):
        run(lab, spec())
    assert not lab.places


def test_a_short_answer_is_a_failed_trial(fake_lab):
    report = only(answering(fake_lab, {"size": 3}), spec())
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())
    assert "size 3 instead of 9" in report.failure.message


def test_a_split_beyond_chance_is_said(fake_lab):
    class Sticky(fake_lab):
        def _serves(self, address, turn=0):
            return super()._serves(address)

    report = only(Sticky(), spec({"requests": 30}, path=["pod-service-pod"]))
    assert values(report)["replica_share", "replica-1"] == 1
    assert "not distributed evenly" in report.warnings[0]


@pytest.mark.parametrize("name", ["refused", "not-found", "timeout", "empty-reply"])
def test_a_failure_is_no_number(fake_lab, real, name):
    lab = fake_lab()
    experiment = spec()
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["curl"] = [real("curl-8.14.1", name)]
        report = prepared.run_trial(block.trials[0])
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())
    assert report.failure.code == "tool_failed"
    assert report.invocations[0].stdout == real("curl-8.14.1", name).stdout


def test_a_cut_answer_is_a_failed_trial(fake_lab, real):
    lab, whole = fake_lab(), real("curl-8.14.1", "phases")
    experiment = spec()
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["curl"] = [replace(whole, stdout=whole.stdout[:400])]
        report = prepared.run_trial(block.trials[0])
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())


@pytest.mark.parametrize("error", [LabError("pod is gone"), CommandTimeoutError("killed")])
def test_a_lost_lab_is_a_temporary_failure(fake_lab, error):
    lab = fake_lab()
    experiment = spec()
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["curl"] = [error]
        report = prepared.run_trial(block.trials[0])
    assert report.status is TrialStatus.FAILED
    assert report.failure.temporary


def test_a_path_that_never_answers_is_told_and_cleaned_up(fake_lab):
    class Nameless(fake_lab):
        def _curl(self, argv):
            if "pm-ab12cd-server:" in argv[-1]:
                return CommandOutput("", "", 0, 0.1)
            return super()._curl(argv)

    lab = Nameless()
    with pytest.raises(ConvergenceError, match="answers client at pm-ab12cd-server:8000"):
        run(lab, spec(path=["pod-service-name"]))
    assert not lab.places
    assert not lab.services


def test_a_server_that_never_listens_is_told_and_cleaned_up(fake_lab, real):
    lab = fake_lab(answers={"curl": [real("curl-8.14.1", "refused")]})
    with pytest.raises(ConvergenceError, match="server listens on port 8000 of n2"):
        run(lab, spec(path=["node-service"]))
    assert not lab.places
    assert not lab.services


def test_a_cancel_in_a_trial_cleans_up(fake_lab):
    lab = fake_lab(cancel_on="11")
    with pytest.raises(RunCancelledError):
        run(lab, spec(path=INSIDE))
    assert not lab.places
    assert not lab.services

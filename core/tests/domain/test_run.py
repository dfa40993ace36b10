import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.domain.errors import TransitionError
from podmeter.domain.run import (
    ALLOWED,
    CaseStatus,
    Outcome,
    Reopening,
    RunState,
    RunStatus,
    outcome_of,
    reopen,
    transition,
)


def at(state, outcome=None, reason=""):
    return RunStatus(state, outcome, reason)


def test_a_run_that_goes_well():
    status = RunStatus()
    for state in (RunState.PREFLIGHT, RunState.RUNNING):
        status = transition(status, state)
    status = transition(status, RunState.CLEANING, Outcome.SUCCEEDED)
    assert transition(status, RunState.FINISHED) == at(RunState.FINISHED, Outcome.SUCCEEDED)


@pytest.mark.parametrize(
    ("start", "to"),
    [pair for pair in itertools.product(RunState, RunState) if pair[1] not in ALLOWED[pair[0]]],
)
def test_every_other_change_is_refused(start, to):
    with pytest.raises(TransitionError):
        transition(at(start, Outcome.FAILED, "why"), to, Outcome.FAILED, "why")


@pytest.mark.parametrize("start", [RunState.QUEUED, RunState.PREFLIGHT, RunState.RUNNING])
def test_a_cancel_goes_through_cleaning_from_anywhere(start):
    cleaning = transition(at(start), RunState.CLEANING, Outcome.CANCELLED, "by ada")
    finished = transition(cleaning, RunState.FINISHED)
    assert (finished.outcome, finished.reason) == (Outcome.CANCELLED, "by ada")


def test_cleaning_needs_to_know_where_it_leads():
    with pytest.raises(TransitionError, match="needs an outcome"):
        transition(at(RunState.RUNNING), RunState.CLEANING)


def test_an_outcome_other_than_success_needs_a_reason():
    with pytest.raises(TransitionError, match="needs a reason"):
        transition(at(RunState.RUNNING), RunState.CLEANING, Outcome.FAILED)


def test_a_failure_to_clean_replaces_the_outcome():
    cleaning = at(RunState.CLEANING, Outcome.SUCCEEDED)
    finished = transition(cleaning, RunState.FINISHED, Outcome.FAILED, "mode not restored")
    assert (finished.outcome, finished.reason) == (Outcome.FAILED, "mode not restored")


def test_there_is_no_outcome_before_cleaning():
    with pytest.raises(TransitionError):
        transition(RunStatus(), RunState.PREFLIGHT, Outcome.SUCCEEDED)


@pytest.mark.parametrize(
    ("why", "outcome", "allowed"),
    [
        (Reopening.RETRY, Outcome.PARTIAL, True),
        (Reopening.RETRY, Outcome.FAILED, True),
        (Reopening.RETRY, Outcome.SUCCEEDED, False),
        (Reopening.RETRY, Outcome.INTERRUPTED, False),
        (Reopening.RESUME, Outcome.INTERRUPTED, True),
        (Reopening.RESUME, Outcome.CANCELLED, True),
        (Reopening.RESUME, Outcome.FAILED, False),
    ],
)
def test_retry_takes_up_failures_and_resume_interruptions(why, outcome, allowed):
    status = at(RunState.FINISHED, outcome, "why")
    if allowed:
        assert reopen(status, why) == RunStatus(attempt=2)
    else:
        with pytest.raises(TransitionError):
            reopen(status, why)


def test_a_run_that_is_not_finished_is_not_reopened():
    with pytest.raises(TransitionError):
        reopen(at(RunState.CLEANING, Outcome.FAILED, "why"), Reopening.RETRY)


@given(st.lists(st.sampled_from(CaseStatus)))
def test_only_full_success_is_success(statuses):
    outcome = outcome_of(tuple(statuses))
    good = statuses.count(CaseStatus.SUCCEEDED)
    expected = {
        Outcome.SUCCEEDED: bool(statuses) and good == len(statuses),
        Outcome.PARTIAL: 0 < good < len(statuses),
        Outcome.FAILED: good == 0,
    }
    assert expected[outcome]

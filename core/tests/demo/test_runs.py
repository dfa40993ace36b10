import io
from typing import cast

from rich.console import Console

from podmeter.demo.api import Api
from podmeter.demo.runs import run
from podmeter.demo.time_left import PlannedRun, TimeLeft
from podmeter.domain.messages import say

WARNING = say("not_cleaned_up", run="r", cluster="c", error="[ssl] certificate verify failed")


def given(message):
    """A message as the API gives it, with its text."""
    return {**message.plain(), "text": str(message)}


class Answers:
    """A run that ended in part, with a warning on its way."""

    blocks_seen = 0
    until: dict[str, float] | None = None

    def post(self, path, body=None):
        plan = {"cases": [{}], "trials": 1, "mode_switches": 0, "expected_seconds": 60}
        repetition = {"until_decided": self.until}
        plan |= {"blocks_seen": self.blocks_seen, "repetition": repetition}
        return plan if path == "/experiments/plan?cluster_id=cluster" else {"id": "7"}

    def get(self, path):
        return {"outcome": "partial", "reason": given(say("text", text="1 of [two] cases"))}

    def events(self, run_id):
        yield "state", {"state": "running"}
        yield "trial", {"trial": 1}
        yield "log", {"level": "warning", "message": given(WARNING)}
        yield "state", {"state": "finished"}


def told_of(answers: Answers) -> str:
    console = Console(width=200, file=io.StringIO(), record=True)
    run(cast(Api, answers), console, "cluster", {"name": "Paths", "kind": "throughput"})
    return console.export_text()


def test_a_plan_that_no_run_of_the_cluster_tells_says_so():
    known = Answers()
    known.blocks_seen = 12
    assert "about 1 min\n" in told_of(known)
    assert "about 1 min, longer if this cluster is a slow one\n" in told_of(Answers())


def test_a_run_that_goes_on_until_it_is_decided_says_when_it_ends():
    looking = Answers()
    looking.until = {"difference": 0.1, "most_minutes": 30}
    said = told_of(looking)
    assert "at most 1 trials and 0 mode switches" in said
    assert "as soon as every main case is decided: better, worse, or a difference below 10%" in said


def test_what_a_run_says_is_printed_as_its_sentence():
    told = told_of(Answers())
    assert str(WARNING) in told
    # A ladder on a slow cluster takes several times what its plan says.
    assert "1 of 1 trials; about 1 min left" in told
    (bar,) = [line for line in told.splitlines() if line.startswith("finished")]
    assert "left" not in bar
    assert "partly: 1 of [two] cases" in told
    assert "params" not in told


def test_what_is_left_of_a_run_until_decided_is_bounded_by_its_time():
    now = 0.0
    left = TimeLeft([PlannedRun(900.0)], lambda: now, most_seconds=900.0)
    assert left.said() == "about 15 min left"
    now = 300.0
    # A tenth of the most trials in a third of the most time: the time ends it.
    assert left.said(0.1) == "about 10 min left"
    now = 450.0
    assert left.said(0.9) == "about 1 min left"
    now = 1000.0
    # Six rounds are measured, however long they take.
    assert left.said(0.5) == "about 17 min left"

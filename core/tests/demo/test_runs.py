import io

from rich.console import Console

from podmeter.demo.runs import run
from podmeter.domain.messages import say

WARNING = say("not_cleaned_up", run="r", cluster="c", error="[ssl] certificate verify failed")


class Answers:
    """A run that ended in part, with a warning on its way."""

    def post(self, path, body=None):
        plan = {"cases": [{}], "trials": 1, "switches": [], "expected_seconds": 60}
        return plan if path == "/experiments/plan?cluster_id=cluster" else {"id": "7"}

    def get(self, path):
        return {"outcome": "partial", "reason": say("text", text="1 of [two] cases").plain()}

    def events(self, run_id):
        yield "state", {"state": "running"}
        yield "trial", {"trial": 1}
        yield "log", {"level": "warning", "message": WARNING.plain()}
        yield "state", {"state": "finished"}


def test_what_a_run_says_is_printed_as_its_sentence():
    console = Console(width=200, file=io.StringIO(), record=True)
    run(Answers(), console, "cluster", {"name": "Paths", "kind": "throughput"})
    told = console.export_text()
    assert str(WARNING) in told
    # A ladder on a slow cluster takes several times what its plan says.
    assert "1 of 1 trials; about 1 min left" in told
    (bar,) = [line for line in told.splitlines() if line.startswith("finished")]
    assert "left" not in bar
    assert "partly: 1 of [two] cases" in told
    assert "params" not in told

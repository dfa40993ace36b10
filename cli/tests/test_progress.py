"""How far a run has got: counted from its events, drawn in a terminal, told in lines elsewhere."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console

from podmeter_cli.client import PING, server_sent
from podmeter_cli.following import _print_lines, picture
from podmeter_cli.progress import CONCLUSIONS, Progress

MESSAGES = Path(__file__).parents[2] / "core/src/podmeter/texts/en/messages/runs.json"
CASES = [
    {"id": 1, "key": "a", "point": {"path": "pod-pod", "protocol": "tcp"}},
    {"id": 2, "key": "b", "point": {"path": "node-node", "protocol": "tcp"}},
]
RUN = {"id": "r", "name": "paths"}


def plan(trials: int = 10, until: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "trials": trials,
        "repetition": {"until_decided": until, "rounds": 1},
        "blocks": [],
    }


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def state(name: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "state", {"state": name, "attempt": 1, **more}


def trial(number: int, case: int = 1) -> tuple[str, dict[str, Any]]:
    return "trial", {"trial": number, "case": case, "status": "counted"}


def test_cases_are_called_by_what_tells_them_apart() -> None:
    progress = Progress.of(RUN, plan(), CASES)
    assert [case.name for case in progress.cases.values()] == ["pod-pod", "node-node"]


def left(after: float, until: str | None = None) -> dict[str, Any]:
    return {"block_until": until, "seconds_after": after}


def test_what_is_left_is_what_the_server_says_counted_down() -> None:
    """Whatever trials ended: those of high rungs take much longer than those of low ones."""
    clock = Clock()
    progress = Progress.of(RUN, plan(), CASES)
    progress.wall_clock = clock
    assert progress.seconds_left is None
    progress.time_left = left(120)
    assert progress.seconds_left == 120
    progress.time_left = left(100, "1970-01-01T00:00:20Z")
    clock.now = 5
    for number in range(9):
        progress.take(*trial(number))
    assert progress.seconds_left == 115
    # The block takes longer than expected.
    clock.now = 900
    assert progress.seconds_left == 100
    progress.take(*state("finished", outcome="succeeded"))
    assert progress.seconds_left is None


def test_the_time_left_is_asked_for_where_it_changes_and_once_a_second_at_most() -> None:
    clock = Clock()
    progress = Progress.of(RUN, plan(), CASES)
    progress.clock = clock
    answers = iter(left(seconds) for seconds in (30, 20, 10))
    seen: list[tuple[float, float | None]] = []

    def events() -> Iterator[tuple[str, dict[str, Any]]]:
        for second, event in enumerate(
            ["state", "log", "trial", "block", "block", "block", PING, PING]
        ):
            # The blocks are replayed at once.
            clock.now = 3.0 if event == "block" else float(second)
            yield event, {}

    for _ in progress.timed(events(), lambda: next(answers)):
        seen.append((clock.now, progress.seconds_left))
    assert seen == [
        (0, 30), (1, 30), (2, 30), (3, 20), (3, 20), (3, 20), (6, 10), (7, 10),
    ]  # fmt: skip


def test_a_trial_that_is_told_twice_counts_once() -> None:
    progress = Progress.of(RUN, plan(), CASES)
    for _ in range(2):
        progress.take(*trial(7))
    assert (progress.done, progress.cases[1].trials, progress.share) == (1, 1, 0.1)
    assert progress.counts == "1 running, 1 pending"


def drawn(progress: Progress, values: dict[int, str], height: int = 24) -> str:
    console = Console(file=io.StringIO(), width=90, height=height, color_system=None)
    console.print(picture(progress, values, height))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_why_measuring_ended_is_kept_until_the_end() -> None:
    progress = Progress.of(RUN, plan(until={"relative": 0.1}), CASES)
    texts = json.loads(MESSAGES.read_text())
    for code in CONCLUSIONS:
        assert code in texts["message"], "the server has no such message"
        progress.take("log", {"level": "info", "message": {"code": code, "text": code}})
        progress.take("log", {"level": "info", "message": {"code": "restored", "text": "restored"}})
        assert progress.conclusion == code


def test_a_terminal_shows_the_matrix_and_its_intervals() -> None:
    progress = Progress.of(RUN, plan(until={"difference": 0.1}), CASES)
    progress.time_left = left(120)
    progress.take(*state("running"))
    progress.take("case", {"case": 2, "status": "failed"})
    progress.take(*trial(1))
    progress.take("log", {"level": "info", "message": {"code": "any", "text": "round 1 of 5"}})
    text = drawn(progress, {1: "9.41 Gbit/s [9.31 to 9.52 Gbit/s]"})
    assert "paths  running, at most" in text
    assert "1 of at most 10 trials" in text
    assert "▸  pod-pod         1  9.41 Gbit/s [9.31 to 9.52 Gbit/s]" in text
    assert "✗  node-node" in text
    assert "round 1 of 5" in text


def test_a_matrix_that_is_too_high_shows_what_is_measured_now() -> None:
    cases = [{"id": n, "key": str(n), "point": {"services": n}} for n in range(60)]
    progress = Progress.of(RUN, plan(), cases)
    progress.take(*trial(1, case=59))
    text = drawn(progress, {}, height=20)
    assert len(text.splitlines()) <= 20
    assert "59" in text
    assert "and 46 more cases: 59 pending, 1 running" in text


def test_without_a_terminal_each_state_warning_and_tenth_is_a_line() -> None:
    progress = Progress.of(RUN, plan(), CASES)
    progress.clock = Clock()
    progress.time_left = left(120)
    said: list[str] = []
    events = [
        state("queued"),
        state("running"),
        ("log", {"level": "info", "message": {"code": "any", "text": "not this one"}}),
        ("log", {"level": "warning", "message": {"code": "any", "text": "a trial is void"}}),
        *(trial(number) for number in range(10)),
        state("finished", outcome="succeeded"),
    ]
    _print_lines(iter(events), progress, said.append)
    assert said[:3] == [
        "paths: queued, about 2 min left",
        "paths: running, about 2 min left",
        "warning: a trial is void",
    ]
    assert sum("of 10 trials" in line for line in said) == 10
    assert said[-1] == "paths: finished"


def test_a_run_without_a_plan_has_no_number_of_trials() -> None:
    """One of another version said `1 of 0 trials`."""
    progress = Progress.of(RUN, None, CASES)
    progress.take(*trial(1))
    assert progress.share is None
    text = drawn(progress, {})
    assert "1 trial\n" in text or "1 trial " in text
    assert "0 trials" not in text
    said: list[str] = []
    progress.clock = iter((0.0, 0.0, 100.0, 100.0)).__next__
    _print_lines(iter([state("running"), trial(2)]), progress, said.append)
    assert said == ["paths: running", "running: latest case pod-pod: 2 trials"]


BLOCKS = [
    {"position": 0, "round": 1, "modes": {"kube_proxy_mode": "iptables", "services": 5000}},
    {"position": 1, "round": 1, "modes": {"kube_proxy_mode": "nftables", "services": 5000}},
]


def test_a_long_climb_has_a_line_a_minute_without_a_terminal() -> None:
    """With rung, round, Services created, rules in the kernel, and the time left."""
    clock = Clock()
    long = {**plan(), "blocks": BLOCKS}
    long["repetition"] = {"until_decided": None, "rounds": 6}
    progress = Progress.of(RUN, long, CASES)
    progress.clock = progress.wall_clock = clock
    progress.time_left = left(10, "1970-01-01T00:01:50Z")
    said: list[tuple[float, str]] = []
    made = "Service ports 2,500 of 5,000 created; in the kernel of 0 of 2 nodes"

    def events() -> Iterator[tuple[str, dict[str, Any]]]:
        yield state("running")
        yield "block", {"block": 1, "status": "running"}
        for second in range(10, 310, 10):
            clock.now = second
            yield "log", {"level": "info", "message": {"code": "any", "text": made}}
        # In a switch nothing is logged: the server keeps the connection open.
        for second in range(315, 615, 15):
            clock.now = second
            yield PING, {}
        yield trial(1)
        yield state("finished", outcome="succeeded")

    _print_lines(events(), progress, lambda line: said.append((clock.now, line)))
    moments = [at for at, _ in said]
    assert all(later - earlier <= 60 for earlier, later in pairwise(moments))
    assert said[1][1] == (
        "running: round 1 of 6, kube_proxy_mode nftables, services 5000, "
        f"{made}: 0 of 10 trials, about 70 s left"
    )
    assert said[-1][1] == "paths: finished"


def test_a_quiet_connection_yields_pings() -> None:
    lines = ["id: 1", "event: log", "data: {}", "", ": ping - 2026", "", "event: end", ""]
    assert [(kind, number) for number, kind, _ in server_sent(iter(lines))] == [
        ("log", "1"),
        (PING, ""),
        ("end", ""),
    ]

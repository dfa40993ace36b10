"""The runs whose right verdict is known: what is left to do, what counts, what a bar is."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench.verdicts import __main__ as command
from bench.verdicts import saved_runs
from bench.verdicts.busy import busy
from bench.verdicts.saved_runs import RunVerdicts
from bench.verdicts.subjects import BARS, SUBJECTS
from rich.console import Console

from podmeter.domain.experiment import Profile
from podmeter.kinds.registry import plan, read_spec, resolve
from podmeter.statistics import METHOD_VERSION, rounds_needed

SAID = RunVerdicts(
    subject="ab",
    busy=False,
    verdict="worse",
    reason="clear_effect",
    change=-0.3,
    p=0.001,
    seconds=100.0,
    finished_at="2026-11-22T00:00:00Z",
    method_version=METHOD_VERSION,
)


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_each_subject_is_two_sides_in_turn_in_rounds_that_can_decide(subject: Any) -> None:
    spec = resolve(read_spec(subject.spec))
    assert spec.repetition.until_decided or subject.repetition["profile"] == Profile.QUICK
    assert spec.repetition.rounds >= rounds_needed()
    sides = [dict(block.modes)[subject.axis] for block in plan(spec)]
    one, two = subject.axes[subject.axis]
    rounds = [sides[start : start + 2] for start in range(0, len(sides), 2)]
    assert all(set(each) == {one, two} for each in rounds)
    # Either side is the first in a third of the rounds at least.
    assert 3 * [each[0] for each in rounds].count(one) in range(len(rounds), 2 * len(rounds) + 1)
    # Every block sets a mode up again.
    assert all(set(dict(block.modes)) - {"arm"} for block in plan(spec))


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    file = tmp_path / "in" / "said.jsonl"
    both = ("kube-proxy", "ab")
    everything = saved_runs.left([], both, 2, METHOD_VERSION)
    assert everything == [("kube-proxy", False), ("ab", False), ("kube-proxy", True), ("ab", True)]
    saved_runs.add(file, SAID)
    saved_runs.add(file, replace(SAID, subject="kube-proxy", busy=True))
    saved_runs.add(file, replace(SAID, subject="kube-proxy", method_version=METHOD_VERSION - 1))
    left = saved_runs.left(saved_runs.read(file), both, 2, METHOD_VERSION)
    assert left == [("kube-proxy", False), ("ab", True)]


def test_a_line_that_a_kill_has_cut_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    saved_runs.add(file, SAID)
    with file.open("a") as output:
        output.write('{"subject": "ab", "bu')
    saved_runs.add(file, replace(SAID, busy=True))
    assert saved_runs.read(file) == [SAID, replace(SAID, busy=True)]


@pytest.mark.parametrize(("false", "right", "code"), [(3, 7, 0), (4, 7, 1), (3, 6, 1), (0, 10, 0)])
def test_the_bars(false: int, right: int, code: int) -> None:
    quiet = replace(SAID, subject="encapsulation", verdict="undecided")
    same = [replace(quiet, verdict="better" if n < false else "same") for n in range(20)]
    other = [replace(SAID, verdict="worse" if n < right else "undecided") for n in range(10)]
    assert command._told(Console(quiet=True), same + other) == code
    assert {bar.share for bar in BARS} == {3 / 20, 7 / 10, 1.0}


def test_the_main_effect_is_that_of_the_highest_rung_and_no_other() -> None:
    subject = SUBJECTS["kube-proxy"]

    def pair(services: int, verdict: str) -> dict[str, Any]:
        point = {"services": services, "probe": "qps", "target": "last"}
        row = {"key": {"metric": "requests_per_second"}, "code": "ratio", "verdict": verdict}
        return {
            "shared": point,
            "effects": [row],
        }

    comparison = {"contenders": [{"pairs": [pair(10, "worse"), pair(100, "same")]}]}
    assert subject.main_effect(comparison)["verdict"] == "same"
    with pytest.raises(LookupError):
        subject.main_effect({"contenders": [{"pairs": [pair(10, "worse")]}]})


def test_busy_processes_end_with_their_context() -> None:
    with busy(2) as pids:
        assert len(pids) == 2
        assert all(Path(f"/proc/{one}").exists() for one in pids)
    for one in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(one, 0)

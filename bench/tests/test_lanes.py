"""Commands in lanes: what is printed, in which order, and how it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from bench.lanes import Command, Lanes

ROOT = Path(__file__).parents[2]
LANES = [sys.executable, "-m", "bench.lanes"]


def shell(text: str) -> str:
    return f"sh -c '{text}'"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LANES, *words], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )


def test_what_each_printed_is_together_in_the_order_of_its_lane(tmp_path: Path) -> None:
    """Each of the two waits for the other one to have printed something."""
    first = shell(
        f"echo a1; touch {tmp_path}/a; until [ -e {tmp_path}/b ]; do sleep 0.01; done; echo a2"
    )
    other = shell(
        f"echo b1; touch {tmp_path}/b; until [ -e {tmp_path}/a ]; do sleep 0.01; done; echo b2"
    )
    ended = run(first, "echo a3", "--", other)
    assert ended.returncode == 0
    lines = [line for line in ended.stdout.splitlines() if len(line) == 2]
    assert sorted(lines) == ["a1", "a2", "a3", "b1", "b2"]
    assert lines.index("a2") == lines.index("a1") + 1
    assert lines.index("b2") == lines.index("b1") + 1
    assert lines.index("a3") > lines.index("a2")


def test_a_failure_fails_all_and_is_said_at_the_end_whatever_came_after() -> None:
    ended = run(shell("echo why >&2; exit 3"), "echo later", "--", "echo beside")
    assert ended.returncode == 1
    assert {"later", "beside"} <= set(ended.stdout.splitlines()), "the others go on"
    end = ended.stdout.rpartition("and said last:")[2].splitlines()
    assert end[1] == "why"
    assert [line.split()[1] for line in end if line.startswith("==")] == [
        "FAILED",
        "passed",
        "passed",
        "why",
    ]


def test_why_it_failed_is_the_very_last_word() -> None:
    playwright = (
        "  1) [scripted] a run is tagged\\n    \\033[31mError:\\033[0m no click\\n trace.zip\\n"
        "  2) [scripted] all pages\\n    Test timeout of 600000ms exceeded.\\n"
    )
    ended = run(shell(f'printf "{playwright}"; exit 1'), shell("echo FAILED a_test; exit 1"))
    end = ended.stdout.rpartition("== why sh -c")[0].rpartition("== why sh -c")[2]
    assert end.splitlines()[1:] == [
        "  1) [scripted] a run is tagged",
        "    Error: no click",
        "  2) [scripted] all pages",
        "    Test timeout of 600000ms exceeded.",
    ]
    assert ended.stdout.splitlines()[-1] == "FAILED a_test"


def test_what_passed_at_a_second_try_is_told_with_why_it_failed_at_first() -> None:
    playwright = "  1) a run is tagged\\n    Error: no click\\n  1 flaky\\n    a run is tagged\\n"
    pytest = "E   OSError: no route\\nRERUN a_test\\nPASSED a_test\\n"
    ended = run(shell(f'printf "{playwright}"'), shell(f'printf "{pytest}"'), "echo all well")
    assert ended.returncode == 0
    told = ended.stdout.split("== tests failed at first, then passed, in ")[1:]
    assert [one.splitlines()[1:] for one in told] == [
        ["  1) a run is tagged", "    Error: no click", "  1 flaky"],
        ["E   OSError: no route", "RERUN a_test"],
    ]


def test_the_first_lane_goes_before_the_others() -> None:
    said = "nice"
    ended = run(said, "--", said, "--", said)
    own = os.nice(0)
    asked = [int(line) for line in ended.stdout.splitlines() if line.isdigit()]
    assert sorted(asked) == [own, min(19, own + 10), min(19, own + 10)]


def test_a_signal_ends_what_runs_and_begins_nothing_more(tmp_path: Path) -> None:
    begun, started = tmp_path / "begun", tmp_path / "started"
    slow = f"sleep 60 & echo $! >{started}; touch {begun}; wait"
    words = [shell(slow), "echo never", "--", "echo beside"]
    with subprocess.Popen([*LANES, *words], stdout=subprocess.PIPE, text=True, cwd=ROOT) as lanes:
        while not begun.exists():
            assert lanes.poll() is None
        lanes.send_signal(signal.SIGTERM)
        said, _ = lanes.communicate(timeout=30)
    assert lanes.returncode == 1
    assert "not run: echo never" in said
    assert "\nnever" not in said
    # What a command has started ends too, as npm's and make's do not by themselves.
    deadline = time.monotonic() + 30
    while _lives(started.read_text().strip()):
        assert time.monotonic() < deadline


def test_a_signal_while_a_command_is_started_ends_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command may have begun before the lane that started it knows of it."""
    started = subprocess.Popen

    def signalled(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        process = started(*args, **options)
        lanes.end(signal.SIGTERM, None)
        return process

    command = Command(["sleep", "30"], tmp_path / "log")
    command.log.touch()
    lanes = Lanes([[command]])
    monkeypatch.setattr(subprocess, "Popen", signalled)
    assert not lanes.run()
    assert command.process is not None
    assert command.process.returncode == -signal.SIGTERM


def _lives(process: str) -> bool:
    try:
        return "State:\tZ" not in Path("/proc", process, "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False

import fcntl
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import timed
from podmeter.stack.process import wait_until


def run(argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return CommandOutput(done.stdout, done.stderr, done.returncode, 0.0)


def test_captured(captured):
    timings = timed.parse(captured("podmeter-measure-1", "timed"), 4)
    assert [(t.exit_code, t.stdout) for t in timings] == [(0, "a\nb"), (1, "")] * 2
    assert all(0 < t.seconds < 1 for t in timings)


def test_a_command_that_is_not_there_is_an_error(captured):
    with pytest.raises(ToolError, match="no-such-tool: No such file"):
        timed.parse(captured("podmeter-measure-1", "timed-no-command"), 2)


def test_commands_run_in_turn_and_their_time_is_their_own():
    output = run(timed.argv([["sleep", "0.05"], ["echo", "ümlaut"]], 2))
    first, second, third, _ = timed.parse(output, 4)
    assert first.seconds >= 0.05
    assert third.seconds >= 0.05
    assert second.stdout == "ümlaut\n"


def test_a_command_that_is_killed_says_so():
    (only,) = timed.parse(run(timed.argv([["sh", "-c", "kill -9 $$"]], 1)), 1)
    assert only.exit_code == 137


def test_the_wait_for_the_lock_is_told_apart(tmp_path):
    lock = tmp_path / "lock"
    released = []

    def release(held):
        released.append(time.monotonic())
        fcntl.flock(held, fcntl.LOCK_UN)

    def hold_while_it_waits(held):
        assert wait_until(lambda: is_waited_for(lock), 60)
        threading.Timer(0.5, release, [held]).start()

    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        threading.Thread(target=hold_while_it_waits, args=[held]).start()
        (only,) = timed.parse(run(timed.argv([["true"]], 1, lock=str(lock))), 1)
        over = time.monotonic()
    assert only.lock_seconds >= 0.5
    # However long the command took on a busy machine, it began after the wait.
    assert only.seconds < over - released[0]


def is_waited_for(lock):
    inode = f":{lock.stat().st_ino} "
    lines = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and inode in line for line in lines)


@pytest.mark.parametrize("missing", [1, 5, 30])
def test_a_cut_answer_is_an_error(captured, missing):
    whole = captured("podmeter-measure-1", "timed")
    with pytest.raises(ToolError):
        timed.parse(replace(whole, stdout=whole.stdout[:-missing]), 4)

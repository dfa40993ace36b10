"""What is asked of processes."""

import subprocess

import pytest

from podmeter_testbed.shell import start_time_of, wait_for


def ended(pid: int) -> bool:
    try:
        start_time_of(pid)
    except ProcessLookupError:
        return True
    return False


def test_a_process_whose_parent_has_not_asked_for_its_end_has_ended() -> None:
    """As the testbed's kernel is where a test killed it that had started it."""
    process = subprocess.Popen(["sleep", "60"])
    try:
        assert int(start_time_of(process.pid)) > 0
        process.kill()
        wait_for("the process to end", lambda: ended(process.pid), 10)
        assert process.returncode is None
    finally:
        process.wait()


def test_who_never_was_has_no_start_time() -> None:
    with pytest.raises(OSError, match="No such file"):
        start_time_of(2**22 + 1)

"""`podmeter-measure serve` as a process of this machine: what a pod would run."""

import hashlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_worker.kube.framing import (
    BOOT_ARGV,
    HAIL,
    HAILED,
    KILL,
    NEWLINE,
    Ending,
    Frame,
    Framed,
    request,
)

Supervisor = subprocess.Popen[bytes]


@pytest.fixture
def started() -> Iterator[list[Supervisor]]:
    processes: list[Supervisor] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def start(started: list[Supervisor], *argv: str, limit: float = 20) -> Supervisor:
    process = subprocess.Popen(
        BOOT_ARGV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    started.append(process)
    say(process, request(argv, limit))
    return process


def say(process: Supervisor, data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


def read(process: Supervisor) -> Framed:
    return read_into(Frame(), process)


def read_into(frame: Frame, process: Supervisor) -> Framed:
    assert process.stdout is not None
    while frame.answer is None:
        data = os.read(process.stdout.fileno(), 65536)
        assert data, process.stderr.read() if process.stderr else ""
        frame.feed(data)
    return frame.answer


def read_start(process: Supervisor) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == b"PODMETER1 started\n"


def hail(process: Supervisor) -> None:
    """Once it answers, it is done with the command before."""
    say(process, HAIL)
    assert process.stdout is not None
    assert process.stdout.readline() == HAILED


def after_start(process: Supervisor) -> Framed:
    frame = Frame()
    frame.feed(b"PODMETER1 started\n")
    return read_into(frame, process)


def await_gone(path: Path) -> None:
    deadline = time.monotonic() + 60
    while path.exists():
        assert time.monotonic() < deadline, f"{path} is still there"
        time.sleep(0.01)


def files() -> set[Path]:
    """Those of commands that have a name, of whatever test."""
    return set(Path("/tmp").glob(".podmeter-*"))


def await_no_more_than(before: set[Path]) -> None:
    """A command of another test that begins just now has one for a moment."""
    deadline = time.monotonic() + 60
    while left := files() - before:
        assert time.monotonic() < deadline, f"{left} are still there"
        time.sleep(0.01)


def test_output_exit_code_and_time_come_back(started: list[Supervisor]) -> None:
    answer = read(start(started, "sh", "-c", "echo out; echo err >&2; sleep 0.2; exit 7"))
    assert (answer.stdout, answer.stderr, answer.exit_code) == (b"out\n", b"err\n", 7)
    assert answer.ending is Ending.EXITED
    assert answer.seconds >= 0.2


BUSY_LOOP = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"


def test_the_cpu_time_of_a_command_comes_back(started: list[Supervisor]) -> None:
    """Of its own process and of those that it waited for; what sleeps takes none."""
    busy = read(start(started, "sh", "-c", f"sh -c '{BUSY_LOOP}'; true"))
    idle = read(start(started, "sleep", "0.3"))
    assert busy.usage.cpu_seconds is not None
    assert idle.usage.cpu_seconds is not None
    assert 0.02 < busy.usage.cpu_seconds <= 1.05 * busy.seconds
    assert idle.usage.cpu_seconds < 0.1 * idle.seconds
    assert read(start(started, "no-such-command")).usage.cpu_seconds is None


def test_a_worker_that_does_not_ask_is_not_told(started: list[Supervisor]) -> None:
    """Workers of older versions take no line that they do not know."""
    process = subprocess.Popen(
        BOOT_ARGV[:2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    started.append(process)
    say(process, request(["true"], 20))
    read_start(process)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"PODMETER1 exited 0 ")


def test_a_megabyte_of_any_bytes_is_whole(started: list[Supervisor]) -> None:
    script = "head -c 1500000 /dev/urandom | tee /dev/stderr"
    answer = read(start(started, "sh", "-c", script))
    assert len(answer.stdout) == 1_500_000
    assert hashlib.sha256(answer.stdout).digest() == hashlib.sha256(answer.stderr).digest()


def test_a_command_that_is_not_there_is_an_answer(started: list[Supervisor]) -> None:
    answer = read(start(started, "no-such-command"))
    assert answer.exit_code == 127
    assert b"no-such-command" in answer.stderr


def test_a_signal_is_told_as_a_shell_would(started: list[Supervisor]) -> None:
    assert read(start(started, "sh", "-c", "kill -9 $$")).exit_code == 137


def test_at_its_limit_the_whole_group_is_killed(started: list[Supervisor]) -> None:
    answer = read(start(started, "sh", "-c", "sleep 60 & echo $!; wait", limit=0.5))
    assert answer.ending is Ending.TIMEOUT
    # On a busy machine it may be killed before it has begun.
    if process := answer.stdout.decode().strip():
        await_gone(Path("/proc", process))


def test_what_ignores_the_first_signal_gets_another(started: list[Supervisor]) -> None:
    script = "trap '' TERM; echo ignored; while :; do sleep 0.1; done"
    answer = read(start(started, "sh", "-c", script, limit=0.3))
    assert answer.ending is Ending.TIMEOUT
    # On a busy machine the first signal may come before it is ignored.
    assert answer.exit_code == 137 or not answer.stdout


def test_a_newline_is_handed_on(started: list[Supervisor]) -> None:
    process = start(started, "sh", "-c", "read line; echo got-it")
    read_start(process)
    say(process, NEWLINE)
    assert after_start(process).stdout == b"got-it\n"


def test_that_it_is_ready_is_told_at_once_and_is_no_output(started: list[Supervisor]) -> None:
    process = start(started, "sh", "-c", "echo yes >&3; echo more >&3; read line; echo out")
    read_start(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"PODMETER1 ready\n"
    say(process, NEWLINE)
    answer = after_start(process)
    assert (answer.stdout, answer.exit_code) == (b"out\n", 0)


def test_what_closes_that_descriptor_is_not_ready(started: list[Supervisor]) -> None:
    process = start(started, "sh", "-c", "exec 3>&-; read line; echo out")
    read_start(process)
    say(process, NEWLINE)
    assert after_start(process).stdout == b"out\n"


def test_it_is_killed_when_asked(started: list[Supervisor]) -> None:
    process = start(started, "sleep", "60")
    read_start(process)
    say(process, KILL)
    answer = after_start(process)
    assert answer.ending is Ending.KILLED
    assert answer.seconds < 30


def test_nobody_listening_ends_the_command_and_leaves_no_file(started: list[Supervisor]) -> None:
    before = files()
    process = start(started, "sleep", "60")
    read_start(process)
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=50)
    await_no_more_than(before)


def test_one_command_after_another_and_what_came_too_late_is_ignored(
    started: list[Supervisor],
) -> None:
    process = start(started, "sh", "-c", "echo one; exit 3")
    assert read(process).stdout == b"one\n"
    for late in (NEWLINE, KILL):
        say(process, late)
    hail(process)
    say(process, request(("sh", "-c", "echo two >&2; sleep 0.1"), 20))
    answer = read(process)
    assert (answer.stdout, answer.stderr, answer.exit_code) == (b"", b"two\n", 0)
    assert answer.seconds >= 0.1
    say(process, request(("sleep", "60"), 0.3))
    assert read(process).ending is Ending.TIMEOUT


def test_no_descriptor_and_no_process_is_left_by_a_command(started: list[Supervisor]) -> None:
    process = start(started, "true")
    read(process)
    hail(process)
    open_at_first = set(Path("/proc", str(process.pid), "fd").iterdir())
    for _ in range(5):
        say(process, request(("sh", "-c", "echo x; sleep 60 &"), 20))
        assert read(process).stdout == b"x\n"
    hail(process)
    assert set(Path("/proc", str(process.pid), "fd").iterdir()) == open_at_first
    children = Path("/proc", str(process.pid), "task", str(process.pid), "children")
    assert children.read_text() == ""


def test_nobody_listening_any_more_ends_it_between_commands(started: list[Supervisor]) -> None:
    process = start(started, "true")
    read(process)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=50) == 0


def test_a_command_ends_with_a_program_that_is_killed(
    started: list[Supervisor], tmp_path: Path
) -> None:
    process = start(started, "sh", "-c", f"echo $$ >{tmp_path}/pid; echo >&3; exec sleep 60")
    read_start(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"PODMETER1 ready\n"
    process.kill()
    await_gone(Path("/proc", (tmp_path / "pid").read_text().strip()))


def test_nothing_of_a_command_has_a_name_below_tmp(started: list[Supervisor]) -> None:
    before = files()
    process = start(started, "sh", "-c", "echo >&3; read line")
    read_start(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"PODMETER1 ready\n"
    await_no_more_than(before)

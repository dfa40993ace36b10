import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from podmeter.stack import supervisor as supervisor_module
from podmeter.stack.errors import StackError
from podmeter.stack.process import wait_until
from podmeter.stack.supervisor import MAX_ENDS, Program, Supervisor


def python(name: str, code: str) -> Program:
    return Program(name, [sys.executable, "-c", code], dict(os.environ), stop_timeout_s=10.0)


LIVES = "import signal; signal.pause()"


def test_what_keeps_ending_while_something_is_waited_for_is_an_error(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    broken = python("broken", f"open({str(starts)!r}, 'a').write('x'); raise SystemExit(3)")
    steady = python("steady", LIVES)
    with Supervisor() as supervisor:
        supervisor.start(steady)
        supervisor.start(broken)
        with pytest.raises(StackError, match="broken ended 3 times"):
            supervisor.wait_for(lambda: False, 60, "the API")
    assert starts.read_text() == "x" * MAX_ENDS
    assert steady.ended()


def test_a_program_that_keeps_ending_ends_no_other_and_comes_back(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(supervisor_module, "_FIRST_PAUSE_S", 0.05)
    killed, steady = python("killed", LIVES), python("steady", LIVES)
    with Supervisor() as supervisor:
        supervisor.start(steady)
        supervisor.start(killed)
        assert steady.running is not None
        first = steady.running.pid
        deadline = time.monotonic() + 60
        pids: list[int] = []
        while len(pids) <= MAX_ENDS + 1 and time.monotonic() < deadline:
            assert killed.running is not None
            if not killed.ended() and killed.running.pid not in pids:
                pids.append(killed.running.pid)
                killed.running.kill()
            supervisor.watch(0.1)
        assert len(pids) == MAX_ENDS + 2
        assert steady.running.pid == first
        assert not steady.ended()
        assert not supervisor.stop_requested
    said = capfd.readouterr().err
    assert "starting it again in 0.05 s" in said
    assert "starting it again in 0.1 s" in said


def test_a_server_that_does_not_start_again_is_tried_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor_module, "_FIRST_PAUSE_S", 0.05)
    tries: list[int] = []

    class Server:
        name = "server"

        def start(self) -> None:
            tries.append(1)
            if 1 < len(tries) < MAX_ENDS + 2:
                raise StackError("its port is taken")

        def ended(self) -> bool:
            return len(tries) < MAX_ENDS + 2

        def stop(self) -> None:
            """Nothing is left of it."""

    with Supervisor() as supervisor:
        supervisor.start(Server())
        deadline = time.monotonic() + 60
        while len(tries) < MAX_ENDS + 2 and time.monotonic() < deadline:
            supervisor.watch(0.1)
    assert len(tries) == MAX_ENDS + 2


def test_a_program_that_was_killed_is_started_again() -> None:
    program = python("program", LIVES)
    with Supervisor() as supervisor:
        supervisor.start(program)
        assert program.running is not None
        first = program.running.pid
        program.running.kill()
        supervisor.wait_for(lambda: bool(program.running and program.running.pid != first), 60, "")
        assert not program.ended()
    assert program.ended()


def test_a_signal_stops_all_in_opposite_order(capfd: pytest.CaptureFixture[str]) -> None:
    first, second = python("first", LIVES), python("second", LIVES)
    with Supervisor() as supervisor:
        supervisor.start(first)
        supervisor.start(second)
        # To this thread, which is the only one of a program that supervises.
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        supervisor.run()
    said = capfd.readouterr().err
    assert said.index("stopping second") < said.index("stopping first")
    assert first.ended()
    assert second.ended()


def test_what_does_not_come_up_is_an_error() -> None:
    with pytest.raises(StackError, match="the API did not come up"), Supervisor() as supervisor:
        supervisor.wait_for(lambda: False, 0.2, "the API")


def test_programs_end_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    child = f"import os, signal; open({str(pid_file)!r}, 'w').write(str(os.getpid()))"
    code = (
        "import os, sys\n"
        "from podmeter.stack.supervisor import Program, Supervisor\n"
        "with Supervisor() as s:\n"
        "    s.start(Program('p', [sys.executable, '-c', sys.argv[1]], dict(os.environ)))\n"
        "    s.run()\n"
    )
    command = [sys.executable, "-c", code, f"{child}; signal.pause()"]
    supervisor = subprocess.Popen(command)
    try:
        assert wait_until(lambda: pid_file.exists() and bool(pid_file.read_text()), 60)
        pid = int(pid_file.read_text())
        supervisor.kill()
        supervisor.wait(60)
        assert wait_until(lambda: not Path(f"/proc/{pid}/cmdline").exists(), 60)
    finally:
        supervisor.kill()
        supervisor.wait(60)


def test_signals_are_not_blocked_in_programs(tmp_path: Path) -> None:
    answer = tmp_path / "blocked"
    code = (
        "import pathlib, signal\n"
        f"p = pathlib.Path({str(answer)!r}); q = p.with_suffix('.new')\n"
        "q.write_text(str(len(signal.pthread_sigmask(signal.SIG_BLOCK, [])))); q.rename(p)\n"
        "signal.pause()\n"
    )
    with Supervisor() as supervisor:
        supervisor.start(python("program", code))
        supervisor.wait_for(answer.exists, 60, "the answer")
        assert answer.read_text() == "0"


def test_a_start_that_the_system_refuses_is_tried_again_though_nothing_can_be_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a full disk: neither a program's files nor a line of the log can be written."""
    monkeypatch.setattr(supervisor_module, "_FIRST_PAUSE_S", 0.05)
    member = python("member", LIVES)
    start, refusals = member.start, [OSError(errno.ENOSPC, "no space")]

    def refused_once() -> None:
        if refusals:
            raise refusals.pop()
        start()

    with Path("/dev/full").open("w") as full, Supervisor() as supervisor:
        supervisor.start(member)
        assert member.running is not None
        monkeypatch.setattr(member, "start", refused_once)
        monkeypatch.setattr(sys, "stderr", full)
        member.running.kill()
        deadline = time.monotonic() + 60
        while (refusals or member.ended()) and time.monotonic() < deadline:
            supervisor.watch(0.1)
        assert not refusals
        assert not member.ended()
        monkeypatch.undo()
        # What is left in its buffer must not fail when it is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())

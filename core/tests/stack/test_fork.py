import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from podmeter.stack.fork import Fork
from podmeter.stack.process import wait_until
from podmeter.stack.supervisor import Supervisor

#: A program of two forks that write their process ids and wait.
PROGRAM = """
import os, signal, sys
from functools import partial
from pathlib import Path
from podmeter.stack.fork import Fork, run_forked

imported = object()

def live(name):
    Path(sys.argv[1], name).write_text(f"{os.getpid()} {id(imported)}")
    signal.pause()

run_forked([Fork(name, partial(live, name)) for name in ("one", "two")])
"""


def lives(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def pid_in(file: Path) -> int:
    assert wait_until(lambda: file.exists() and file.read_text() != "", 30)
    return int(file.read_text().split()[0])


@pytest.fixture
def program(tmp_path: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)])


def test_forks_end_with_their_program(program: "subprocess.Popen[bytes]", tmp_path: Path) -> None:
    pids = [pid_in(tmp_path / name) for name in ("one", "two")]
    shared = {(tmp_path / name).read_text().split()[1] for name in ("one", "two")}
    assert len(set(pids)) == 2
    assert len(shared) == 1
    program.terminate()
    assert program.wait(30) == 0
    assert not any(map(lives, pids))


def test_no_fork_outlives_a_program_that_was_killed(
    program: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    pids = [pid_in(tmp_path / name) for name in ("one", "two")]
    program.kill()
    program.wait(30)
    assert wait_until(lambda: not any(map(lives, pids)), 30)


DEAF = """
import signal, sys
from functools import partial
from podmeter.stack.fork import Fork, run_forked
from podmeter.stack.process import spawn
from pathlib import Path
import os

def live(name):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(sys.argv[1], name).write_text(str(os.getpid()))
    while True:
        signal.pause()

if len(sys.argv) == 2:
    spawn([sys.executable, __file__, sys.argv[1], "spawned"])
    run_forked([Fork("forked", partial(live, "forked"))])
live(sys.argv[2])
"""


def test_nothing_outlives_a_program_that_was_killed_whatever_it_is_busy_with(
    tmp_path: Path,
) -> None:
    """A signal that asks it to end is one it may ignore, or take its time for."""
    (tmp_path / "program.py").write_text(DEAF)
    program = subprocess.Popen([sys.executable, tmp_path / "program.py", tmp_path])
    pids = [pid_in(tmp_path / name) for name in ("forked", "spawned")]
    program.kill()
    program.wait(30)
    assert wait_until(lambda: not any(map(lives, pids)), 30)


def test_a_fork_that_was_killed_is_forked_again(
    program: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    first, other = pid_in(tmp_path / "one"), pid_in(tmp_path / "two")
    (tmp_path / "one").unlink()
    os.kill(first, 9)
    assert pid_in(tmp_path / "one") != first
    assert lives(other)
    program.terminate()
    assert program.wait(30) == 0


def test_a_fork_that_does_not_end_is_killed() -> None:
    deaf = Fork("deaf", _ignore_everything, stop_timeout_s=0.5)
    with Supervisor() as supervisor:
        supervisor.start(deaf)
        assert deaf.running is not None
        assert not deaf.ended()
    assert deaf.ended()


def _ignore_everything() -> None:
    import signal

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    while True:
        time.sleep(60)

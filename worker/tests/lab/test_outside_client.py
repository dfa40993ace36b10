"""The worker's own machine as a client outside: real commands, told and ended as those in pods."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from podmeter.domain.errors import CommandTimeoutError, PreconditionError, RunCancelledError
from podmeter.drivers import program
from podmeter_worker.kube.exec import RunningCommand
from podmeter_worker.kube.framing import request
from podmeter_worker.lab import outside_client
from podmeter_worker.lab.outside_client import LocalShells, LocalStream

KEY = ("", "outside")


def ends(process: int) -> bool:
    """Whether a process is gone within a while."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def sleeper(tmp_path: object) -> tuple[str, ...]:
    return ("sh", "-c", f"echo $$ >{tmp_path}/pid; exec sleep 60")


def tool(tmp_path: object) -> tuple[str, ...]:
    """A sleeper that the program's own command starts, as it starts vegeta and curl."""
    return program.argv("bundle", *sleeper(tmp_path))


def begun(tmp_path: object) -> int:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            with open(f"{tmp_path}/pid") as told:
                return int(told.read())
        except (FileNotFoundError, ValueError):
            time.sleep(0.02)
    raise AssertionError("it did not begin")


def test_what_a_command_prints_and_how_it_ends() -> None:
    output = outside_client.run(("sh", "-c", "echo one; echo two >&2; exit 3"))
    assert (output.stdout, output.stderr, output.exit_code) == ("one\n", "two\n", 3)
    assert 0 < output.seconds < 30


def test_a_long_answer_comes_whole() -> None:
    output = outside_client.run(("sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x"))
    assert output.stdout == "x" * 3_000_000


def test_a_command_that_is_not_there_is_an_answer() -> None:
    output = outside_client.run(("no-such-tool",))
    assert output.exit_code == 127
    assert "No such file" in output.stderr


def test_a_machine_without_the_program_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(PreconditionError) as caught:
        outside_client.run(("true",))
    assert caught.value.said.code == "outside_no_program"


def test_it_has_nothing_of_the_workers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PODMETER_ENCRYPTION_KEYS", "DATABASE_URL", "http_proxy"):
        monkeypatch.setenv(name, "a secret")
    output = outside_client.run(("env",))
    assert {line.partition("=")[0] for line in output.stdout.splitlines()} == {"LC_ALL", "PATH"}


def test_one_that_does_not_end_is_killed(tmp_path: Path) -> None:
    with (
        pytest.raises(CommandTimeoutError),
        RunningCommand(LocalShells(), KEY, sleeper(tmp_path), limit_seconds=0.3) as command,
    ):
        command.wait()
    told = tmp_path / "pid"
    # On a busy machine it may be killed before it has begun.
    if told.exists() and (process := told.read_text()):
        assert ends(int(process))


def test_a_cancel_ends_it(tmp_path: object) -> None:
    cancelled = threading.Event()

    def check() -> None:
        if cancelled.is_set():
            raise RunCancelledError("by ada")

    with RunningCommand(LocalShells(), KEY, sleeper(tmp_path), check=check) as command:
        process = begun(tmp_path)
        cancelled.set()
        with pytest.raises(RunCancelledError):
            command.wait()
    assert ends(process)


def test_a_tool_ends_with_a_program_that_has_to_be_killed(tmp_path: Path) -> None:
    """One that hangs does not end its command itself."""
    stream = LocalStream()
    stream.write(request(tool(tmp_path), 60))
    process = begun(tmp_path)
    os.kill(stream._process.pid, signal.SIGSTOP)
    stream.close()
    assert ends(process)


def test_a_tool_ends_with_a_worker_that_is_killed(tmp_path: Path) -> None:
    script = "import sys; from podmeter_worker.lab.outside_client import run; run(sys.argv[1:])"
    with subprocess.Popen([sys.executable, "-c", script, *tool(tmp_path)]) as worker:
        process = begun(tmp_path)
        worker.kill()
    assert ends(process)


def test_one_beside_others_ends_when_it_is_told() -> None:
    with RunningCommand(LocalShells(), KEY, ("sh", "-c", "read line; echo told")) as command:
        assert command.finish(timeout_seconds=10).stdout == "told\n"


def test_one_that_says_so_is_ready_and_one_that_ends_without_is_not() -> None:
    argv = ("sh", "-c", "echo >&3; read line; echo told")
    with RunningCommand(LocalShells(), KEY, argv) as command:
        assert command.wait_ready(timeout_seconds=20)
        assert command.finish(timeout_seconds=20).stdout == "told\n"
    with RunningCommand(LocalShells(), KEY, ("sh", "-c", "echo why; exit 3")) as command:
        assert not command.wait_ready(timeout_seconds=20)
        assert command.wait().stdout == "why\n"


def test_one_that_says_nothing_in_time_goes_on() -> None:
    with RunningCommand(LocalShells(), KEY, ("sh", "-c", "read line; echo told")) as command:
        assert not command.wait_ready(timeout_seconds=0.1)
        assert command.finish(timeout_seconds=20).stdout == "told\n"

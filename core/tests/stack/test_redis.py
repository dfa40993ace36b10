import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from podmeter.stack.process import processes_in, wait_until
from podmeter.stack.redis import EmbeddedRedis

pytestmark = pytest.mark.services


def ask(server: EmbeddedRedis, *commands: str, password: str | None = "a-password") -> bytes:
    """What the server says to the last command."""
    assert server.port is not None
    lines = ([f"AUTH {password}"] if password else []) + list(commands)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        reader = connection.makefile("rb")
        answer = b""
        for line in lines:
            connection.sendall(f"{line}\r\n".encode())
            answer = reader.readline()
            if answer.startswith(b"$") and answer != b"$-1\r\n":
                answer = reader.readline()
        return answer.strip()


def test_keeps_what_was_written_over_a_restart(redis: EmbeddedRedis) -> None:
    redis.start()
    assert ask(redis, "SET kept 7") == b"+OK"
    port = redis.port
    redis.stop()
    redis.start()
    assert ask(redis, "GET kept") == b"7"
    assert redis.port == port


def test_keeps_what_was_written_over_a_kill(redis: EmbeddedRedis) -> None:
    redis.start()
    assert ask(redis, "SET kept 7") == b"+OK"
    assert redis.process is not None
    redis.process.send_signal(signal.SIGKILL)
    redis.process.wait(60)
    redis.start()
    assert ask(redis, "GET kept") == b"7"


def test_answers_nobody_without_the_password(redis: EmbeddedRedis) -> None:
    redis.start()
    assert ask(redis, "GET kept", password=None).startswith(b"-NOAUTH")
    assert ask(redis, password="another").startswith(b"-WRONGPASS")


def test_listens_on_loopback_alone(redis: EmbeddedRedis) -> None:
    redis.start()
    assert redis.port is not None
    (pid,) = processes_in(redis.folder)
    held = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    addresses = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in held:
                addresses.add(fields[1])
    assert addresses == {f"0100007F:{redis.port:04X}"}


def test_its_configuration_is_private(redis: EmbeddedRedis) -> None:
    redis.start()
    assert stat.S_IMODE((redis.folder / "redis.conf").stat().st_mode) == 0o600


def test_another_port_is_taken_where_its_own_is_held(redis: EmbeddedRedis) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        redis.port = int(holder.getsockname()[1])
        redis.start()
        assert redis.port != holder.getsockname()[1]


def test_one_that_has_answered_is_started_however_late_its_next_answer_is(
    redis: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = redis.answers
    answered: list[int] = []

    def answers_once(port: int) -> bool:
        if answered or not answers(port):
            return False
        answered.append(port)
        return True

    monkeypatch.setattr(redis, "answers", answers_once)
    redis.start()
    assert answered == [redis.port]


def test_ends_when_whoever_started_it_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "redis"
    script = (
        "import sys, pathlib, podmeter.stack.redis as r\n"
        "s = r.EmbeddedRedis(pathlib.Path(sys.argv[1]), 'a-password'); s.start()\n"
        "print('started', flush=True); sys.stdin.read()\n"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert starter.stdout is not None
    assert starter.stdout.readline() == b"started\n"
    assert list(processes_in(folder))
    starter.kill()
    starter.communicate()
    assert wait_until(lambda: not list(processes_in(folder)), 60)

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from select import select

import pytest
from core.tests.ports import held_port

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import service_watch

FOLDER = "podmeter-measure-1"
CAPTURED = ("127.0.0.2:8443", "127.0.0.3:8443")
WHOLE = """begin 99.100000
told 100.950000
asked 102.000000
ended 103.100000
gap 0.021000
service 10.96.0.1:443
ok 99.101000 100.981000 95
fail 101.001000 101.501000 26
ok 101.521000 103.081000 79
end
"""


def said(text: str) -> CommandOutput:
    return CommandOutput(text, "", 0, 3.0)


def read(text: str) -> service_watch.Watched:
    return service_watch.parse(said(text), ["10.96.0.1:443"])


def test_captured(captured):
    """One listener was away for a second, the other one's packets were dropped as long."""
    seen = service_watch.parse(captured(FOLDER, "service-watch"), CAPTURED)
    for stretches in seen.services:
        assert [one.works for one in stretches] == [True, False, True]
        failed = stretches[1]
        assert 0.5 < failed.last - failed.first < 2
        assert failed.looks > 10
        assert stretches[2].last - stretches[2].first >= service_watch.GOOD_SECONDS
    assert 0.02 <= seen.gap < 0.5
    assert seen.begin + service_watch.GOOD_SECONDS <= seen.told < seen.asked <= seen.ended


def test_captured_that_never_worked(captured):
    seen = service_watch.parse(captured(FOLDER, "service-watch-never"), ("127.0.0.2:8444",))
    assert [one.works for one in seen.services[0]] == [False]
    assert seen.told == 0


def test_a_service_that_is_none_is_an_error(captured):
    with pytest.raises(ToolError, match="is no address and port"):
        service_watch.parse(captured(FOLDER, "service-watch-no-service"), ("kubernetes:443",))


def test_a_whole_answer_is_read():
    seen = read(WHOLE)
    assert (seen.begin, seen.told, seen.asked) == (99.1, 100.95, 102.0)
    assert (seen.ended, seen.gap) == (103.1, 0.021)
    assert [(one.works, one.looks) for one in seen.services[0]] == [
        (True, 95),
        (False, 26),
        (True, 79),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("end\n", ""),
        ("end\n", "end\nend\n"),
        ("told 100", "told 99"),
        ("told 100", "told 104"),
        ("asked 102", "asked 104"),
        ("ended 103", "ended 101"),
        ("gap 0.021000", "gap 9.000000"),
        ("gap 0.021000", "gap nan"),
        ("10.96.0.1:443", "10.96.0.2:443"),
        ("ok 99.101000", "ok 99.001000"),
        ("fail 101.001000", "ok 101.001000"),
        ("fail 101.001000", "fail 100.001000"),
        ("ok 101.521000 103.081000 79", "ok 101.521000 104.081000 79"),
        ("101.501000 26", "101.501000 0"),
        ("101.501000 26", "101.501000 1"),
        ("101.501000 26", "101.501000 -3"),
        ("ok 99.101000 100.981000 95\nfail 101.001000 101.501000 26\nok", "ok"),
    ],
)
def test_what_is_cut_or_cannot_be_is_an_error(old, new):
    changed = WHOLE.replace(old, new, 1)
    assert changed != WHOLE
    if "26\nok" in old:
        assert len(read(changed).services[0]) == 1  # less of it is whole as well
        return
    with pytest.raises(ToolError):
        read(changed)


def test_an_answer_without_end_is_not_read():
    stretch = "".join(f"{'ok' if n % 2 else 'fail'} {n}.000000 {n}.500000 9\n" for n in range(9999))
    head = "begin 0.000000\ntold 0.000000\nasked 0.000000\nended 99999.000000\ngap 0.100000\n"
    with pytest.raises(ToolError):
        read(f"{head}service 10.96.0.1:443\n{stretch}end\n")


@pytest.fixture
def listeners() -> Iterator[list[socket.socket]]:
    found: list[socket.socket] = []
    yield found
    for one in found:
        one.close()


@pytest.fixture
def port() -> Iterator[int]:
    """Of a Service for which nobody listens at times.

    The watch connects from one port after the other: from this one it would reach itself.
    """
    with held_port() as found:
        yield found


def listen(listeners: list[socket.socket], port: int = 0) -> socket.socket:
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", port))
    found.listen(1024)
    found.settimeout(20)
    listeners.append(found)
    return found


def service_of(listener: socket.socket) -> str:
    return f"127.0.0.1:{listener.getsockname()[1]}"


def drain(listener: socket.socket) -> None:
    """Accept the connections that wait already: on a busy machine they are from before."""
    while select([listener], [], [], 0)[0]:
        listener.accept()[0].close()


def take(listener: socket.socket, count: int) -> None:
    """Accept so many connections that begin from now on: so often it was looked since."""
    drain(listener)
    for _ in range(count):
        listener.accept()[0].close()


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    found: list[subprocess.Popen[str]] = []
    yield found
    for one in found:
        one.kill()
        one.wait()


def start(
    started: list[subprocess.Popen[str]], *services: str, patience: float = 20
) -> subprocess.Popen[str]:
    return popen(
        started, service_watch.argv(services, every_seconds=0.02, patience_seconds=patience)
    )


def popen(
    started: list[subprocess.Popen[str]], argv: Sequence[str], *, pass_fds: Sequence[int] = ()
) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=pass_fds,
    )
    started.append(process)
    return process


def ended(process: subprocess.Popen[str]) -> CommandOutput:
    out, err = process.communicate("\n", timeout=60)
    return CommandOutput(out, err, process.returncode, 0.0)


def test_that_all_succeed_for_good_is_told_by_descriptor_3(listeners, started, port):
    steady = listen(listeners)
    services = [f"127.0.0.1:{port}", service_of(steady)]
    heard, told = os.pipe()
    argv = service_watch.argv(services, every_seconds=0.02, patience_seconds=20)
    wrapped = ("bash", "-c", f'exec "$@" 3>&{told}', "bash", *argv)
    process = popen(started, wrapped, pass_fds=(told,))
    os.close(told)
    with os.fdopen(heard) as line:
        # For 1.5 s nothing is reported: nobody listens for one of the two.
        take(steady, 75)
        assert select([line], [], [], 0)[0] == []
        listen(listeners, port)
        assert line.readline() == "\n"
        heard_at = time.monotonic()
    seen = service_watch.parse(ended(process), services)
    assert [one.works for one in seen.services[0]] == [False, True]
    assert seen.services[0][1].first + service_watch.GOOD_SECONDS < seen.told < heard_at


def test_an_outage_is_seen_and_the_service_beside_it_has_none(listeners, started, port):
    away, steady = listen(listeners, port), listen(listeners)
    services = [service_of(away), service_of(steady)]
    process = start(started, *services)
    take(steady, 10)
    away.close()
    take(steady, 10)
    away = listen(listeners, port)
    take(away, 5)
    seen = service_watch.parse(ended(process), services)
    assert [one.works for one in seen.services[0]] == [True, False, True]
    assert [one.works for one in seen.services[1]] == [True]
    failed = seen.services[0][1]
    assert failed.looks >= 9
    assert all(one[-1].last >= seen.asked for one in seen.services)


def test_no_port_is_used_again_by_the_watch_that_follows(listeners, started):
    """By what a failed connection leaves in the kernel, the next one from its port would fail."""
    listener = listen(listeners)
    used = []
    for _ in range(2):
        process = start(started, service_of(listener))
        used.append([listener.accept()[1][1] for _ in range(20)])
        # The next one begins later than this look, which is by the clock.
        take(listener, 5)
        process.kill()
        process.wait()
        # Its last looks are not the next one's.
        drain(listener)
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    first, second = ([(port - used[0][0]) % (high - low + 1) for port in each] for each in used)
    assert first + second == sorted(set(first + second))
    # One after the other, but for those that others have: the kernel's own steps are wider.
    assert first[-1] - first[0] < 2 * len(first)
    assert second[-1] - second[0] < 2 * len(second)


def test_what_does_not_work_again_is_given_up(listeners, started, port):
    away, steady = listen(listeners, port), listen(listeners)
    services = [service_of(away), service_of(steady)]
    process = start(started, *services, patience=0.3)
    take(steady, 3)
    away.close()
    # It looks before it is asked: its patience may be over before it looks again.
    take(steady, 3)
    stretches, _ = service_watch.parse(ended(process), services).services
    assert not stretches[-1].works


def test_it_ends_with_its_standard_input(started):
    process = start(started, "127.0.0.1:1")
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=20)
    assert process.stdout is not None
    assert process.stdout.read() == ""

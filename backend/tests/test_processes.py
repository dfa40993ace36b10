"""The API as it is served: in several processes that share what they imported."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
import redis

from podmeter.credentials.key_ring import generate_key
from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import Part
from podmeter.stack.process import wait_until

pytestmark = pytest.mark.services
PROCESSES = 3


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def api(database_url: str, redis_url: str, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    environment = environment_of(database_url, redis_url, port)
    api = subprocess.Popen([sys.executable, "-m", "podmeter_api"], env=environment)
    assert wait_until(lambda: answers(port) or api.poll() is not None, 60)
    yield api
    api.terminate()
    assert api.wait(30) == 0


def environment_of(database_url: str, redis_url: str, port: int) -> dict[str, str]:
    return {
        **os.environ,
        "DATABASE_URL": database_url.replace("+psycopg", ""),
        "REDIS_URL": redis_url,
        "PODMETER_ENCRYPTION_KEYS": generate_key(),
        "PODMETER_PORT": str(port),
        "PODMETER_API_PROCESSES": str(PROCESSES),
        "PODMETER_METRICS_NETWORKS": "127.0.0.0/8",
    }


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def serving(api: "subprocess.Popen[bytes]", port: int) -> Callable[[], dict[int, int]]:
    """Counts the client connections to the port that each process of the API has."""
    folder = Path(f"/proc/{api.pid}/task/{api.pid}/children")

    def count() -> dict[int, int]:
        wanted = established(port)
        return {
            pid: sum(target(one) in wanted for one in Path(f"/proc/{pid}/fd").iterdir())
            for pid in map(int, folder.read_text().split())
        }

    return count


def target(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except FileNotFoundError:  # closed meanwhile
        return ""


def established(port: int) -> set[str]:
    """The server's sockets that have a client, proc(5) net/tcp: state 01."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {
        f"socket:[{one[9]}]" for one in lines if one[3] == "01" and one[1].endswith(f":{port:04X}")
    }


def clients(port: int, count: int) -> list[HTTPConnection]:
    found = [HTTPConnection("127.0.0.1", port, timeout=30) for _ in range(count)]
    for one in found:
        one.request("GET", "/healthz")
        assert one.getresponse().read() == b'{"status":"ok"}'
    return found


def test_connections_are_dealt_out_evenly(api: "subprocess.Popen[bytes]", port: int) -> None:
    count = serving(api, port)
    assert wait_until(lambda: not any(count().values()), 30)
    kept = clients(port, 2 * PROCESSES)
    assert wait_until(lambda: sorted(count().values()) == [0] + [2] * PROCESSES, 30)
    for one in kept:
        one.close()


def test_what_was_asked_is_counted_over_all_processes(
    api: "subprocess.Popen[bytes]", port: int
) -> None:
    def counted() -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        start = 'podmeter_http_requests_total{method="GET",route="/healthz",status="200"}'
        return sum(int(float(line.split()[-1])) for line in lines if line.startswith(start))

    before = counted()
    for one in clients(port, 2 * PROCESSES):
        one.close()
    assert {counted() for _ in range(PROCESSES)} == {before + 2 * PROCESSES}


def test_a_process_that_was_killed_is_replaced(api: "subprocess.Popen[bytes]", port: int) -> None:
    kept = clients(port, PROCESSES)
    (victim, *_) = [pid for pid, count in serving(api, port)().items() if count]
    for one in kept:
        one.close()
    os.kill(victim, signal.SIGKILL)
    # Each process in turn: those that live at once, the new one when it is there.
    for one in clients(port, 2 * PROCESSES):
        one.close()
    assert victim not in serving(api, port)()
    assert len(serving(api, port)()) == PROCESSES + 1


def test_it_ends_in_time_with_streams_open_in_every_process(
    database_url: str, redis_url: str, port: int
) -> None:
    """Asked one after the other, these would take 8 times as long as one."""
    many = {**environment_of(database_url, redis_url, port), "PODMETER_API_PROCESSES": "8"}
    api = subprocess.Popen([sys.executable, "-m", "podmeter_api"], env=many)
    try:
        assert wait_until(lambda: answers(port) or api.poll() is not None, 180)
        kept = clients(port, 8)
        for one in kept:
            # A request that does not come to its end holds its connection as a stream does.
            one.putrequest("POST", "/api/v1/auth/login")
            one.putheader("Content-Length", "1000")
            one.endheaders(b"{")
        api.terminate()
        assert api.wait(35) == 0
    finally:
        api.kill()
        api.wait()


def test_what_ends_as_it_was_asked_to_is_not_missed(
    api: "subprocess.Popen[bytes]", redis_url: str
) -> None:
    """In a cluster each version's pods have names of their own."""
    client = redis.Redis.from_url(redis_url)

    def seen() -> set[str]:
        names = {life.name for life in heartbeats.lives(client) if life.part is Part.API}
        return {name for name in names if name in own}

    own = {heartbeats.name_of(f"process {number}") for number in range(1, PROCESSES + 1)}
    assert wait_until(lambda: seen() == own, 60)
    api.terminate()
    assert api.wait(30) == 0
    assert seen() == set()

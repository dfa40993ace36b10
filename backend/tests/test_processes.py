"""The API as it is served: by uvicorn, in several processes."""

import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn
from urllib.error import HTTPError

import pytest
import redis

from podmeter import logs
from podmeter.credentials.key_ring import generate_key
from podmeter.settings import Settings
from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import Part
from podmeter.stack.process import wait_until
from podmeter_api import process

pytestmark = pytest.mark.services
PROCESSES = 2


@pytest.fixture
def environment(database_url: str, redis_url: str) -> dict[str, str]:
    return environment_of(database_url, redis_url)


@pytest.fixture(scope="module")
def own_redis_url(redis_url: str) -> str:
    """A database of Redis where nothing else beats by this machine's name."""
    return f"{redis_url.removesuffix('/0')}/1"


@pytest.fixture(scope="module")
def site(database_url: str, own_redis_url: str) -> Iterator["Site"]:
    """An API for tests that leave one behind; the last of them ends it."""
    with started(environment_of(database_url, own_redis_url)) as site:
        yield site


@dataclass(frozen=True)
class Site:
    api: "subprocess.Popen[bytes]"
    port: int
    log: Path


def environment_of(database_url: str, redis_url: str) -> dict[str, str]:
    return {
        **os.environ,
        "DATABASE_URL": database_url.replace("+psycopg", ""),
        "REDIS_URL": redis_url,
        "PODMETER_ENCRYPTION_KEYS": generate_key(),
        "PODMETER_PORT": str(free_port()),
        "PODMETER_API_PROCESSES": str(PROCESSES),
        "PODMETER_METRICS_NETWORKS": "127.0.0.0/8",
    }


def free_port() -> int:
    """A free port above those that the kernel chooses: nobody gets it before the API listens."""
    _, last = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    above = range(int(last) + 1, 2**16)
    for port in (*random.SystemRandom().sample(above, len(above)), 0):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise AssertionError("no port is free")


@contextmanager
def started(environment: dict[str, str]) -> Iterator[Site]:
    with tempfile.NamedTemporaryFile() as log:
        api = subprocess.Popen([sys.executable, "-m", "podmeter_api"], env=environment, stderr=log)
        try:
            assert all_serve(api)
            yield Site(api, int(environment["PODMETER_PORT"]), Path(log.name))
        finally:
            api.kill()
            api.wait()


def all_serve(api: "subprocess.Popen[bytes]", without: int | None = None) -> bool:
    """Wait until all processes listen, `without` not among them, or the API has ended.

    It asks seldom: the processes import the application for seconds, and need the CPU for it.
    """
    return wait_until(
        lambda: api.poll() is not None or len(serving(api) - {without}) == PROCESSES,
        300,
        poll_s=0.25,
    )


def serving(api: "subprocess.Popen[bytes]") -> set[int]:
    """The processes of the API that listen."""
    children = Path(f"/proc/{api.pid}/task/{api.pid}/children").read_text().split()
    listening = {
        line.split()[9]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[3] == "0A"
    }
    return {pid for pid in map(int, children) if watches_one_of(pid, listening)}


def watches_one_of(pid: int, listening: set[str]) -> bool:
    """Whether an epoll of the process waits for connections: it listens itself, proc(5) fdinfo."""
    try:
        own = {
            int(one.name): target.removeprefix("socket:[").removesuffix("]")
            for one in Path(f"/proc/{pid}/fd").iterdir()
            if (target := str(one.readlink())).startswith("socket:[")
        }
        watched = {
            int(line.split()[1])
            for one in Path(f"/proc/{pid}/fdinfo").iterdir()
            for line in one.read_text().splitlines()
            if line.startswith("tfd:")
        }
    except FileNotFoundError:  # closed meanwhile
        return False
    return any(own.get(number) in listening for number in watched)


def clients(port: int, count: int) -> list[HTTPConnection]:
    found = [HTTPConnection("127.0.0.1", port, timeout=30) for _ in range(count)]
    for one in found:
        one.request("GET", "/healthz")
        assert one.getresponse().read() == b'{"status":"ok"}'
    return found


def test_what_was_asked_is_counted_over_all_processes(site: Site) -> None:
    def counted() -> int:
        address = f"http://127.0.0.1:{site.port}/metrics"
        with urllib.request.urlopen(address, timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        start = 'podmeter_http_requests_total{method="GET",route="/healthz",status="200"}'
        return sum(int(float(line.split()[-1])) for line in lines if line.startswith(start))

    before = counted()
    for one in clients(site.port, 2 * PROCESSES):
        one.close()
    assert {counted() for _ in range(PROCESSES)} == {before + 2 * PROCESSES}


def test_paths_are_not_logged(site: Site) -> None:
    """They have the tokens of permalinks in them."""
    with pytest.raises(HTTPError):
        urllib.request.urlopen(f"http://127.0.0.1:{site.port}/s/a-secret-token")
    login = urllib.request.Request(
        f"http://127.0.0.1:{site.port}/api/v1/auth/login", b"{}", method="POST"
    )
    with pytest.raises(HTTPError):
        urllib.request.urlopen(login)
    assert wait_until(lambda: "POST /auth/login answered" in site.log.read_text(), 10)
    assert "a-secret-token" not in site.log.read_text()


def test_a_process_that_was_killed_is_replaced(site: Site) -> None:
    victim, other = serving(site.api)
    os.kill(victim, signal.SIGKILL)
    assert all_serve(site.api, without=victim)
    assert other in serving(site.api)
    clients(site.port, 1)[0].close()


def test_a_process_is_bound_to_its_parent_before_it_makes_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That what is bound ends with its parent is for core's test_supervisor."""

    class MakingError(Exception):
        pass

    def make(*_: object, **__: object) -> NoReturn:
        raise MakingError

    bound: list[tuple[object, ...]] = []
    monkeypatch.setattr(process, "bind", lambda *given: bound.append(given))
    monkeypatch.setattr(process, "create_app", make)
    monkeypatch.setattr(process, "get_settings", lambda: Settings(_env_file=None))
    monkeypatch.setattr(logs, "configure", lambda *_: None)
    monkeypatch.setattr(sys, "setswitchinterval", lambda _: None)
    for parent, expected in ((SimpleNamespace(pid=4711), [(4711, signal.SIGKILL)]), (None, [])):
        bound.clear()
        monkeypatch.setattr(multiprocessing, "parent_process", lambda parent=parent: parent)
        with pytest.raises(MakingError):
            process.application()
        assert bound == expected


@pytest.mark.full
def test_no_process_outlives_a_parent_that_was_killed(environment: dict[str, str]) -> None:
    with started(environment) as site:
        left = serving(site.api)
        site.api.kill()
        site.api.wait()
        assert wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left), 30)


def test_it_ends_in_time_with_requests_open_and_is_not_missed(
    site: Site, own_redis_url: str
) -> None:
    """In a cluster each version's pods have names of their own."""
    client = redis.Redis.from_url(own_redis_url)

    def is_seen() -> bool:
        lives = heartbeats.lives(client)
        return (Part.API, heartbeats.name_of()) in {(life.part, life.name) for life in lives}

    assert wait_until(is_seen, 300)
    for one in clients(site.port, 4):
        # A request that does not come to its end holds its connection as a stream does.
        one.putrequest("POST", "/api/v1/auth/login")
        one.putheader("Content-Length", "1000")
        one.endheaders(b"{")
    site.api.terminate()
    assert site.api.wait(25) == 0
    assert not is_seen()

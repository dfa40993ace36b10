"""The pool under the Kubernetes client and the one for bulk: where to, whom to trust, how long."""

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from urllib3.exceptions import LocationValueError

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import ServerRefusedError
from podmeter_worker.kube import access as access_module
from podmeter_worker.kube import bulk, pool, requests
from podmeter_worker.kube import client as client_module
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.bounded_socket import BoundedSocket
from podmeter_worker.kube.bulk import BulkClient
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError

from .api_server import Answer, FakeApiServer, fake_api_server, make_certificate

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
OK = Answer(document={"ok": True})
CUT = Answer(raw=b"{}", headers={"Content-Length": "9", "Connection": "close"})
EVENT = b'{"type": "ADDED", "object": {}}\n'


Through = Callable[[KubeClient], KubeClient]


@pytest.fixture(params=[lambda client: client, BulkClient], ids=["kubernetes", "bulk"])
def through(request: pytest.FixtureRequest) -> Through:
    """What a request goes through over the pool of a client."""
    chosen: Through = request.param
    return chosen


def client_of(api: FakeApiServer) -> KubeClient:
    return KubeClient(ClusterAccess(api.kept, LOCAL), 0.0)


def named(api: FakeApiServer, *addresses: str) -> KubeClient:
    """A client that finds the server by a name, which leads to each of the addresses in turn.

    The last one stays; what was resolved is forgotten at once.
    """
    api.kept["server"] = f"https://cluster.example:{api.kept['server'].rpartition(':')[2]}"
    left = list(addresses)

    def resolver(host: str, port: int) -> list[str]:
        return [left.pop(0) if len(left) > 1 else left[0]]

    return KubeClient(ClusterAccess(api.kept, LOCAL, resolver), 0.0)


@pytest.fixture
def resolved_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_module, "_RESOLVED_SECONDS", 0.0)


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every connection that is made."""
    made: list[object] = []
    connect = ClusterAccess.connect

    def noted(access: ClusterAccess, timeout_seconds: float) -> object:
        made.append(connect(access, timeout_seconds))
        return made[-1]

    monkeypatch.setattr(ClusterAccess, "connect", noted)
    return made


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Answers that wait for it are ended with the test."""
    event = threading.Event()
    yield event
    event.set()


def test_what_is_sent_with_each_request(through: Through, api: FakeApiServer) -> None:
    api.answers = [OK]
    with client_of(api) as client:
        through(client).get("/api/v1/pods/x")
        through(client).create("/api/v1/pods", {"kind": "Pod"})
    read, made = (asked.headers for asked in api.asked)
    host = api.kept["server"].removeprefix("https://")
    assert read == {
        "Host": host,
        "User-Agent": "podmeter",
        "Authorization": "Bearer a-secret-token",
        "Accept-Encoding": "identity",
    }
    assert made.pop("Content-Length") == str(len(api.asked[1].body))
    assert made.pop("Content-Type") == "application/json"
    assert made == read


def test_the_path_and_the_query_are_those_of_the_server(
    through: Through, api: FakeApiServer
) -> None:
    api.answers = [OK]
    api.kept["server"] += "/k8s/clusters/c-1"
    with client_of(api) as client:
        through(client).get("/version", {"labelSelector": "a=b,c in (d)", "limit": "1"})
    asked = urlsplit(api.asked[0].path)
    assert asked.path == "/k8s/clusters/c-1/version"
    assert parse_qs(asked.query) == {"labelSelector": ["a=b,c in (d)"], "limit": ["1"]}


def test_a_connection_is_used_again(
    through: Through, api: FakeApiServer, connections: list[object]
) -> None:
    api.answers = [OK, Answer(404, {}), OK]
    with client_of(api) as client:
        through(client).get("/version")
        assert through(client).find("/missing") is None
        through(client).get("/version")
    assert len(connections) == 1


@pytest.mark.usefixtures("resolved_anew")
def test_the_address_of_every_connection_is_checked(
    through: Through, named_api: FakeApiServer
) -> None:
    named_api.answers = [Answer(document={}, headers={"Connection": "close"})]
    with named(named_api, "127.0.0.1", "127.0.0.1", "169.254.169.254") as client:
        through(client).get("/version")
        through(client).get("/version")
        with pytest.raises(ServerRefusedError):
            through(client).get("/version")
    assert len(named_api.asked) == 2


@pytest.mark.usefixtures("resolved_anew")
def test_a_watch_that_is_left_is_connected_anew_and_checked(
    named_api: FakeApiServer, over: threading.Event
) -> None:
    named_api.answers = [Answer(chunks=(EVENT[:9], EVENT[9:] + EVENT), after=over)]
    with named(named_api, "127.0.0.1", "169.254.169.254") as client:
        changes = client.watch("/pods", "1", seconds=1)
        assert [next(changes), next(changes)] == [("ADDED", {})] * 2
        changes.close()
        with pytest.raises(ServerRefusedError):
            next(client.watch("/pods", "1", seconds=1))


def test_a_watch_that_ends_leaves_its_connection(
    api: FakeApiServer, connections: list[object]
) -> None:
    api.answers = [Answer(chunks=(EVENT,))]
    with client_of(api) as client:
        for _ in range(3):
            assert list(client.watch("/pods", "1", seconds=1)) == [("ADDED", {})]
    assert len(connections) == 1


def test_nothing_waits_in_a_connection_for_what_comes_after_it(
    through: Through, api: FakeApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bool] = []
    connect = ClusterAccess.connect

    def noted(access: ClusterAccess, timeout_seconds: float) -> BoundedSocket:
        found = connect(access, timeout_seconds)
        made.append(bool(found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
        return found

    monkeypatch.setattr(ClusterAccess, "connect", noted)
    api.answers = [OK]
    with client_of(api) as client:
        through(client).get("/pods")
    assert made == [True]


@contextmanager
def hanging_up(address: str, port: int) -> Iterator[list[int]]:
    """Takes connections and closes them at once, as a balancer without a server behind it."""
    taken: list[int] = []
    with socket.create_server((address, port)) as server:

        def take() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return
                taken.append(1)

        thread = threading.Thread(target=take)
        thread.start()
        try:
            yield taken
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_an_address_without_a_server_is_passed_over(
    through: Through, named_api: FakeApiServer
) -> None:
    named_api.answers = [OK]
    port = int(named_api.kept["server"].rpartition(":")[2])
    named_api.kept["server"] = f"https://cluster.example:{port}"
    addresses = ["127.0.0.3", "127.0.0.2", "127.0.0.1"]
    access = ClusterAccess(named_api.kept, LOCAL, lambda host, port: addresses)
    with hanging_up("127.0.0.2", port) as taken, KubeClient(access, 0.0) as client:
        assert through(client).get("/version") == {"ok": True}
    assert taken == [1]


def test_another_server_is_never_connected_to(api: FakeApiServer) -> None:
    api.answers = [OK]
    manager = pool.CheckedPool(ClusterAccess(api.kept, LOCAL))
    for url in ("https://127.0.0.1:1/", "https://localhost/"):
        with pytest.raises(LocationValueError, match="not the API server"):
            manager.request("GET", url)
    assert api.asked == []


def test_a_redirect_is_answered_as_it_is_whoever_asks(api: FakeApiServer) -> None:
    away = Answer(307, {}, headers={"Location": f"{api.kept['server']}/stolen"})
    api.answers = [away]
    with client_of(api) as client:
        for ask in (
            lambda: client.create("/pods", {}),
            lambda: next(client.watch("/pods", "1", seconds=1)),
        ):
            with pytest.raises(ApiRefusedError) as caught:
                ask()
            assert caught.value.status == 307
    assert not any("stolen" in asked.path for asked in api.asked)


def test_a_certificate_of_another_authority_is_refused(
    through: Through, api: FakeApiServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # What the environment trusts has no say.
    trusted = tmp_path / "trusted.pem"
    trusted.write_text(api.kept["certificate_authority"])
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, str(trusted))
    api.kept["certificate_authority"] = make_certificate(("127.0.0.1",))[0]
    with client_of(api) as client, pytest.raises(ApiUnavailableError, match="verify failed"):
        through(client).get("/version")
    assert api.asked == []


def test_a_client_certificate_is_shown(tmp_path: Path) -> None:
    certificate, key = make_certificate(("client.example",))
    with fake_api_server(tmp_path, clients=certificate) as api:
        api.answers = [OK]
        del api.kept["token"]
        with client_of(api) as client, pytest.raises(ApiUnavailableError):
            client.get("/version")
        api.kept |= {"client_certificate": certificate, "client_key": key}
        with client_of(api) as client:
            assert client.get("/version") == {"ok": True}
        assert "Authorization" not in api.asked[0].headers


def test_an_answer_that_does_not_come_is_not_waited_for_for_ever(
    through: Through, api: FakeApiServer, monkeypatch: pytest.MonkeyPatch, over: threading.Event
) -> None:
    monkeypatch.setattr(pool, "_READ_SECONDS", 0.1)
    api.answers = [Answer(document={}, after=over)]
    with client_of(api) as client, pytest.raises(ApiUnavailableError, match="timed out"):
        through(client).get("/version")


def test_a_handshake_that_does_not_come_is_not_waited_for_for_ever(
    through: Through, api: FakeApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CONNECT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        api.kept["server"] = f"https://127.0.0.1:{silent.getsockname()[1]}"
        with client_of(api) as client, pytest.raises(ApiUnavailableError, match="timed out"):
            through(client).get("/version")


def test_a_free_connection_is_not_waited_for_for_ever(
    through: Through, api: FakeApiServer, monkeypatch: pytest.MonkeyPatch, over: threading.Event
) -> None:
    monkeypatch.setattr(pool, "CONNECTIONS", 1)
    api.answers = [Answer(chunks=(EVENT,), after=over)]
    with client_of(api) as client:
        changes = client.watch("/pods", "1", seconds=1)
        next(changes)
        # From here on: on a busy machine the watch itself takes longer to be answered.
        monkeypatch.setattr(pool, "_READ_SECONDS", 0.1)
        with pytest.raises(ApiUnavailableError, match="Pool is empty"):
            through(client).get("/version")


def test_whatever_ends_a_request_its_connection_is_free_again(
    through: Through, api: FakeApiServer, monkeypatch: pytest.MonkeyPatch, over: threading.Event
) -> None:
    monkeypatch.setattr(pool, "CONNECTIONS", 1)
    for module in (client_module, requests, bulk):
        monkeypatch.setattr(module, "LARGEST_BYTES", 1000)
    long = Answer(raw=b" " * 2000)
    left = Answer(chunks=(EVENT,), after=over)
    endless = Answer(chunks=(b" " * 2000,), after=over)
    api.answers = [left, long, CUT, endless, Answer(503, {}), OK]
    with client_of(api) as client:
        changes = client.watch("/pods", "1", seconds=1)
        next(changes)
        changes.close()
        for said in ("too (large|long)", "could not be reached"):
            with pytest.raises(ApiUnavailableError, match=said):
                through(client).get("/version")
        with pytest.raises(ApiUnavailableError, match="has no end"):
            next(client.watch("/pods", "1", seconds=1))
        with pytest.raises(ApiUnavailableError, match="503"):
            through(client).get("/version")
        assert through(client).get("/version") == {"ok": True}


def test_an_answer_is_never_unpacked(through: Through, api: FakeApiServer) -> None:
    api.answers = [Answer(raw=gzip.compress(b"{}"), headers={"Content-Encoding": "gzip"})]
    with (
        client_of(api) as client,
        pytest.raises(ApiUnavailableError, match="is not a Kubernetes object"),
    ):
        through(client).get("/version")


def test_errors_do_not_show_the_credentials(through: Through, api: FakeApiServer) -> None:
    api.answers = [CUT, Answer(500, {}), Answer(302, {}), Answer(403, {}), Answer(raw=b"?"), CUT]
    certificate, key = make_certificate(("client.example",))
    api.kept |= {"client_certificate": certificate, "client_key": key}
    said: list[str] = []
    with client_of(api) as client:
        for _ in range(5):
            with pytest.raises((ApiUnavailableError, ApiRefusedError)) as caught:
                through(client).get("/version")
            said += chain(caught.value)
        with pytest.raises(ApiUnavailableError) as caught:
            next(client.watch("/pods", "1", seconds=1))
        said += chain(caught.value)
        api.kept["server"] = "https://127.0.0.1:1"
        with client_of(api) as nobody, pytest.raises(ApiUnavailableError) as caught:
            through(nobody).get("/version")
        said += [*chain(caught.value), repr(client), repr(client.access)]
    assert len(said) > 9
    for text in said:
        assert "a-secret-token" not in text
        assert "PRIVATE KEY" not in text


def chain(error: BaseException | None) -> list[str]:
    """What an error and all that led to it say."""
    found = []
    while error is not None:
        found += [str(error), repr(error), repr(vars(error))]
        error = error.__cause__ or error.__context__
    return found

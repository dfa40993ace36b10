"""The client: what it retries, what it refuses, whom it connects to."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import ServerRefusedError
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.bulk import BulkClient
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError, PortRefusedError
from podmeter_worker.kube.shells import Shells

from .api_server import Answer, Asked, FakeApiServer, fake_api_server

LOCAL = AddressPolicy.of(["127.0.0.0/8"])


def client_of(api: FakeApiServer, patience: float = 60.0) -> KubeClient:
    return KubeClient(ClusterAccess(api.kept, LOCAL), patience)


def test_the_token_is_sent_and_shown_nowhere(api: FakeApiServer) -> None:
    api.answers = [Answer(document={"kind": "Pod"})]
    with client_of(api) as client:
        assert client.get("/api/v1/pods/x") == {"kind": "Pod"}
        assert "secret" not in repr(client.access)
    assert api.asked[0].headers["Authorization"] == "Bearer a-secret-token"


def test_what_fails_for_now_is_asked_again(api: FakeApiServer) -> None:
    busy = Answer(429, {"message": "slow down"}, headers={"Retry-After": "0"})
    api.answers = [busy, Answer(503, {}), Answer(document={"kind": "Pod"})]
    with client_of(api) as client:
        assert client.get("/api/v1/pods/x") == {"kind": "Pod"}
    assert len(api.asked) == 3


def test_patience_ends(api: FakeApiServer) -> None:
    api.answers = [Answer(503, {"message": "etcd is away"})]
    away = pytest.raises(ApiUnavailableError, match="etcd is away")
    with client_of(api, 0.3) as client, away as caught:
        client.get("/api/v1/pods/x")
    said = caught.value.said
    assert (said.code, said.params) == ("api_answered", {"status": 503, "said": "etcd is away"})


def test_a_port_that_refuses_is_waited_for_unless_it_is_not_known_to_be_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_api_server(tmp_path) as api:
        pass
    with client_of(api, 3600.0) as client:
        client.awaits_port = False
        with pytest.raises(PortRefusedError, match="refused the connection") as caught:
            client.get("/api/v1/pods/x")
    said = caught.value.said
    assert (said.code, said.params) == ("api_port_refused", {"server": api.kept["server"]})
    tried: list[float] = []
    passed = time.monotonic()

    def sleep(seconds: float) -> None:
        nonlocal passed
        tried.append(seconds)
        passed += seconds

    # Time passes in pauses alone: on a busy machine one try may take longer than the patience.
    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: passed)
    with client_of(api, 0.3) as client, pytest.raises(PortRefusedError):
        client.get("/api/v1/pods/x")
    assert tried


def test_no_is_not_asked_twice(api: FakeApiServer) -> None:
    api.answers = [Answer(422, {"reason": "Invalid", "message": "pods is invalid"})]
    with client_of(api) as client, pytest.raises(ApiRefusedError, match="invalid") as caught:
        client.get("/api/v1/pods/x")
    assert (caught.value.status, caught.value.reason) == (422, "Invalid")
    assert len(api.asked) == 1


def starting(api: FakeApiServer, refusals: int) -> None:
    """Refuse everything so often, as an API server does that has not read its rules yet."""

    def answer(asked: Asked) -> Answer:
        if len(api.asked) <= refusals:
            return Answer(403, {"reason": "Forbidden", "message": f"cannot get {asked.path}"})
        return Answer(document={"path": asked.path})

    api.answer = answer


@pytest.mark.parametrize("refusals", [1, 2, 4])
@pytest.mark.parametrize("through", [lambda client: client, BulkClient], ids=["typed", "bulk"])
def test_what_has_just_started_refuses_nothing_yet(
    api: FakeApiServer, refusals: int, through: Callable[[KubeClient], KubeClient]
) -> None:
    starting(api, refusals)
    with client_of(api) as client:
        assert through(client).get("/api/v1/pods/x") == {"path": "/api/v1/pods/x"}
    asked = [one.path for one in api.asked]
    assert asked == ["/api/v1/pods/x", *["/version"] * max(1, refusals), "/api/v1/pods/x"]


def test_nor_does_it_refuse_commands(api: FakeApiServer) -> None:
    starting(api, 2)
    # It is no API server that could run one: what counts is that it is asked.
    with Shells(ClusterAccess(api.kept, LOCAL)) as shells, pytest.raises(ApiRefusedError):
        shells.take(("podmeter", "a-pod"))
    asked = [one.path.partition("?")[0] for one in api.asked]
    run = "/api/v1/namespaces/podmeter/pods/a-pod/exec"
    assert asked == [run, "/version", "/version", run]


def test_a_refusal_that_stands_is_asked_about_once(api: FakeApiServer) -> None:
    api.by_path["/version"] = Answer(document={})
    api.answers = [Answer(403, {"reason": "Forbidden", "message": "pods is forbidden"})]
    with client_of(api) as client:
        for _ in range(2):
            with pytest.raises(ApiRefusedError, match="pods is forbidden"):
                client.get("/x")
        assert [one.path for one in api.asked] == ["/x", "/version", "/x", "/x"]
        api.answers = [Answer(503, {}), Answer(403, {"message": "not yet"}), Answer(document={})]
        assert client.get("/x") == {}


def test_what_it_says_steers_no_terminal(api: FakeApiServer) -> None:
    said = "no\x00 such \x1b[31mthing\nERROR forged line \u202eeil"
    api.answers = [Answer(404, {"reason": "NotFound", "message": said})]
    with client_of(api) as client, pytest.raises(ApiRefusedError) as caught:
        client.get("/api/v1/pods/x")
    assert str(caught.value.said) == "no\ufffd such \ufffd[31mthing ERROR forged line \ufffdeil"


def test_a_refusal_without_a_word_says_its_status(api: FakeApiServer) -> None:
    api.answers = [Answer(404, {})]
    with client_of(api) as client, pytest.raises(ApiRefusedError, match="404: no more details"):
        client.get("/api/v1/pods/x")


def test_a_redirect_is_not_followed(api: FakeApiServer) -> None:
    api.answers = [Answer(302, {}, headers={"Location": "https://127.0.0.1:1/stolen"})]
    with client_of(api) as client, pytest.raises(ApiRefusedError) as caught:
        client.get("/api/v1/pods/x")
    assert (caught.value.status, caught.value.said.code) == (302, "api_redirects")
    assert len(api.asked) == 1


def test_no_proxy_of_the_environment_is_used(
    api: FakeApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    api.answers = [Answer(document={"kind": "Pod"})]
    with client_of(api) as client:
        assert client.get("/api/v1/pods/x") == {"kind": "Pod"}


def test_a_list_is_fetched_in_pages(api: FakeApiServer) -> None:
    first = {"items": [{"n": 1}], "metadata": {"continue": "go on", "resourceVersion": "8"}}
    second = {"items": [{"n": 2}], "metadata": {"resourceVersion": "9"}}
    api.answers = [Answer(document=first), Answer(document=second)]
    with client_of(api) as client:
        listing = client.list_all("/api/v1/pods", labels="a=b")
    assert [item["n"] for item in listing.items] == [1, 2]
    assert listing.resource_version == "9"
    assert "labelSelector=a%3Db" in api.asked[0].path
    assert "continue=go" in api.asked[1].path


def test_absent_is_none_and_deleting_it_is_no_error(api: FakeApiServer) -> None:
    api.answers = [Answer(404, {"reason": "NotFound"})]
    with client_of(api) as client:
        assert client.find("/api/v1/pods/x") is None
        client.delete("/api/v1/pods/x")
        client.delete("/api/v1/pods/x", uid="u1")
    assert json.loads(api.asked[2].body)["preconditions"] == {"uid": "u1"}


def test_everything_is_never_deleted(api: FakeApiServer) -> None:
    with client_of(api) as client, pytest.raises(ValueError, match="never"):
        client.delete_all("/api/v1/pods", "")


def test_a_watch_gives_changes_and_its_error(api: FakeApiServer) -> None:
    lines = [
        {"type": "ADDED", "object": {"metadata": {"name": "a"}}},
        {"type": "ERROR", "object": {"code": 410, "reason": "Expired", "message": "too old"}},
    ]
    api.answers = [Answer(raw="\n".join(json.dumps(line) for line in lines).encode())]
    with client_of(api) as client:
        events = client.watch("/api/v1/pods", "5", seconds=1)
        assert next(events) == ("ADDED", {"metadata": {"name": "a"}})
        with pytest.raises(ApiRefusedError) as caught:
            next(events)
    assert caught.value.status == 410


def test_a_certificate_for_another_name_is_refused(named_api: FakeApiServer) -> None:
    named_api.answers = [Answer(document={})]
    with (
        client_of(named_api, 0.1) as client,
        pytest.raises(ApiUnavailableError, match="verify failed"),
    ):
        client.get("/version")
    assert named_api.asked == []


def test_without_an_authority_those_of_the_system_verify(
    api: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = tmp_path / "authorities.pem"
    authority.write_text(api.kept.pop("certificate_authority"))
    api.answers = [Answer(document={"ok": True})]
    with (
        client_of(api, 0.1) as client,
        pytest.raises(ApiUnavailableError, match="kube-root-ca") as caught,
    ):
        client.get("/version")
    assert caught.value.said.code == "api_not_public"
    assert api.asked == []
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with client_of(api) as client:
        assert client.get("/version") == {"ok": True}


def test_the_name_is_verified_by_the_systems_authorities_too(
    named_api: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = tmp_path / "authorities.pem"
    authority.write_text(named_api.kept.pop("certificate_authority"))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with (
        client_of(named_api, 0.1) as client,
        pytest.raises(ApiUnavailableError, match="verify failed"),
    ):
        client.get("/version")
    assert named_api.asked == []


def test_the_tls_server_name_is_what_is_verified(named_api: FakeApiServer) -> None:
    named_api.answers = [Answer(document={"ok": True})]
    named_api.kept["tls_server_name"] = "cluster.example"
    with client_of(named_api) as client:
        assert client.get("/version") == {"ok": True}


def test_a_name_is_connected_to_at_its_checked_address(named_api: FakeApiServer) -> None:
    named_api.answers = [Answer(document={"ok": True})]
    port = named_api.kept["server"].rpartition(":")[2]
    named_api.kept["server"] = f"https://cluster.example:{port}"
    asked = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    with KubeClient(ClusterAccess(named_api.kept, LOCAL, resolver), 1.0) as client:
        assert client.get("/version") == {"ok": True}
    assert asked == ["cluster.example"]
    assert named_api.asked[0].headers["Host"] == f"cluster.example:{port}"


def test_a_name_that_leads_to_a_blocked_address_is_not_connected_to(
    named_api: FakeApiServer,
) -> None:
    named_api.kept["server"] = "https://cluster.example:6443"
    access = ClusterAccess(named_api.kept, AddressPolicy(), lambda host, port: ["169.254.169.254"])
    with KubeClient(access, 1.0) as client, pytest.raises(ServerRefusedError):
        client.get("/version")
    with pytest.raises(ServerRefusedError):
        access.connect(1.0)


def test_a_name_that_does_not_resolve_now_may_later(named_api: FakeApiServer) -> None:
    named_api.kept["server"] = "https://cluster.example:6443"

    def resolver(host: str, port: int) -> list[str]:
        raise OSError("no name server")

    access = ClusterAccess(named_api.kept, AddressPolicy(), resolver)
    with pytest.raises(ApiUnavailableError, match="no name server"):
        access.checked()


def test_a_key_that_is_none_is_an_error_without_its_text(api: FakeApiServer) -> None:
    kept = {**api.kept, "client_certificate": "canary-certificate", "client_key": "canary-key"}
    with pytest.raises(ValueError, match="cannot be used for TLS") as caught:
        ClusterAccess(kept, LOCAL)
    assert "canary" not in str(caught.value)


def test_objects_are_counted_whether_or_not_the_server_tells_how_many_remain(
    api: FakeApiServer,
) -> None:
    """It need not tell (`remainingItemCount`), and there was one Service then."""

    def page(count: int, **metadata: object) -> Answer:
        items = [{"metadata": {"name": f"s{number}"}} for number in range(count)]
        return Answer(document={"items": items, "metadata": {"resourceVersion": "1", **metadata}})

    more = {"continue": "next"}
    with client_of(api) as client:
        api.answers = [page(1, **more, remainingItemCount=4)]
        assert client.count("/api/v1/services") == 5
        api.answers = [page(1)]
        assert client.count("/api/v1/services") == 1
        api.answers = [page(1, **more), page(3, **more), page(2)]
        assert client.count("/api/v1/services") == 5

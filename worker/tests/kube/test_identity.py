"""Which real cluster answers, and who vouches for that."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.real_cluster import RealCluster
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.bounded_socket import BoundedSocket
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import (
    AnotherClusterError,
    ApiRefusedError,
    ApiUnavailableError,
    MalformedAnswerError,
)
from podmeter_worker.kube.exec_stream import ExecStream
from podmeter_worker.kube.facts import identity
from podmeter_worker.kube.facts.identity import Identity, real_cluster

from .api_server import Answer, Authority, FakeApiServer, fake_api_server

POLICY = AddressPolicy.of(["127.0.0.0/8"])
KUBE_SYSTEM = "/api/v1/namespaces/kube-system"
NAME = "kubernetes.default.svc"
OWN = ("127.0.0.1", NAME)
Serve = Callable[..., FakeApiServer]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts API servers of clusters, by UID."""
    with ExitStack() as stack:

        def start(
            uid: object = "uid-1",
            hosts: tuple[str, ...] = ("127.0.0.1",),
            authority: Authority | None = None,
        ) -> FakeApiServer:
            fake = stack.enter_context(fake_api_server(tmp_path, hosts, authority=authority))
            fake.is_cluster(uid)
            return fake

        yield start


def see(kept: dict[str, str]) -> RealCluster:
    """Look at a cluster as a preflight does."""
    identity = Identity()
    access = ClusterAccess(kept, POLICY, examine=identity.examine)
    with KubeClient(access, patience_seconds=0.0) as client:
        return real_cluster(client, identity)


def authority(fake: FakeApiServer, **kept: str) -> str:
    return see({**fake.kept, **kept}).authority


def paths(fake: FakeApiServer) -> list[str]:
    return [asked.path for asked in fake.asked]


def test_another_cluster_is_asked_who_it_is_and_nothing_else(serve: Serve) -> None:
    fake = serve("uid-2")
    access = ClusterAccess(fake.kept, POLICY, examine=Identity("uid-1").examine)
    with KubeClient(access) as client, pytest.raises(AnotherClusterError, match="uid-2"):
        client.patch("/api/v1/namespaces/kube-system/configmaps/kube-proxy", {"data": {}})
    with pytest.raises(AnotherClusterError):
        ExecStream(access, "podmeter", "a-pod", "bench", ["true"])
    assert set(paths(fake)) == {KUBE_SYSTEM}


def test_a_name_that_leads_elsewhere_under_way_is_noticed(serve: Serve) -> None:
    """Both servers' certificates are good: it is the UID that tells."""
    company = Authority("a company")
    ours, other = (serve(uid, ("api.example",), company) for uid in ("uid-1", "uid-2"))
    port = ours.kept["server"].rpartition(":")[2]
    leads_to = [ours]

    class Repointed(ClusterAccess):
        """Stands for a name whose address changes: on this machine that is another port."""

        def _connect(self, address: str, seconds: float) -> BoundedSocket:
            number = int(leads_to[0].kept["server"].rpartition(":")[2])
            self.url = type(self.url)(self.url.host, number, self.url.path, self.url.address)
            return super()._connect(address, seconds)

    kept = {**ours.kept, "server": f"https://api.example:{port}"}
    access = Repointed(
        kept, POLICY, resolver=lambda *_: ["127.0.0.1"], examine=Identity("uid-1").examine
    )
    for _ in range(3):
        access.connect(30.0).close()
    assert paths(ours) == [KUBE_SYSTEM]
    leads_to[0] = other
    for _ in range(2):
        with pytest.raises(AnotherClusterError, match="uid-2"):
            access.connect(30.0)
    assert set(paths(other)) == {KUBE_SYSTEM}
    leads_to[0] = ours
    access.connect(30.0).close()


def test_each_server_of_a_control_plane_is_asked_once(serve: Serve) -> None:
    fake = serve()
    seen = Identity("uid-1")
    access = ClusterAccess(fake.kept, POLICY, examine=seen.examine)
    for _ in range(3):
        access.connect(30.0).close()
    assert paths(fake) == [KUBE_SYSTEM]


def test_a_uid_that_another_authority_vouches_for_is_another_cluster(serve: Serve) -> None:
    victims, mine = Authority("victim"), Authority("mine")
    victim, claims = serve("uid-1", OWN, victims), serve("uid-1", OWN, mine)
    # Whatever else is trusted: what counts is what verified the server that answered.
    both = {"certificate_authority": victims.certificate() + mine.certificate()}
    assert authority(claims) != authority(victim)
    assert authority(claims, **both) == authority(claims)
    assert authority(victim, **both) == authority(victim)


def test_a_renewed_authority_with_the_same_key_is_the_same(serve: Serve) -> None:
    own = Authority()
    fake = serve("uid-1", OWN, own)
    before = authority(fake)
    assert authority(fake, certificate_authority=own.certificate()) == before


def test_a_clusters_own_authority_vouches_whatever_it_is_called(serve: Serve) -> None:
    own, company = Authority("kubernetes"), Authority("a company")
    names = ("a.example", "b.example")
    for by, same in ((own, True), (company, False)):
        hosts = ("127.0.0.1", *names, *((NAME,) if same else ()))
        fake = serve("uid-1", hosts, by)
        found = {authority(fake, tls_server_name=name) for name in names}
        assert len(found) == (1 if same else 2)


def test_behind_one_proxy_each_path_is_a_cluster_of_its_own(serve: Serve) -> None:
    fake = serve("uid-1", OWN, Authority())
    found = set()
    for cluster in ("a", "b"):
        for path in (KUBE_SYSTEM, "/version"):
            fake.by_path[f"/clusters/{cluster}{path}"] = fake.by_path[path]
        found.add(authority(fake, server=f"{fake.kept['server']}/clusters/{cluster}"))
    assert len(found) == 2


@pytest.mark.parametrize("uid", ["u" * 50_000, "", 7, None, {"a": 1}, "a\nb", "a\x00b", ["u"]])
def test_a_uid_that_is_none_is_the_clusters_fault(serve: Serve, uid: object) -> None:
    with pytest.raises(MalformedAnswerError, match=r"metadata\.uid"):
        see(serve(uid).kept)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(raw=b"<html>"), MalformedAnswerError),
        (Answer(document=[]), MalformedAnswerError),
        (Answer(document={"metadata": "x"}), MalformedAnswerError),
        (Answer(raw=b"[" * 50_000), MalformedAnswerError),
        (Answer(raw=b" " * 200_000), ApiUnavailableError),
        (Answer(401, {"message": "who?"}), ApiRefusedError),
        (Answer(503, {"message": "busy"}), ApiUnavailableError),
        (Answer(302, headers={"Location": "https://192.0.2.1/"}), ApiRefusedError),
    ],
)
def test_what_is_no_answer_is_said(serve: Serve, answer: Answer, error: type[Exception]) -> None:
    fake = serve()
    fake.by_path[KUBE_SYSTEM] = answer
    with pytest.raises(error):
        see(fake.kept)


def test_a_certificate_that_only_openssl_reads_is_the_clusters_fault(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "verified_chain", lambda _: [b"0\x82"])
    with pytest.raises(MalformedAnswerError, match="certificate cannot be read"):
        see(serve().kept)


def test_an_answer_without_an_end_is_waited_for_so_long(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "_SECONDS", 0.3)
    fake, never = serve(), threading.Event()
    fake.by_path[KUBE_SYSTEM] = Answer(chunks=(b"{",), after=never)
    with pytest.raises(ApiUnavailableError, match="timed out"):
        see(fake.kept)
    never.set()


@pytest.mark.cluster
@pytest.mark.timeout(300)
def test_a_real_cluster_vouches_for_itself_by_any_of_its_names(
    admin: KubeClient, granted: dict[str, str]
) -> None:
    uid = admin.get(KUBE_SYSTEM)["metadata"]["uid"]
    found = {see({**granted, "tls_server_name": name}) for name in (NAME, "kubernetes")}
    (real,) = {*found, see(granted)}
    assert real.uid == uid
    access = ClusterAccess(granted, POLICY, examine=Identity("uid-of-another").examine)
    with KubeClient(access) as client, pytest.raises(AnotherClusterError, match=uid):
        client.get("/version")

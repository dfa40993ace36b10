"""A kubeconfig that waits until the same cluster is seen through it, by a real connector."""

import json
import threading
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.db.models import Cluster, PreflightState, ReplacementState
from podmeter.db.session import Sessions
from podmeter.domain.bench_image import BenchImage, OwnImage
from podmeter.domain.ports import Access
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.clusters.registry import ClusterChange, Registration
from podmeter.services.execution import modes, recovery
from podmeter.services.execution.environment import ClusterIdentity
from podmeter.services.work import work_with
from podmeter_worker.cluster_preflight import look_at_cluster
from podmeter_worker.connection import Connector
from podmeter_worker.kube.errors import AnotherClusterError, ApiUnavailableError
from podmeter_worker.kube.facts.identity import Identity
from podmeter_worker.runner.ports import Handle

from .bench import Bench
from .kube.api_server import Answer, FakeApiServer, fake_api_server

pytestmark = pytest.mark.services
LOCAL = AddressPolicy.of(["127.0.0.0/8"])
KUBE_SYSTEM = "/api/v1/namespaces/kube-system"


def kubeconfig(fake: FakeApiServer, token: str = "a-secret-token") -> bytes:
    authority = b64encode(fake.kept["certificate_authority"].encode()).decode()
    cluster = {"server": fake.kept["server"], "certificate-authority-data": authority}
    return json.dumps(
        {
            "contexts": [{"name": "m", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "m",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": token}}],
        }
    ).encode()


@dataclass
class Site:
    """One organization with a cluster whose modes are to be restored."""

    bench: Bench
    serve: Callable[[object], FakeApiServer]
    connector: Connector
    cluster_id: uuid.UUID
    server: FakeApiServer

    @property
    def owner(self) -> Principal:
        return self.bench.owner

    def vault(self) -> Vault:
        return Vault(self.connector.keys, LOCAL)

    def change(self, change: ClusterChange) -> None:
        with work_with(self.bench.sessions, self.bench.queue) as work:
            registry.change(work, self.owner, self.vault(), self.cluster_id, change, None)

    def registered(self) -> Cluster:
        return self.bench.registered(self.cluster_id)

    def look(self) -> Cluster:
        """Ask for a preflight, and do what the worker does then."""
        with work_with(self.bench.sessions, self.bench.queue) as work:
            registry.request_preflight(work, self.owner, self.cluster_id)
        here: Any = _Here(self.bench, self.connector)
        look_at_cluster(here, self.owner.organization_id, self.cluster_id)
        return self.registered()

    def flag(self) -> None:
        organization = self.owner.organization_id
        with work_with(self.bench.sessions, self.bench.queue) as work:
            modes.flag(work, organization, self.cluster_id, "ipvs is left")


class _Here:
    """As much of a worker's state as a preflight needs."""

    def __init__(self, bench: Bench, connector: Connector) -> None:
        self.sessions, self.database, self.connector = bench.sessions, bench.database, connector


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[object], FakeApiServer]]:
    """Starts API servers by UID; none of them grants a right, so a look ends soon."""
    with ExitStack() as stack:

        def start(uid: object) -> FakeApiServer:
            fake = stack.enter_context(fake_api_server(tmp_path))
            fake.is_cluster(uid)
            fake.by_path["/api/v1/nodes"] = Answer(
                document={"items": [], "metadata": {"resourceVersion": "1"}}
            )
            fake.answers = [
                Answer(
                    document={
                        "status": {"allowed": False},
                        "metadata": {"resourceVersion": "1"},
                        "items": [],
                    }
                )
            ]
            return fake

        yield start


@pytest.fixture
def site(bench: Bench, sessions: Sessions, serve: Callable[[object], FakeApiServer]) -> Site:
    connector = Connector(bench.database, KeyRing.parse(generate_key()), LOCAL, "an-image")
    server = serve("uid-1")
    vault = Vault(connector.keys, LOCAL)
    with work_with(sessions, bench.queue) as work:
        asked = Registration("c", kubeconfig(server), allow_mode_switch=True)
        cluster, _ = registry.register(work, bench.owner, vault, asked)
    made = Site(bench, serve, connector, cluster.id, server)
    looked = made.look()
    assert looked.preflight_state is PreflightState.SUCCEEDED, looked.preflight_error
    assert looked.cluster_uid == "uid-1"
    assert len(looked.authority) == 64
    made.flag()
    return made


def test_the_same_cluster_by_another_address_is_accepted(site: Site) -> None:
    another = site.serve("uid-1")
    site.change(ClusterChange(kubeconfig=kubeconfig(another)))
    assert site.registered().replacement is ReplacementState.PENDING
    assert site.registered().server == site.server.kept["server"]
    looked = site.look()
    assert looked.replacement is ReplacementState.ACCEPTED
    assert looked.server == another.kept["server"]
    assert looked.preflight_state is PreflightState.SUCCEEDED
    # It is restored through that now, and at once.
    assert (looked.needs_restore, looked.restore_after) == (True, None)


def test_another_cluster_is_refused_and_only_asked_who_it_is(site: Site) -> None:
    another = site.serve("uid-2")
    site.change(ClusterChange(kubeconfig=kubeconfig(another)))
    looked = site.look()
    assert looked.replacement is ReplacementState.REFUSED
    assert "uid-2" in looked.replacement_reason
    assert looked.replacement_kubeconfig is None
    assert (looked.server, looked.cluster_uid) == (site.server.kept["server"], "uid-1")
    assert looked.preflight_state is PreflightState.SUCCEEDED
    assert {(one.method, one.path) for one in another.asked} == {("GET", KUBE_SYSTEM)}


def test_one_that_does_not_answer_goes_on_waiting(site: Site) -> None:
    another = site.serve("uid-1")
    another.by_path[KUBE_SYSTEM] = Answer(503, {"message": "not yet"})
    site.change(ClusterChange(kubeconfig=kubeconfig(another)))
    looked = site.look()
    assert looked.replacement is ReplacementState.PENDING
    assert "not yet" in looked.replacement_reason
    assert looked.server == site.server.kept["server"]
    another.is_cluster("uid-1")
    assert site.look().replacement is ReplacementState.ACCEPTED


def test_a_link_that_restores_tries_it_first(site: Site) -> None:
    another = site.serve("uid-1")
    site.change(ClusterChange(kubeconfig=kubeconfig(another)))
    with site.connector.open(site.owner.organization_id, _handle(site), 0.0) as link:
        assert link.run_labels() == set()
    assert site.registered().replacement is ReplacementState.ACCEPTED


def test_a_link_makes_its_pods_of_the_clusters_own_image(site: Site) -> None:
    def image() -> object:
        with site.connector.open(site.owner.organization_id, _handle(site), 0.0) as link:
            return vars(link)["_image"]

    assert image() == BenchImage("an-image")
    site.change(ClusterChange(bench_image="own:2", image_pull_secret="pull"))
    assert image() == BenchImage("own:2", "pull")
    (flagged,) = site.bench.database.write(recovery.flagged)
    assert flagged.image == OwnImage("own:2", "pull")


def test_a_link_does_nothing_in_another_cluster(site: Site) -> None:
    """The address leads elsewhere meanwhile; nothing was changed of the registration."""
    before = len(site.server.asked)
    site.server.is_cluster("uid-2")
    with (
        site.connector.open(site.owner.organization_id, _handle(site), 0.0) as link,
        pytest.raises(AnotherClusterError, match="uid-2"),
    ):
        link.take_lease()
    with (
        site.connector.open(site.owner.organization_id, _handle(site), 0.0) as link,
        pytest.raises(AnotherClusterError, match="uid-2"),
    ):
        link.sweep("a-run")
    assert {one.path for one in site.server.asked[before:]} == {KUBE_SYSTEM}
    looked = site.look()
    assert looked.preflight_state is PreflightState.FAILED
    assert "uid-2" in looked.preflight_error
    assert looked.cluster_uid == "uid-1"


@pytest.mark.parametrize(
    ("path", "document"),
    [
        (KUBE_SYSTEM, {"metadata": {"uid": "u" * 20_000}}),
        ("/version", {"gitVersion": ["v1"]}),
        (
            "/api/v1/nodes",
            {
                "items": [
                    {
                        "metadata": {"name": "n" * 100_000},
                        "spec": {},
                        "status": {"nodeInfo": {"architecture": "amd64", "bootID": "b"}},
                    }
                ],
                "metadata": {"resourceVersion": "1"},
            },
        ),
    ],
)
def test_what_no_cluster_says_ends_the_look(site: Site, path: str, document: Any) -> None:
    site.server.by_path[path] = Answer(document=document)
    looked = site.look()
    assert looked.preflight_state is PreflightState.FAILED
    assert looked.preflight_error.startswith("the API server's response ")


def test_long_texts_are_kept_short(site: Site) -> None:
    long = "x" * 100_000
    info = dict.fromkeys(
        ("architecture", "bootID", "kernelVersion", "osImage", "operatingSystem"), long
    )
    node = {
        "metadata": {"name": "n1"},
        "spec": {},
        "status": {"nodeInfo": info, "capacity": {"cpu": long, "memory": long}},
    }
    site.server.by_path["/version"] = Answer(document={"gitVersion": long})
    site.server.by_path["/api/v1/nodes"] = Answer(
        document={"items": [node], "metadata": {"resourceVersion": "1"}}
    )
    looked = site.look()
    assert looked.preflight_state is PreflightState.SUCCEEDED, looked.preflight_error
    assert len(json.dumps(looked.capabilities)) < 10_000
    site.server.by_path["/version"] = Answer(404, {"message": long})
    assert len(site.look().preflight_error) < 5_000


def test_what_a_client_is_for_is_said_by_its_identity(site: Site) -> None:
    with (
        site.connector.client(
            site.owner.organization_id, site.cluster_id, Identity("uid-9"), 0.0
        ) as client,
        pytest.raises(AnotherClusterError),
    ):
        client.get("/version")
    site.server.by_path[KUBE_SYSTEM] = Answer(500, {"message": "out of order"})
    with (
        site.connector.client(
            site.owner.organization_id, site.cluster_id, Identity(), 0.0
        ) as client,
        pytest.raises(ApiUnavailableError, match="out of order"),
    ):
        client.get("/version")


def _handle(site: Site) -> Handle:
    image = site.registered().own_image
    identity = ClusterIdentity("c", site.cluster_id, "uid-1", allow_mode_switch=True, image=image)
    return Handle(identity, "restore-1", frozenset(Access), True, threading.Event())

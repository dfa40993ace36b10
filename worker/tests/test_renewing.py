"""Tokens that renew themselves: a month on a scripted cluster, and what can prevent it."""

from __future__ import annotations

import base64
import json
import secrets
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.scripted.server import Connection, Request
from sqlalchemy import select

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.key_ring import KeyRing
from podmeter.db.models import AuditEntry, Cluster, Via
from podmeter.domain.messages import Message
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.rbac.capabilities import SERVICE_ACCOUNT
from podmeter.services.clusters import kubeconfigs, registry, renewal
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.clusters.registry import ClusterChange, Registration
from podmeter.services.work import work_with
from podmeter_worker.connection import Connector
from podmeter_worker.kube.facts.identity import Identity
from podmeter_worker.renewing import renew_all

from .bench import Bench

pytestmark = pytest.mark.services
ITSELF = f"system:serviceaccount:{POD_NAMESPACE}:{SERVICE_ACCOUNT}"
TOKENS = f"/api/v1/namespaces/{POD_NAMESPACE}/serviceaccounts/{SERVICE_ACCOUNT}/token"
POLICY = AddressPolicy.of(["127.0.0.0/8"])


@dataclass
class Clock:
    moment: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))

    def now(self) -> datetime:
        return self.moment


@dataclass
class Issuing(ScriptedCluster):
    """An API server that lets nobody in with a token whose time is over, and gives new ones."""

    clock: Clock = field(default_factory=Clock)
    #: What the token may not do, and for whom it is given one.
    forbidden: bool = False
    account: str = ITSELF
    longest: timedelta = timedelta(days=365)
    asked: list[Any] = field(default_factory=list)

    def token(self, seconds: float, account: str = ITSELF) -> str:
        issued = self.clock.now().timestamp()
        claims = {"sub": account, "iat": issued, "exp": issued + seconds}
        parts = ({"alg": "RS256"}, claims)
        return ".".join([*(_encoded(part) for part in parts), "c2lnbmF0dXJl"])

    async def respond(self, connection: Connection, request: Request) -> bool:
        _, _, token = request.headers.get("authorization", "").partition(" ")
        if _claims(token)["exp"] <= self.clock.now().timestamp():
            await connection.answer(401, {"reason": "Unauthorized", "message": "Unauthorized"})
            return True
        if request.path != TOKENS:
            return await super().respond(connection, request)
        if self.forbidden:
            await connection.answer(403, {"reason": "Forbidden", "message": "may not"})
            return True
        asked = request.document()["spec"]
        self.asked.append(asked)
        seconds = min(asked["expirationSeconds"], self.longest.total_seconds())
        status = {"token": self.token(seconds, self.account)}
        await connection.answer(201, {"kind": "TokenRequest", "status": status})
        return True


def _encoded(part: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def _claims(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found


@dataclass
class Site:
    """A registered cluster that asks for its next token; `hours` is how long each lives."""

    bench: Bench
    loop: Loop
    server: Issuing
    clock: Clock
    keys: KeyRing
    here: Any
    cluster_id: uuid.UUID = field(default_factory=uuid.uuid4)

    def register(self, hours: float, *, renew: bool = True) -> None:
        given = json.loads(self.server.server.kubeconfig("lab"))
        given["users"][0]["user"]["token"] = self.server.token(hours * 3600)
        vault = Vault(self.keys, POLICY)
        registration = Registration("lab", json.dumps(given).encode(), renew_credential=renew)
        with self.work() as work:
            row, _ = registry.register(work, self.bench.owner, vault, registration)
            row.cluster_uid = self.server.uid
            self.cluster_id = row.id

    def work(self) -> Any:
        return work_with(self.bench.sessions, self.bench.queue)

    @property
    def row(self) -> Cluster:
        return self.bench.registered(self.cluster_id)

    def token(self) -> str:
        with self.work() as work:
            organization = self.bench.owner.organization_id
            kept = kubeconfigs.stored_kubeconfig(work, organization, self.cluster_id, self.keys)
            return kept.fields["token"]

    def pass_by(self, **time: float) -> None:
        """Some time passes, and beat comes round."""
        self.clock.moment += timedelta(**time)
        renew_all(self.here)

    def audited(self) -> list[AuditEntry]:
        query = select(AuditEntry).where(AuditEntry.operation == renewal.OPERATION)
        with self.bench.sessions() as session:
            return list(session.scalars(query.order_by(AuditEntry.id)))


@pytest.fixture
def site(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    clock = Clock()
    monkeypatch.setattr(renewal, "now", clock.now)
    keys = KeyRing.parse(base64.b64encode(secrets.token_bytes(32)).decode())
    connector = Connector(bench.database, keys, POLICY, "bench:1")
    here = bench.here(connector=connector)
    with Loop() as loop:
        server = Issuing("lab", clock=clock, latency_seconds=0.0)
        loop.wait(server.server.listen())
        yield Site(bench, loop, server, clock, keys, here)


def test_for_a_month_a_token_of_two_days_is_renewed_at_half_its_life(site: Site) -> None:
    site.register(hours=48)
    begun, tokens = site.clock.now(), {site.token()}
    while site.clock.now() < begun + timedelta(days=30):
        site.pass_by(hours=6)
        token = site.token()
        tokens.add(token)
        # It never comes near its end, and what is stored is what lets in.
        left = _claims(token)["exp"] - site.clock.now().timestamp()
        assert left >= 24 * 3600
        row = site.row
        assert row.credential_expires_at == datetime.fromtimestamp(_claims(token)["exp"], UTC)
        assert row.renewal_error == ""
        assert token.encode() not in row.kubeconfig
    assert len(tokens) == 1 + 30
    assert {one["expirationSeconds"] for one in site.server.asked} == {48 * 3600}
    identity = Identity(site.server.uid)
    organization = site.bench.owner.organization_id
    with site.here.connector.client(organization, site.cluster_id, identity) as client:
        assert client.get("/version")
    entries = site.audited()
    assert len(entries) == 30
    last = entries[-1]
    assert (last.via, last.who, last.refused) == (Via.UPKEEP, "podmeter", False)
    assert (last.object_id, last.organization_id) == (str(site.cluster_id), organization)
    ends = site.row.credential_expires_at
    assert last.details == {"until": f"{ends:%Y-%m-%dT%H:%M:%SZ}"}
    assert not any(token in str(entry.details) for entry in entries for token in tokens)


def test_nothing_is_renewed_that_its_owner_does_not_let_be(site: Site) -> None:
    site.register(hours=48, renew=False)
    site.pass_by(hours=40)
    assert site.server.asked == []
    with site.work() as work:
        vault = Vault(site.keys, POLICY)
        wanted = ClusterChange(renew_credential=True)
        registry.change(work, site.bench.owner, vault, site.cluster_id, wanted, None)
    # It is checked at once, because it is past half its lifetime.
    site.pass_by(minutes=1)
    assert len(site.server.asked) == 1
    assert site.row.renews_itself


def test_what_fails_is_said_long_before_the_token_ends_and_tried_again(site: Site) -> None:
    site.register(hours=48)
    site.server.forbidden = True
    site.pass_by(hours=25)
    row = site.row
    assert Message.of(row.renewal_error).code == "renewal_forbidden"
    assert not row.renews_itself
    assert row.credential_expires_at is not None
    assert row.credential_expires_at - site.clock.now() > timedelta(hours=22)
    for _ in range(3):
        site.pass_by(hours=1)
    (entry,) = site.audited()
    assert entry.refused
    assert "podmeter clusters manifest --renew" in entry.details["why"]
    site.server.forbidden = False
    site.pass_by(hours=1)
    assert site.row.renewal_error == ""
    assert [one.refused for one in site.audited()] == [True, False]


def test_an_api_server_that_is_away_is_asked_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # While it is away, its port may be given to a process of another test.
    monkeypatch.setattr("podmeter_worker.renewing._PATIENCE_SECONDS", 0.0)
    site.register(hours=48)
    before = site.token()
    site.loop.wait(site.server.server.cut())
    site.pass_by(hours=24)
    assert Message.of(site.row.renewal_error).code == "renewal_failed"
    assert site.token() == before
    site.loop.wait(site.server.server.listen())
    site.pass_by(hours=1)
    assert site.row.renewal_error == ""
    assert site.token() != before


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"account": "system:serviceaccount:kube-system:root"}, "renewal_other_account"),
        ({"longest": timedelta(hours=1)}, "renewal_no_longer"),
    ],
)
def test_a_token_that_does_not_do_in_its_place_is_not_taken(
    site: Site, change: dict[str, Any], code: str
) -> None:
    site.register(hours=48)
    before = site.token()
    for name, value in change.items():
        setattr(site.server, name, value)
    site.pass_by(hours=24)
    assert Message.of(site.row.renewal_error).code == code
    assert site.token() == before


def test_another_kubeconfig_that_was_given_meanwhile_stays(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.register(hours=48)
    site.clock.moment += timedelta(hours=24)
    asked = site.here.connector.look

    def given_meanwhile(fields: dict[str, str], identity: Identity) -> None:
        asked(fields, identity)
        with site.work() as work:
            row = work.session.get_one(Cluster, site.cluster_id)
            row.kubeconfig = b"another"

    connector = SimpleNamespace(
        keys=site.keys, look=given_meanwhile, client=site.here.connector.client
    )
    monkeypatch.setattr(site.here, "connector", connector)
    renew_all(site.here)
    assert site.row.kubeconfig == b"another"
    assert site.audited() == []


def test_a_link_that_stays_open_goes_on_with_the_next_token(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podmeter_worker.connection._TOKEN_SECONDS", 0.02)
    site.register(hours=48)
    organization = site.bench.owner.organization_id
    identity = Identity(site.server.uid)
    with site.here.connector.client(organization, site.cluster_id, identity) as client:
        first = client.access.headers["Authorization"]
        site.pass_by(hours=24)
        for _ in range(500):
            if client.access.headers["Authorization"] != first:
                break
            client.get("/version")
        site.clock.moment += timedelta(hours=24)
        # The first one's time is over.
        assert client.get("/version")

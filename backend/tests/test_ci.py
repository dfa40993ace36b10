"""Jobs of a CI: let in by what their issuer signs, for a quarter of an hour, to what is trusted."""

import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import OctKey
from sqlalchemy import select, update

from podmeter.db.base import now
from podmeter.db.models import ApiToken, AuditEntry, Membership, Role
from podmeter.db.session import Sessions
from podmeter.services.execution.retention import forget_expired
from podmeter.services.work import Work

from .builders import SPEC, register
from .conftest import ORIGIN, Browser, LogIn
from .everything import ANY
from .provider import Provider, new_key, unsigned

pytestmark = pytest.mark.services
TRUSTS = "/api/v1/ci-trusts"
EXCHANGE = "/api/v1/auth/ci"
CLAIMS = {"repository": "acme/net", "ref": "refs/heads/*"}


def trusted(provider: Provider, *experiments: str, **changes: Any) -> dict[str, Any]:
    """The body of a trust in the provider."""
    body = {
        "name": "net",
        "issuer": provider.url,
        "claims": CLAIMS,
        "experiment_ids": list(experiments),
    }
    return {**body, **changes}


@pytest.fixture
def experiment(admin: TestClient) -> str:
    return str(admin.post("/api/v1/experiments", json=SPEC).json()["id"])


@pytest.fixture
def trust(admin: TestClient, provider: Provider, experiment: str) -> dict[str, Any]:
    """A trust in the provider, to one experiment."""
    made = admin.post(TRUSTS, json=trusted(provider, experiment))
    assert made.status_code == 201, made.text
    return dict(made.json())


def job_claims(provider: Provider, **changes: Any) -> dict[str, Any]:
    """What GitHub says of a push to main; None leaves a claim out."""
    moment = int(time.time())
    claims = {
        "iss": provider.url,
        "aud": ORIGIN,
        "sub": "repo:acme/net:ref:refs/heads/main",
        "repository": "acme/net",
        "ref": "refs/heads/main",
        "event_name": "push",
        "run_id": "9",
        "iat": moment,
        "nbf": moment,
        "exp": moment + 300,
        **changes,
    }
    return {name: one for name, one in claims.items() if one is not None}


@pytest.fixture
def exchange(browser: Browser, provider: Provider, trust: dict[str, Any]) -> Callable[..., Any]:
    """Exchange a job's token; `token` instead of one with these claims."""

    def ask(token: str | None = None, trust_id: str = "", **changes: Any) -> Any:
        signed = token or provider.signed(job_claims(provider, **changes))
        body = {"trust_id": trust_id or trust["id"], "token": signed}
        return browser().post(EXCHANGE, json=body)

    return ask


Exchange = Callable[..., Any]


def test_a_job_gets_a_token_for_the_experiments_that_are_trusted(
    admin: TestClient, browser: Browser, exchange: Exchange, experiment: str, sessions: Sessions
) -> None:
    other = admin.post("/api/v1/experiments", json={**SPEC, "name": "other"}).json()["id"]
    answer = exchange()
    assert answer.status_code == 201, answer.text
    assert answer.json()["role"] == "operator"
    with sessions() as session:
        row = session.scalars(select(ApiToken).where(ApiToken.ci_trust_id.is_not(None))).one()
        assert timedelta(minutes=14) < row.expires_at - now() < timedelta(minutes=15)
        assert row.name == "CI: repo:acme/net:ref:refs/heads/main"
        entry = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1)).one()
    assert (entry.operation, entry.via, entry.refused) == ("exchange_ci_token", "provider", False)
    assert entry.details["sub"] == "repo:acme/net:ref:refs/heads/main"
    assert (entry.details["repository"], entry.details["run_id"]) == ("acme/net", "9")
    assert answer.json()["token"] not in str(entry.details)

    job = browser()
    job.headers["Authorization"] = f"Bearer {answer.json()['token']}"
    listed = job.get("/api/v1/experiments").json()["items"]
    assert [one["id"] for one in listed] == [experiment]
    assert job.get(f"/api/v1/experiments/{other}").status_code == 404
    assert job.get("/api/v1/experiments/two-paths").status_code == 200
    changed = {**SPEC, "description": "of the repository"}
    assert job.put("/api/v1/experiments/two-paths", json=changed, headers=ANY).status_code == 200
    assert job.post("/api/v1/experiments", json=SPEC).status_code == 403
    assert job.post("/api/v1/tokens", json={"name": "x"}).status_code == 403
    assert job.get(TRUSTS).status_code == 403


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"aud": "https://other.example"}, "ci_token_refused"),
        ({"aud": None}, "ci_token_refused"),
        ({"iss": "https://other.example"}, "ci_token_refused"),
        ({"exp": timedelta(minutes=-2)}, "ci_token_refused"),
        ({"exp": None}, "ci_token_refused"),
        ({"nbf": timedelta(minutes=10)}, "ci_token_refused"),
        ({"sub": None}, "ci_token_refused"),
        ({"repository": "evil/net"}, "ci_claim_refused"),
        ({"repository": "acme/net2"}, "ci_claim_refused"),
        ({"ref": "refs/pull/7/merge", "event_name": "pull_request"}, "ci_claim_refused"),
        ({"event_name": "pull_request_target"}, "ci_event_refused"),
    ],
)
def test_another_job_is_refused(
    exchange: Exchange, sessions: Sessions, changes: dict[str, Any], code: str
) -> None:
    claims = {
        # From now, not from when the tests were collected: a whole suite may be between the two.
        name: int(time.time() + value.total_seconds()) if isinstance(value, timedelta) else value
        for name, value in changes.items()
    }
    answer = exchange(**claims)
    assert (answer.status_code, answer.json()["code"]) == (401, "ci_refused")
    assert answer.json()["message"]["code"] == code
    with sessions() as session:
        assert session.scalars(select(ApiToken)).all() == []
        entry = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1)).one()
    assert (entry.operation, entry.refused) == ("exchange_ci_token", True)


def test_refusals_are_counted_for_each_trust_by_itself(
    exchange: Exchange,
    log_in: LogIn,
    browser: Browser,
    provider: Provider,
    trust: dict[str, Any],
    sessions: Sessions,
) -> None:
    """One of another organization's trust, or a failed login, hid those that came after it."""
    stranger = log_in(organization="theirs")
    theirs = str(stranger.post("/api/v1/experiments", json=SPEC).json()["id"])
    other = stranger.post(TRUSTS, json=trusted(provider, theirs)).json()
    unknown = {"email": "nobody@nowhere.example", "password": "x"}
    assert browser().post("/api/v1/auth/login", json=unknown).status_code == 401
    for trust_id in (trust["id"], other["id"], trust["id"]):
        assert exchange(trust_id=trust_id, repository="evil/net").status_code == 401
    with sessions() as session:
        query = select(AuditEntry).where(AuditEntry.refused).order_by(AuditEntry.id)
        entries = session.scalars(query.where(AuditEntry.object_kind == "ci_trust")).all()
    assert [one.object_id for one in entries] == [trust["id"], other["id"]]
    assert len({one.organization_id for one in entries}) == 2


def test_a_token_that_the_issuer_did_not_sign_is_refused(
    exchange: Exchange, provider: Provider
) -> None:
    claims = job_claims(provider)
    forged = jwt.encode({"alg": "RS256", "kid": provider.key.kid}, claims, new_key("first"))
    both = OctKey.import_key("a secret that both could have, long enough")
    secret = jwt.encode({"alg": "HS256"}, claims, both)
    for token in (forged, secret, unsigned(claims), "no token"):
        answer = exchange(token)
        assert (answer.status_code, answer.json()["code"]) == (401, "ci_refused")


def test_keys_that_the_issuer_replaces_are_fetched_again(
    exchange: Exchange, provider: Provider
) -> None:
    assert exchange().status_code == 201
    before = provider.signed(job_claims(provider))
    provider.rotate()
    assert exchange().status_code == 201
    # What the old key signed is worth nothing any more.
    assert exchange(before).status_code == 401


def test_an_issuer_that_is_away_is_no_refusal(
    exchange: Exchange, admin: TestClient, provider: Provider, experiment: str
) -> None:
    away = trusted(provider, experiment, issuer="https://127.0.0.1:1")
    made = admin.post(TRUSTS, json=away).json()
    answer = exchange(trust_id=made["id"])
    assert (answer.status_code, answer.json()["code"]) == (502, "ci_issuer")
    assert exchange(trust_id=str(uuid.uuid4())).json()["message"]["code"] == "ci_trust_unknown"


def test_a_trust_that_ends_or_changes_takes_what_it_gave(
    admin: TestClient,
    browser: Browser,
    exchange: Exchange,
    provider: Provider,
    trust: dict[str, Any],
) -> None:
    other = admin.post("/api/v1/experiments", json={**SPEC, "name": "other"}).json()["id"]
    job = browser()
    job.headers["Authorization"] = f"Bearer {exchange().json()['token']}"
    path = f"{TRUSTS}/{trust['id']}"
    body = trusted(provider, other)
    assert admin.put(path, json=body, headers={"If-Match": '"7"'}).status_code == 412
    changed = admin.put(path, json=body, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    # Its job may not be let in any more, or not to do as much.
    assert job.get("/api/v1/experiments").status_code == 401
    job.headers["Authorization"] = f"Bearer {exchange().json()['token']}"
    listed = job.get("/api/v1/experiments").json()["items"]
    assert [one["id"] for one in listed] == [other]
    assert admin.delete(f"/api/v1/experiments/{other}", headers=ANY).status_code == 204
    assert job.get("/api/v1/experiments").json()["items"] == []
    assert exchange().json()["message"]["code"] == "ci_trust_empty"
    assert admin.delete(path, headers={"If-Match": '"2"'}).status_code == 204
    assert job.get("/api/v1/experiments").status_code == 401


def test_a_job_does_no_more_than_the_administrator_who_trusts_it(
    browser: Browser, exchange: Exchange, sessions: Sessions, trust: dict[str, Any]
) -> None:
    def change(**values: Any) -> None:
        with sessions.begin() as session:
            session.execute(update(Membership).values(**values))

    job = browser()
    job.headers["Authorization"] = f"Bearer {exchange().json()['token']}"
    change(role=Role.VIEWER)
    refused = job.put("/api/v1/experiments/two-paths", json=SPEC, headers=ANY)
    assert (refused.status_code, refused.json()["code"]) == (403, "role")
    change(deactivated_at=now())
    assert job.get("/api/v1/experiments").status_code == 401
    assert exchange().json()["message"]["code"] == "ci_trust_orphaned"


def test_a_viewer_s_trust_runs_nothing(
    admin: TestClient, browser: Browser, exchange: Exchange, provider: Provider, experiment: str
) -> None:
    made = admin.post(TRUSTS, json=trusted(provider, experiment, role="viewer")).json()
    job = browser()
    job.headers["Authorization"] = f"Bearer {exchange(trust_id=made['id']).json()['token']}"
    assert job.get("/api/v1/experiments").status_code == 200
    assert job.post(f"/api/v1/experiments/{experiment}/runs", json={}).status_code == 403
    cluster = register(admin)["id"]
    assert job.get(f"/api/v1/clusters/{cluster}").status_code == 404
    assert job.get("/api/v1/clusters").json()["items"] == []


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"role": "admin"}, "/role"),
        ({"claims": {"ref": "refs/heads/main"}}, "/claims"),
        ({"claims": {"repository": "*/*"}}, "/claims"),
        ({"claims": {"repository": "a**b"}}, "/claims/repository"),
        ({"claims": {}}, "/claims"),
        ({"issuer": "http://ci.example"}, "/issuer"),
        ({"issuer": "https://me@ci.example"}, "/issuer"),
        ({"experiment_ids": []}, "/experiment_ids"),
    ],
)
def test_a_trust_that_lets_too_many_in_is_refused(
    admin: TestClient, provider: Provider, experiment: str, changes: dict[str, Any], pointer: str
) -> None:
    answer = admin.post(TRUSTS, json=trusted(provider, experiment, **changes))
    assert answer.status_code == 422
    assert pointer in {one["pointer"] for one in answer.json()["errors"]}


def test_trusts_are_for_administrators_who_logged_in(
    admin: TestClient, browser: Browser, log_in: LogIn, provider: Provider, experiment: str
) -> None:
    body = trusted(provider, experiment)
    program = browser()
    token = admin.post("/api/v1/tokens", json={"name": "t", "role": "admin"}).json()["token"]
    program.headers["Authorization"] = f"Bearer {token}"
    assert program.post(TRUSTS, json=body).status_code == 403
    assert log_in(Role.OPERATOR).get(TRUSTS).status_code == 403
    missing = trusted(provider, str(uuid.uuid4()))
    assert admin.post(TRUSTS, json=missing).status_code == 404
    assert admin.get(TRUSTS).json()["items"] == []


def test_what_jobs_were_given_is_forgotten_once_it_has_expired(
    exchange: Exchange, sessions: Sessions, trust: dict[str, Any]
) -> None:
    for _ in range(2):
        exchange()
    with sessions.begin() as session:
        first = session.scalars(
            select(ApiToken.id).where(ApiToken.ci_trust_id.is_not(None))
        ).first()
        session.execute(
            update(ApiToken)
            .where(ApiToken.id == first)
            .values(expires_at=now() - timedelta(minutes=1))
        )
        forget_expired(Work(session))
        left = session.scalars(select(ApiToken.id).where(ApiToken.ci_trust_id.is_not(None))).all()
    assert len(left) == 1
    assert left != [first]

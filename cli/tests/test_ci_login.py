"""A job of a CI logs in by the token that its CI signs, and stays logged in."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from backend.tests.builders import SPEC
from backend.tests.provider import Provider
from fastapi.testclient import TestClient

from podmeter.db.models import ApiToken
from podmeter.db.session import Sessions
from podmeter_cli import login_file
from podmeter_cli.exits import ExitCode

from .conftest import Podmeter

pytestmark = pytest.mark.services
Sign = Callable[..., str]


@pytest.fixture
def sign(served: str, provider: Provider) -> Sign:
    """What the CI signs about a job of acme/net."""

    def signed(**changes: Any) -> str:
        moment = int(time.time())
        claims = {
            "iss": provider.url,
            "aud": served,
            "sub": "repo:acme/net",
            "iat": moment,
            "exp": moment + 300,
            "repository": "acme/net",
            "ref": "refs/heads/main",
        }
        return provider.signed({**claims, **changes})

    return signed


@pytest.fixture
def trust(admin: TestClient, served: str, provider: Provider) -> str:
    """The id of the trust in the CI."""
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()["id"]
    body = {
        "name": "net",
        "issuer": provider.url,
        "audience": served,
        "claims": {"repository": "acme/net"},
        "experiment_ids": [experiment],
    }
    return str(admin.post("/api/v1/ci-trusts", json=body).json()["id"])


def test_a_job_of_gitlab_logs_in_and_stays_logged_in(
    podmeter: Podmeter,
    served: str,
    sign: Sign,
    trust: str,
    sessions: Sessions,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PODMETER_ID_TOKEN", sign())
    logged_in = podmeter("login", served, "--ci", "--trust", trust)
    assert logged_in.code == 0, logged_in.err
    assert "as a CI job (operator of " in logged_in.out
    before = login_file.read()
    assert before.job
    # A run takes longer than the token counts.
    soon = (datetime.now(UTC) + timedelta(seconds=30)).isoformat()
    login_file.keep(replace(before, job=replace(before.job, expires_at=soon)))
    with sessions.begin() as session:
        session.query(ApiToken).filter(ApiToken.ci_trust_id.is_not(None)).delete()
    assert podmeter("api", "GET", "/experiments").document["items"][0]["slug"] == "two-paths"
    after = login_file.read()
    assert after.token != before.token
    assert after.job
    assert not after.job.ends_within(600)


def test_a_job_stays_logged_in_when_its_trust_is_changed(
    podmeter: Podmeter,
    served: str,
    sign: Sign,
    trust: str,
    admin: TestClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PODMETER_ID_TOKEN", sign())
    assert podmeter("login", served, "--ci", "--trust", trust).code == 0
    before = login_file.read()
    (saved,) = admin.get("/api/v1/ci-trusts").json()["items"]
    fields = ("name", "issuer", "audience", "claims", "experiment_ids")
    path, body = f"/api/v1/ci-trusts/{trust}", {name: saved[name] for name in fields}
    assert admin.put(path, json=body, headers={"If-Match": "*"}).status_code == 200
    assert podmeter("api", "GET", "/experiments").code == 0
    assert login_file.read().token != before.token
    assert admin.delete(path, headers={"If-Match": "*"}).status_code == 204
    refused = podmeter("api", "GET", "/experiments")
    assert (refused.code, "does not let this job in" in refused.err) == (ExitCode.USAGE, True)


def test_a_job_of_github_asks_for_its_token(
    podmeter: Podmeter,
    served: str,
    sign: Sign,
    trust: str,
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = json.dumps({"value": sign()}).encode()
    provider.answers["/request"] = lambda: (200, "application/json", answer)
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{provider.url}/request?api-version=2")
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "the runner's")
    monkeypatch.setenv("PODMETER_TRUST", trust)
    assert podmeter("login", served, "--ci").code == 0
    provider.answers["/request"] = lambda: (403, "application/json", b"{}")
    refused = podmeter("login", served, "--ci")
    assert (refused.code, "HTTP 403" in refused.err) == (ExitCode.FAILED, True)


def test_a_job_that_is_not_trusted_is_wrong_use(
    podmeter: Podmeter,
    served: str,
    sign: Sign,
    trust: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PODMETER_ID_TOKEN", sign(repository="evil/net"))
    refused = podmeter("login", served, "--ci", "--trust", trust)
    assert refused.code == ExitCode.USAGE
    assert "the claim repository of its token is 'evil/net'" in refused.err
    assert not (home / ".config").exists()
    monkeypatch.delenv("PODMETER_ID_TOKEN")
    without = podmeter("login", served, "--ci", "--trust", trust)
    assert (without.code, "id-token: write" in without.err) == (ExitCode.USAGE, True)
    assert podmeter("login", served, "--ci").code == ExitCode.USAGE

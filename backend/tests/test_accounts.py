from collections.abc import Callable
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import ApiToken, LoginSession, Role, User
from podmeter.db.session import Sessions
from podmeter_api.app import create_app
from podmeter_api.security import COOKIE, CSRF_HEADER
from podmeter_api.state import AppState

from .conftest import ORIGIN, PASSWORD, Browser, LogIn

pytestmark = pytest.mark.services
LOGIN = "/api/v1/auth/login"


def credentials(email: str = "ada@example.org", password: str = PASSWORD) -> dict[str, str]:
    return {"email": email, "password": password}


def test_a_login_sets_a_cookie_that_scripts_cannot_read(
    browser: Browser, add_user: Callable[..., User]
) -> None:
    add_user("Ada@example.org")
    client = browser()
    answer = client.post(LOGIN, json=credentials())
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    me = client.get("/api/v1/me").json()
    assert me["email"] == "Ada@example.org"
    assert me["role"] == "admin"
    assert me["csrf_token"] == answer.json()["csrf_token"]


def test_with_https_the_cookie_is_secure(state: AppState, add_user: Callable[..., User]) -> None:
    add_user("ada@example.org")
    public = "https://podmeter.example"
    settings = state.settings.model_copy(update={"public_url": public})
    app = create_app(state=replace(state, settings=settings))
    with TestClient(app, base_url=public) as client:
        answer = client.post(LOGIN, json=credentials())
    assert "Secure" in answer.headers["set-cookie"]


def test_wrong_password_and_unknown_address_answer_alike(
    browser: Browser, add_user: Callable[..., User]
) -> None:
    add_user("ada@example.org")
    client = browser()
    wrong = client.post(LOGIN, json=credentials(password="wrong"))
    unknown = client.post(LOGIN, json=credentials(email="eve@example.org"))
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    assert wrong.headers["content-type"] == "application/problem+json"


def test_too_many_failures_must_wait_though_the_password_is_right(
    browser: Browser, add_user: Callable[..., User], redis_client: Redis
) -> None:
    add_user("ada@example.org")
    add_user("bob@example.org")
    client = browser()
    for _ in range(3):
        assert client.post(LOGIN, json=credentials(password="wrong")).status_code == 401
    answer = client.post(LOGIN, json=credentials(email="ADA@example.org"))
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 300
    assert client.post(LOGIN, json=credentials(email="bob@example.org")).status_code == 200
    redis_client.flushdb()
    assert client.post(LOGIN, json=credentials()).status_code == 200


def test_a_disabled_user_is_out_at_once(admin: TestClient, sessions: Sessions) -> None:
    assert admin.get("/api/v1/me").status_code == 200
    with sessions.begin() as session:
        session.execute(update(User).values(disabled_at=now()))
    assert admin.get("/api/v1/me").status_code == 401


def test_an_expired_session_is_out(admin: TestClient, sessions: Sessions) -> None:
    with sessions.begin() as session:
        session.execute(update(LoginSession).values(expires_at=now()))
    assert admin.get("/api/v1/me").status_code == 401


def test_logging_out_ends_the_session_on_the_server(admin: TestClient) -> None:
    cookie = admin.cookies[COOKIE]
    answer = admin.post("/api/v1/auth/logout")
    assert (answer.status_code, answer.json()) == (200, {"leave_url": None})
    admin.cookies.set(COOKIE, cookie)
    assert admin.get("/api/v1/me").status_code == 401


def test_a_change_needs_the_csrf_token(admin: TestClient) -> None:
    right = admin.headers.pop(CSRF_HEADER)
    body = {"name": "a token"}
    for wrong in ({}, {CSRF_HEADER: "0" * 64}, {CSRF_HEADER: "0"}):
        answer = admin.post("/api/v1/tokens", json=body, headers=wrong)
        assert answer.status_code == 403
        assert answer.json()["code"] == "csrf"
    assert admin.post("/api/v1/tokens", json=body, headers={CSRF_HEADER: right}).status_code == 201


def test_another_origin_is_refused(admin: TestClient, browser: Browser) -> None:
    foreign = {"Origin": "https://evil.example"}
    assert admin.post("/api/v1/tokens", json={"name": "x"}, headers=foreign).status_code == 403
    assert browser().post(LOGIN, json=credentials(), headers=foreign).status_code == 403
    own = {"Origin": ORIGIN}
    assert admin.post("/api/v1/tokens", json={"name": "x"}, headers=own).status_code == 201


def test_a_token_lets_a_program_in_and_makes_no_tokens(admin: TestClient, browser: Browser) -> None:
    made = admin.post("/api/v1/tokens", json={"name": "ci", "role": "operator"}).json()
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    me = program.get("/api/v1/me").json()
    assert me["role"] == "operator"
    assert me["csrf_token"] is None
    assert program.post("/api/v1/tokens", json={"name": "more"}).status_code == 403
    listed = program.get("/api/v1/tokens").json()["items"]
    assert [item["name"] for item in listed] == ["ci"]
    assert listed[0]["last_used_at"] is not None
    assert made["token"] not in str(listed)
    assert made["token"].startswith(listed[0]["hint"].rstrip("…"))


def test_a_token_cannot_do_more_than_its_maker(log_in: LogIn) -> None:
    viewer = log_in(Role.VIEWER)
    answer = viewer.post("/api/v1/tokens", json={"name": "x", "role": "operator"})
    assert answer.status_code == 403
    assert viewer.post("/api/v1/tokens", json={"name": "x", "role": "viewer"}).status_code == 201


def test_a_token_weakens_with_its_maker(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    from podmeter.db.models import Membership

    made = admin.post("/api/v1/tokens", json={"name": "x", "role": "admin"}).json()
    with sessions.begin() as session:
        session.execute(update(Membership).values(role=Role.VIEWER))
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    assert program.get("/api/v1/me").json()["role"] == "viewer"


def test_a_revoked_and_an_expired_token_are_out(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    first = admin.post("/api/v1/tokens", json={"name": "a"}).json()
    second = admin.post("/api/v1/tokens", json={"name": "b"}).json()
    assert admin.delete(f"/api/v1/tokens/{first['id']}").status_code == 204
    assert admin.delete(f"/api/v1/tokens/{first['id']}").status_code == 404
    with sessions.begin() as session:
        session.execute(update(ApiToken).values(expires_at=now()))
    for made in (first, second):
        program = browser()
        program.headers["Authorization"] = f"Bearer {made['token']}"
        answer = program.get("/api/v1/me")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"


def test_secrets_are_stored_hashed(admin: TestClient, sessions: Sessions, state: AppState) -> None:
    made = admin.post("/api/v1/tokens", json={"name": "a"}, headers={"Idempotency-Key": "k"})
    secrets = [made.json()["token"], admin.cookies[COOKIE], PASSWORD]
    with sessions() as session:
        for table in ("users", "sessions", "api_tokens", "idempotency_keys"):
            rows = session.connection().exec_driver_sql(f"SELECT {table}::text FROM {table}").all()
            assert rows
            assert not any(secret in str(row) for secret in secrets for row in rows)


@pytest.mark.parametrize("token", ["", "podmeter_", "x" * 5000, "podmeter_" + "0" * 49])
def test_a_malformed_token_is_refused(browser: Browser, token: str) -> None:
    answer = browser().get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401


def test_nobody_is_asked_to_log_in(browser: Browser) -> None:
    answer = browser().get("/api/v1/me")
    assert answer.status_code == 401
    assert answer.json()["code"] == "authentication"


def test_organizations_do_not_see_each_others_tokens(log_in: LogIn) -> None:
    ours, theirs = log_in(), log_in(organization="theirs")
    made = ours.post("/api/v1/tokens", json={"name": "a"}).json()
    assert theirs.get("/api/v1/tokens").json()["items"] == []
    answer = theirs.delete(f"/api/v1/tokens/{made['id']}")
    assert answer.status_code == 404
    absent = theirs.delete("/api/v1/tokens/00000000-0000-0000-0000-000000000000")
    assert answer.json() == absent.json()

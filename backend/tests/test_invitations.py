"""Links that let somebody in: each once, for a time, and never into what is somebody else's."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from podmeter.db.base import now
from podmeter.db.models import Invitation, PasswordReset, Role, User
from podmeter.db.session import Sessions
from podmeter.services.accounts.password_resets import make_for
from podmeter.services.execution.retention import forget_expired
from podmeter.services.work import Work
from podmeter_api.security import CSRF_HEADER
from podmeter_api.state import AppState

from .conftest import PASSWORD, Browser, LogIn
from .everything import ANY
from .test_members import enter, join, member, path

pytestmark = pytest.mark.services
NEW = "a password of one's own"


def invite(admin: TestClient, email: str = "new@ours.example", **more: Any) -> str:
    """The secret of a link."""
    made = admin.post("/api/v1/invitations", json={"email": email, **more})
    assert made.status_code == 201, made.text
    link: str = made.json()["link"]
    assert link.startswith("http://127.0.0.1:8080/join#")
    return link.partition("#")[2]


def accept(client: TestClient, token: str, password: str = NEW) -> Any:
    answer = client.post(
        "/api/v1/auth/invitation/accept", json={"token": token, "password": password}
    )
    if answer.is_success:
        client.headers[CSRF_HEADER] = answer.json()["csrf_token"]
    return answer


def reset(admin: TestClient, email: str) -> str:
    made = admin.post(f"{path(admin, email)}/password-reset")
    assert made.status_code == 201, made.text
    return str(made.json()["link"]).partition("#")[2]


def use(client: TestClient, token: str, password: str = NEW) -> Any:
    return client.post(
        "/api/v1/auth/password-reset/use", json={"token": token, "password": password}
    )


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["message"]["code"]


def test_an_invitation_lets_in_once(admin: TestClient, browser: Browser) -> None:
    token = invite(admin, role="operator", expires_in_days=3)
    new = browser()
    offer = new.post("/api/v1/auth/invitation", json={"token": token}).json()
    assert (offer["organization"], offer["email"], offer["role"], offer["known"]) == (
        "ours",
        "new@ours.example",
        "operator",
        False,
    )
    assert code(accept(new, token, "short")) == (422, "password_short")
    me = accept(new, token).json()
    assert (me["email"], me["organization"], me["role"]) == (offer["email"], "ours", "operator")
    assert new.post("/api/v1/experiments", json={}).status_code == 422
    again = browser()
    assert code(accept(again, token)) == (404, "no_such_invitation")
    assert again.post("/api/v1/auth/invitation", json={"token": token}).status_code == 404
    assert admin.get("/api/v1/invitations").json()["items"] == []
    twice = admin.post("/api/v1/invitations", json={"email": "NEW@ours.example"})
    assert code(twice) == (409, "member_already")


def test_of_several_who_accept_at_the_same_time_one_does(admin: TestClient, served: str) -> None:
    body = {"token": invite(admin), "password": NEW}
    url = f"{served}/api/v1/auth/invitation/accept"
    with ThreadPoolExecutor(3) as pool:
        answers = pool.map(lambda _: httpx.post(url, json=body, timeout=30).status_code, range(3))
    assert sorted(answers) == [200, 404, 404]


def test_an_account_that_is_there_takes_its_own_password(
    admin: TestClient, log_in: LogIn, browser: Browser
) -> None:
    log_in(Role.VIEWER, "theirs")
    token = invite(admin, "Viewer@theirs.example", role="admin")
    new = browser()
    assert new.post("/api/v1/auth/invitation", json={"token": token}).json()["known"] is True
    assert code(accept(new, token)) == (401, "login_refused")
    me = accept(new, token, PASSWORD).json()
    assert (me["organization"], me["role"]) == ("ours", "admin")
    listed = new.get("/api/v1/me/organizations").json()["items"]
    assert [(one["name"], one["role"]) for one in listed] == [
        ("ours", "admin"),
        ("theirs", "viewer"),
    ]


@pytest.mark.parametrize("how", ["expired", "taken back", "inviter demoted", "inviter removed"])
def test_an_invitation_that_nobody_stands_for_is_none(
    admin: TestClient, log_in: LogIn, browser: Browser, sessions: Sessions, how: str
) -> None:
    log_in(Role.OPERATOR)
    inviter = "operator@ours.example"
    where = path(admin, inviter)
    admin.patch(where, json={"role": "admin"}, headers=ANY)
    other = browser()
    enter(other, inviter)
    token = invite(other)
    listed = admin.get("/api/v1/invitations").json()["items"]
    assert len(listed) == 1
    if how == "expired":
        with sessions.begin() as session:
            session.execute(update(Invitation).values(expires_at=now()))
            forget_expired(Work(session))
            assert session.scalars(select(Invitation)).all() == []
    elif how == "taken back":
        assert admin.delete(f"/api/v1/invitations/{listed[0]['id']}").status_code == 204
    elif how == "inviter demoted":
        admin.patch(where, json={"role": "operator"}, headers=ANY)
    else:
        admin.delete(where, headers=ANY)
    assert admin.get("/api/v1/invitations").json()["items"] == []
    assert code(accept(browser(), token)) == (404, "no_such_invitation")


def test_a_reset_sets_a_password_once_and_ends_sessions(
    admin: TestClient, log_in: LogIn, browser: Browser
) -> None:
    forgetful = log_in(Role.OPERATOR)
    email = "operator@ours.example"
    first = reset(admin, email)
    token = reset(admin, email)
    new = browser()
    assert code(use(new, first)) == (404, "no_such_password_reset")
    read = new.post("/api/v1/auth/password-reset", json={"token": token}).json()
    assert read["email"] == email
    assert code(use(new, token, "short")) == (422, "password_short")
    assert use(new, token).status_code == 204
    assert code(use(new, token)) == (404, "no_such_password_reset")
    assert forgetful.get("/api/v1/me").status_code == 401
    assert enter(browser(), email).status_code == 401
    assert enter(browser(), email, NEW).status_code == 200


def test_a_reset_never_opens_another_organization(
    admin: TestClient, log_in: LogIn, browser: Browser, sessions: Sessions, organization: str
) -> None:
    """Who administers one of two organizations of a user must not come into the other."""
    theirs = log_in(organization="theirs")
    their = theirs.get("/api/v1/me").json()["organization_id"]
    join(sessions, "admin@theirs.example", organization, Role.VIEWER)
    where = path(admin, "admin@theirs.example")
    assert code(admin.post(f"{where}/password-reset")) == (409, "reset_elsewhere")

    # Nor by a link that was made before the user joined the other one.
    log_in(Role.VIEWER)
    token = reset(admin, "viewer@ours.example")
    join(sessions, "viewer@ours.example", their, Role.VIEWER)
    assert code(use(browser(), token)) == (404, "no_such_password_reset")


def test_a_reset_by_who_administers_no_more_is_none(
    admin: TestClient, log_in: LogIn, browser: Browser
) -> None:
    log_in(Role.OPERATOR)
    log_in(Role.VIEWER)
    where = path(admin, "operator@ours.example")
    admin.patch(where, json={"role": "admin"}, headers=ANY)
    other = browser()
    enter(other, "operator@ours.example")
    token = reset(other, "viewer@ours.example")
    admin.patch(where, json={"active": False}, headers=ANY)
    assert use(browser(), token).status_code == 404


def test_whoever_runs_the_installation_resets_anybody(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    with sessions.begin() as session:
        _, token = make_for(Work(session), "ADMIN@ours.example")
    with sessions.begin() as session:
        session.execute(update(PasswordReset).values(expires_at=now()))
    assert use(browser(), token).status_code == 404
    with sessions.begin() as session:
        _, token = make_for(Work(session), "ADMIN@ours.example")
    assert use(browser(), token).status_code == 204
    assert enter(browser(), "admin@ours.example", NEW).status_code == 200


@pytest.mark.parametrize("operation", ["invitation", "password-reset"])
def test_wrong_links_slow_their_address_down(
    browser: Browser, state: AppState, operation: str
) -> None:
    client = browser()
    body = {"token": "x" * 43}
    for _ in range(10 * state.settings.login_attempts):
        assert not state.pace.is_slow("testclient")
        assert client.post(f"/api/v1/auth/{operation}", json=body).status_code == 404
    assert state.pace.is_slow("testclient")
    foreign = {"Origin": "https://evil.example"}
    assert client.post(f"/api/v1/auth/{operation}", json=body, headers=foreign).status_code == 403


def test_a_known_account_s_password_is_not_guessed_by_an_invitation(
    admin: TestClient, log_in: LogIn, browser: Browser
) -> None:
    log_in(Role.VIEWER, "theirs")
    token = invite(admin, "viewer@theirs.example")
    client = browser()
    assert [accept(client, token).status_code for _ in range(4)] == [401, 401, 401, 429]
    assert accept(client, token, PASSWORD).status_code == 429
    assert enter(client, "viewer@theirs.example").status_code == 429


def test_links_are_stored_hashed(
    admin: TestClient, log_in: LogIn, sessions: Sessions, add_user: Callable[..., User]
) -> None:
    add_user("bob@ours.example")
    secrets = [invite(admin), reset(admin, "bob@ours.example")]
    with sessions() as session:
        for table in ("invitations", "password_resets", "idempotency_keys"):
            rows = session.connection().exec_driver_sql(f"SELECT {table}::text FROM {table}").all()
            assert not any(secret in str(row) for secret in secrets for row in rows)
    assert member(admin, "bob@ours.example")["active"] is True

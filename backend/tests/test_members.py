"""Who belongs to an organization, and that anyone who does not any more is out at once."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from podmeter.db.base import now
from podmeter.db.models import Membership, Organization, Role, User
from podmeter.db.session import Sessions
from podmeter_api.security import COOKIE, CSRF_HEADER, ORGANIZATION_HEADER

from .builders import queue_run
from .conftest import PASSWORD, Browser, LogIn
from .everything import ANY

pytestmark = pytest.mark.services


def enter(client: TestClient, email: str, password: str = PASSWORD) -> Any:
    answer = client.post("/api/v1/auth/login", json={"email": email, "password": password})
    if answer.status_code == 200:
        client.headers[CSRF_HEADER] = answer.json()["csrf_token"]
    return answer


def member(admin: TestClient, email: str) -> dict[str, Any]:
    items = admin.get("/api/v1/members").json()["items"]
    return next(one for one in items if one["email"] == email)


def path(admin: TestClient, email: str) -> str:
    return f"/api/v1/members/{member(admin, email)['user_id']}"


def join(sessions: Sessions, email: str, organization: str, role: Role = Role.ADMIN) -> None:
    """Let a user who is there belong to another organization too."""
    with sessions.begin() as session:
        user = session.scalars(select(User).where(User.email == email)).one()
        session.add(Membership(organization_id=uuid.UUID(organization), user_id=user.id, role=role))


def test_members_are_seen_by_all_and_changed_by_admins(log_in: LogIn) -> None:
    admin, viewer = log_in(), log_in(Role.VIEWER)
    assert [one["email"] for one in viewer.get("/api/v1/members").json()["items"]] == [
        "admin@ours.example",
        "viewer@ours.example",
    ]
    where = path(admin, "viewer@ours.example")
    assert viewer.patch(where, json={"role": "admin"}, headers=ANY).status_code == 403
    assert viewer.post("/api/v1/invitations", json={"email": "a@b"}).status_code == 403
    assert viewer.get("/api/v1/invitations").status_code == 403
    assert viewer.patch("/api/v1/organization", json={"name": "x"}, headers=ANY).status_code == 403
    changed = admin.patch(where, json={"role": "operator"}, headers={"If-Match": '"1"'})
    assert (changed.json()["role"], changed.headers["etag"]) == ("operator", '"2"')
    assert viewer.get("/api/v1/me").json()["role"] == "operator"
    stale = admin.patch(where, json={"role": "admin"}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    assert admin.patch(where, json={"role": "admin"}).status_code == 428


def test_a_token_decides_nothing_about_who_may_enter(admin: TestClient, browser: Browser) -> None:
    made = admin.post("/api/v1/tokens", json={"name": "t", "role": "admin"}).json()
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    me = path(admin, "admin@ours.example")
    invited = {"email": "eve@example.org", "role": "admin"}
    passwords = {"current_password": PASSWORD, "new_password": "another password"}
    organization = admin.get("/api/v1/me").json()["organization_id"]
    for answer in (
        program.post("/api/v1/invitations", json=invited),
        program.post(f"{me}/password-reset"),
        program.patch(me, json={"role": "viewer"}, headers=ANY),
        program.delete(me, headers=ANY),
        program.put("/api/v1/me/password", json=passwords),
        program.get("/api/v1/me/sessions"),
        program.delete("/api/v1/me/sessions"),
        program.put("/api/v1/me/organization", json={"organization_id": organization}),
        program.post("/api/v1/organizations", json={"name": "x"}),
        program.patch("/api/v1/organization", json={"name": "x"}, headers=ANY),
    ):
        assert answer.status_code == 403
        assert answer.json()["message"]["code"] == "person_needed"
    assert program.get("/api/v1/members").status_code == 200


def test_somebody_always_administers(admin: TestClient, log_in: LogIn) -> None:
    own = path(admin, "admin@ours.example")
    organization = admin.get("/api/v1/me").json()["organization_id"]

    def refused() -> set[tuple[int, str]]:
        answers = [
            admin.patch(own, json={"role": "operator"}, headers=ANY),
            admin.patch(own, json={"active": False}, headers=ANY),
            admin.delete(own, headers=ANY),
            admin.delete(f"/api/v1/me/organizations/{organization}"),
        ]
        return {(one.status_code, one.json()["message"]["code"]) for one in answers}

    assert refused() == {(409, "last_admin")}
    log_in(Role.OPERATOR)
    other = path(admin, "operator@ours.example")
    assert admin.patch(other, json={"role": "admin"}, headers=ANY).status_code == 200
    assert admin.patch(other, json={"active": False}, headers=ANY).status_code == 200
    assert refused() == {(409, "last_admin")}
    assert admin.patch(other, json={"active": True}, headers=ANY).status_code == 200
    assert admin.delete(own, headers=ANY).status_code == 204


def test_two_admins_cannot_remove_each_other_at_the_same_time(
    log_in: LogIn, browser: Browser, add_user: Callable[..., User], sessions: Sessions, served: str
) -> None:
    for attempt in range(5):
        place = f"lab {attempt}"
        names = [f"{name}{attempt}@ours.example" for name in ("ada", "bob")]
        credentials = []
        for name in names:
            add_user(name, organization=place)
            client = browser()
            assert enter(client, name).status_code == 200
            cookie = {"Cookie": f"{COOKIE}={client.cookies[COOKIE]}"}
            credentials.append({**ANY, **cookie, CSRF_HEADER: client.headers[CSRF_HEADER]})
        paths = [served + path(client, name) for name in reversed(names)]
        with ThreadPoolExecutor(2) as pool:
            answers = list(
                pool.map(
                    lambda url, headers: httpx.delete(url, headers=headers, timeout=30),
                    paths,
                    credentials,
                )
            )
        said = sorted(one.status_code for one in answers)
        assert said[0] == 204
        assert said[1] in (401, 409)  # out by then, or the last one
        with sessions() as session:
            admins = (
                select(func.count())
                .join(Organization, Organization.id == Membership.organization_id)
                .where(Organization.name == place)
            )
            assert session.scalar(admins.select_from(Membership)) == 1


@pytest.mark.parametrize("how", ["removed", "deactivated", "left"])
def test_whoever_is_out_is_out_at_once(
    admin: TestClient,
    log_in: LogIn,
    browser: Browser,
    sessions: Sessions,
    served: str,
    how: str,
) -> None:
    run = queue_run(admin, sessions)
    gone = log_in(Role.OPERATOR)
    made = gone.post("/api/v1/tokens", json={"name": "t"}).json()
    organization = gone.get("/api/v1/me").json()["organization_id"]
    where = path(admin, "operator@ours.example")
    url = f"{served}/api/v1/runs/{run['id']}/events"
    bearer = {"Authorization": f"Bearer {made['token']}"}
    cookies = {COOKIE: gone.cookies[COOKIE]}
    with (
        httpx.stream("GET", url, cookies=cookies, timeout=30) as by_session,
        httpx.stream("GET", url, headers=bearer, timeout=30) as by_token,
    ):
        streams = [one.iter_lines() for one in (by_session, by_token)]
        for one in streams:
            next(one)
        if how == "removed":
            answer = admin.delete(where, headers=ANY)
        elif how == "deactivated":
            answer = admin.patch(where, json={"active": False}, headers=ANY)
        else:
            answer = gone.delete(f"/api/v1/me/organizations/{organization}")
        assert answer.status_code < 300, answer.text
        me = f"{served}/api/v1/me"
        assert httpx.get(me, cookies=cookies, timeout=30).status_code == 401
        assert httpx.get(me, headers=bearer, timeout=30).status_code == 401
        for one in streams:
            # To its end, which it would not come to by itself: the run waits.
            assert "event: end" not in list(one)
    assert enter(browser(), "operator@ours.example").status_code == 401


def test_who_comes_back_does_not_bring_old_tokens(
    admin: TestClient, log_in: LogIn, browser: Browser
) -> None:
    gone = log_in(Role.OPERATOR)
    made = gone.post("/api/v1/tokens", json={"name": "t"}).json()
    where = path(admin, "operator@ours.example")
    admin.patch(where, json={"active": False}, headers=ANY)
    assert member(admin, "operator@ours.example")["active"] is False
    admin.patch(where, json={"active": True}, headers=ANY)
    assert gone.get("/api/v1/me").status_code == 401
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    assert program.get("/api/v1/me").status_code == 401
    assert enter(browser(), "operator@ours.example").status_code == 200


def test_a_removed_member_stays_in_their_other_organization(
    admin: TestClient, log_in: LogIn, browser: Browser, sessions: Sessions, organization: str
) -> None:
    other = log_in(Role.VIEWER, "theirs")
    join(sessions, "viewer@theirs.example", organization, Role.VIEWER)
    elsewhere = browser()
    enter(elsewhere, "viewer@theirs.example")
    admin.delete(path(admin, "viewer@theirs.example"), headers=ANY)
    assert other.get("/api/v1/me").json()["organization"] == "theirs"
    again = browser()
    assert enter(again, "viewer@theirs.example").json()["organization"] == "theirs"


def test_a_session_is_switched_and_what_was_open_before_acts_no_more(
    log_in: LogIn, sessions: Sessions, organization: str, served: str
) -> None:
    client = log_in(organization="theirs")
    join(sessions, "admin@theirs.example", organization, Role.OPERATOR)
    run = queue_run(client, sessions)
    before = client.get("/api/v1/me").json()
    listed = client.get("/api/v1/me/organizations").json()["items"]
    assert [(one["name"], one["role"], one["current"]) for one in listed] == [
        ("ours", "operator", False),
        ("theirs", "admin", True),
    ]
    open_tab = {ORGANIZATION_HEADER: before["organization_id"]}
    assert client.get("/api/v1/runs", headers=open_tab).status_code == 200
    cookies = {COOKIE: client.cookies[COOKIE]}
    url = f"{served}/api/v1/runs/{run['id']}/events"
    with httpx.stream("GET", url, cookies=cookies, timeout=30) as stream:
        lines = stream.iter_lines()
        next(lines)
        body = {"organization_id": organization}
        now_in = client.put("/api/v1/me/organization", json=body).json()
        assert [line for line in lines if line == "event: end"] == []
    assert (now_in["organization"], now_in["role"]) == ("ours", "operator")
    # The other tab, which knows nothing of it: neither reads nor changes.
    refused = client.get("/api/v1/runs", headers=open_tab)
    assert (refused.status_code, refused.json()["code"]) == (409, "another_organization")
    changed = client.post("/api/v1/tokens", json={"name": "t"})
    assert (changed.status_code, changed.json()["code"]) == (403, "csrf")
    client.headers[CSRF_HEADER] = now_in["csrf_token"]
    assert client.get(f"/api/v1/runs/{run['id']}").status_code == 404
    assert client.post("/api/v1/tokens", json={"name": "t"}).status_code == 201
    client.post("/api/v1/auth/logout")
    assert enter(client, "admin@theirs.example").json()["organization"] == "ours"


def test_a_made_organization_is_its_makers_who_may_leave_for_another(
    admin: TestClient, organization: str
) -> None:
    made = admin.post("/api/v1/organizations", json={"name": "ours"})
    assert made.status_code == 201
    new = made.json()["id"]
    assert admin.get("/api/v1/me").json()["organization_id"] == organization
    switched = admin.put("/api/v1/me/organization", json={"organization_id": new}).json()
    admin.headers[CSRF_HEADER] = switched["csrf_token"]
    assert switched["role"] == "admin"
    shown = admin.get("/api/v1/organization")
    renamed = admin.patch(
        "/api/v1/organization",
        json={"name": "the lab"},
        headers={"If-Match": shown.headers["etag"]},
    )
    assert (renamed.json()["name"], renamed.json()["version"]) == ("the lab", 2)
    members = admin.get("/api/v1/members").json()["items"]
    assert [one["email"] for one in members] == ["admin@ours.example"]
    # The last one who administers it.
    assert admin.delete(f"/api/v1/me/organizations/{new}").status_code == 409
    assert admin.delete(f"/api/v1/me/organizations/{organization}").status_code == 409


def test_quotas_are_shown_and_hold(
    admin: TestClient, log_in: LogIn, sessions: Sessions, app: Any
) -> None:
    from podmeter_api.state import AppState

    state: AppState = app.state.podmeter
    state.settings.quota_clusters = 2
    state.settings.quota_queued_runs = 1
    run = queue_run(admin, sessions)
    experiment, cluster = run["experiment_id"], run["clusters"][0]["cluster_id"]
    queue = f"/api/v1/experiments/{experiment}/runs"
    refused = admin.post(queue, json={"cluster_id": cluster})
    assert (refused.status_code, refused.json()["message"]["code"]) == (409, "quota_queued_runs")
    admin.post(f"/api/v1/runs/{run['id']}/cancel")
    with ThreadPoolExecutor(4) as pool:
        body = {"cluster_id": cluster}
        answers = list(pool.map(lambda _: admin.post(queue, json=body).status_code, range(4)))
    assert sorted(answers) == [202, 409, 409, 409]
    assert admin.post(f"/api/v1/runs/{run['id']}/resume").status_code == 409
    from .builders import kubeconfig, register

    register(admin, "second")
    body = {"name": "third", "kubeconfig": kubeconfig()}
    refused = admin.post("/api/v1/clusters", json=body)
    assert (refused.status_code, refused.json()["message"]["code"]) == (409, "quota_clusters")
    quotas = {one["quota"]: one for one in admin.get("/api/v1/organization").json()["quotas"]}
    assert quotas["clusters"] == {"quota": "clusters", "most": 2, "used": 2}
    assert quotas["queued_runs"]["used"] == quotas["queued_runs"]["most"] == 1
    assert quotas["preflights"] == {"quota": "preflights", "most": 2, "used": 0}
    # Another organization has all of its own, however full this one is.
    other = log_in(organization="theirs")
    shown = {one["quota"]: one for one in other.get("/api/v1/organization").json()["quotas"]}
    assert {name: one["used"] for name, one in shown.items()} == dict.fromkeys(quotas, 0)
    assert {name: one["most"] for name, one in shown.items()} == {
        name: one["most"] for name, one in quotas.items()
    }
    theirs = queue_run(other, sessions)
    register(other, "their second")
    again = f"/api/v1/experiments/{theirs['experiment_id']}/runs"
    whose = {"cluster_id": theirs["clusters"][0]["cluster_id"]}
    assert other.post(again, json=whose).json()["message"]["code"] == "quota_queued_runs"
    assert other.post("/api/v1/clusters", json=body).json()["message"]["code"] == "quota_clusters"
    assert admin.get("/api/v1/organization").json()["quotas"] == list(quotas.values())


def test_a_user_makes_no_more_organizations_than_they_may(admin: TestClient, app: Any) -> None:
    app.state.podmeter.settings.quota_organizations = 2
    assert admin.post("/api/v1/organizations", json={"name": "a"}).status_code == 201
    refused = admin.post("/api/v1/organizations", json={"name": "b"})
    assert refused.json()["message"]["code"] == "quota_organizations"


def test_a_password_is_changed_and_other_sessions_end(
    admin: TestClient, browser: Browser, redis_client: Any
) -> None:
    email, new = "admin@ours.example", "a new password, long"
    other = browser()
    enter(other, email)
    token = admin.post("/api/v1/tokens", json={"name": "t"}).json()["token"]

    def change(current: str, to: str) -> int:
        body = {"current_password": current, "new_password": to}
        return int(admin.put("/api/v1/me/password", json=body).status_code)

    assert change("wrong", new) == 422
    assert change(PASSWORD, "short") == 422
    assert other.get("/api/v1/me").status_code == 200
    assert change(PASSWORD, new) == 204
    assert other.get("/api/v1/me").status_code == 401
    assert admin.get("/api/v1/me").status_code == 200
    # Who knew the old password may have made it.
    bearer = {"Authorization": f"Bearer {token}"}
    assert browser().get("/api/v1/me", headers=bearer).status_code == 401
    assert enter(browser(), email).status_code == 401
    assert enter(browser(), email, new).status_code == 200
    redis_client.flushdb()
    # Guessed with a stolen session no oftener than at the login.
    assert [change("wrong", new) for _ in range(4)] == [422, 422, 422, 429]


def test_sessions_are_listed_with_where_and_when_and_end_one_by_one_or_all(
    admin: TestClient, browser: Browser, log_in: LogIn
) -> None:
    email = "admin@ours.example"
    second, third = browser(), browser()
    second.headers["User-Agent"] = "Firefox on the train"
    for one in (second, third):
        enter(one, email)
    listed = admin.get("/api/v1/me/sessions").json()["items"]
    assert [one["current"] for one in listed] == [False, False, True]
    train = next(one for one in listed if one["agent"] == "Firefox on the train")
    assert train["address"] == "testclient"
    assert train["organization"] == "ours"
    assert train["last_seen_at"] >= train["created_at"]
    stranger = log_in(organization="theirs")
    assert stranger.delete(f"/api/v1/me/sessions/{train['id']}").status_code == 404
    assert admin.delete(f"/api/v1/me/sessions/{train['id']}").status_code == 204
    assert second.get("/api/v1/me").status_code == 401
    assert third.get("/api/v1/me").status_code == 200
    assert admin.delete("/api/v1/me/sessions").status_code == 204
    assert third.get("/api/v1/me").status_code == 401
    assert stranger.get("/api/v1/me").status_code == 200
    assert len(admin.get("/api/v1/me/sessions").json()["items"]) == 1


def test_a_user_who_is_disabled_administers_nothing(
    admin: TestClient, log_in: LogIn, sessions: Sessions
) -> None:
    log_in(Role.OPERATOR)
    other = path(admin, "operator@ours.example")
    admin.patch(other, json={"role": "admin"}, headers=ANY)
    with sessions.begin() as session:
        user = session.scalars(select(User).where(User.email == "operator@ours.example")).one()
        user.disabled_at = now()
    answer = admin.delete(path(admin, "admin@ours.example"), headers=ANY)
    assert answer.json()["message"]["code"] == "last_admin"

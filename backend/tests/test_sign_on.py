"""Signing on: accounts, memberships that follow groups, logging out, and passwords besides."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from podmeter.db.base import now
from podmeter.db.models import AddressProof, AuditEntry, Membership, Organization, Role, User
from podmeter.db.session import Sessions
from podmeter_api.security import CSRF_HEADER
from podmeter_api.state import AppState, make_state

from .conftest import ORIGIN, PASSWORD, Browser, LogIn, opened
from .everything import begin_sign_on
from .provider import CLIENT, Provider
from .test_sign_on_refused import finish, refused_because

pytestmark = pytest.mark.services
ANY = {"If-Match": "*"}


@pytest.fixture(autouse=True)
def ours(admin: TestClient) -> TestClient:
    """Our organization, with an administrator who has a password."""
    return admin


@contextmanager
def with_settings(state: AppState, **settings: Any) -> Iterator[TestClient]:
    """A browser, of an installation with these settings."""
    asked = state.settings.model_copy(update=settings)
    made = make_state(asked, state.queue, state.passwords)
    with opened(made) as client:
        yield client
    made.close()


def sign_on(client: TestClient, way_back: str = "/") -> dict[str, Any]:
    answer = finish(client, begin_sign_on(client, way_back))
    assert answer.status_code == 200, answer.text
    signed_on: dict[str, Any] = answer.json()
    client.headers[CSRF_HEADER] = signed_on["me"]["csrf_token"]
    return signed_on


def members(client: TestClient) -> dict[str, dict[str, Any]]:
    items = client.get("/api/v1/members").json()["items"]
    return {one["email"]: one for one in items}


def test_who_signs_on_for_the_first_time_is_a_member(
    browser: Browser, admin: TestClient, provider: Provider
) -> None:
    client = browser()
    signed_on = sign_on(client, "/runs?state=queued#x")
    assert signed_on["next"] == "/runs?state=queued#x"
    me = client.get("/api/v1/me").json()
    assert me == signed_on["me"]
    assert (me["email"], me["role"], me["of_provider"]) == (provider.person["email"], "admin", True)
    assert me["organization_id"] == admin.get("/api/v1/me").json()["organization_id"]
    assert members(admin)[me["email"]]["of_provider"]
    # A session like any other: it changes things, is listed, and can be ended.
    assert client.post("/api/v1/tokens", json={"name": "mine"}).status_code == 201
    (listed,) = client.get("/api/v1/me/sessions").json()["items"]
    assert listed["current"]


def test_what_the_browser_is_sent_with(browser: Browser, provider: Provider) -> None:
    client = browser()
    answer = client.post("/api/v1/auth/sign-on/start", json={"next": "/"})
    url = urlsplit(answer.json()["location"])
    assert f"{url.scheme}://{url.netloc}{url.path}" == f"{provider.url}/authorize"
    query = {name: one[0] for name, one in parse_qs(url.query).items()}
    assert query["redirect_uri"] == f"{ORIGIN}/sign-on"
    assert (query["client_id"], query["scope"]) == (CLIENT, "openid email profile")
    assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
    assert all(len(query[name]) >= 43 for name in ("state", "nonce", "code_challenge"))
    cookie = answer.headers["set-cookie"]
    for part in ("HttpOnly", "SameSite=lax", "Max-Age=600", "Path=/api/v1/auth/sign-on"):
        assert part in cookie
    for secret in (query["nonce"], query["state"]):
        assert secret not in cookie


def test_two_windows_of_one_browser_each_finish(browser: Browser) -> None:
    client = browser()
    first, second = begin_sign_on(client, "/runs"), begin_sign_on(client, "/clusters")
    assert finish(client, first).json()["next"] == "/runs"
    assert finish(client, second).json()["next"] == "/clusters"


def test_sign_ons_that_are_never_finished_do_not_add_up(browser: Browser) -> None:
    """A browser that kept all their cookies would send headers that are too large."""
    client = browser()
    for _ in range(100):
        begun = client.post("/api/v1/auth/sign-on/start", json={"next": "/"})
        assert begun.status_code == 200, begun.text
    assert len([name for name in client.cookies if name.startswith("podmeter_sign_on_")]) <= 10
    assert finish(client, begin_sign_on(client, "/runs")).json()["next"] == "/runs"


def test_somebody_is_known_again_by_the_subject_though_the_address_changes(
    browser: Browser, admin: TestClient, provider: Provider
) -> None:
    first = sign_on(browser())["me"]
    provider.person["email"] = "renamed@people.example"
    assert sign_on(browser())["me"]["user_id"] == first["user_id"]
    assert "renamed@people.example" not in members(admin)


def test_each_sign_on_and_logout_is_in_the_log_once(
    browser: Browser, provider: Provider, sessions: Sessions
) -> None:
    client = browser()
    sign_on(client)
    client.post("/api/v1/auth/logout")
    with sessions() as session:
        query = select(AuditEntry).where(AuditEntry.who == provider.person["email"])
        entered, left = session.scalars(query.order_by(AuditEntry.id)).all()
    assert (entered.operation, entered.via, entered.refused) == (
        "finish_sign_on",
        "provider",
        False,
    )
    assert (entered.object_kind, entered.details) == ("member", {"role": "admin"})
    assert (left.operation, left.via) == ("log_out", "session")
    assert left.organization_id == entered.organization_id


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["readers"], "viewer"),
        (["readers", "sre"], "operator"),
        ("sre", "operator"),
        (["sre", 7, None, "net-admins"], "admin"),
    ],
)
def test_of_several_groups_the_highest_role_counts(
    browser: Browser, provider: Provider, groups: Any, role: str
) -> None:
    provider.person["groups"] = groups
    assert sign_on(browser())["me"]["role"] == role


def test_groups_and_address_may_be_told_by_userinfo_alone(
    browser: Browser, provider: Provider
) -> None:
    provider.userinfo_only = True
    me = sign_on(browser())["me"]
    assert (me["email"], me["role"]) == (provider.person["email"], "admin")
    assert "/userinfo" in provider.asked


def test_groups_are_where_the_setting_says(state: AppState, provider: Provider) -> None:
    provider.person["realm_access"] = {"roles": ["CN=Readers,OU=net"]}
    told = {"oidc_groups_claim": "realm_access.roles", "oidc_roles": "CN=Readers,OU=net=viewer;"}
    with with_settings(state, **told) as client:
        assert sign_on(client)["me"]["role"] == "viewer"


def test_the_organization_is_the_one_that_the_setting_names(
    state: AppState, log_in: LogIn, sessions: Sessions
) -> None:
    theirs = log_in(organization="theirs").get("/api/v1/me").json()["organization_id"]
    for named in ("theirs", theirs):
        with with_settings(state, oidc_organization=named) as client:
            assert sign_on(client)["me"]["organization_id"] == theirs
    with sessions.begin() as session:
        session.add(Organization(name="theirs"))
    with with_settings(state, oidc_organization="theirs") as client:
        refused = finish(client, begin_sign_on(client))
    assert refused_because(refused) == "sign_on_organization"


def test_everybody_whom_the_provider_lets_in(state: AppState, provider: Provider) -> None:
    provider.person["groups"] = []
    with with_settings(state, oidc_roles="net-admins=admin,*=viewer") as client:
        assert sign_on(client)["me"]["role"] == "viewer"


def test_the_role_follows_the_groups(browser: Browser, provider: Provider) -> None:
    client = browser()
    sign_on(client)
    provider.person["groups"] = ["readers"]
    assert sign_on(browser())["me"]["role"] == "viewer"
    # At once, where they were logged in before.
    assert client.get("/api/v1/me").json()["role"] == "viewer"


def test_whose_last_group_is_gone_is_out_at_once(
    browser: Browser, admin: TestClient, provider: Provider, sessions: Sessions
) -> None:
    client = browser()
    sign_on(client)
    made = client.post("/api/v1/tokens", json={"name": "mine"}).json()
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    assert program.get("/api/v1/me").status_code == 200
    provider.person["groups"] = ["gardeners"]
    again = browser()
    assert refused_because(finish(again, begin_sign_on(again))) == "sign_on_no_group"
    assert client.get("/api/v1/me").status_code == 401
    assert program.get("/api/v1/me").status_code == 401
    assert provider.person["email"] not in members(admin)
    with sessions() as session:
        last = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
    assert last is not None
    assert last.refused
    assert last.details == {"role": None, "before": "admin", "last_admin_kept": False}
    provider.person["groups"] = ["sre"]
    assert sign_on(again)["me"]["role"] == "operator"


def test_the_last_administrator_stays_one(
    browser: Browser, provider: Provider, sessions: Sessions
) -> None:
    client = browser()
    sign_on(client)
    with sessions.begin() as session:
        session.execute(update(User).where(User.subject.is_(None)).values(disabled_at=now()))
    for groups in (["readers"], []):
        provider.person["groups"] = groups
        assert sign_on(browser())["me"]["role"] == "admin"


def test_whom_an_administrator_deactivated_stays_out(
    browser: Browser, admin: TestClient, provider: Provider
) -> None:
    client = browser()
    me = sign_on(client)["me"]
    change = {"active": False}
    answer = admin.patch(f"/api/v1/members/{me['user_id']}", json=change, headers=ANY)
    assert answer.status_code == 200
    assert client.get("/api/v1/me").status_code == 401
    again = browser()
    assert refused_because(finish(again, begin_sign_on(again))) == "sign_on_deactivated"


def test_a_removed_member_s_session_ends_at_once(browser: Browser, admin: TestClient) -> None:
    client = browser()
    me = sign_on(client)["me"]
    answer = admin.delete(f"/api/v1/members/{me['user_id']}", headers=ANY)
    assert answer.status_code == 204
    assert client.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize("proof", [AddressProof.SETUP, AddressProof.COMMAND])
def test_an_account_whose_address_is_proved_is_linked_if_the_provider_verified_it(
    browser: Browser, add_user: Callable[..., User], provider: Provider, proof: AddressProof
) -> None:
    user = add_user("Ada@ours.example", Role.VIEWER, proof=proof)
    provider.person |= {"email": "ada@OURS.example", "email_verified": False}
    client = browser()
    refused = finish(client, begin_sign_on(client))
    assert refused_because(refused) == "sign_on_address_unverified"
    provider.person["email_verified"] = True
    assert sign_on(client)["me"]["user_id"] == str(user.id)
    # It is the provider's from now on: its password lets in no more, nor is one set.
    body = {"email": "ada@ours.example", "password": PASSWORD}
    assert browser().post("/api/v1/auth/login", json=body).status_code == 401
    change = {"current_password": PASSWORD, "new_password": PASSWORD}
    answer = client.put("/api/v1/me/password", json=change)
    assert (answer.status_code, answer.json()["message"]["code"]) == (409, "password_of_provider")


def test_an_address_that_was_given_to_somebody_else_since(
    browser: Browser, admin: TestClient, provider: Provider
) -> None:
    before = sign_on(browser())["me"]
    provider.person["sub"] = "somebody-else"
    client = browser()
    assert refused_because(finish(client, begin_sign_on(client))) == "sign_on_address_taken"
    # Nor of one who is deactivated: who comes next must not be let in when that one is again.
    where = f"/api/v1/members/{before['user_id']}"
    assert admin.patch(where, json={"active": False}, headers=ANY).status_code == 200
    assert refused_because(finish(client, begin_sign_on(client))) == "sign_on_address_taken"
    admin.delete(where, headers=ANY)
    now_in = sign_on(client)["me"]
    assert now_in["email"] == before["email"]
    assert now_in["user_id"] != before["user_id"]


@pytest.mark.parametrize("email", [None, "nobody", "a b@c", 7, ["a@b"]])
def test_somebody_without_an_address(browser: Browser, provider: Provider, email: Any) -> None:
    provider.person["email"] = email
    client = browser()
    assert refused_because(finish(client, begin_sign_on(client))) == "sign_on_no_address"


def test_an_account_of_the_provider_gets_no_password(browser: Browser, admin: TestClient) -> None:
    me = sign_on(browser())["me"]
    answer = admin.post(f"/api/v1/members/{me['user_id']}/password-reset")
    assert (answer.status_code, answer.json()["message"]["code"]) == (409, "password_of_provider")
    body = {"email": me["email"], "password": "!"}
    assert browser().post("/api/v1/auth/login", json=body).status_code == 401


def test_logging_out_leads_to_where_the_provider_ends_its_own_session(
    browser: Browser, provider: Provider
) -> None:
    client = browser()
    sign_on(client)
    answer = client.post("/api/v1/auth/logout")
    url = urlsplit(answer.json()["leave_url"])
    assert f"{url.scheme}://{url.netloc}{url.path}" == f"{provider.url}/end"
    query = {name: one[0] for name, one in parse_qs(url.query).items()}
    assert query["client_id"] == CLIENT
    assert query["post_logout_redirect_uri"] == f"{ORIGIN}/login"
    assert query["id_token_hint"].count(".") == 2
    assert client.get("/api/v1/me").status_code == 401


def test_a_provider_that_ends_no_session(state: AppState, provider: Provider) -> None:
    provider.metadata = {"end_session_endpoint": None}
    with with_settings(state) as client:
        sign_on(client)
        assert client.post("/api/v1/auth/logout").json() == {"leave_url": None}


def test_what_the_login_page_is_told(state: AppState, browser: Browser) -> None:
    path = "/api/v1/auth/sign-on"
    assert browser().get(path).json() == {"name": "single sign-on", "only": False}
    with with_settings(state, oidc_name="Acme", oidc_only=True) as client:
        assert client.get(path).json() == {"name": "Acme", "only": True}
    with with_settings(state, oidc_issuer=None) as client:
        assert client.get(path).json() == {"name": None, "only": False}
        for operation, body in {"start": {}, "finish": {"state": "x", "code": "x"}}.items():
            answer = client.post(f"{path}/{operation}", json=body)
            assert (answer.status_code, answer.json()["message"]["code"]) == (409, "sign_on_off")


def test_sign_on_only_lets_in_one_password_alone(
    state: AppState, add_user: Callable[..., User], provider: Provider
) -> None:
    add_user("ada@ours.example")
    add_user("glass@ours.example")
    only = {"oidc_only": True, "oidc_break_glass": "Glass@ours.example"}
    with with_settings(state, **only) as client:
        said = []
        for email, password in {
            "ada@ours.example": PASSWORD,
            "glass@ours.example": "wrong",
            "nobody@ours.example": PASSWORD,
        }.items():
            body = {"email": email, "password": password}
            answer = client.post("/api/v1/auth/login", json=body)
            said.append((answer.status_code, answer.json()["message"]["code"]))
        # The response does not reveal which account may.
        assert said == [(401, "sign_on_only")] * 3
        body = {"email": "glass@ours.example", "password": PASSWORD}
        answer = client.post("/api/v1/auth/login", json=body)
        assert answer.status_code == 200
        client.headers[CSRF_HEADER] = answer.json()["csrf_token"]
        invited = client.post("/api/v1/invitations", json={"email": "bob@ours.example"})
        assert invited.json()["message"]["code"] == "invitation_needs_password"
        change = {"current_password": PASSWORD, "new_password": f"{PASSWORD}!"}
        assert client.put("/api/v1/me/password", json=change).status_code == 204


def test_the_break_glass_account_keeps_its_password_though_it_signs_on(
    state: AppState, add_user: Callable[..., User], provider: Provider
) -> None:
    add_user("glass@ours.example", proof=AddressProof.SETUP)
    provider.person["email"] = "glass@ours.example"
    with with_settings(state, oidc_only=True, oidc_break_glass="glass@ours.example") as client:
        assert sign_on(client)["me"]["of_provider"]
        client.cookies.clear()
        body = {"email": "glass@ours.example", "password": PASSWORD}
        assert client.post("/api/v1/auth/login", json=body).status_code == 200


def test_an_invitation_made_before_lets_nobody_in_by_a_password(
    state: AppState, admin: TestClient
) -> None:
    made = admin.post("/api/v1/invitations", json={"email": "bob@ours.example"}).json()
    body = {"token": made["link"].partition("#")[2], "password": PASSWORD}
    with with_settings(state, oidc_only=True) as client:
        answer = client.post("/api/v1/auth/invitation/accept", json=body)
    assert answer.json()["message"]["code"] == "invitation_needs_password"
    assert "bob@ours.example" not in members(admin)


def test_who_belongs_elsewhere_too_goes_on_there(
    browser: Browser, log_in: LogIn, provider: Provider, sessions: Sessions
) -> None:
    theirs = log_in(organization="theirs").get("/api/v1/me").json()["organization_id"]
    me = sign_on(browser())["me"]
    with sessions.begin() as session:
        user = session.scalars(select(User).where(User.email == me["email"])).one()
        organization = session.scalars(
            select(Organization).where(Organization.name == "theirs")
        ).one()
        session.add(Membership(organization_id=organization.id, user_id=user.id, role=Role.VIEWER))
    provider.person["groups"] = []
    now_in = sign_on(browser())["me"]
    assert (now_in["organization_id"], now_in["role"]) == (theirs, "viewer")

"""Nobody gets another person's account, and nobody is kept out by an account of their address."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from podmeter.credentials.passwords import PasswordCheck, Passwords
from podmeter.db.models import (
    AddressProof,
    ApiToken,
    AuditEntry,
    Invitation,
    LoginSession,
    PasswordReset,
    User,
)
from podmeter.db.session import Sessions
from podmeter.services.accounts.confirmation import confirm
from podmeter.services.accounts.password_resets import make_for
from podmeter.services.audit.record import record_command
from podmeter.services.sign_on.configuration import password_logins
from podmeter.services.work import Work
from podmeter_api.app import create_app
from podmeter_api.security import COOKIE
from podmeter_api.state import AppState, make_state

from .builders import queue_run
from .conftest import ORIGIN, PASSWORD, Browser, LogIn
from .everything import ANY, begin_sign_on
from .provider import Provider
from .test_events import events
from .test_invitations import accept, code, invite, reset, use
from .test_members import enter, path
from .test_sign_on import members, sign_on, with_settings
from .test_sign_on_refused import finish, refused_because

pytestmark = pytest.mark.services
BOSS = "boss@corp.example"
NEW = "a password of one's own"


@pytest.fixture(autouse=True)
def ours(admin: TestClient) -> TestClient:
    """The organization that single sign-on is for, which is the first."""
    return admin


@pytest.fixture
def eve(ours: TestClient, log_in: LogIn) -> TestClient:
    """Administers an organization of her own."""
    return log_in(organization="theirs")


@pytest.fixture
def squatter(eve: TestClient, browser: Browser) -> TestClient:
    """Eve again, by the account that she made of the boss's address."""
    client = browser()
    assert accept(client, invite(eve, BOSS, role="admin")).status_code == 200
    return client


@pytest.fixture
def boss(provider: Provider) -> dict[str, Any]:
    """Whom the provider knows, with the address that it verified."""
    provider.person["email"] = BOSS
    return provider.person


def begin(client: TestClient, **more: Any) -> dict[str, Any]:
    return begin_sign_on(client, **more)


def organizations(client: TestClient) -> set[str]:
    answer = client.get("/api/v1/me/organizations")
    return {one["name"] for one in answer.json()["items"]} if answer.is_success else set()


def test_sign_on_adopts_no_account_that_an_invitation_made(
    squatter: TestClient, browser: Browser, boss: dict[str, Any], ours: TestClient
) -> None:
    client = browser()
    answer = finish(client, begin(client))
    assert refused_because(answer) == "sign_on_address_unproved"
    assert "confirm-address" in answer.json()["detail"]
    where = ours.get("/api/v1/me").json()["organization_id"]
    switched = squatter.put("/api/v1/me/organization", json={"organization_id": where})
    assert switched.status_code == 404
    assert organizations(squatter) == {"theirs"}
    assert BOSS not in members(ours)


def test_the_owner_of_an_address_is_not_kept_out_by_an_account_of_it(
    squatter: TestClient,
    eve: TestClient,
    browser: Browser,
    boss: dict[str, Any],
    ours: TestClient,
    sessions: Sessions,
) -> None:
    theirs = squatter.get("/api/v1/me").json()
    client = browser()
    assert finish(client, begin(client, new_account=True)).status_code == 200
    me = client.get("/api/v1/me").json()
    assert (me["email"], me["organization"], me["of_provider"]) == (BOSS, "ours", True)
    assert me["user_id"] != theirs["user_id"]
    assert squatter.get("/api/v1/me").status_code == 401
    assert enter(browser(), BOSS, NEW).status_code == 401
    # The account continues in the organization that made it, by a name that is nobody's address.
    (aside,) = [email for email in members(eve) if email.startswith("boss+")]
    assert aside.endswith("@corp.example.invalid")
    again = browser()
    enter(again, aside, NEW)
    assert organizations(again) == {"theirs"}
    # Both organizations read of it.
    with sessions() as session:
        told = session.scalars(
            select(AuditEntry).where(AuditEntry.details["set_aside"].astext == aside)
        ).all()
    assert {str(one.organization_id) for one in told} == {
        me["organization_id"],
        theirs["organization_id"],
    }


def test_both_proofs_link_an_account_and_end_all_that_let_in_before(
    squatter: TestClient,
    eve: TestClient,
    browser: Browser,
    boss: dict[str, Any],
    sessions: Sessions,
    served: str,
) -> None:
    """The boss got the password of the account that Eve created, and she still has it."""
    user = squatter.get("/api/v1/me").json()["user_id"]
    made = squatter.post("/api/v1/tokens", json={"name": "t", "role": "admin"}).json()
    invited = invite(squatter, "friend@theirs.example")
    link = reset(squatter, "admin@theirs.example")
    with sessions.begin() as session:
        _, for_boss = make_for(Work(session), BOSS)
    run = queue_run(squatter, sessions)
    url = f"{served}/api/v1/runs/{run['id']}/events"
    client = browser()
    enter(client, BOSS, NEW)
    before = client.cookies[COOKIE]
    cookies = {COOKIE: squatter.cookies[COOKIE]}
    with httpx.stream("GET", url, cookies=cookies, timeout=30) as stream:
        following = events(stream.iter_lines())
        next(following)
        assert finish(client, begin(client)).status_code == 200
        assert list(following) == []
    me = client.get("/api/v1/me").json()
    assert (me["user_id"], me["of_provider"]) == (user, True)
    assert squatter.get("/api/v1/me").status_code == 401
    stolen = browser()
    stolen.cookies[COOKIE] = before
    assert stolen.get("/api/v1/me").status_code == 401
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    assert program.get("/api/v1/me").status_code == 401
    assert enter(browser(), BOSS, NEW).status_code == 401
    assert code(accept(browser(), invited)) == (404, "no_such_invitation")
    for token in (link, for_boss):
        assert code(use(browser(), token)) == (404, "no_such_password_reset")
    with sessions() as session:
        for model in (Invitation, PasswordReset, ApiToken):
            assert session.scalar(select(func.count()).select_from(model)) == 0
        rows = session.scalars(select(LoginSession).where(LoginSession.user_id == me["user_id"]))
        assert len(rows.all()) == 1
        linked = session.scalars(
            select(AuditEntry).where(AuditEntry.details["linked"].astext == "true")
        ).all()
    assert {one.operation for one in linked} == {"finish_sign_on"}
    mine = client.get("/api/v1/me/organizations").json()["items"]
    assert {str(one.organization_id) for one in linked} == {one["id"] for one in mine}
    assert len(mine) == 2


def test_a_session_of_another_account_links_nothing(
    squatter: TestClient, eve: TestClient, provider: Provider
) -> None:
    """Eve signs on as herself in the browser in which she has the boss's address."""
    provider.person["email"] = "eve@corp.example"
    assert finish(squatter, begin(squatter)).status_code == 200
    assert squatter.get("/api/v1/me").json()["email"] == "eve@corp.example"


def test_whoever_runs_the_installation_confirms_an_address(
    squatter: TestClient, browser: Browser, boss: dict[str, Any], sessions: Sessions
) -> None:
    user = squatter.get("/api/v1/me").json()["user_id"]
    with sessions.begin() as session:
        work = Work(session)
        assert confirm(work, BOSS.upper()).organizations == ["theirs"]
        record_command(work, "confirm-address")
    # Confirming lets nobody in, and takes nothing away.
    assert squatter.get("/api/v1/me").status_code == 200
    client = browser()
    assert sign_on(client)["me"]["user_id"] == user
    assert squatter.get("/api/v1/me").status_code == 401
    assert enter(browser(), BOSS, NEW).status_code == 401


def test_an_unverified_address_gets_neither_account_nor_role(
    browser: Browser, provider: Provider, ours: TestClient
) -> None:
    provider.person |= {"sub": "eve", "email": BOSS, "email_verified": False}
    first = browser()
    for new_account in (False, True):
        refused = finish(first, begin(first, new_account=new_account))
        assert refused_because(refused) == "sign_on_address_unverified"
    del provider.person["email_verified"]
    assert refused_because(finish(first, begin(first))) == "sign_on_address_unverified"
    assert BOSS not in members(ours)
    provider.person |= {"sub": "boss", "email_verified": True}
    assert sign_on(browser())["me"]["email"] == BOSS


def test_who_signed_on_unverified_before_this_version_keeps_nobody_out(
    browser: Browser, provider: Provider, boss: dict[str, Any], sessions: Sessions
) -> None:
    boss["sub"] = "eve"
    theirs = sign_on(browser())["me"]["user_id"]
    with sessions.begin() as session:
        session.execute(
            update(User)
            .where(User.subject == "eve")
            .values(address_proof=None, address_proved_at=None)
        )
    again = browser()
    boss["email_verified"] = False
    assert refused_because(finish(again, begin(again))) == "sign_on_address_unverified"
    boss |= {"sub": "boss", "email_verified": True}
    me = sign_on(browser())["me"]
    assert (me["email"], me["user_id"] != theirs) == (BOSS, True)
    # Whose account that was is known by the subject still, once there is an address of their own.
    boss |= {"sub": "eve", "email": "eve@corp.example"}
    now_in = sign_on(browser())["me"]
    assert (now_in["user_id"], now_in["email"]) == (theirs, "eve@corp.example")


def test_a_provider_that_verifies_all_addresses_without_saying_so(
    state: AppState, provider: Provider
) -> None:
    del provider.person["email_verified"]
    with with_settings(state, oidc_addresses_verified=True) as client:
        assert sign_on(client)["me"]["email"] == provider.person["email"]
        provider.person |= {"sub": "eve", "email": BOSS, "email_verified": False}
        assert refused_because(finish(client, begin(client))) == "sign_on_address_unverified"


def test_whom_an_administrator_deactivated_gets_no_new_account(
    browser: Browser,
    add_user: Callable[..., User],
    boss: dict[str, Any],
    ours: TestClient,
    sessions: Sessions,
) -> None:
    add_user(BOSS)
    ours.patch(path(ours, BOSS), json={"active": False}, headers=ANY)
    client = browser()
    refused = finish(client, begin(client, new_account=True))
    assert refused_because(refused) == "sign_on_deactivated"
    with sessions() as session:
        assert session.scalar(select(User.subject).where(User.email == BOSS)) is None


def test_the_emergency_password_of_an_account_that_somebody_made_goes(
    state: AppState, browser: Browser, eve: TestClient, boss: dict[str, Any]
) -> None:
    """Else anyone who made an account of the address in the setting would keep its password."""
    client = browser()
    assert accept(client, invite(eve, BOSS)).status_code == 200
    with with_settings(state, oidc_break_glass=BOSS) as ours:
        enter(ours, BOSS, NEW)
        sign_on(ours)
        ours.cookies.clear()
        body = {"email": BOSS, "password": NEW}
        assert ours.post("/api/v1/auth/login", json=body).status_code == 401


@pytest.mark.parametrize("alike", ["bo\u017f\u017f@corp.example", "\uff42oss@corp.example"])
def test_an_address_that_looks_like_another_one_is_none(
    browser: Browser,
    add_user: Callable[..., User],
    provider: Provider,
    ours: TestClient,
    alike: str,
) -> None:
    add_user(BOSS, proof=AddressProof.COMMAND)
    provider.person["email"] = alike
    client = browser()
    assert refused_because(finish(client, begin(client))) == "sign_on_no_address"
    answer = ours.post("/api/v1/invitations", json={"email": alike})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_lower_case_is_made_of_ascii_letters_alone(
    browser: Browser, add_user: Callable[..., User]
) -> None:
    """The Kelvin sign's lower case is a "k"."""
    add_user("kim@corp.example")
    assert enter(browser(), "KIM@corp.example").status_code == 200
    assert enter(browser(), "\u212aim@corp.example").status_code == 401


def test_a_second_organization_of_the_name_does_not_keep_everybody_out(
    state: AppState, eve: TestClient, ours: TestClient, sessions: Sessions
) -> None:
    named = ours.get("/api/v1/me").json()["organization_id"]
    for name in ("ours", named):
        with with_settings(state, oidc_organization=name) as client:
            enter(client, "admin@theirs.example")
            made = client.post("/api/v1/organizations", json={"name": name})
            assert code(made) == (409, "organization_name_reserved")
            renamed = client.patch("/api/v1/organization", json={"name": name}, headers=ANY)
            assert code(renamed) == (409, "organization_name_reserved")
            client.cookies.clear()
            assert sign_on(client)["me"]["organization_id"] == named
    with with_settings(state, oidc_organization="ours") as client:
        enter(client, "admin@ours.example")
        same = client.patch("/api/v1/organization", json={"name": "ours"}, headers=ANY)
        assert same.status_code == 200


class Slow(Passwords):
    """Says that it has checked a password, and waits before it answers."""

    def __init__(self, real: Passwords) -> None:
        self.real, self.checked, self.go_on = real, Event(), Event()

    def check(self, password: str, stored_hash: str | None) -> PasswordCheck:
        found = self.real.check(password, stored_hash)
        self.checked.set()
        assert self.go_on.wait(30)
        return found


@pytest.fixture
def slow(state: AppState) -> Iterator[tuple[TestClient, Slow]]:
    """A browser whose passwords are checked for as long as it takes."""
    passwords = Slow(state.passwords)
    made = make_state(state.settings, state.queue, passwords)
    with TestClient(create_app(state=made), base_url=ORIGIN) as client:
        yield client, passwords
        passwords.go_on.set()
    made.close()


def test_a_login_that_began_before_an_account_was_linked_is_refused(
    squatter: TestClient,
    browser: Browser,
    boss: dict[str, Any],
    sessions: Sessions,
    slow: tuple[TestClient, Slow],
) -> None:
    client, passwords = slow
    with sessions.begin() as session:
        confirm(Work(session), BOSS)
    body = {"email": BOSS, "password": NEW}
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.post, "/api/v1/auth/login", json=body)
        assert passwords.checked.wait(30)
        sign_on(browser())
        passwords.go_on.set()
        assert answer.result(30).status_code == 401


def test_a_changed_password_ends_tokens_unless_they_are_kept(
    browser: Browser, ours: TestClient
) -> None:
    made = ours.post("/api/v1/tokens", json={"name": "t", "role": "admin"}).json()
    program = browser()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    change = {"current_password": PASSWORD, "new_password": NEW, "keep_tokens": True}
    assert ours.put("/api/v1/me/password", json=change).status_code == 204
    assert program.get("/api/v1/me").status_code == 200
    change = {"current_password": NEW, "new_password": PASSWORD}
    assert ours.put("/api/v1/me/password", json=change).status_code == 204
    assert program.get("/api/v1/me").status_code == 401


def test_a_password_that_is_set_by_a_link_ends_tokens(
    browser: Browser, ours: TestClient, add_user: Callable[..., User]
) -> None:
    add_user("ada@ours.example")
    ada, program = browser(), browser()
    enter(ada, "ada@ours.example")
    made = ada.post("/api/v1/tokens", json={"name": "t"}).json()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    assert use(browser(), reset(ours, "ada@ours.example")).status_code == 204
    assert program.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize(
    "password", ["passwordpassword", " " * 12, "ada@ours.example", "Ada@Ours.Example1!"]
)
def test_a_password_that_is_easily_guessed_is_refused(
    browser: Browser, ours: TestClient, add_user: Callable[..., User], password: str
) -> None:
    email = "ada@ours.example"
    assert code(accept(browser(), invite(ours, email), password)) == (422, "password_guessable")
    add_user(email)
    ada = browser()
    enter(ada, email)
    change = {"current_password": PASSWORD, "new_password": password}
    assert code(ada.put("/api/v1/me/password", json=change)) == (422, "password_guessable")
    assert code(use(browser(), reset(ours, email), password)) == (422, "password_guessable")


def test_members_are_shown_with_how_their_address_was_proved(
    squatter: TestClient, eve: TestClient, browser: Browser, ours: TestClient, provider: Provider
) -> None:
    sign_on(browser())
    assert members(ours)[provider.person["email"]]["address_proof"] == "provider"
    assert members(eve)[BOSS]["address_proof"] is None


def test_the_emergency_account_is_the_one_of_the_setting(state: AppState) -> None:
    settings = state.settings.model_copy(update={"oidc_break_glass": "kim@corp.example"})
    assert password_logins(settings).is_break_glass("KIM@corp.example")
    assert not password_logins(settings).is_break_glass("\u212aim@corp.example")

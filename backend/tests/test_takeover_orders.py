"""What lets in at odd times: links that outlive a linking, addresses that change, two at once."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update

from podmeter.db.base import now
from podmeter.db.models import (
    AddressProof,
    Membership,
    Organization,
    PasswordReset,
    Role,
    User,
)
from podmeter.db.session import Sessions
from podmeter.services.accounts.confirmation import confirm
from podmeter.services.work import Work
from podmeter.stack.process import wait_until

from .conftest import Browser, LogIn
from .everything import begin_sign_on
from .provider import Provider
from .test_invitations import accept, code, invite, reset, use
from .test_members import enter, path
from .test_sign_on import members, sign_on
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
    provider.person |= {"sub": "boss", "email": BOSS}
    return provider.person


def confirmed(sessions: Sessions) -> None:
    with sessions.begin() as session:
        confirm(Work(session), BOSS)


def unproved(sessions: Sessions, subject: str) -> None:
    """As accounts of the provider are that were made before addresses had to be proved."""
    with sessions.begin() as session:
        whose = update(User).where(User.subject == subject)
        session.execute(whose.values(address_proof=None, address_proved_at=None))


def test_a_reset_that_was_made_beside_a_linking_sets_no_password(
    squatter: TestClient,
    eve: TestClient,
    browser: Browser,
    boss: dict[str, Any],
    sessions: Sessions,
) -> None:
    """Once the boss is in Eve's organization alone, she could enter, and wait for his return."""
    link = reset(eve, BOSS)
    with sessions() as session:
        row = session.scalars(select(PasswordReset)).one()
    confirmed(sessions)
    sign_on(browser())
    with sessions.begin() as session:  # what a request left that began before the linking
        session.add(PasswordReset(**_values(row)))
    boss["groups"] = []
    client = browser()
    assert finish(client, begin_sign_on(client)).status_code == 200
    assert client.get("/api/v1/me").json()["organization"] == "theirs"
    assert code(use(browser(), link)) == (404, "no_such_password_reset")
    assert enter(browser(), BOSS, NEW).status_code == 401


def _values(row: PasswordReset) -> dict[str, Any]:
    return {one.name: getattr(row, one.name) for one in PasswordReset.__table__.columns}


def test_a_reset_waits_for_a_linking_and_is_refused_then(
    squatter: TestClient, eve: TestClient, sessions: Sessions
) -> None:
    with sessions() as linking, ThreadPoolExecutor(1) as pool:
        linking.execute(
            update(User).where(User.email == BOSS).values(issuer="https://p.example", subject="b")
        )
        asked = pool.submit(eve.post, f"{path(eve, BOSS)}/password-reset")
        waits = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")

        def answered_or_waits() -> bool:
            with sessions() as session:
                return asked.done() or bool(session.scalar(waits))

        assert wait_until(answered_or_waits, 30)
        linking.commit()
        assert code(asked.result(30)) == (409, "password_of_provider")


def test_somebody_whose_new_address_another_one_took_is_not_kept_out(
    squatter: TestClient, eve: TestClient, browser: Browser, provider: Provider, sessions: Sessions
) -> None:
    """Of an account that was made before addresses had to be proved, whose address changed."""
    mine = sign_on(browser())["me"]["user_id"]
    unproved(sessions, provider.person["sub"])
    provider.person["email"] = BOSS
    client = browser()
    answer = finish(client, begin_sign_on(client))
    assert refused_because(answer) == "sign_on_address_unproved"
    assert finish(client, begin_sign_on(client, new_account=True)).status_code == 200
    me = client.get("/api/v1/me").json()
    assert (me["user_id"], me["email"]) == (mine, BOSS)
    assert squatter.get("/api/v1/me").status_code == 401
    assert any(email.endswith(".invalid") for email in members(eve))


def test_a_proved_account_gives_its_address_to_no_other(
    browser: Browser, add_user: Callable[..., User], provider: Provider, sessions: Sessions
) -> None:
    add_user(BOSS, proof=AddressProof.COMMAND)
    sign_on(browser())
    unproved(sessions, provider.person["sub"])
    provider.person["email"] = BOSS
    client = browser()
    answer = finish(client, begin_sign_on(client, new_account=True))
    assert refused_because(answer) == "sign_on_address_taken"


def test_who_was_linked_acts_in_the_organization_of_the_provider(
    squatter: TestClient,
    browser: Browser,
    boss: dict[str, Any],
    ours: TestClient,
    sessions: Sessions,
) -> None:
    """Eve's, which the account was in before, may have the same name: what is entered is hers."""
    confirmed(sessions)
    where = ours.get("/api/v1/me").json()["organization_id"]
    assert sign_on(browser())["me"]["organization_id"] == where


def test_the_last_administrator_is_not_let_in_by_an_unverified_address(
    boss: dict[str, Any], browser: Browser, ours: TestClient, sessions: Sessions
) -> None:
    """Whose account was made so before, and stays a member though no group gives a role."""
    sign_on(browser())
    unproved(sessions, "boss")
    with sessions.begin() as session:
        others = select(User.id).where(User.subject.is_(None))
        session.execute(
            update(Membership)
            .where(Membership.user_id.in_(others), Membership.role == Role.ADMIN)
            .values(deactivated_at=now())
        )
    boss |= {"email_verified": False, "groups": []}
    client = browser()
    answer = finish(client, begin_sign_on(client))
    assert refused_because(answer) == "sign_on_address_unverified"


def test_an_account_that_somebody_left_is_no_way_back_in(
    squatter: TestClient, eve: TestClient, browser: Browser, boss: dict[str, Any], ours: TestClient
) -> None:
    """Removed and invited again, in either organization, before and after the boss signs on."""
    for _ in range(2):
        assert eve.delete(path(eve, BOSS), headers={"If-Match": "*"}).status_code == 204
        assert squatter.get("/api/v1/me").status_code == 401
        assert accept(browser(), invite(eve, BOSS, role="admin")).status_code == 200
    hers = browser()
    enter(hers, BOSS, NEW)
    assert eve.delete(path(eve, BOSS), headers={"If-Match": "*"}).status_code == 204
    client = browser()
    assert refused_because(finish(client, begin_sign_on(client))) == "sign_on_address_unproved"
    assert finish(client, begin_sign_on(client, new_account=True)).status_code == 200
    # Nobody makes the boss a member elsewhere who has no password of his, and he has none.
    assert code(accept(browser(), invite(eve, BOSS))) == (401, "login_refused")
    assert hers.get("/api/v1/me").status_code == 401
    where = path(ours, BOSS)
    assert ours.delete(where, headers={"If-Match": "*"}).status_code == 204
    assert client.get("/api/v1/me").status_code == 401
    assert code(accept(browser(), invite(ours, BOSS))) == (401, "login_refused")
    assert sign_on(browser())["me"]["email"] == BOSS


def test_another_subject_with_the_address_of_a_linked_account_gets_nothing(
    browser: Browser, boss: dict[str, Any], ours: TestClient
) -> None:
    mine = sign_on(browser())["me"]["user_id"]
    boss["sub"] = "eve"
    client = browser()
    for new_account in (False, True):
        answer = finish(client, begin_sign_on(client, new_account=new_account))
        assert refused_because(answer) == "sign_on_address_taken"
    boss["sub"] = "boss"
    assert sign_on(browser())["me"]["user_id"] == mine


def test_two_first_sign_ons_at_once_make_one_account(
    squatter: TestClient, served: str, boss: dict[str, Any], sessions: Sessions
) -> None:
    clients: list[Any] = [httpx.Client(base_url=served, timeout=30) for _ in range(4)]
    begun = [begin_sign_on(client, new_account=True) for client in clients]
    with ThreadPoolExecutor(len(clients)) as pool:
        answers = list(pool.map(finish, clients, begun))
    for client in clients:
        client.close()
    assert {one.status_code for one in answers} == {200}
    assert len({one.json()["me"]["user_id"] for one in answers}) == 1
    with sessions() as session:
        same = select(func.count()).select_from(User).where(User.email == BOSS)
        assert session.scalar(same) == 1
        aside = select(func.count()).select_from(User).where(User.email.endswith(".invalid"))
        assert session.scalar(aside) == 1


@pytest.mark.parametrize("other", ["eve@corp.example", None])
def test_a_verified_address_verifies_no_other_one(
    browser: Browser, boss: dict[str, Any], provider: Provider, ours: TestClient, other: str | None
) -> None:
    """Of one that the token has and one that the provider tells besides."""
    provider.lies = {"email_verified": None, "groups": None}
    told = {**boss, "email": other}
    provider.answers["/userinfo"] = lambda: (200, "application/json", json.dumps(told).encode())
    client = browser()
    answer = finish(client, begin_sign_on(client))
    assert refused_because(answer) == "sign_on_address_unverified"
    told["email"] = BOSS
    assert sign_on(client)["me"]["email"] == BOSS


@pytest.mark.parametrize("spelt", ["BOSS@corp.example", "Boss@CORP.example"])
def test_another_case_of_the_address_is_the_same_account(
    squatter: TestClient, browser: Browser, boss: dict[str, Any], eve: TestClient, spelt: str
) -> None:
    boss["email"] = spelt
    client = browser()
    assert refused_because(finish(client, begin_sign_on(client))) == "sign_on_address_unproved"
    assert finish(client, begin_sign_on(client, new_account=True)).status_code == 200
    # Eve makes no second one beside the boss's either.
    assert code(accept(browser(), invite(eve, BOSS))) == (401, "login_refused")


def test_a_second_organization_of_the_same_name_gets_nobody(
    eve: TestClient, browser: Browser, provider: Provider, ours: TestClient, sessions: Sessions
) -> None:
    assert eve.post("/api/v1/organizations", json={"name": "ours"}).status_code == 201
    where = ours.get("/api/v1/me").json()["organization_id"]
    with sessions() as session:
        named = select(func.count()).select_from(Organization).where(Organization.name == "ours")
        assert (session.scalar(named) or 0) >= 2
    assert sign_on(browser())["me"]["organization_id"] == where

"""Jobs act as the administrator who saved their trust, and no longer than that account's access."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import AuditEntry, User
from podmeter.db.session import Sessions

from .builders import SPEC
from .conftest import PASSWORD, Browser, LogIn
from .everything import ANY, begin_sign_on
from .provider import Provider
from .test_ci import EXCHANGE, TRUSTS, job_claims, trusted
from .test_invitations import accept, invite, reset, use
from .test_members import enter, path
from .test_sign_on_refused import finish

pytestmark = pytest.mark.services
ADA = "ada@ours.example"
NEW = "a password of one's own"
NAME = "net"
UNKNOWN = "ci_trust_unknown"
ORPHANED, INTERRUPTED = "ci_trust_orphaned", "ci_trust_interrupted"

Save = Callable[..., str]
Exchange = Callable[[str], str]


@pytest.fixture
def ada(admin: TestClient, browser: Browser, add_user: Callable[..., User]) -> TestClient:
    """Administers the organization besides its first administrator."""
    add_user(ADA)
    client = browser()
    enter(client, ADA)
    return client


@pytest.fixture
def save(provider: Provider) -> Save:
    """Trust the provider's jobs with an experiment of one's own; the trust's id."""

    def ask(client: TestClient, name: str = NAME) -> str:
        spec = {**SPEC, "name": f"{SPEC['name']} {name}"}
        experiment = client.post("/api/v1/experiments", json=spec).json()["id"]
        made = client.post(TRUSTS, json=trusted(provider, experiment, name=name))
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    return ask


@pytest.fixture
def exchange(browser: Browser, provider: Provider) -> Exchange:
    """Exchange a job's token for one of a trust; why it is refused, or nothing."""

    def ask(trust: str) -> str:
        body = {"trust_id": trust, "token": provider.signed(job_claims(provider))}
        answer = browser().post(EXCHANGE, json=body)
        return "" if answer.is_success else str(answer.json()["message"]["code"])

    return ask


def ended(sessions: Sessions, operation: str) -> dict[str, Any]:
    """The details of the latest such operation, by the organization whose log has it."""
    with sessions() as session:
        query = select(AuditEntry).where(AuditEntry.operation == operation)
        entries = session.scalars(query.order_by(AuditEntry.id)).all()
        return {str(one.organization_id): one.details for one in entries}


def test_a_changed_password_ends_trusts_unless_they_are_kept(
    admin: TestClient, save: Save, exchange: Exchange, sessions: Sessions
) -> None:
    trust = save(admin)
    change = {"current_password": PASSWORD, "new_password": NEW, "keep_tokens": True}
    assert admin.put("/api/v1/me/password", json=change).status_code == 204
    assert exchange(trust) == ""
    change = {"current_password": NEW, "new_password": PASSWORD}
    assert admin.put("/api/v1/me/password", json=change).status_code == 204
    assert exchange(trust) == UNKNOWN
    (details,) = ended(sessions, "change_password").values()
    assert details["ended_ci_trusts"] == [NAME]


def test_a_password_that_is_set_by_a_link_ends_trusts(
    admin: TestClient,
    ada: TestClient,
    browser: Browser,
    save: Save,
    exchange: Exchange,
    sessions: Sessions,
) -> None:
    ours, theirs = save(admin), save(ada)
    assert use(browser(), reset(admin, ADA)).status_code == 204
    assert (exchange(ours), exchange(theirs)) == ("", UNKNOWN)
    (details,) = ended(sessions, "use_password_reset").values()
    assert details["ended_ci_trusts"] == [NAME]


def test_a_new_password_for_an_invitation_ends_trusts_and_their_organization_reads_of_it(
    admin: TestClient,
    ada: TestClient,
    browser: Browser,
    log_in: LogIn,
    organization: str,
    save: Save,
    exchange: Exchange,
    sessions: Sessions,
) -> None:
    trust = save(ada)
    there = log_in(organization="theirs")
    link = invite(there, ADA)
    body = {"token": link, "password": PASSWORD, "new_password": NEW}
    answer = browser().post("/api/v1/auth/invitation/accept", json=body)
    assert answer.status_code == 200, answer.text
    assert exchange(trust) == UNKNOWN
    entries = ended(sessions, "accept_invitation")
    # The role is that of the organization that invited, whose CI trusts stay.
    theirs = {"revoked_tokens": 0, "role": "viewer"}
    ours = {"revoked_tokens": 0, "ended_ci_trusts": [NAME]}
    assert entries == {
        there.get("/api/v1/me").json()["organization_id"]: theirs,
        organization: ours,
    }


def test_each_organization_reads_the_names_of_its_own_trusts(
    ada: TestClient,
    browser: Browser,
    log_in: LogIn,
    organization: str,
    save: Save,
    sessions: Sessions,
) -> None:
    save(ada)
    there = browser()
    invited = invite(log_in(organization="theirs"), ADA, role="admin")
    assert accept(there, invited, PASSWORD).status_code == 200
    other = there.get("/api/v1/me").json()["organization_id"]
    for name in ("them", "also"):
        save(there, name)
    change = {"current_password": PASSWORD, "new_password": NEW}
    assert there.put("/api/v1/me/password", json=change).status_code == 204
    entries = ended(sessions, "change_password")
    assert {of: details["ended_ci_trusts"] for of, details in entries.items()} == {
        organization: [NAME],
        other: ["also", "them"],
    }


def test_linking_an_account_ends_the_trusts_of_whoever_had_it(
    ada: TestClient,
    organization: str,
    provider: Provider,
    save: Save,
    exchange: Exchange,
    sessions: Sessions,
) -> None:
    trust = save(ada)
    provider.person["email"] = ADA
    assert finish(ada, begin_sign_on(ada)).status_code == 200
    assert exchange(trust) == UNKNOWN
    assert ended(sessions, "finish_sign_on")[organization]["ended_ci_trusts"] == [NAME]


def test_setting_an_account_aside_ends_its_trusts(
    ada: TestClient,
    browser: Browser,
    organization: str,
    provider: Provider,
    save: Save,
    exchange: Exchange,
    sessions: Sessions,
) -> None:
    trust = save(ada)
    provider.person["email"] = ADA
    client = browser()
    assert finish(client, begin_sign_on(client, new_account=True)).status_code == 200
    assert exchange(trust) == UNKNOWN
    assert ended(sessions, "finish_sign_on")[organization]["ended_ci_trusts"] == [NAME]


def test_a_trust_of_a_member_who_left_waits_until_somebody_saves_it_again(
    admin: TestClient,
    ada: TestClient,
    browser: Browser,
    provider: Provider,
    save: Save,
    exchange: Exchange,
) -> None:
    """It began again by itself once they were invited again."""
    trust = save(ada)
    assert exchange(trust) == ""
    assert admin.delete(path(admin, ADA), headers=ANY).status_code == 204
    assert exchange(trust) == ORPHANED
    assert accept(browser(), invite(admin, ADA, role="admin"), PASSWORD).status_code == 200
    assert exchange(trust) == INTERRUPTED
    (shown,) = admin.get(TRUSTS).json()["items"]
    body = trusted(provider, *shown["experiment_ids"])
    assert admin.put(f"{TRUSTS}/{trust}", json=body, headers=ANY).status_code == 200
    assert exchange(trust) == ""

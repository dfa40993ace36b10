"""What must let nobody in: tokens that lie, answers used twice or by others, ways elsewhere."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import OctKey
from sqlalchemy import func, select

from podmeter.db.models import AuditEntry, LoginSession, User
from podmeter.db.session import Sessions
from podmeter.services.sign_on.attempt import inside
from podmeter_api.state import AppState

from .conftest import Browser
from .everything import begin_sign_on
from .provider import SECRET, Provider, new_key, unsigned

pytestmark = pytest.mark.services
FINISH = "/api/v1/auth/sign-on/finish"


def finish(client: TestClient, begun: dict[str, Any], **other: str) -> Any:
    body = {"state": begun["state"], "code": begun["code"], "iss": begun["iss"], **other}
    return client.post(FINISH, json=body)


def refused_because(answer: Any) -> str:
    assert answer.status_code == 401, answer.text
    problem = answer.json()
    assert problem["code"] == "sign_on"
    said = problem["message"]
    return str(
        said["params"]["why"]["code"] if said["code"] == "id_token_refused" else said["code"]
    )


@pytest.fixture
def client(browser: Browser, sessions: Sessions, add_user: Callable[..., User]) -> TestClient:
    add_user("admin@ours.example")
    return browser()


@pytest.fixture(autouse=True)
def nobody_entered(client: TestClient, sessions: Sessions) -> Any:
    """At the end of every test here: no session, and no new account."""
    yield
    assert client.get("/api/v1/me").status_code == 401
    with sessions() as session:
        assert session.scalar(select(func.count()).select_from(LoginSession)) == 0
        assert session.scalar(select(func.count()).select_from(User)) == 1


def test_a_state_of_any_characters_is_refused(client: TestClient) -> None:
    begun = begin_sign_on(client)
    answer = finish(client, begun, state=f"{begun['state'][:12]}é")
    assert refused_because(answer) == "sign_on_unknown"


def by_secret(claims: dict[str, Any]) -> str:
    """Signed by what client and provider both know."""
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET))


def tampered(provider: Provider) -> Callable[[dict[str, Any]], str]:
    """Signed, and then given to somebody else."""

    def sign(claims: dict[str, Any]) -> str:
        key = provider.key
        head, body, _ = jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key).split(".")
        other = jwt.encode({"alg": "RS256", "kid": key.kid}, {**claims, "sub": "ceo"}, key)
        return f"{head}.{body}.{other.split('.')[2]}"

    return sign


LIES: dict[str, tuple[dict[str, Any], str]] = {
    "another issuer": ({"iss": "https://evil.example"}, "id_token_issuer"),
    "no issuer": ({"iss": None}, "id_token_issuer"),
    "another audience": ({"aud": "another-application"}, "id_token_audience"),
    "several audiences without us": ({"aud": ["one", "two"]}, "id_token_audience"),
    "for us among others, by others": ({"aud": ["podmeter", "x"], "azp": "x"}, "id_token_audience"),
    "another nonce": ({"nonce": "of-another-sign-on"}, "id_token_nonce"),
    "no nonce": ({"nonce": None}, "id_token_nonce"),
    "expired": ({"exp": int(time.time()) - 3600}, "id_token_expired"),
    "never expiring": ({"exp": None}, "id_token_expired"),
    "of tomorrow": ({"iat": int(time.time()) + 86400}, "id_token_claims"),
    "nobody": ({"sub": None}, "id_token_claims"),
    "an empty name": ({"sub": ""}, "id_token_claims"),
    "another access token's": ({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, "id_token_claims"),
}


@pytest.mark.parametrize(("lies", "why"), LIES.values(), ids=LIES)
def test_a_token_that_says_something_else(
    client: TestClient, provider: Provider, lies: dict[str, Any], why: str
) -> None:
    begun = begin_sign_on(client)
    provider.lies = lies
    assert refused_because(finish(client, begun)) == why


def test_a_signature_of_another_key(client: TestClient, provider: Provider) -> None:
    stranger = new_key(provider.key.kid or "")
    provider.sign = lambda claims: jwt.encode(
        {"alg": "RS256", "kid": stranger.kid}, claims, stranger
    )
    assert refused_because(finish(client, begin_sign_on(client))) == "id_token_signature"


def test_what_was_changed_after_it_was_signed(client: TestClient, provider: Provider) -> None:
    provider.sign = tampered(provider)
    assert refused_because(finish(client, begin_sign_on(client))) == "id_token_signature"


@pytest.mark.parametrize("sign", [unsigned, by_secret], ids=["none", "HS256"])
def test_an_algorithm_that_proves_nothing(
    client: TestClient, provider: Provider, sign: Callable[[dict[str, Any]], str]
) -> None:
    provider.sign = sign
    assert refused_because(finish(client, begin_sign_on(client))) == "id_token_algorithm"


@pytest.mark.parametrize("text", ["", "no token", "a.b.c", "a.b.c.d.e"])
def test_what_is_no_token(client: TestClient, provider: Provider, text: str) -> None:
    provider.sign = lambda _: text
    assert refused_because(finish(client, begin_sign_on(client))) == "id_token_claims"


def test_an_answer_in_the_name_of_another_issuer(client: TestClient) -> None:
    begun = begin_sign_on(client)
    answer = finish(client, begun, iss="https://evil.example")
    assert refused_because(answer) == "id_token_issuer"


def test_a_provider_that_names_itself_in_answers_and_one_that_does_not(
    client: TestClient, provider: Provider
) -> None:
    provider.metadata = {"authorization_response_iss_parameter_supported": True}
    begun = begin_sign_on(client)
    answer = client.post(FINISH, json={"state": begun["state"], "code": begun["code"]})
    assert refused_because(answer) == "id_token_issuer"


def test_userinfo_of_somebody_else(client: TestClient, provider: Provider) -> None:
    provider.userinfo_only = True
    begun = begin_sign_on(client)
    provider.person["sub"] = "somebody-else"
    assert refused_because(finish(client, begun)) == "id_token_claims"


def test_a_code_that_was_used_already(client: TestClient, provider: Provider) -> None:
    begun = begin_sign_on(client)
    provider.codes.pop(begun["code"])
    assert refused_because(finish(client, begun)) == "sign_on_code_refused"


def test_a_code_of_another_sign_on(client: TestClient, browser: Browser) -> None:
    """The verifier that goes with it is of the browser that began."""
    other = begin_sign_on(browser())
    begun = begin_sign_on(client)
    answer = finish(client, {**begun, "code": other["code"]})
    assert refused_because(answer) == "sign_on_code_refused"


@pytest.mark.parametrize("spoilt", ["state", "cookie", "none"])
def test_a_state_that_this_browser_did_not_begin(
    client: TestClient, browser: Browser, spoilt: str
) -> None:
    begun, other = begin_sign_on(client), begin_sign_on(browser())
    if spoilt == "state":
        begun = {**begun, "state": other["state"]}
    elif spoilt == "cookie":  # of another browser, under this one's name
        client.cookies.set(begun["cookie"][0], other["cookie"][1])
    else:
        client.cookies.clear()
    assert refused_because(finish(client, begun)) == "sign_on_unknown"


def test_an_attempt_that_took_too_long(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = begin_sign_on(client)
    later = time.time() + 601
    monkeypatch.setattr("podmeter.services.sign_on.attempt.time.time", lambda: later)
    assert refused_because(finish(client, begun)) == "sign_on_unknown"


def test_an_attempt_that_failed_is_not_tried_again(client: TestClient, provider: Provider) -> None:
    begun = begin_sign_on(client)
    provider.lies = {"nonce": "another"}
    assert refused_because(finish(client, begun)) == "id_token_nonce"
    provider.lies = {}
    client.cookies.set(*begun["cookie"])
    assert refused_because(finish(client, begun)) == "sign_on_unknown"


def test_what_the_provider_refuses_is_said(client: TestClient) -> None:
    begun = begin_sign_on(client)
    answer = client.post(FINISH, json={"state": begun["state"], "error": "access_denied"})
    assert refused_because(answer) == "sign_on_denied"
    assert "access_denied" in answer.json()["detail"]


def test_failed_logins_of_unknown_accounts_hide_no_refused_sign_on(
    client: TestClient, sessions: Sessions
) -> None:
    unknown = {"email": "nobody@nowhere.example", "password": "x"}
    assert client.post("/api/v1/auth/login", json=unknown).status_code == 401
    begun = begin_sign_on(client)
    answer = client.post(FINISH, json={"state": begun["state"], "error": "access_denied"})
    assert refused_because(answer) == "sign_on_denied"
    with sessions() as session:
        entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [one.operation for one in entries] == ["log_in", "finish_sign_on"]


def test_another_origin_neither_begins_nor_finishes(client: TestClient) -> None:
    foreign = {"Origin": "https://evil.example"}
    start = client.post("/api/v1/auth/sign-on/start", json={}, headers=foreign)
    assert start.status_code == 403
    begun = begin_sign_on(client)
    body = {"state": begun["state"], "code": begun["code"]}
    assert client.post(FINISH, json=body, headers=foreign).status_code == 403


def test_guessing_is_slowed_down(client: TestClient, state: AppState, provider: Provider) -> None:
    """The address is slowed down; a sign-on from there is still judged by what it brings."""
    for _ in range(10 * state.settings.login_attempts):
        assert not state.pace.is_slow("testclient")
        answer = client.post(FINISH, json={"state": "guessed", "code": "guessed"})
        assert refused_because(answer) == "sign_on_unknown"
    assert state.pace.is_slow("testclient")
    begun = begin_sign_on(client)
    provider.lies = {"nonce": "another"}
    assert refused_because(finish(client, begun)) == "id_token_nonce"


@pytest.mark.parametrize(
    "elsewhere",
    [
        *("https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example"),
        *("javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", " //evil.example"),
        *("", "runs", "/runs\\..", "/a b", "/" + "a" * 2000),
    ],
)
def test_a_way_back_that_leads_elsewhere_leads_to_the_first_page(elsewhere: str) -> None:
    assert inside(elsewhere) == "/"


def test_a_token_that_is_not_believed_is_in_the_log_of_whom_it_would_enter(
    client: TestClient, provider: Provider, sessions: Sessions
) -> None:
    begun = begin_sign_on(client)
    provider.lies = {"nonce": "another"}
    assert refused_because(finish(client, begun)) == "id_token_nonce"
    with sessions() as session:
        (entry,) = session.scalars(select(AuditEntry)).all()
    assert (entry.operation, entry.via, entry.refused) == ("finish_sign_on", "provider", True)
    # Who it says it is was not believed either.
    assert (entry.who, entry.user_id) == ("", None)
    assert entry.organization_id is not None


def test_a_refused_sign_on_is_in_the_log_once(
    client: TestClient, provider: Provider, sessions: Sessions
) -> None:
    begun = begin_sign_on(client)
    provider.person["groups"] = ["gardeners"]
    begun = begin_sign_on(client)
    assert refused_because(finish(client, begun)) == "sign_on_no_group"
    with sessions() as session:
        (entry,) = session.scalars(select(AuditEntry)).all()
    assert (entry.operation, entry.via, entry.refused) == ("finish_sign_on", "provider", True)
    assert entry.who == provider.person["email"]
    assert entry.organization_id is not None

"""A provider that is away, slow, changes its keys or says rubbish; and what one costs."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from podmeter.db.models import User
from podmeter.services.sign_on.attempt import Attempt
from podmeter.services.sign_on.configuration import Configuration, configuration
from podmeter.services.sign_on.errors import ProviderError, SignOnRefusedError
from podmeter.services.sign_on.issuer import ANEW, KEPT
from podmeter.services.sign_on.provider import Provider as Client
from podmeter.settings import Settings
from podmeter_api.state import AppState

from .conftest import Browser
from .everything import begin_sign_on
from .provider import Answer, Provider, certificate, new_key, running
from .test_sign_on import sign_on, with_settings
from .test_sign_on_refused import finish

pytestmark = pytest.mark.services
START = "/api/v1/auth/sign-on/start"
METADATA = "/.well-known/openid-configuration"


@pytest.fixture(autouse=True)
def ours(add_user: Callable[..., User]) -> None:
    add_user("admin@ours.example")


def said(answer: Any) -> str:
    """The problem that a provider is, which says how to fix it, too."""
    assert answer.status_code == 502, answer.text
    problem = answer.json()
    assert problem["code"] == "provider"
    (fault,) = problem["errors"]
    assert fault["remedy"]
    return str(fault["message"]["code"])


def start(state: AppState, **settings: Any) -> str:
    with with_settings(state, **settings) as client:
        return said(client.post(START, json={}))


def answers(status: int, body: bytes = b"{}") -> Callable[[], Answer]:
    return lambda: (status, "application/json", body)


def test_it_is_away(state: AppState) -> None:
    assert start(state, oidc_issuer="http://127.0.0.1:9") == "provider_unreachable"


def test_who_signed_its_certificate_is_known_by_a_setting_alone(
    state: AppState, tmp_path: Path
) -> None:
    authority, tls = certificate(tmp_path)
    other, _ = certificate(tmp_path)
    with running(tls) as provider:
        assert start(state, oidc_issuer=provider.url) == "provider_certificate"
        assert start(state, oidc_issuer=provider.url, oidc_ca=other) == "provider_certificate"
        assert provider.asked == []
        both = other + authority
        with with_settings(state, oidc_issuer=provider.url, oidc_ca=both) as client:
            answer = client.post(START, json={})
        assert answer.status_code == 200, answer.text
        assert answer.json()["location"].startswith(f"{provider.url}/authorize?")


def test_its_name_leads_nowhere(state: AppState) -> None:
    assert start(state, oidc_issuer="https://provider.invalid") == "provider_address"


@pytest.mark.parametrize(
    "issuer", ["https://169.254.169.254/x", "https://127.0.0.1:9", "https://[::1]:9"]
)
def test_it_is_where_nothing_is_asked_unless_a_setting_says_so(
    state: AppState, issuer: str
) -> None:
    assert start(state, oidc_issuer=issuer, oidc_allowed_networks=()) == "provider_address"


def test_what_it_names_is_checked_as_it_is_itself(state: AppState, provider: Provider) -> None:
    """A provider cannot have Podmeter ask what it may not ask by itself."""
    provider.metadata = {"jwks_uri": "https://169.254.169.254/latest/meta-data"}
    with with_settings(state) as client:
        assert said(finish(client, begin_sign_on(client))) == "provider_address"


@pytest.mark.parametrize(
    "endpoint", ["http://login.example/keys", "file:///etc/passwd", "keys", "", 7, None]
)
def test_what_it_names_is_https(state: AppState, provider: Provider, endpoint: Any) -> None:
    provider.metadata = {"jwks_uri": endpoint}
    assert start(state) == "provider_rubbish"


@pytest.mark.parametrize(
    "body", [b"<html>login</html>", b"[]", b"7", b"", b"\xff\xfe", b'{"issuer":', b" " * 1_100_000]
)
def test_it_says_rubbish(state: AppState, provider: Provider, body: bytes) -> None:
    provider.answers = {METADATA: answers(200, body)}
    assert start(state) == "provider_rubbish"


@pytest.mark.parametrize("status", [302, 404, 500, 503])
def test_it_fails(state: AppState, provider: Provider, status: int) -> None:
    provider.answers = {METADATA: answers(status)}
    assert start(state) == "provider_status"


def test_it_calls_itself_something_else(state: AppState, provider: Provider) -> None:
    provider.metadata = {"issuer": f"{provider.url}/"}
    assert start(state) == "provider_another_issuer"


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/token", b"<html>", "provider_rubbish"),
        ("/token", b'{"access_token": "x", "token_type": "Bearer"}', "provider_rubbish"),
        ("/token", b'{"error": "unauthorized_client"}', "provider_refuses"),
        ("/keys", b"{}", "provider_rubbish"),
        ("/keys", b'{"keys": []}', "provider_rubbish"),
        ("/keys", b'{"keys": [{"kty": "oct", "k": "AAAA"}]}', "provider_rubbish"),
        ("/keys", b'{"keys": [7]}', "provider_rubbish"),
    ],
)
def test_it_says_rubbish_once_somebody_has_signed_on(
    state: AppState, provider: Provider, path: str, body: bytes, code: str
) -> None:
    provider.answers = {path: answers(200, body)}
    with with_settings(state) as client:
        assert said(finish(client, begin_sign_on(client))) == code


def test_it_does_not_know_podmeter(state: AppState) -> None:
    with with_settings(state, oidc_client_secret=None) as client:
        assert said(finish(client, begin_sign_on(client))) == "provider_refuses"


def test_it_is_back_as_soon_as_it_is_back(state: AppState, provider: Provider) -> None:
    provider.answers = {METADATA: answers(503)}
    with with_settings(state) as client:
        assert said(client.post(START, json={})) == "provider_status"
        provider.answers = {}
        sign_on(client)


@pytest.fixture
def hung(provider: Provider) -> Iterator[threading.Event]:
    """A provider that answers nothing before it is let."""
    let = threading.Event()

    def wait() -> Answer:
        let.wait(60)
        return (503, "text/plain", b"")

    provider.answers = {METADATA: wait}
    yield let
    let.set()


def configured(settings: Settings) -> Configuration:
    found = configuration(settings)
    assert found is not None
    return found


def test_it_is_slow(settings: Settings, hung: threading.Event) -> None:
    client = Client(configured(settings), deadline=0.2)
    with pytest.raises(ProviderError) as error:
        client.authorization_url(Attempt.begin("/"))
    assert error.value.message.plain()["code"] == "provider_slow"


def test_others_do_not_wait_for_a_provider_that_is_slow(
    served: str, hung: threading.Event, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More sign-ons than the process has places for requests, and than it asks providers."""
    # Neither Podmeter nor the sign-ons give up before the others are served.
    patient = partial(Client, deadline=60)
    monkeypatch.setattr("podmeter.services.sign_on.provider.Provider", patient)
    begin = partial(httpx.post, f"{served}{START}", json={}, timeout=90)
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(begin) for _ in range(8)]
        # Of one address two ask the provider at a time, and six wait for that.
        while provider.asked.count(METADATA) < 2:
            assert httpx.get(f"{served}/api/v1/me", timeout=30).status_code == 401
        for _ in range(5):
            assert httpx.get(f"{served}/api/v1/me", timeout=30).status_code == 401
        assert not any(one.done() for one in waiting)
        hung.set()
        assert {one.result().status_code for one in waiting} == {502}


def test_keys_that_were_changed_go_on_working(browser: Browser, provider: Provider) -> None:
    sign_on(browser())
    provider.rotate()
    sign_on(browser())


def test_keys_are_fetched_anew_once_in_a_while_at_most(
    settings: Settings, provider: Provider
) -> None:
    moment = [1000.0]
    client = Client(configured(settings), clock=lambda: moment[0])

    def signed_by_a_stranger() -> None:
        stranger = new_key("stranger")
        provider.key, own = stranger, provider.key
        attempt = Attempt.begin("/")
        location = client.authorization_url(attempt)
        back = httpx.URL(httpx.get(location, trust_env=False, timeout=30).headers["location"])
        with pytest.raises(SignOnRefusedError):
            client.exchange(back.params["code"], attempt)
        provider.key = own

    for _ in range(3):
        signed_by_a_stranger()
    assert provider.asked.count("/keys") == 2
    moment[0] += ANEW
    for _ in range(3):
        signed_by_a_stranger()
    assert provider.asked.count("/keys") == 3
    assert provider.asked.count(METADATA) == 1
    moment[0] += KEPT + 1
    signed_by_a_stranger()
    assert provider.asked.count(METADATA) == 2


def test_keys_that_are_not_understood_do_no_harm(browser: Browser, provider: Provider) -> None:
    odd = [{"kty": "AKP", "alg": "ML-DSA-44"}, {"kty": "EC", "crv": "P-0", "x": "", "y": ""}]
    document = {"keys": [*odd, provider.key.as_dict(private=False)]}
    provider.answers = {"/keys": answers(200, json.dumps(document).encode())}
    sign_on(browser())


def test_a_client_without_basic_authentication(state: AppState, provider: Provider) -> None:
    """Where the provider takes the secret in the form alone, it is sent there."""
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    with with_settings(state) as client:
        assert said(finish(client, begin_sign_on(client))) == "provider_refuses"
    assert "client_secret" in provider.forms[-1]


def test_redis_away_lets_nobody_in(
    state: AppState, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser()
    begun = begin_sign_on(client)

    def away(*_: object, **__: object) -> None:
        import redis

        raise redis.ConnectionError

    monkeypatch.setattr(state.redis, "set", away)
    assert finish(client, begun).status_code == 503


def test_nothing_of_it_is_imported_before_somebody_signs_on() -> None:
    """It would be in the memory of each process. test_idle_worker.py has the worker."""
    code = (
        "import sys\n"
        "for module in ('podmeter_api.__main__', 'podmeter_api.warm_up'):\n"
        "    __import__(module)\n"
        "    print(module, [one for one in ('authlib', 'joserfc', 'httpx') if one in sys.modules])"
    )
    environment = {"PATH": "", "REDIS_URL": "redis://127.0.0.1:1/0"}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert printed == "podmeter_api.__main__ []\npodmeter_api.warm_up []\n"

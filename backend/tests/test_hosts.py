"""Podmeter answers to its own hosts alone."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.settings import Settings
from podmeter_api.hosts import known_hosts

from .conftest import Browser

pytestmark = pytest.mark.services
PAGES = ("/api/v1/auth/sign-on", "/api/v1/kinds", "/", "/api/docs")


def ask(client: TestClient, host: str, path: str = PAGES[0]) -> Any:
    return client.get(path, headers={"Host": host})


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost@evil.example", ""],
)
def test_another_host_gets_nothing(browser: Browser, host: str, path: str) -> None:
    answer = ask(browser(), host, path)
    assert answer.status_code == 421
    assert answer.json()["message"]["code"] == "host_unknown"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "127.0.0.1", "localhost:9", "LOCALHOST", "[::1]:8080", "localhost."]
)
def test_this_machine_s_own_names_are_answered(browser: Browser, host: str) -> None:
    assert ask(browser(), host).status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_ask_by_the_address_of_the_pod(browser: Browser, path: str) -> None:
    assert ask(browser(), "10.1.2.3:8080", path).status_code != 421


def test_a_foreign_page_cannot_log_in_by_a_name_that_leads_here(browser: Browser) -> None:
    headers = {"Host": "evil.example", "Origin": "http://evil.example"}
    body = {"email": "ada@ours.example", "password": "x"}
    answer = browser().post("/api/v1/auth/login", json=body, headers=headers)
    assert answer.status_code == 421


def test_the_hosts_are_those_of_the_settings() -> None:
    settings = Settings(_env_file=None).model_copy(
        update={
            "public_url": "https://Podmeter.example:8443/",
            "host": "0.0.0.0",
            "allowed_hosts": ("podmeter-api", "[2001:db8::1]"),
        }
    )
    here = {"localhost", "127.0.0.1", "::1"}
    assert known_hosts(settings) == here | {"podmeter.example", "podmeter-api", "2001:db8::1"}

"""Metrics and the API's description: for those who may use the API, unless a setting opens them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from podmeter.settings import Settings
from podmeter_api.state import AppState

from . import conftest
from .conftest import Browser
from .everything import DOCUMENT, OPERATIONS

pytestmark = pytest.mark.services
DOCUMENTATION = ("/api/docs", "/api/v1/openapi.json")


@contextmanager
def opened(state: AppState, peer: str = "192.0.2.7", **settings: Any) -> Iterator[TestClient]:
    """A client at an address, of an API with these settings."""
    asked = replace(state, settings=state.settings.model_copy(update=dict(settings)))
    with conftest.opened(asked, client=(peer, 4711)) as client:
        yield client


@pytest.mark.parametrize("path", ["/metrics", *DOCUMENTATION])
def test_it_takes_a_login_or_a_token(
    browser: Browser, admin: TestClient, state: AppState, path: str
) -> None:
    answer = browser().get(path)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert admin.get(path).status_code == 200
    made = admin.post("/api/v1/tokens", json={"name": "scraper", "role": "viewer"}).json()
    with opened(state) as program:
        headers = {"Authorization": f"Bearer {made['token']}"}
        assert program.get(path, headers=headers).status_code == 200
        assert program.get(path, headers={"Authorization": "Bearer x"}).status_code == 401
    admin.delete(f"/api/v1/tokens/{made['id']}")
    with opened(state) as program:
        assert program.get(path, headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("peer", "status"),
    [("10.1.2.3", 200), ("::ffff:10.1.2.3", 200), ("10.2.0.1", 401), ("testclient", 401)],
)
def test_metrics_are_read_from_named_networks(state: AppState, peer: str, status: int) -> None:
    with opened(state, peer, metrics_networks=("10.1.0.0/16",)) as client:
        assert client.get("/metrics").status_code == status
        forged = {"X-Forwarded-For": "10.1.2.3"}
        assert client.get("/metrics", headers=forged).status_code == status
        assert client.get("/api/docs").status_code == 401


def test_a_network_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_METRICS_NETWORKS", "10.0.0.0/8, everywhere")
    with pytest.raises(ValidationError, match="everywhere"):
        Settings(_env_file=None)


@pytest.mark.parametrize("path", DOCUMENTATION)
def test_the_description_may_be_everybody_s(state: AppState, path: str) -> None:
    with opened(state, public_api_docs=True) as client:
        assert client.get(path).status_code == 200
        assert client.get("/metrics").status_code == 401


def test_the_document_is_whole(admin: TestClient) -> None:
    assert admin.get("/api/v1/openapi.json").json() == DOCUMENT


def test_the_page_names_every_operation_and_shape_and_fetches_nothing(admin: TestClient) -> None:
    answer = admin.get("/api/docs")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    for operation, (method, path) in OPERATIONS.items():
        assert f'<article id="{operation}"><h3><code>{method} {path}</code></h3>' in answer.text
    for name in DOCUMENT["components"]["schemas"]:
        assert f'<details id="schema-{name}">' in answer.text
    assert "<script" not in answer.text

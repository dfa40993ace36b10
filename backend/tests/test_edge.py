import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
from core.tests.away import away
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr

from podmeter.db.session import make_engine, make_sessions
from podmeter.settings import Settings
from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import Part
from podmeter.stack.process import wait_until
from podmeter_api.app import create_app
from podmeter_api.export_openapi import DEFAULT, REFERENCE, REGISTRY, render, render_registry
from podmeter_api.export_reference import pages
from podmeter_api.state import AppState

from .conftest import ORIGIN, Browser, opened

services = pytest.mark.services


@pytest.fixture(scope="module")
def web_ui(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the build of the web UI makes it."""
    folder = tmp_path_factory.mktemp("web_ui")
    (folder / "assets").mkdir()
    (folder / "index.html").write_text("<p>the page</p>")
    (folder / "app.js").write_text("1")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "assets" / "app-1a2b.js").write_text("1;" * 4000)
    return folder


@pytest.fixture(scope="module")
def app_with_pages(web_ui: Path) -> FastAPI:
    return create_app(settings=Settings(_env_file=None, frontend_dir=web_ui))


@pytest.fixture
def with_pages(app_with_pages: FastAPI, state: AppState, web_ui: Path) -> Iterator[TestClient]:
    """A client of an application that serves the web UI."""
    settings = state.settings.model_copy(update={"frontend_dir": web_ui})
    app_with_pages.state.given = replace(state, settings=settings)
    with TestClient(app_with_pages, base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture
def without_pages(state: AppState) -> Iterator[TestClient]:
    with opened(state, follow_redirects=False) as client:
        yield client


def test_the_committed_document_is_the_applications() -> None:
    assert DEFAULT.read_text(encoding="utf-8") == render(), (
        "docs/openapi.json is stale: run python -m podmeter_api.export_openapi"
    )


def test_what_the_ui_knows_of_the_kinds_is_the_registrys() -> None:
    assert REGISTRY.read_text(encoding="utf-8") == render_registry(), (
        "registry.json is stale: run python -m podmeter_api.export_openapi"
    )


@pytest.mark.parametrize("name", pages())
def test_the_reference_is_what_the_code_says(name: str) -> None:
    assert (REFERENCE / name).read_text(encoding="utf-8") == pages()[name], (
        f"docs/reference/{name} is stale: run python -m podmeter_api.export_openapi"
    )


def test_every_operation_has_a_name_and_a_problem_shape() -> None:
    document = json.loads(render())
    names = []
    for path, operations in document["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in operations.values():
            names.append(operation["operationId"])
            problems = {
                status: answer
                for status, answer in operation["responses"].items()
                if not status.startswith("2")
            }
            assert {"422", "500", "503"} <= set(problems)
            for answer in problems.values():
                named = answer["$ref"].removeprefix("#/components/responses/")
                (content,) = document["components"]["responses"][named]["content"].items()
                assert content == (
                    "application/problem+json",
                    {"schema": {"$ref": "#/components/schemas/Problem"}},
                )
    assert len(names) == len(set(names))


@services
def test_the_process_is_alive_and_ready(browser: Browser) -> None:
    client = browser()
    assert client.get("/healthz").json() == {"status": "ok"}
    answer = client.get("/readyz")
    assert answer.status_code == 200
    said = answer.json()
    needed = ("database", "schema_version", "broker")
    assert [said[name] for name in needed] == ["ok"] * 3


@services
def test_a_silent_part_is_told_and_the_api_stays(browser: Browser, state: AppState) -> None:
    client = browser()
    state.redis.delete(heartbeats.KEY)
    for part in (Part.RUNS, Part.BEAT, Part.API):
        heartbeats.beat(state.redis, part, "here")
    long_ago = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    state.redis.hset(heartbeats.KEY, "runs there", int(long_ago.timestamp()))
    state.redis.hset(heartbeats.KEY, "beat here", int(long_ago.timestamp()))
    answers = [client.get("/readyz"), client.get("/readyz/parts")]
    assert [answer.status_code for answer in answers] == [200, 503]
    for answer in answers:
        assert answer.json()["parts"] == {
            "api": "ok",
            "runs": "ok",
            "upkeep": "not seen yet",
            "beat": "here silent since 2026-01-02T03:04:05Z",
        }
    for part in Part:
        heartbeats.beat(state.redis, part, "here")
    assert wait_until(lambda: client.get("/readyz/parts").status_code == 200, 30)
    state.redis.delete(heartbeats.KEY)


@services
def test_not_ready_without_database_or_broker(state: AppState) -> None:
    engine = make_engine("postgresql+psycopg://nobody:x@/none?host=/nonexistent")
    broken = replace(state, engine=engine, sessions=make_sessions(engine), redis=away())
    with opened(broken, raise_server_exceptions=False) as client:
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["database"] == answer.json()["broker"] == "cannot be reached"
        assert client.get("/healthz").status_code == 200
        refused = client.get("/api/v1/me", headers={"Authorization": "Bearer x"})
        assert refused.status_code == 401
        login = client.post("/api/v1/auth/login", json={"email": "a", "password": "b"})
        assert login.status_code == 503
        without_database = replace(broken, redis=state.redis)
    with opened(without_database, raise_server_exceptions=False) as client:
        login = client.post("/api/v1/auth/login", json={"email": "a", "password": "b"})
        assert login.status_code == 503
        assert login.json()["code"] == "database_away"


@services
def test_requests_are_counted_by_route(admin: TestClient) -> None:
    admin.delete("/api/v1/tokens/00000000-0000-0000-0000-000000000000")
    text = admin.get("/metrics").text
    assert 'route="/tokens/{token_id}",status="404"' in text
    assert "/tokens/00000000-" not in text


@services
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/v1/nothing", 404), ("PUT", "/api/v1/me", 405), ("GET", "/nothing", 404)],
)
def test_what_is_not_there_is_a_problem(
    browser: Browser, method: str, path: str, status: int
) -> None:
    answer = browser().request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status


@services
@pytest.mark.parametrize("served", ["with_pages", "without_pages"])
def test_a_method_that_a_path_does_not_take_is_told_what_it_takes(
    request: pytest.FixtureRequest, served: str
) -> None:
    client: TestClient = request.getfixturevalue(served)
    nobody = "00000000-0000-0000-0000-000000000000"
    taken = {
        "/api/v1/me": "GET",
        "/api/v1/clusters": "GET, POST",
        f"/api/v1/clusters/{nobody}": "DELETE, GET, PATCH",
        f"/api/v1/comparisons/{nobody}": "DELETE, GET",
        f"/api/v1/runs/{nobody}/cancel": "POST",
        "/healthz": "GET",
        "/s/a-link": "GET, HEAD",
    } | ({"/clusters/7": "GET, HEAD"} if served == "with_pages" else {})
    for path, methods in taken.items():
        answer = client.request("TRACE", path)
        assert (answer.status_code, answer.headers["allow"]) == (405, methods), path
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["code"] == "method_not_allowed"
    for path in ("/api", "/api/v1", "/api/v1/nothing", "/api/v1/clusters/", "/api/v2/me"):
        for method in ("GET", "POST", "DELETE"):
            answer = client.request(method, path)
            assert (answer.status_code, answer.json()["status"]) == (404, 404), (method, path)


@services
def test_faults_are_named_by_pointer_and_never_quoted(browser: Browser) -> None:
    body = {"email": 7, "password": {"canary": 1}, "more": "canary"}
    answer = browser().post("/api/v1/auth/login", json=body)
    assert answer.status_code == 422
    assert {fault["pointer"] for fault in answer.json()["errors"]} == {
        "/email",
        "/password",
        "/more",
    }
    assert "canary" not in answer.text
    broken = browser().post(
        "/api/v1/auth/login", content=b"{", headers={"Content-Type": "application/json"}
    )
    assert broken.status_code == 400


@services
@pytest.mark.parametrize(
    ("query", "parameter"),
    [("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("cursor=x", "cursor")],
)
def test_a_bad_page_is_refused(admin: TestClient, query: str, parameter: str) -> None:
    answer = admin.get(f"/api/v1/tokens?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["parameter"] == parameter


@services
def test_pages_follow_their_cursor(admin: TestClient) -> None:
    for number in range(5):
        admin.post("/api/v1/tokens", json={"name": f"t{number}"})
    seen, query = [], "limit=2"
    while True:
        page = admin.get(f"/api/v1/tokens?{query}").json()
        seen += [item["name"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        query = f"limit=2&cursor={page['next_cursor']}"
    assert seen == ["t4", "t3", "t2", "t1", "t0"]


@services
def test_a_huge_body_is_not_read(browser: Browser) -> None:
    client = browser()
    announced = client.post("/api/v1/auth/login", content=b"x" * (2 * 1024 * 1024 + 1))
    assert announced.status_code == 413

    def chunks() -> "list[bytes]":
        return [b'{"email": "'] + [b"x" * 65536] * 40

    streamed = client.post(
        "/api/v1/auth/login",
        content=iter(chunks()),
        headers={"Content-Type": "application/json"},
    )
    assert streamed.status_code == 413
    assert streamed.headers["content-type"] == "application/problem+json"


@services
def test_every_answer_carries_the_security_headers(browser: Browser) -> None:
    headers = browser().get("/api/v1/me").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert "default-src 'self'" in headers["content-security-policy"]


@services
def test_browsers_keep_to_https_where_it_is_served(state: AppState) -> None:
    for public_url, expected in (("https://x", "max-age=31536000"), ("http://x", None)):
        settings = state.settings.model_copy(update={"public_url": public_url})
        with TestClient(create_app(state=replace(state, settings=settings))) as client:
            found = client.get("/healthz").headers.get("strict-transport-security")
        assert found == expected


@services
def test_what_is_named_by_its_content_is_kept_by_browsers(with_pages: TestClient) -> None:
    script = with_pages.get("/assets/app-1a2b.js")
    assert "immutable" in script.headers["cache-control"]
    for page in ("/", "/runs", "/index.html"):
        assert with_pages.get(page).headers["cache-control"] == "no-cache"
    assert with_pages.get("/favicon.svg").headers["cache-control"] == "public, max-age=3600"


CODINGS = {
    "gzip, deflate, br": "br",
    "gzip": "gzip",
    "br;q=0, gzip;q=0.5": "gzip",
    "identity": None,
    "": None,
}


@services
def test_files_are_sent_in_the_forms_that_the_build_made(
    subtests: pytest.Subtests, state: AppState, tmp_path: Path
) -> None:
    """Compressing them for each request took the event loop, which all requests wait for."""
    content = {"br": b"in brotli's form", "gzip": b"in gzip's form", None: b"as it is"}
    (tmp_path / "assets").mkdir()
    for name in ("index.html", "assets/app-1a2b.js"):
        (tmp_path / name).write_bytes(content[None])
        (tmp_path / f"{name}.br").write_bytes(content["br"])
        (tmp_path / f"{name}.gz").write_bytes(content["gzip"])
    settings = state.settings.model_copy(update={"frontend_dir": tmp_path})
    app = create_app(state=replace(state, settings=settings))
    paths = {"/assets/app-1a2b.js": "javascript", "/": "html", "/runs": "html"}
    with TestClient(app, base_url=ORIGIN) as client:
        for (path, media_type), (accepted, coding) in product(paths.items(), CODINGS.items()):
            with subtests.test(path, accepted=accepted):
                headers = {"Accept-Encoding": accepted}
                with client.stream("GET", path, headers=headers) as answer:
                    assert answer.headers.get("content-encoding") == coding
                    assert answer.headers["vary"] == "Accept-Encoding"
                    assert media_type in answer.headers["content-type"]
                    assert b"".join(answer.iter_raw()) == content[coding]
                known = headers | {"If-None-Match": answer.headers["etag"]}
                assert client.get(path, headers=known).status_code == 304


@services
def test_pages_are_served_and_scripts_are_not_made_up(with_pages: TestClient) -> None:
    assert with_pages.get("/").text == "<p>the page</p>"
    assert with_pages.get("/clusters/7?tab=x").text == "<p>the page</p>"
    assert with_pages.get("/app.js").text == "1"
    assert with_pages.get("/gone.js").status_code == 404
    assert with_pages.get("/api/v1/nothing").status_code == 404
    assert with_pages.get("/api/v1/me").status_code == 401


def test_it_does_not_start_without_its_secrets() -> None:
    from podmeter.settings import MissingSettingError
    from podmeter_api.state import make_state

    bare = Settings(_env_file=None)
    with pytest.raises(MissingSettingError, match="REDIS_URL"):
        make_state(bare)
    named = bare.model_copy(
        update={
            "redis_url": SecretStr("redis://127.0.0.1:1/0"),
            "database_url": SecretStr("postgresql://127.0.0.1/x"),
        }
    )
    with pytest.raises(MissingSettingError, match="podmeter-admin new-key"):
        make_state(named)

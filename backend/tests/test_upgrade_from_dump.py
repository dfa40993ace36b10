"""Databases of earlier code, upgraded: what was measured is still read, compared and exported."""

import gzip
import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from conftest import MIGRATIONS, create_database
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import select, text

from podmeter.credentials.passwords import Passwords
from podmeter.credentials.snapshot_tokens import hash_snapshot_token, make_snapshot_token
from podmeter.db.migrate import migrate
from podmeter.db.models import Membership, Role, Snapshot, User
from podmeter.db.session import make_engine, make_sessions
from podmeter.settings import Settings
from podmeter.stack.backup import client
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.statistics import METHOD_VERSION
from podmeter_api.app import create_app
from podmeter_api.security import CSRF_HEADER
from podmeter_api.state import AppState, make_state

from .conftest import ORIGIN, PASSWORD, RememberingQueue
from .frozen_figures import figures_of, figures_of_link, is_text

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

DUMPS = sorted((Path(__file__).parents[2] / "core/tests/fixtures/dumps").glob("*.sql.gz"))


def restore(server: EmbeddedPostgres, dump: Path) -> str:
    """A new database of what the dump has, upgraded; its URL."""
    name = f"dump_{uuid.uuid4().hex}"
    create_database(server, name, template="template0")
    url = server.url(name)
    where, environment = client.connection_of(url)
    subprocess.run(
        [client.oldest("psql", 16).path, "--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={where}"],
        input=gzip.decompress(dump.read_bytes()),
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    migrate(MIGRATIONS, url)
    # As autovacuum does on a slow machine: results must not depend on the query plan.
    subprocess.run(
        [client.oldest("psql", 16).path, "--quiet", "--command=ANALYZE", f"--dbname={where}"],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return url


@pytest.fixture(params=DUMPS, ids=[one.name for one in DUMPS])
def state(
    request: pytest.FixtureRequest,
    postgres_server: EmbeddedPostgres,
    settings: Settings,
    passwords: Passwords,
) -> Iterator[AppState]:
    url = restore(postgres_server, request.param)
    changed = settings.model_copy(update={"database_url": SecretStr(url)})
    state = make_state(changed, RememberingQueue(), passwords)
    yield state
    state.redis.flushdb()
    state.close()


@pytest.fixture
def administrators(state: AppState, passwords: Passwords) -> Iterator[list[TestClient]]:
    """A client for an administrator of each organization; nobody's password is in a dump."""
    assert state.settings.database_url is not None
    engine = make_engine(state.settings.database_url.get_secret_value())
    with make_sessions(engine).begin() as session:
        session.execute(
            text("UPDATE users SET password_hash = :hash"), {"hash": passwords.hash(PASSWORD)}
        )
        emails = session.scalars(
            select(User.email).join(Membership).where(Membership.role == Role.ADMIN).distinct()
        ).all()
    engine.dispose()
    app = create_app(state=state)
    clients = []
    with ExitStack() as stack:
        for email in emails:
            one = stack.enter_context(
                TestClient(app, base_url=ORIGIN, raise_server_exceptions=False)
            )
            answer = one.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD})
            if answer.status_code == 200:
                one.headers[CSRF_HEADER] = answer.json()["csrf_token"]
                clients.append(one)
        assert clients
        yield clients


def _read(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:500]}"
    return answer


def _every(client: TestClient, resource: str) -> Iterator[dict[str, Any]]:
    path = f"/api/v1/{resource}?limit=100"
    cursor = ""
    while cursor is not None:
        page = _read(client, path + cursor).json()
        yield from page["items"]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"


def test_everything_that_was_kept_is_read(
    state: AppState, administrators: list[TestClient]
) -> None:
    read = {"runs": 0, "comparisons": 0, "snapshots": 0}
    figures = 0
    for one in administrators:
        for run in _every(one, "runs"):
            path = f"/api/v1/runs/{run['id']}"
            _read(one, path)
            report = _read(one, f"{path}/summaries").json()
            figures += sum(
                one["value"] is not None for one in report["summaries"] if one["code"] == "median"
            )
            for format_ in ("json", "csv", "markdown"):
                assert _read(one, f"{path}/export?format={format_}").text
            read["runs"] += 1
        for comparison in _every(one, "comparisons"):
            path = f"/api/v1/comparisons/{comparison['id']}"
            assert _read(one, path).json()["contenders"]
            for format_ in ("json", "csv", "markdown"):
                assert _read(one, f"{path}/export?format={format_}").text
            read["comparisons"] += 1
        for cluster in _every(one, "clusters"):
            _read(one, f"/api/v1/clusters/{cluster['id']}")
            _read(one, f"/api/v1/clusters/{cluster['id']}/noise-floor")
        for experiment in _every(one, "experiments"):
            _read(one, f"/api/v1/experiments/{experiment['id']}")
        for listed in ("snapshots", "audit", "overview", "tokens", "members"):
            _read(one, f"/api/v1/{listed}")
    for token in _links(state):
        page = _read(administrators[0], f"/api/v1/public/snapshots/{token}").json()
        assert page["content"][page["content"]["subject"]]
        _read(administrators[0], f"/s/{token}")
        for format_ in ("json", "csv", "markdown"):
            _read(administrators[0], f"/api/v1/public/snapshots/{token}/export?format={format_}")
        read["snapshots"] += 1
    assert all(read.values()), read
    assert figures


def _links(state: AppState) -> list[str]:
    """New links to the snapshots that still show something: of the old ones there are hashes."""
    tokens = []
    with state.sessions.begin() as session:
        for row in session.scalars(select(Snapshot).where(Snapshot.revoked_at.is_(None))):
            token = make_snapshot_token()
            row.token_hash, row.expires_at = hash_snapshot_token(token), None
            tokens.append(token)
    return tokens


def test_every_figure_is_as_it_was(
    request: pytest.FixtureRequest, state: AppState, administrators: list[TestClient]
) -> None:
    """Against the golden files beside the dump; `PODMETER_WRITE_GOLDEN=1` writes them."""
    told: dict[str, str] = {}
    for one in administrators:
        told |= figures_of(one)
    for token in _links(state):
        told |= figures_of_link(administrators[0], token)
    dump: Path = request.node.callspec.params["state"]
    figures, texts = {"method": str(METHOD_VERSION)}, dict[str, str]()
    for key, value in told.items():
        (texts if is_text(key) else figures)[key] = value
    for name, now in (("figures", figures), ("texts", texts)):
        golden = dump.with_name(dump.name.replace(".sql.gz", f".{name}.txt"))
        if os.environ.get("PODMETER_WRITE_GOLDEN") == "1":
            if name == "figures":
                _expect_another_method(_lines(golden), now)
            golden.write_text("".join(f"{key}\t{value}\n" for key, value in now.items()))
        assert now == _lines(golden)


def _lines(golden: Path) -> dict[str, str]:
    rows = golden.read_text().splitlines() if golden.exists() else ()
    return dict(row.split("\t", 1) for row in rows)


def _expect_another_method(before: dict[str, str], now: dict[str, str]) -> None:
    """Two documents of one method tell the same of the same measurements."""
    changed = [key for key, value in before.items() if now.get(key, value) != value]
    assert not changed or "method" in changed, f"raise METHOD_VERSION, or correct {changed[:5]}"

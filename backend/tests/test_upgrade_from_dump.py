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
from fastapi import FastAPI
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
from podmeter_api.security import CSRF_HEADER
from podmeter_api.state import AppState, make_state

from .conftest import ORIGIN, PASSWORD, RememberingQueue
from .frozen_figures import figures_of, figures_of_link, is_text

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

DUMPS = sorted((Path(__file__).parents[2] / "core/tests/fixtures/dumps").glob("*.sql.gz"))


def restore(server: EmbeddedPostgres, dump: Path, name: str) -> None:
    """A new database of what the dump has, upgraded."""
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


@pytest.fixture(scope="module", params=DUMPS, ids=[one.name for one in DUMPS])
def dump(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture(scope="module")
def upgraded(dump: Path, postgres_server: EmbeddedPostgres) -> str:
    """The name of a database of what the dump has, upgraded, which each test copies."""
    name = f"dump_{uuid.uuid4().hex}"
    restore(postgres_server, dump, name)
    return name


@pytest.fixture
def state(
    upgraded: str, postgres_server: EmbeddedPostgres, settings: Settings, passwords: Passwords
) -> Iterator[AppState]:
    name = f"dump_{uuid.uuid4().hex}"
    create_database(postgres_server, name, template=upgraded)
    url = SecretStr(postgres_server.url(name))
    changed = settings.model_copy(update={"database_url": url})
    state = make_state(changed, RememberingQueue(), passwords)
    yield state
    state.redis.flushdb()
    state.close()


@pytest.fixture
def administrators(
    app: FastAPI, state: AppState, passwords: Passwords
) -> Iterator[list[TestClient]]:
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
    """Each thing itself, and its JSON; the test below reads all that tells figures."""
    read = {"runs": 0, "comparisons": 0, "snapshots": 0}
    for one in administrators:
        for run in _every(one, "runs"):
            path = f"/api/v1/runs/{run['id']}"
            _read(one, path)
            assert _read(one, f"{path}/export?format=json").text
            read["runs"] += 1
        for comparison in _every(one, "comparisons"):
            path = f"/api/v1/comparisons/{comparison['id']}"
            assert _read(one, path).json()["contenders"]
            assert _read(one, f"{path}/export?format=json").text
            read["comparisons"] += 1
        for cluster in _every(one, "clusters"):
            _read(one, f"/api/v1/clusters/{cluster['id']}")
        for experiment in _every(one, "experiments"):
            _read(one, f"/api/v1/experiments/{experiment['id']}")
        for listed in ("snapshots", "audit", "tokens", "members"):
            _read(one, f"/api/v1/{listed}")
    for token in _links(state):
        page = _read(administrators[0], f"/api/v1/public/snapshots/{token}").json()
        assert page["content"][page["content"]["subject"]]
        _read(administrators[0], f"/s/{token}")
        _read(administrators[0], f"/api/v1/public/snapshots/{token}/export?format=json")
        read["snapshots"] += 1
    assert all(read.values()), read


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
    dump: Path, state: AppState, administrators: list[TestClient]
) -> None:
    """Against the golden files beside the dump; `PODMETER_WRITE_GOLDEN=1` writes them."""
    told: dict[str, str] = {}
    for one in administrators:
        told |= figures_of(one)
    for token in _links(state):
        told |= figures_of_link(administrators[0], token)
    figures, texts = {"method": str(METHOD_VERSION)}, dict[str, str]()
    for key, value in told.items():
        (texts if is_text(key) else figures)[key] = value
    assert any(value != "[null]" for key, value in figures.items() if key.endswith("| median"))
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

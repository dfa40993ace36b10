"""Dumped, destroyed, restored: every run, permalink and encrypted kubeconfig works as before."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from conftest import TEMPLATE, create_database
from fastapi.testclient import TestClient
from pydantic import SecretStr

from podmeter.credentials.envelope import unseal
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.credentials.passwords import Passwords
from podmeter.db.models import Cluster, Membership, Organization, Role, User
from podmeter.services.clusters.kubeconfigs import binding
from podmeter.services.keys.rotation import rotate, status
from podmeter.settings import Settings
from podmeter.stack.backup.dump import backup
from podmeter.stack.backup.restore import restore
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter_api.app import create_app
from podmeter_api.security import CSRF_HEADER
from podmeter_api.state import AppState, make_state

from .builders import register
from .conftest import ORIGIN, PASSWORD, RememberingQueue
from .measured import Measured, ladder, paths, service_scale, store, throughput

pytestmark = pytest.mark.services
EMAIL = "who@ours.example"


@pytest.fixture
def database(postgres_server: EmbeddedPostgres) -> str:
    """A database of the test's own, that can be destroyed."""
    name = f"d_{uuid.uuid4().hex}"
    create_database(postgres_server, name, template=TEMPLATE)
    return name


@contextmanager
def opened(settings: Settings, passwords: Passwords) -> Iterator[tuple[AppState, TestClient]]:
    """The API on a database, and a browser that knows nobody yet."""
    state = make_state(settings, RememberingQueue(), passwords)
    try:
        with TestClient(create_app(state=state), base_url=ORIGIN) as client:
            yield state, client
    finally:
        state.close()


def logged_in(client: TestClient) -> TestClient:
    answer = client.post("/api/v1/auth/login", json={"email": EMAIL, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    client.headers[CSRF_HEADER] = answer.json()["csrf_token"]
    return client


def fill(state: AppState, client: TestClient) -> list[str]:
    """Runs, a comparison, two snapshots, a cluster; the addresses that all of it is read at."""
    with state.sessions.begin() as session:
        owner = Organization(name="ours")
        user = User(email=EMAIL, password_hash=state.passwords.hash(PASSWORD))
        session.add_all([owner, user])
        session.flush()
        session.add(Membership(organization_id=owner.id, user_id=user.id, role=Role.ADMIN))
    logged_in(client)
    register(client)
    runs = [
        store(state.sessions, Measured(throughput(), paths)),
        store(state.sessions, Measured(service_scale(), ladder)),
    ]
    arms = [
        {"run_id": str(runs[1]), "where": {"kube_proxy_mode": mode}}
        for mode in ("iptables", "nftables")
    ]
    body = {"baseline": arms[0], "contenders": [arms[1]]}
    comparison = client.post("/api/v1/comparisons", json=body).json()["id"]
    links = []
    for subject in ({"run_id": str(runs[0])}, {"comparison_id": comparison}):
        made = client.post("/api/v1/snapshots", json={"title": "What we found", **subject})
        assert made.status_code == 201, made.text
        links.append(made.json()["token"])
    one = [
        f"/api/v1/runs/{run}{what}"
        for run in runs
        for what in ("", "/cases", "/trials", "/summaries")
    ]
    return [
        "/api/v1/runs",
        "/api/v1/clusters",
        "/api/v1/snapshots",
        f"/api/v1/comparisons/{comparison}",
        *one,
        *(f"/api/v1/runs/{run}/export?format=csv" for run in runs),
        *(f"/api/v1/public/snapshots/{link}" for link in links),
        *(f"/s/{link}" for link in links),
    ]


def read(client: TestClient, addresses: list[str]) -> dict[str, str]:
    answers = {address: client.get(address) for address in addresses}
    return {address: f"{one.status_code} {one.text}" for address, one in answers.items()}


@pytest.mark.parametrize("under_a_new_key", [False, True])
def test_dump_destroy_restore(
    settings: Settings,
    passwords: Passwords,
    postgres_server: EmbeddedPostgres,
    database: str,
    tmp_path: Path,
    under_a_new_key: bool,
) -> None:
    url = postgres_server.url(database)
    settings = settings.model_copy(update={"database_url": SecretStr(url)})
    with opened(settings, passwords) as (state, client):
        addresses = fill(state, client)
        before = read(client, addresses)
        with state.sessions() as session:
            row = session.query(Cluster).filter(Cluster.kubeconfig != b"").one()
            kubeconfig = unseal(row.kubeconfig, binding(row), state.keys)
    assert {answer[:4] for answer in before.values()} == {"200 "}
    file = tmp_path / "podmeter.backup"
    backup(settings, str(file))
    for secret in (kubeconfig, settings.require_encryption_keys().encode(), PASSWORD.encode()):
        assert secret not in file.read_bytes()

    admin = postgres_server.url().replace("+psycopg", "")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {database} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {database}")

    if under_a_new_key:
        keys = f"{generate_key()},{settings.require_encryption_keys()}"
        settings = settings.model_copy(update={"encryption_keys": SecretStr(keys)})
    assert restore(settings, str(file), replace=False) == 0
    with opened(settings, passwords) as (state, client):
        assert read(logged_in(client), addresses) == before
        if under_a_new_key:
            first = KeyRing.parse(settings.require_encryption_keys().split(",")[0])
            assert rotate(state.sessions, state.keys, lambda name, rows: None).rows == 1
            left = status(state.sessions, first).found
            assert {one.key_id for one in left} <= {first.primary.key_id, None}
            state = replace(state, keys=first)
        with state.sessions() as session:
            row = session.query(Cluster).filter(Cluster.kubeconfig != b"").one()
            assert unseal(row.kubeconfig, binding(row), state.keys) == kubeconfig

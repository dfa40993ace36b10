import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pytest
import redis
import uvicorn
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import Engine

from podmeter.credentials.key_ring import generate_key
from podmeter.credentials.passwords import Passwords
from podmeter.db.base import now
from podmeter.db.models import AddressProof, Membership, Organization, Role, User
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.jobs import Job
from podmeter.settings import Settings
from podmeter.stack.process import wait_until
from podmeter_api.app import create_app
from podmeter_api.security import CSRF_HEADER
from podmeter_api.state import AppState, make_state

from .declared import check_declared
from .provider import CLIENT, SECRET, Provider, running

PASSWORD = "correct horse battery"
ORIGIN = "http://127.0.0.1:8080"


@dataclass
class RememberingQueue:
    """Keeps the jobs that were sent; `away` plays a broker that cannot be reached."""

    sent: list[Job] = field(default_factory=list)
    away: bool = False

    def send(self, job: Job) -> None:
        if self.away:
            raise ConnectionError("the broker is away")
        self.sent.append(job)


@pytest.fixture(scope="session")
def passwords() -> Passwords:
    """Real argon2, with parameters that cost next to nothing."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def queue() -> RememberingQueue:
    return RememberingQueue()


@pytest.fixture(scope="session")
def one_provider() -> Iterator[Provider]:
    with running() as provider:
        yield provider


@pytest.fixture
def provider(one_provider: Provider) -> Provider:
    """The single sign-on provider, honest again."""
    one_provider.reset()
    return one_provider


@pytest.fixture
def settings(database_url: str, redis_url: str, provider: Provider) -> Settings:
    return Settings(_env_file=None).model_copy(
        update={
            "database_url": SecretStr(database_url),
            "redis_url": SecretStr(redis_url),
            "encryption_keys": SecretStr(generate_key()),
            "login_attempts": 3,
            "quota_organizations": 10_000,
            "oidc_issuer": provider.url,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SecretStr(SECRET),
            "oidc_roles": "net-admins=admin,sre=operator,readers=viewer",
            "oidc_allowed_networks": ("127.0.0.0/8",),
        }
    )


@pytest.fixture(scope="session")
def api_engine(database_url: str) -> Iterator[Engine]:
    """The application's engine: it keeps its connections and the statements that it compiled."""
    engine = make_engine(database_url, pool_size=Settings(_env_file=None).database_pool)
    yield engine
    engine.dispose()


@pytest.fixture
def state(
    settings: Settings,
    sessions: Sessions,
    queue: RememberingQueue,
    passwords: Passwords,
    api_engine: Engine,
) -> Iterator[AppState]:
    made = make_state(settings, queue, passwords)
    state = replace(
        made,
        engine=api_engine,
        sessions=make_sessions(api_engine),
        reading=make_sessions(api_engine, read_only=True),
    )
    yield state
    state.redis.flushdb()
    made.close()


@pytest.fixture(scope="session")
def one_app() -> FastAPI:
    """The application: its first request works out its routes, which takes as long as 100 more."""
    return create_app(settings=Settings(_env_file=None))


@pytest.fixture
def app(one_app: FastAPI, state: AppState) -> FastAPI:
    """The application, which starts with this test's state."""
    one_app.state.given = state
    return one_app


@cache
def _other_app() -> FastAPI:
    return create_app(settings=Settings(_env_file=None))


@contextmanager
def opened(state: AppState, **options: Any) -> Iterator[TestClient]:
    """A client of an application with another state, beside the one of `app`; one at a time.

    Not for the settings that an application is made with: `frontend_dir`, `public_url`'s scheme.
    """
    app = _other_app()
    assert app.state.given is None
    app.state.given = state
    try:
        with TestClient(app, **{"base_url": ORIGIN, **options}) as client:
            yield client
    finally:
        app.state.given = None


@pytest.fixture
def redis_client(state: AppState) -> redis.Redis:
    return state.redis


Browser = Callable[[], TestClient]


@pytest.fixture
def browser(app: FastAPI) -> Iterator[Browser]:
    """Makes clients that know nobody yet."""
    clients: list[TestClient] = []

    def make() -> TestClient:
        client = TestClient(app, base_url=ORIGIN, raise_server_exceptions=False)
        client.event_hooks = {"response": [check_declared]}
        client.__enter__()
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def add_user(sessions: Sessions, passwords: Passwords) -> Callable[..., User]:
    """Adds a user, with an organization where there is none of that name."""

    def add(
        email: str,
        role: Role = Role.ADMIN,
        organization: str = "ours",
        proof: AddressProof | None = None,
    ) -> User:
        with sessions.begin() as session:
            found = session.query(Organization).filter_by(name=organization).one_or_none()
            owner = found or Organization(name=organization)
            user = User(
                email=email,
                password_hash=passwords.hash(PASSWORD),
                address_proof=proof,
                address_proved_at=now() if proof else None,
            )
            session.add_all([owner, user])
            session.flush()
            session.add(Membership(organization_id=owner.id, user_id=user.id, role=role))
        return user

    return add


LogIn = Callable[..., TestClient]


@pytest.fixture
def log_in(browser: Browser, add_user: Callable[..., User]) -> LogIn:
    """A client logged in as a new user of the given role and organization."""

    def enter(role: Role = Role.ADMIN, organization: str = "ours") -> TestClient:
        email = f"{role}@{organization}.example"
        add_user(email, role, organization)
        client = browser()
        answer = client.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers[CSRF_HEADER] = answer.json()["csrf_token"]
        return client

    return enter


@pytest.fixture
def admin(log_in: LogIn) -> TestClient:
    return log_in()


Program = Callable[..., TestClient]


@pytest.fixture
def program(admin: TestClient, browser: Browser) -> Program:
    """A program with a token of the administrator's, of the role and scope that are given."""

    def make(role: str = "admin", **scope: str) -> TestClient:
        made = admin.post("/api/v1/tokens", json={"name": "CI", "role": role, **scope})
        assert made.status_code == 201, made.text
        client = browser()
        client.headers["Authorization"] = f"Bearer {made.json()['token']}"
        return client

    return make


@pytest.fixture
def organization(admin: TestClient) -> str:
    """The id of the administrator's organization."""
    return str(admin.get("/api/v1/me").json()["organization_id"])


@pytest.fixture
def served(app: FastAPI) -> Iterator[str]:
    """The application behind a real server: streams need one."""
    # Clients close first: a test that stands still for uvicorn's 5 s would lose its next request.
    config = uvicorn.Config(app, port=0, log_level="warning", timeout_keep_alive=600)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    assert wait_until(lambda: server.started, 60)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()

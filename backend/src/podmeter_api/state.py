"""What the application holds while it runs: settings, database, broker, key ring."""

from dataclasses import dataclass
from typing import Annotated

import redis
from fastapi import Depends, Request
from sqlalchemy import Engine
from starlette.requests import HTTPConnection

from podmeter.credentials.key_ring import KeyRing
from podmeter.credentials.passwords import Passwords
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.jobs import Queue
from podmeter.services.accounts.password_logins import PasswordLogins
from podmeter.services.ci.issuers import Issuers
from podmeter.services.clusters.addresses import address_policy
from podmeter.services.sign_on.configuration import configuration, password_logins
from podmeter.services.sign_on.flow import SignOn
from podmeter.settings import Settings
from podmeter.stack.own_shortages import OwnShortages
from podmeter_api.queue import CeleryQueue
from podmeter_api.rate_limit import ADDRESS_FACTOR, AddressPace


@dataclass(frozen=True)
class AppState:
    """Made once at start; everything here is safe to use from several threads."""

    settings: Settings
    engine: Engine
    sessions: Sessions
    #: Of the same connections; nothing is changed in their transactions.
    reading: Sessions
    redis: redis.Redis
    queue: Queue
    keys: KeyRing
    passwords: Passwords
    password_logins: PasswordLogins
    sign_on: SignOn | None
    ci_issuers: Issuers
    #: Counters of this process; it forks before anything is counted.
    pace: AddressPace
    own_shortages: OwnShortages

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()
        self.redis.close()


def make_state(
    settings: Settings, queue: Queue | None = None, passwords: Passwords | None = None
) -> AppState:
    """Connect to what the settings name. Raises MissingSettingError, KeyRingError."""
    redis_url = settings.require_redis_url()
    provider, keys = configuration(settings), KeyRing.parse(settings.require_encryption_keys())
    engine = make_engine(settings.require_database_url(), pool_size=settings.database_pool)
    return AppState(
        settings=settings,
        engine=engine,
        sessions=make_sessions(engine),
        reading=make_sessions(engine, read_only=True),
        redis=redis.Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=2),
        queue=queue or CeleryQueue(redis_url),
        keys=keys,
        passwords=passwords or Passwords(),
        password_logins=password_logins(settings),
        sign_on=SignOn(provider) if provider else None,
        ci_issuers=Issuers(
            address_policy(settings, settings.oidc_allowed_networks), settings.oidc_ca
        ),
        pace=AddressPace(settings.login_attempts * ADDRESS_FACTOR),
        own_shortages=OwnShortages(settings.state_dir),
    )


def state_of(request: HTTPConnection) -> AppState:
    """The state of the application that serves the request."""
    state = request.app.state.podmeter
    if not isinstance(state, AppState):
        raise TypeError("the application has no state")
    return state


async def get_state(request: Request) -> AppState:
    """The state, as a dependency; async, so that it takes no thread."""
    return state_of(request)


StateDep = Annotated[AppState, Depends(get_state)]

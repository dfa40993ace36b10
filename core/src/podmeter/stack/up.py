"""`podmeter-admin up`: databases where none are given, migrations, then API and worker."""

import math
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from ipaddress import ip_address

from pydantic import SecretStr

from podmeter.credentials.key_ring import generate_key
from podmeter.settings import Settings
from podmeter.stack import lock, process, secrets
from podmeter.stack.errors import StackError
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.programs import AWAY, MIGRATE, programs
from podmeter.stack.redis import EmbeddedRedis
from podmeter.stack.supervisor import ServerMember, Supervisor

#: On a busy machine; a part that ends while it starts ends the wait at once.
_READY_TIMEOUT_S = 180.0
_OF_THE_OWNER = ("DATABASE_OWNER_URL", "DATABASE_OWNER_URL_FILE")
#: Below the state folder: what embedded mode made up for itself.
SECRETS_FILE = "secrets.env"


@contextmanager
def embedded(settings: Settings, *, broker: bool) -> Iterator[tuple[Settings, Supervisor]]:
    """Start PostgreSQL, and with `broker` Redis, where their URLs are unset; stop them at the end.

    Raises:
        StackError: another stack uses the state folder, or a server did not start.
    """
    with lock.hold(settings.state_dir), Supervisor() as supervisor:
        kept: dict[str, object] = {}
        if settings.database_url is None:
            postgres, kept = _embedded_database(settings)
            supervisor.start(ServerMember("postgres", postgres))
        if broker and settings.redis_url is None:
            redis = _embedded_redis(settings)
            supervisor.start(ServerMember("redis", redis))
            kept["redis_url"] = SecretStr(redis.url())
        yield settings.model_copy(update=kept), supervisor


@contextmanager
def database(settings: Settings) -> Iterator[Settings]:
    """The settings with a database that answers: the one given, the running stack's, or started.

    An embedded one by the role that owns it: it may not be migrated yet, or be about to go.

    Raises:
        StackError: an embedded one did not start.
    """
    if settings.database_url is not None:
        yield settings
    elif lock.holder(settings.state_dir) is not None:
        yield _by_owner(settings.model_copy(update=_embedded_database(settings)[1]))
    else:
        with embedded(settings, broker=False) as (completed, _):
            yield _by_owner(completed)


def _by_owner(settings: Settings) -> Settings:
    return settings.model_copy(update={"database_url": settings.database_owner_url})


def running(settings: Settings) -> Settings:
    """The settings, with what the stack that runs in the state folder made up for itself.

    Raises:
        StackError: something is not set, and no stack runs that would have made it.
    """
    if settings.database_url is not None and settings.redis_url is not None:
        return settings
    if lock.holder(settings.state_dir) is None:
        raise StackError(f"no stack runs in {settings.state_dir}")
    kept: dict[str, object] = {}
    if settings.database_url is None:
        kept = _embedded_database(settings)[1]
    if settings.redis_url is None:
        kept["redis_url"] = SecretStr(_embedded_redis(settings).found().url())
    return settings.model_copy(update=kept)


def _embedded_redis(settings: Settings) -> EmbeddedRedis:
    made = secrets.keep(settings.state_dir / SECRETS_FILE, {"REDIS_PASSWORD": secrets.password})
    return EmbeddedRedis(settings.state_dir / "redis", made["REDIS_PASSWORD"])


def _embedded_database(settings: Settings) -> tuple[EmbeddedPostgres, dict[str, object]]:
    """The PostgreSQL of the state folder, and the settings that come with it."""
    passwords = ("POSTGRES_PASSWORD", "POSTGRES_APPLICATION_PASSWORD")
    names = {"PODMETER_ENCRYPTION_KEYS": generate_key} | dict.fromkeys(passwords, secrets.password)
    made = secrets.keep(settings.state_dir / SECRETS_FILE, names)
    owner, application = (made[name] for name in passwords)
    folder = settings.state_dir / "postgres"
    postgres = EmbeddedPostgres(folder, owner, application_password=application)
    kept: dict[str, object] = {
        "database_url": SecretStr(postgres.application_url()),
        "database_owner_url": SecretStr(postgres.url()),
    }
    if settings.encryption_keys is None:
        kept["encryption_keys"] = SecretStr(made["PODMETER_ENCRYPTION_KEYS"])
    return postgres, kept


def up(settings: Settings) -> None:
    """Run the whole stack until a signal asks to stop.

    Raises:
        StackError: something did not start, or ended for good.
        MissingSettingError: a secret is missing and is not ours to make.
    """
    with embedded(settings, broker=True) as (completed, supervisor):
        environment = child_environment(completed)
        # With the role that owns the tables, whose credentials no long-running process gets.
        owner = {"DATABASE_OWNER_URL": completed.require_owner_url()}
        _migrate(supervisor, environment | owner)
        for program in programs(environment):
            supervisor.start(program)
        url = f"http://{completed.host}:{completed.port}"
        supervisor.wait_for(lambda: _ready(f"{url}/readyz"), _READY_TIMEOUT_S, "the API")
        if not supervisor.stop_requested:
            sys.stderr.write(
                f"podmeter: ready on {url}\n"
                f"podmeter: {listening(completed.host)}\n"
                f"podmeter: log in as {completed.admin_email}. The first start printed its "
                "password above; `podmeter-admin reset-password` makes a link for another one.\n"
            )
        supervisor.run()


def listening(host: str) -> str:
    """Who reaches an API that listens on `host`, and how others do."""
    if host == "localhost" or _is_loopback(host):
        return (
            f"the API listens on {host} only, so other machines cannot reach it. To let them, put "
            "a reverse proxy with TLS in front and name it in PODMETER_TRUSTED_PROXIES."
        )
    return (
        f"the API listens on {host}, so other machines can reach it, without TLS unless a reverse "
        "proxy is in front. PODMETER_HOST=127.0.0.1 keeps them out."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def child_environment(settings: Settings) -> dict[str, str]:
    """What the children find in their environment: ours, and what embedded mode added."""
    given = {name: value for name, value in os.environ.items() if name not in _OF_THE_OWNER}
    return {
        # glibc's malloc would keep up to 16 arenas for the threads of each process.
        "MALLOC_ARENA_MAX": "2",
        **given,
        "DATABASE_URL": settings.require_database_url(),
        "REDIS_URL": settings.require_redis_url(),
        "PODMETER_ENCRYPTION_KEYS": settings.require_encryption_keys(),
    }


def _migrate(supervisor: Supervisor, environment: Mapping[str, str]) -> None:
    """In a process of its own: all that it imports would stay in this one's memory.

    A database that ends meanwhile is started again, and this is done again.
    """
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while True:
        child = process.spawn(MIGRATE, environment=environment)
        # However long it takes: a large database is not given up half way.
        supervisor.wait_for(partial(_has_ended, child), math.inf, "the migration")
        if child.wait() == 0 or supervisor.stop_requested:
            return
        if child.returncode != AWAY or time.monotonic() > deadline:
            raise StackError("the database could not be migrated; what was printed above says why")
        supervisor.watch(1.0)


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    return child.poll() is not None


def _ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310 (our own API)
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False

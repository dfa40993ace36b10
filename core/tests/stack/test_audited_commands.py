"""Commands that change something stand in the audit log, as what users do does."""

import getpass
import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from conftest import TEMPLATE, create_database
from pydantic import SecretStr
from sqlalchemy import select, text
from sqlalchemy.exc import ProgrammingError

from podmeter.cli.commands.accounts import run_reset_password, run_token_create
from podmeter.cli.commands.database import prepare_database
from podmeter.credentials.key_ring import generate_key
from podmeter.db.models import ApiToken, AuditEntry, AuditRetention, Organization, Role, Via
from podmeter.db.session import make_engine, make_sessions, unit_of_work
from podmeter.domain.api_tokens import make_api_token
from podmeter.services.accounts.first_admin import first_admin
from podmeter.services.accounts.tokens import FIRST_TOKEN, authenticate, revoke
from podmeter.services.errors import AuthenticationError
from podmeter.services.work import Work
from podmeter.settings import Settings
from podmeter.stack.backup.dump import backup
from podmeter.stack.backup.restore import restore
from podmeter.stack.errors import StackError
from podmeter.stack.keys import rotate
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.up import child_environment, embedded

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each preparation hashes a decoy: with the real parameters that takes most of its time."""
    cheap = partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("podmeter.credentials.passwords.PasswordHasher", cheap)


@pytest.fixture
def settings(postgres_server: EmbeddedPostgres) -> Settings:
    """Of a database that is empty."""
    return settings_of(postgres_server, "template1")


@pytest.fixture
def migrated(postgres_server: EmbeddedPostgres) -> Settings:
    """Of a database with all tables, and nothing in them."""
    return settings_of(postgres_server, TEMPLATE)


def settings_of(postgres_server: EmbeddedPostgres, template: str) -> Settings:
    name = f"commands_{uuid.uuid4().hex}"
    create_database(postgres_server, name, template=template)
    given = {
        "database_url": SecretStr(postgres_server.url(name)),
        "encryption_keys": SecretStr(generate_key()),
        "admin_password": SecretStr("a long enough canary"),
    }
    return Settings(_env_file=None).model_copy(update=given)


def stored(settings: Settings, what=AuditEntry) -> Sequence:
    engine = make_engine(settings.require_database_url())
    with engine.connect() as connection:
        found = connection.execute(select(what)).all()
    engine.dispose()
    return found


def test_each_command_that_changes_something_is_noted_once(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare_database(settings)
    prepare_database(settings)  # nothing is left to do
    run_reset_password(settings, email="admin@localhost")
    link = capsys.readouterr().out
    assert rotate(settings) == 0
    migrated, reset, rotated = sorted(stored(settings), key=lambda row: row.id)
    (organization,) = stored(settings, Organization)
    assert (migrated.operation, migrated.organization_id) == ("podmeter migrate", organization.id)
    assert (migrated.object_kind, migrated.object_name) == ("member", "admin@localhost")
    assert migrated.details["before"] is None
    assert (reset.operation, reset.organization_id) == ("podmeter reset-password", organization.id)
    assert reset.object_name == "admin@localhost"
    assert (rotated.operation, rotated.organization_id) == ("podmeter keys rotate", None)
    for entry in (migrated, reset, rotated):
        assert entry.via is Via.COMMAND
        assert entry.who.startswith(f"{getpass.getuser()}@")
        assert "canary" not in repr(entry)
        assert link.partition("#")[2].strip() not in repr(entry)


def test_how_long_it_is_kept_is_taken_over(migrated: Settings) -> None:
    for days in (365, 400):
        prepare_database(migrated.model_copy(update={"audit_days": days}))
        assert [row.days for row in stored(migrated, AuditRetention)] == [days]


def test_a_restore_keeps_what_the_backup_has_and_adds_itself(
    migrated: Settings, tmp_path: Path
) -> None:
    prepare_database(migrated)
    before = stored(migrated)
    backup(migrated, str(tmp_path / "b"))
    assert restore(migrated, str(tmp_path / "b"), replace=True) == 0
    *kept, added = sorted(stored(migrated), key=lambda row: row.id)
    assert kept == before
    assert (added.operation, added.object_kind) == ("podmeter restore", "backup")


def test_the_stacks_own_database_gives_the_application_a_role_that_may_not_change_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = EmbeddedPostgres(
        folder / "postgres", "of the owner", application_password="its own", durable=False
    )
    server.start()
    try:
        urls = {
            "database_url": SecretStr(server.application_url()),
            "database_owner_url": SecretStr(server.url()),
            "redis_url": SecretStr("redis://nowhere"),
            "encryption_keys": SecretStr(generate_key()),
            "admin_password": SecretStr("a long enough canary"),
        }
        settings = Settings(_env_file=None).model_copy(update=urls)
        prepare_database(settings)
        assert [row.operation for row in stored(settings)] == ["podmeter migrate"]
        engine = make_engine(settings.require_database_url())
        with pytest.raises(ProgrammingError, match="permission denied"), engine.begin() as change:
            change.execute(text("DELETE FROM audit_entries"))
        engine.dispose()
        # No long-running process knows the other role.
        monkeypatch.setenv("DATABASE_OWNER_URL", server.url())
        environment = child_environment(settings)
        assert environment["DATABASE_URL"] == server.application_url()
        assert not [name for name, value in environment.items() if value == server.url()]
    finally:
        server.stop()


def test_the_first_token_needs_no_browser_and_is_noted(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ProgrammingError):
        run_token_create(settings, name="ci", role="operator", days=30)
    prepare_database(settings)
    run_token_create(settings, name="ci", role="operator", days=30)
    secret = capsys.readouterr().out.strip()
    engine = make_engine(settings.require_database_url())
    with unit_of_work(make_sessions(engine)) as session:
        found = authenticate(Work(session), secret)
    engine.dispose()
    assert (found.email, found.role, found.token_name) == ("admin@localhost", Role.OPERATOR, "ci")
    (entry,) = (one for one in stored(settings) if one.operation == "podmeter token create")
    assert (entry.organization_id, entry.object_name) == (found.organization_id, "ci")
    assert secret not in repr(entry)


def test_the_declared_token_follows_the_settings(migrated: Settings) -> None:
    """What a Secret of the chart declares: rotated, revoked by a person, and removed."""
    first, second = make_api_token(), make_api_token()

    def migrate(token: str | None, role: str = "operator") -> None:
        given = SecretStr(token) if token else None
        update = {"first_token": given, "first_token_role": role, "first_token_days": 30}
        prepare_database(migrated.model_copy(update=update))

    def role_of(token: str) -> Role | None:
        engine = make_engine(migrated.require_database_url())
        try:
            with unit_of_work(make_sessions(engine)) as session:
                return authenticate(Work(session), token).role
        except AuthenticationError:
            return None
        finally:
            engine.dispose()

    migrate(first)
    (row,) = stored(migrated, ApiToken)
    assert (row.name, (row.expires_at - row.created_at).days) == ("first token", 30)
    assert role_of(first) is Role.OPERATOR
    migrate(first)
    assert stored(migrated, ApiToken) == [row]
    migrate(first, "admin")
    assert role_of(first) is Role.ADMIN
    migrate(second)
    assert (role_of(first), role_of(second)) == (None, Role.OPERATOR)
    revoke_declared(migrated)
    assert role_of(second) is None
    migrate(second)
    assert role_of(second) is None
    migrate(first)
    assert role_of(first) is Role.OPERATOR
    migrate(None)
    assert stored(migrated, ApiToken) == []
    entries = sorted(stored(migrated), key=lambda row: row.id)
    assert [one.details for one in entries if one.object_kind == "token"] == [
        {"role": "operator", "days": 30, "replaced": False},
        {"role": "admin"},
        {"role": "operator", "days": 30, "replaced": True},
        {"role": "operator", "days": 30, "replaced": True},
        {"revoked": True},
    ]
    assert first not in repr(entries)
    assert second not in repr(entries)


def revoke_declared(settings: Settings) -> None:
    """As its owner does in the web UI."""
    engine = make_engine(settings.require_database_url())
    with unit_of_work(make_sessions(engine)) as session:
        work = Work(session)
        principal = first_admin(work)
        assert principal is not None
        person = replace(principal, session_id=uuid.uuid4())
        revoke(work, person, FIRST_TOKEN)
    engine.dispose()


def test_another_tokens_secret_is_not_declared(
    migrated: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare_database(migrated)
    run_token_create(migrated, name="ci", role="operator", days=30)
    taken = SecretStr(capsys.readouterr().out.strip())
    with pytest.raises(StackError, match="another token's secret"):
        prepare_database(migrated.model_copy(update={"first_token": taken}))
    assert [row.name for row in stored(migrated, ApiToken)] == ["ci"]


def test_a_command_uses_the_database_of_the_running_stack(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after `make up`, which holds the state folder."""
    given = Settings(_env_file=None).model_copy(
        update={"state_dir": tmp_path, "admin_password": SecretStr("a long enough canary")}
    )
    with embedded(given, broker=False) as (completed, _):
        owner = {"database_url": completed.database_owner_url}
        prepare_database(completed.model_copy(update=owner))
        run_token_create(given, name="ci", role="operator", days=30)
    assert capsys.readouterr().out.startswith("podmeter_")

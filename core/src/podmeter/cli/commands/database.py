"""The database: migrate, back up, restore."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING

from podmeter.cli.terminal import tell
from podmeter.settings import Settings
from podmeter.stack.errors import StackError

if TYPE_CHECKING:
    from podmeter.db.session import Sessions


def run_migrate(settings: Settings) -> int:
    """Migrate the database of DATABASE_URL, or the embedded one; `AWAY` where it went away."""
    from sqlalchemy.exc import SQLAlchemyError

    from podmeter.db.session import is_away
    from podmeter.stack.programs import AWAY
    from podmeter.stack.up import embedded

    with ExitStack() as stack:
        if settings.database_url is None:
            settings, _ = stack.enter_context(embedded(settings, broker=False))
        try:
            prepare_database(settings)
        except SQLAlchemyError as error:
            if not is_away(error):
                raise
            tell(f"the database went away: {str(error).partition(chr(10))[0]}")
            return AWAY
    return 0


def prepare_database(settings: Settings) -> None:
    """Migrate, and make the first administrator where there is no user yet."""
    from podmeter.credentials.passwords import Passwords
    from podmeter.db.migrate import migrate
    from podmeter.db.revisions import present_revision
    from podmeter.db.roles import apply_roles
    from podmeter.db.session import make_engine, make_sessions, unit_of_work
    from podmeter.services.accounts.first_admin import ensure_first_admin
    from podmeter.services.audit.record import record_command
    from podmeter.services.work import Work

    url = settings.require_owner_url()
    engine = make_engine(url)
    given = settings.admin_password.get_secret_value() if settings.admin_password else None
    try:
        before = present_revision(engine)
        migrate(settings.migrations_dir, url)
        apply_roles(engine, settings.require_database_url(), settings.audit_days)
        after = present_revision(engine)
        sessions = make_sessions(engine)
        with unit_of_work(sessions) as session:
            work = Work(session)
            made = ensure_first_admin(work, Passwords(), settings.admin_email, given)
            if before != after or work.audit.object_kind is not None:
                work.audit.details |= {"before": before, "after": after}
                record_command(work, "migrate")
        if made is not None:
            # Printed after the commit, and never again: only its hash is kept.
            tell(f"first administrator {settings.admin_email}, password {made} (shown this once)")
        _declare_token(sessions, settings)
    finally:
        engine.dispose()


def _declare_token(sessions: Sessions, settings: Settings) -> None:
    """Register the token of the settings; without it, revoke the token declared before."""
    from sqlalchemy.exc import IntegrityError

    from podmeter.db.models import Role
    from podmeter.db.session import unit_of_work
    from podmeter.services.accounts.first_admin import first_admin
    from podmeter.services.accounts.first_token import ensure_first_token
    from podmeter.services.audit.record import record_command
    from podmeter.services.work import Work

    given = settings.first_token.get_secret_value() if settings.first_token else None
    role, days = Role(settings.first_token_role), settings.first_token_days
    try:
        with unit_of_work(sessions) as session:
            work = Work(session)
            ensure_first_token(work, first_admin(work), given, role, days)
            if work.audit.object_kind is not None:
                record_command(work, "migrate")
    except IntegrityError as error:
        raise StackError(
            "PODMETER_FIRST_TOKEN is another token's secret already: create one of its own with "
            "`podmeter-admin new-token`"
        ) from error


def run_backup(settings: Settings, *, file: str) -> None:
    """Write all that the database knows into a file."""
    from podmeter.stack.backup.dump import backup

    backup(settings, file)


def backup_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to write."""
    parser.add_argument("file", help="a file that is not there yet; - is standard output")


def run_restore(settings: Settings, *, file: str, replace: bool) -> int:
    """Put what a backup holds into the database; 2 while a key that it needs is missing."""
    from podmeter.stack.backup.restore import restore

    return restore(settings, file, replace=replace)


def restore_arguments(parser: argparse.ArgumentParser) -> None:
    """What to read, and whether to delete what is there."""
    parser.add_argument("file", help="what `podmeter-admin backup` wrote; - is standard input")
    parser.add_argument(
        "--replace", action="store_true", help="delete what the database holds at present"
    )

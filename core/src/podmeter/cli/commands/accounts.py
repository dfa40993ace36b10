"""Accounts and API tokens, where nobody can log in."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from podmeter.cli.terminal import checked, tell
from podmeter.settings import Settings
from podmeter.stack.errors import StackError

if TYPE_CHECKING:
    from podmeter.db.session import Sessions


@contextmanager
def _database(settings: Settings) -> Iterator[Sessions]:
    """The database of DATABASE_URL, that of the running stack, or the embedded one, started."""
    from podmeter.db.session import make_engine, make_sessions
    from podmeter.stack.up import database

    with database(settings) as completed:
        engine = make_engine(completed.require_database_url())
        try:
            yield make_sessions(engine)
        finally:
            engine.dispose()


def run_reset_password(settings: Settings, *, email: str) -> None:
    """Print a link by which a user sets another password: where no administrator can make one."""
    from podmeter.db.session import unit_of_work
    from podmeter.services.accounts.password_resets import make_for
    from podmeter.services.audit.record import record_command
    from podmeter.services.work import Work

    with _database(settings) as sessions, unit_of_work(sessions) as session:
        work = Work(session)
        row, token = make_for(work, email)
        record_command(work, "reset-password")
    tell(f"good once, until {row.expires_at:%Y-%m-%d %H:%M} UTC:")
    sys.stdout.write(f"{settings.public_url.rstrip('/')}/reset#{token}\n")


def reset_password_arguments(parser: argparse.ArgumentParser) -> None:
    """The account."""
    parser.add_argument("email", help="the user's address")


def run_token_create(settings: Settings, *, name: str, role: str, days: int) -> None:
    """Print an API token of the first administrator's: where nobody has a browser."""
    from podmeter.db.models import Role
    from podmeter.db.session import unit_of_work
    from podmeter.services.accounts.first_admin import first_admin
    from podmeter.services.accounts.tokens import mint_by_command
    from podmeter.services.audit.record import record_command
    from podmeter.services.work import Work

    with _database(settings) as sessions, unit_of_work(sessions) as session:
        work = Work(session)
        principal = first_admin(work)
        if principal is None:
            raise StackError("there is no administrator yet: run `podmeter-admin migrate` first")
        row, secret = mint_by_command(work, principal, name, Role(role), days)
        record_command(work, "token create")
    where = "shown this once:" if sys.stdout.isatty() else "written to standard output, this once"
    tell(f"{role} token of {principal.email}, until {row.expires_at:%Y-%m-%d}; {where}")
    sys.stdout.write(f"{secret}\n")


def token_create_arguments(parser: argparse.ArgumentParser) -> None:
    """Name, role and validity of the token."""
    parser.add_argument("--name", default="command line", help="what the token is for")
    parser.add_argument(
        "--role",
        choices=("viewer", "operator", "admin"),
        default="operator",
        help="the most that it may do; registering clusters takes admin (default: operator)",
    )
    parser.add_argument(
        "--days",
        type=checked(_days),
        default=90,
        help="how long it is valid, 1 to 365 (default: 90)",
    )


def _days(given: str) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= 365:
        raise ValueError("between 1 and 365 days")
    return int(given)


def run_confirm_address(settings: Settings, *, email: list[str]) -> None:
    """Note of accounts that they belong to the owners of their addresses."""
    from podmeter.db.session import unit_of_work
    from podmeter.services.accounts.confirmation import confirm
    from podmeter.services.audit.record import record_command
    from podmeter.services.work import Work

    with _database(settings) as sessions:
        for address in email:
            with unit_of_work(sessions) as session:
                work = Work(session)
                found = confirm(work, address)
                record_command(work, "confirm-address")
            names = ", ".join(found.organizations) or "no organization"
            tell(f"{found.email}: made {found.created_at:%Y-%m-%d}, member of {names}; confirmed")


def confirm_address_arguments(parser: argparse.ArgumentParser) -> None:
    """The accounts."""
    parser.add_argument("email", nargs="+", help="an account's address")

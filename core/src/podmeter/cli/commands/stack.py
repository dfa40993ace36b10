"""The stack of this machine: start, stop, wait for, examine."""

from __future__ import annotations

import argparse

from podmeter.cli.terminal import tell
from podmeter.settings import Settings


def run_up(settings: Settings) -> None:
    """Start everything and stay."""
    from podmeter.stack.up import up

    up(settings)


def run_down(settings: Settings) -> None:
    """Stop the stack that runs in the state folder."""
    from podmeter.stack.down import down

    tell("stopped" if down(settings) else f"nothing runs in {settings.state_dir}")


def run_await(settings: Settings, *, what: str) -> None:
    """Wait for the database of DATABASE_URL, or until somebody has migrated it."""
    from podmeter.stack.awaiting import await_database, await_migration

    {"database": await_database, "migration": await_migration}[what](settings)


def await_arguments(parser: argparse.ArgumentParser) -> None:
    """What is waited for."""
    parser.add_argument("what", choices=("database", "migration"))


def run_doctor(*, clusters: bool, as_json: bool) -> int:
    """Say what is well and what is not, unusable settings among it."""
    from podmeter.stack.doctor.examine import doctor

    return doctor(Settings, clusters=clusters, as_json=as_json)


def doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """What else to check, and how to print it."""
    parser.add_argument(
        "--clusters", action="store_true", help="have a worker look at every cluster now"
    )
    parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON")

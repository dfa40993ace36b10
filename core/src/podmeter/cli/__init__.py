"""The command `podmeter-admin`: the stack on one machine, migrations, keys, backups."""

# Each command imports what it needs itself: `podmeter-admin up` stays, and holds what it imported.

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from podmeter.cli.commands import accounts, database, keys, measuring, rbac, stack
from podmeter.cli.terminal import tell
from podmeter.domain.errors import PodmeterError
from podmeter.settings import MissingSettingError, Settings
from podmeter.stack.errors import StackError

#: Two words are a command with its own commands.
COMMANDS: dict[str, tuple[Callable[..., int | None], str]] = {
    "up": (stack.run_up, "start API, worker and beat, with embedded databases where none are set"),
    "down": (stack.run_down, "stop the stack that runs in the state folder"),
    "migrate": (
        database.run_migrate,
        "bring the database to this version and make the first administrator",
    ),
    "backup": (database.run_backup, "write all that the database knows into a file"),
    "restore": (database.run_restore, "put a backup into the database, whole or not at all"),
    "doctor": (
        stack.run_doctor,
        "check the installation and print how to fix problems; exits with 1 if there are any",
    ),
    "await": (stack.run_await, "wait until the database answers, or is at this version"),
    "demo": (
        measuring.run_demo,
        "measure the cluster of KUBECONFIG from end to end and print a link",
    ),
    "articles": (
        measuring.run_articles,
        "measure what five articles measured, beside what they published",
    ),
    "rbac": (rbac.run_rbac, "print the manifest that a cluster's owner applies, for a capability"),
    "reset-password": (
        accounts.run_reset_password,
        "print a link by which a user sets another password, once and within 24 hours",
    ),
    "token create": (
        accounts.run_token_create,
        "print an API token of the first administrator's, once",
    ),
    "confirm-address": (
        accounts.run_confirm_address,
        "say that accounts belong to the owners of their addresses: single sign-on links them then",
    ),
    "new-key": (keys.run_new_key, "print a new key for PODMETER_ENCRYPTION_KEYS"),
    "new-token": (keys.run_new_token, "print a new token for PODMETER_FIRST_TOKEN"),
    "keys status": (
        keys.run_keys_status,
        "count what is under which key; 2 while an old one is needed",
    ),
    "keys rotate": (
        keys.run_keys_rotate,
        "re-encrypt all by the first key, while the service runs",
    ),
}

#: Of the first word of those.
GROUPS = {
    "token": "create an API token",
    "keys": "show or rotate the keys that encrypt credentials",
}

_DESCRIPTION = "Operate Podmeter: run the stack on this machine, migrate, back up, manage keys."

#: Of the commands that take any, by the names of their function's parameters.
ARGUMENTS = {
    "articles": measuring.articles_arguments,
    "await": stack.await_arguments,
    "backup": database.backup_arguments,
    "demo": measuring.demo_arguments,
    "reset-password": accounts.reset_password_arguments,
    "restore": database.restore_arguments,
    "confirm-address": accounts.confirm_address_arguments,
    "token create": accounts.token_create_arguments,
    "doctor": stack.doctor_arguments,
    "rbac": rbac.rbac_arguments,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it went well, 1 with the reason on standard error if not."""
    given = vars(_parser().parse_args(arguments))
    run: Callable[..., int | None] = given.pop("run")
    try:
        # It reads the settings itself, and says what is wrong with them.
        if run is stack.run_doctor:
            return stack.run_doctor(**given)
        return run(Settings(), **given) or 0
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_input=False):
            tell(f"setting {'.'.join(map(str, fault['loc']))}: {fault['msg']}")
        return 1
    except (StackError, MissingSettingError, PodmeterError) as error:
        tell(str(error))
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="podmeter-admin", description=_DESCRIPTION)
    commands = parser.add_subparsers(metavar="command", required=True)
    groups: dict[str, Any] = {}
    for name, (run, help_text) in COMMANDS.items():
        group, _, own = name.rpartition(" ")
        if group and group not in groups:
            made = commands.add_parser(group, help=GROUPS[group])
            groups[group] = made.add_subparsers(metavar="command", required=True)
        command = groups.get(group, commands).add_parser(own, help=help_text)
        command.set_defaults(run=run)
        ARGUMENTS.get(name, _no_arguments)(command)
    return parser


def _no_arguments(_: argparse.ArgumentParser) -> None:
    return None

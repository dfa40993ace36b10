"""The command `podmeter-admin`: the stack on one machine, migrations, keys, backups."""

# Each command imports what it needs itself: `podmeter-admin up` stays, and holds what it imported.

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from podmeter.domain.bench_image import image_reference, secret_name
from podmeter.domain.errors import PodmeterError
from podmeter.settings import MissingSettingError, Settings
from podmeter.stack.errors import StackError

if TYPE_CHECKING:
    from podmeter.db.session import Sessions

Checked = TypeVar("Checked")


def run_up(settings: Settings) -> None:
    """Start everything and stay."""
    from podmeter.stack.up import up

    up(settings)


def run_down(settings: Settings) -> None:
    """Stop the stack that runs in the state folder."""
    from podmeter.stack.down import down

    _say("stopped" if down(settings) else f"nothing runs in {settings.state_dir}")


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
            _say(f"the database went away: {str(error).partition(chr(10))[0]}")
            return AWAY
    return 0


def run_await(settings: Settings, *, what: str) -> None:
    """Wait for the database of DATABASE_URL, or until somebody has migrated it."""
    from podmeter.stack.awaiting import await_database, await_migration

    {"database": await_database, "migration": await_migration}[what](settings)


def _await_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("database", "migration"))


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
            _say(f"first administrator {settings.admin_email}, password {made} (shown this once)")
        _declare_token(sessions, settings)
    finally:
        engine.dispose()


def _declare_token(sessions: "Sessions", settings: Settings) -> None:
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


@contextmanager
def _database(settings: Settings) -> "Iterator[Sessions]":
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
    _say(f"good once, until {row.expires_at:%Y-%m-%d %H:%M} UTC:")
    sys.stdout.write(f"{settings.public_url.rstrip('/')}/reset#{token}\n")


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
    _say(f"{role} token of {principal.email}, until {row.expires_at:%Y-%m-%d}; {where}")
    sys.stdout.write(f"{secret}\n")


def _token_create_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="command line", help="what the token is for")
    parser.add_argument(
        "--role",
        choices=("viewer", "operator", "admin"),
        default="operator",
        help="the most that it may do; registering clusters takes admin (default: operator)",
    )
    parser.add_argument(
        "--days",
        type=_checked(_days),
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
            _say(f"{found.email}: made {found.created_at:%Y-%m-%d}, member of {names}; confirmed")


def _confirm_address_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("email", nargs="+", help="an account's address")


def _reset_password_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("email", help="the user's address")


def run_new_key(_: Settings) -> None:
    """Print a key for PODMETER_ENCRYPTION_KEYS."""
    from podmeter.credentials.key_ring import generate_key

    sys.stdout.write(generate_key() + "\n")


def run_new_token(_: Settings) -> None:
    """Print a token for PODMETER_FIRST_TOKEN."""
    from podmeter.domain.api_tokens import make_api_token

    sys.stdout.write(make_api_token() + "\n")


def run_keys_status(settings: Settings) -> int:
    """Say what is under which key; 2 while an old key is still needed."""
    from podmeter.stack.keys import status

    return status(settings)


def run_keys_rotate(settings: Settings) -> int:
    """Re-encrypt what is under an old key; 2 while an old key is still needed."""
    from podmeter.stack.keys import rotate

    return rotate(settings)


def run_backup(settings: Settings, *, file: str) -> None:
    """Write all that the database knows into a file."""
    from podmeter.stack.backup.dump import backup

    backup(settings, file)


def run_restore(settings: Settings, *, file: str, replace: bool) -> int:
    """Put what a backup holds into the database; 2 while a key that it needs is missing."""
    from podmeter.stack.backup.restore import restore

    return restore(settings, file, replace=replace)


def run_doctor(*, clusters: bool, as_json: bool) -> int:
    """Say what is well and what is not, unusable settings among it."""
    from podmeter.stack.doctor.examine import doctor

    return doctor(Settings, clusters=clusters, as_json=as_json)


def run_demo(settings: Settings, *, only_check: bool) -> None:
    """Measure a cluster from end to end."""
    from podmeter.demo.demo import check, demo

    if only_check:
        check()
    else:
        demo(settings)


def _demo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check",
        dest="only_check",
        action="store_true",
        help="check the experiment and the cluster, and measure nothing",
    )


def run_articles(settings: Settings, *, write: str | None, fresh: bool) -> None:
    """Measure what five articles measured, and set it beside them."""
    from podmeter.articles.articles import articles

    articles(settings, write=write, fresh=fresh)


def _articles_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--write", metavar="FILE", help="where the tables are written in Markdown")
    parser.add_argument("--fresh", action="store_true", help="do again what was done before a kill")


def run_rbac(
    settings: Settings,
    *,
    capability: str,
    admission_policy: bool,
    image: str | None,
    pull_secret: str | None,
    host_names: bool,
    default_priority: int,
    renew: bool,
) -> None:
    """Print the manifest for a capability, pods held to the image, or else to BENCH_IMAGE."""
    from podmeter.rbac.capabilities import Capability
    from podmeter.rbac.manifest import manifest

    held_to = image or settings.bench_image
    text = manifest(
        Capability(capability),
        held_to,
        pull_secret,
        admission_policy=admission_policy,
        host_names=host_names,
        default_priority=default_priority,
        renew=renew,
    )
    sys.stdout.write(text)


def _rbac_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "capability",
        nargs="?",
        choices=("measure", "host_access", "switch_modes"),
        default="measure",
        help="the most that is allowed; without it, to measure alone. The last two are "
        "cluster-admin in effect: the manifest's head says what each amounts to",
    )
    parser.add_argument(
        "--no-admission-policy",
        dest="admission_policy",
        action="store_false",
        help="for Kubernetes 1.28 and 1.29, whose API servers do not know the kind",
    )
    parser.add_argument(
        "--allow-host-names",
        dest="host_names",
        action="store_true",
        help="let Ingresses be for any host, as the cluster's allow_host_names lets runs",
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="let the token ask for its own next one; a stolen one then renews itself until the "
        "ServiceAccount is deleted",
    )
    parser.add_argument(
        "--default-priority",
        type=int,
        default=0,
        metavar="VALUE",
        help="the value of the cluster's default PriorityClass, if it is above 0",
    )
    parser.add_argument(
        "--image",
        type=_checked(image_reference),
        help="the cluster's own image, where it has one: measuring pods are held to it",
    )
    parser.add_argument(
        "--pull-secret",
        type=_checked(secret_name),
        help="the Secret in Podmeter's namespaces that nodes pull the image with",
    )


def _checked(check: "Callable[[str], Checked]") -> "Callable[[str], Checked]":
    """What reads an argument, and says what is wrong with it as the check does."""

    def read(given: str) -> Checked:
        try:
            return check(given)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def _backup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a file that is not there yet; - is standard output")


def _restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="what `podmeter-admin backup` wrote; - is standard input")
    parser.add_argument(
        "--replace", action="store_true", help="delete what the database holds at present"
    )


def _doctor_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clusters", action="store_true", help="have a worker look at every cluster now"
    )
    parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON")


#: Two words are a command with its own commands.
COMMANDS: dict[str, tuple[Callable[..., int | None], str]] = {
    "up": (run_up, "start API, worker and beat, with embedded databases where none are set"),
    "down": (run_down, "stop the stack that runs in the state folder"),
    "migrate": (run_migrate, "bring the database to this version and make the first administrator"),
    "backup": (run_backup, "write all that the database knows into a file"),
    "restore": (run_restore, "put a backup into the database, whole or not at all"),
    "doctor": (
        run_doctor,
        "check the installation and print how to fix problems; exits with 1 if there are any",
    ),
    "await": (run_await, "wait until the database answers, or is at this version"),
    "demo": (run_demo, "measure the cluster of KUBECONFIG from end to end and print a link"),
    "articles": (run_articles, "measure what five articles measured, beside what they published"),
    "rbac": (run_rbac, "print the manifest that a cluster's owner applies, for a capability"),
    "reset-password": (
        run_reset_password,
        "print a link by which a user sets another password, once and within 24 hours",
    ),
    "token create": (run_token_create, "print an API token of the first administrator's, once"),
    "confirm-address": (
        run_confirm_address,
        "say that accounts belong to the owners of their addresses: single sign-on links them then",
    ),
    "new-key": (run_new_key, "print a new key for PODMETER_ENCRYPTION_KEYS"),
    "new-token": (run_new_token, "print a new token for PODMETER_FIRST_TOKEN"),
    "keys status": (run_keys_status, "count what is under which key; 2 while an old one is needed"),
    "keys rotate": (run_keys_rotate, "re-encrypt all by the first key, while the service runs"),
}
#: Of the first word of those.
GROUPS = {
    "token": "create an API token",
    "keys": "show or rotate the keys that encrypt credentials",
}
_DESCRIPTION = "Operate Podmeter: run the stack on this machine, migrate, back up, manage keys."
#: Of the commands that take any, by the names of their function's parameters.
ARGUMENTS = {
    "articles": _articles_arguments,
    "await": _await_arguments,
    "backup": _backup_arguments,
    "demo": _demo_arguments,
    "reset-password": _reset_password_arguments,
    "restore": _restore_arguments,
    "confirm-address": _confirm_address_arguments,
    "token create": _token_create_arguments,
    "doctor": _doctor_arguments,
    "rbac": _rbac_arguments,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it went well, 1 with the reason on standard error if not."""
    given = vars(_parser().parse_args(arguments))
    run: Callable[..., int | None] = given.pop("run")
    try:
        if run is run_doctor:  # it reads the settings itself, and says what is wrong with them
            return run_doctor(**given)
        return run(Settings(), **given) or 0
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_input=False):
            _say(f"setting {'.'.join(map(str, fault['loc']))}: {fault['msg']}")
        return 1
    except (StackError, MissingSettingError, PodmeterError) as error:
        _say(str(error))
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


def _say(message: str) -> None:
    sys.stderr.write(f"podmeter-admin: {message}\n")


if __name__ == "__main__":
    sys.exit(main())

"""What the owner of the database brings up to date after each migration.

How long the audit log is kept, which nobody else can write; and, where the application has a role
of its own, what that may do: everything with rows, nothing with tables, and the audit log it can
add to and read alone.
"""

from psycopg import errors, sql
from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ProgrammingError

from podmeter.settings import MissingSettingError

_KEPT = text(
    "INSERT INTO public.audit_retention (id, days) VALUES (1, :days) "
    "ON CONFLICT (id) DO UPDATE SET days = excluded.days"
)
#: What the application's role may do.
_GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}",
    "REVOKE INSERT, UPDATE, DELETE ON public.alembic_version, public.audit_retention FROM {}",
    "REVOKE UPDATE, DELETE ON public.audit_entries FROM {}",
    "GRANT EXECUTE ON FUNCTION public.audit_prune() TO {}",
)


def apply_roles(owner: Engine, application_url: str, audit_days: int) -> None:
    """Bring retention and rights up to date in a migrated database; may be done again.

    Raises:
        MissingSettingError: the application's role is missing and the owner may make none.
    """
    application = make_url(application_url)
    with owner.begin() as connection:
        connection.execute(_KEPT, {"days": audit_days})
        connection.execute(text("REVOKE ALL ON FUNCTION public.audit_prune() FROM PUBLIC"))
        name = application.username
        if name is None or name == connection.scalar(text("SELECT current_user")):
            return
        known = text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :name)")
        if not connection.scalar(known, {"name": name}):
            _make_role(connection, name, application.password)
        for grant in _GRANTS:
            _execute(connection, grant, sql.Identifier(name))


def _make_role(connection: Connection, name: str, password: str | None) -> None:
    if not password:
        raise MissingSettingError(f"DATABASE_URL has no password for {name}, a role to be made")
    # The password itself would stand in the server's log.
    verifier = connection.connection.driver_connection.pgconn.encrypt_password(  # type: ignore[union-attr]
        password.encode(), name.encode(), b"scram-sha-256"
    )
    try:
        making = "CREATE ROLE {} LOGIN PASSWORD {}"
        _execute(connection, making, sql.Identifier(name), sql.Literal(verifier.decode()))
    except ProgrammingError as error:
        if not isinstance(error.orig, errors.InsufficientPrivilege):
            raise
        raise MissingSettingError(
            f"there is no role {name}, which DATABASE_URL names, and that of DATABASE_OWNER_URL "
            f'may make none; have it made: CREATE ROLE "{name}" LOGIN PASSWORD …'
        ) from None


def _execute(connection: Connection, statement: str, *parts: sql.Composable) -> None:
    connection.exec_driver_sql(sql.SQL(statement).format(*parts).as_string(None))

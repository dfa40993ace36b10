"""single sign-on: accounts that are a provider's, and where a session leaves it"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0026"
down_revision: str | None = "0024"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_VIA = ("password", "session", "token", "link", "command")


def _check_via(*words: str, held_before: bool = False) -> None:
    op.drop_constraint(op.f("ck_audit_entries_via"), "audit_entries")
    listed = ", ".join(f"'{word}'" for word in words)
    # Entries cannot be changed: those that tell of single sign-on stay.
    op.create_check_constraint(
        "via", "audit_entries", f"via IN ({listed})", postgresql_not_valid=held_before
    )


def upgrade() -> None:
    op.alter_column("users", "password_hash", nullable=True)
    op.add_column("users", sa.Column("issuer", sa.Text()))
    op.add_column("users", sa.Column("subject", sa.Text()))
    op.create_unique_constraint("uq_users_issuer_subject", "users", ["issuer", "subject"])
    op.create_check_constraint("subject_of_issuer", "users", "num_nonnulls(issuer, subject) <> 1")
    op.add_column("sessions", sa.Column("leave_url", sa.Text()))
    _check_via("password", "provider", *_VIA[1:])


def downgrade() -> None:
    _check_via(*_VIA, held_before=True)
    op.drop_column("sessions", "leave_url")
    op.drop_constraint(op.f("ck_users_subject_of_issuer"), "users")
    op.drop_constraint("uq_users_issuer_subject", "users")
    # Nobody knows a password that was none.
    op.execute("UPDATE users SET password_hash = '!' WHERE password_hash IS NULL")
    for column in ("subject", "issuer"):
        op.drop_column("users", column)
    op.alter_column("users", "password_hash", nullable=False)

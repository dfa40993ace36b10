"""a cluster's token may be renewed by itself, which the audit log tells of"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0039"
down_revision: str | None = "0038"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_BEFORE = ("password", "provider", "session", "token", "link", "command")


def upgrade() -> None:
    no = sa.Column("renew_credential", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("clusters", no)
    op.alter_column("clusters", "renew_credential", server_default=None)
    for name in ("renew_at", "credential_renewed_at"):
        op.add_column("clusters", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.add_column("clusters", sa.Column("renewal_error", postgresql.JSONB(), nullable=True))
    _hold_to((*_BEFORE, "upkeep"))


def downgrade() -> None:
    # Entries are never deleted: an older version is told of those as of a command's.
    op.execute("ALTER TABLE audit_entries DISABLE TRIGGER USER")
    op.execute("UPDATE audit_entries SET via = 'command' WHERE via = 'upkeep'")
    op.execute("ALTER TABLE audit_entries ENABLE TRIGGER USER")
    _hold_to(_BEFORE)
    for name in ("renewal_error", "credential_renewed_at", "renew_at", "renew_credential"):
        op.drop_column("clusters", name)


def _hold_to(ways: Sequence[str]) -> None:
    name = op.f("ck_audit_entries_via")
    op.drop_constraint(name, "audit_entries", type_="check")
    op.create_check_constraint(name, "audit_entries", sa.column("via").in_(ways))

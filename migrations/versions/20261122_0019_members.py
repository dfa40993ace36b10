"""members: who was invited, who was shut out, where a login is from; links that set a password"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | None = "0017"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_ROLES = ("viewer", "operator", "admin")


def _moment() -> sa.DateTime:
    return sa.DateTime(timezone=True)


def upgrade() -> None:
    # Who names one must not learn what others are called.
    op.drop_constraint("uq_organizations_name", "organizations")
    for table in ("organizations", "memberships"):
        op.add_column(table, sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
        op.alter_column(table, "version", server_default=None)
    op.add_column("memberships", sa.Column("deactivated_at", _moment()))
    op.add_column("memberships", sa.Column("last_used_at", _moment()))
    op.add_column("sessions", sa.Column("address", sa.Text()))
    op.add_column("sessions", sa.Column("agent", sa.Text()))
    op.add_column("sessions", sa.Column("last_seen_at", _moment()))
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column(
            "role",
            sa.Enum(*_ROLES, name="role", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        sa.Column("created_at", _moment(), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", _moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name="fk_invitations_organization_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name="fk_invitations_created_by", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("token_hash", name="uq_invitations_token_hash"),
    )
    op.create_index("ix_invitations_created_by", "invitations", ["created_by"])
    op.create_index(
        "ix_invitations_organization_id_created_at_id",
        "invitations",
        ["organization_id", "created_at", "id"],
    )
    op.create_table(
        "password_resets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_by", sa.Uuid()),
        sa.Column("created_at", _moment(), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", _moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_password_resets_user_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name="fk_password_resets_created_by", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_password_resets"),
        sa.UniqueConstraint("token_hash", name="uq_password_resets_token_hash"),
    )
    op.create_index("ix_password_resets_created_by", "password_resets", ["created_by"])
    op.create_index("ix_password_resets_user_id", "password_resets", ["user_id"])


def downgrade() -> None:
    op.drop_table("password_resets")
    op.drop_table("invitations")
    for column in ("last_seen_at", "agent", "address"):
        op.drop_column("sessions", column)
    for column in ("last_used_at", "deactivated_at"):
        op.drop_column("memberships", column)
    for table in ("memberships", "organizations"):
        op.drop_column(table, "version")
    op.create_unique_constraint("uq_organizations_name", "organizations", ["name"])

"""jobs of a CI are let in by the tokens of its issuer"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "0043"
down_revision: str | None = "0042"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_ONE_SCOPE = "num_nonnulls(cluster_id, experiment_id) <= 1"


def upgrade() -> None:
    now = sa.text("now()")
    op.create_table(
        "ci_trusts",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _owned("organization_id", "organizations", "ci_trusts"),
        _owned("user_id", "users", "ci_trusts"),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("claims", JSONB(), nullable=False),
        sa.Column("pull_requests", sa.Boolean(), nullable=False),
        sa.Column("role", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=now),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role IN ('viewer', 'operator', 'admin')", name="role"),
        sa.CheckConstraint("role <> 'admin'", name="no_admin"),
    )
    op.create_index(
        "ix_ci_trusts_organization_id_created_at_id",
        "ci_trusts",
        ["organization_id", "created_at", "id"],
    )
    op.create_index("ix_ci_trusts_user_id", "ci_trusts", ["user_id"])
    op.create_table(
        "ci_trust_experiments",
        _owned("organization_id", "organizations", "ci_trust_experiments"),
        _owned("trust_id", "ci_trusts", "ci_trust_experiments", primary_key=True),
        _owned("experiment_id", "experiments", "ci_trust_experiments", primary_key=True),
    )
    op.create_index(
        "ix_ci_trust_experiments_experiment_id", "ci_trust_experiments", ["experiment_id"]
    )
    op.add_column("api_tokens", sa.Column("ci_trust_id", sa.Uuid()))
    op.create_foreign_key(
        "fk_api_tokens_ci_trust_id",
        "api_tokens",
        "ci_trusts",
        ["ci_trust_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index("ix_api_tokens_ci_trust_id", "api_tokens", ["ci_trust_id"])
    op.drop_constraint(op.f("ck_api_tokens_one_scope"), "api_tokens")
    op.create_check_constraint(
        "one_scope",
        "api_tokens",
        "num_nonnulls(cluster_id, experiment_id, ci_trust_id) <= 1",
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_api_tokens_one_scope"), "api_tokens")
    op.execute("DELETE FROM api_tokens WHERE ci_trust_id IS NOT NULL")
    op.drop_column("api_tokens", "ci_trust_id")
    op.create_check_constraint("one_scope", "api_tokens", _ONE_SCOPE)
    op.drop_table("ci_trust_experiments")
    op.drop_table("ci_trusts")


def _owned(
    column: str, table: str, of: str, *, primary_key: bool = False
) -> "sa.Column[sa.Uuid[object]]":
    key = sa.ForeignKey(f"{table}.id", name=f"fk_{of}_{column}", ondelete="CASCADE")
    return sa.Column(column, sa.Uuid(), key, nullable=False, primary_key=primary_key)

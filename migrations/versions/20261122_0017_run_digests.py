"""what is computed once of a finished run is kept with it"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0017"
down_revision: str | None = "0015"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

TEXTS = ("samples", "losses", "blocks")


def upgrade() -> None:
    op.create_table(
        "run_digests",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("last_event", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.String(length=64), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in TEXTS),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_run_digests_organization_id_runs"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_run_digests_organization_id_organizations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("organization_id", "run_id", name=op.f("pk_run_digests")),
    )
    # Read far more often than written: not compressed, as the contents of comparisons.
    for name in TEXTS:
        op.execute(f"ALTER TABLE run_digests ALTER COLUMN {name} SET STORAGE EXTERNAL")
    op.create_index(
        "ix_runs_measured",
        "runs",
        ["organization_id", sa.text("coalesce(started_at, created_at) DESC"), "id"],
        postgresql_where=sa.text("state = 'finished'"),
    )
    op.create_index("ix_runs_fencing_token", "runs", ["organization_id", "fencing_token"])


def downgrade() -> None:
    op.drop_index("ix_runs_fencing_token", "runs")
    op.drop_index("ix_runs_measured", "runs")
    op.drop_table("run_digests")

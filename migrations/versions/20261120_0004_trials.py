"""trials"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "run_events",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("content", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_run_events_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_run_events_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("organization_id", "run_id", "number", name=op.f("pk_run_events")),
    )
    op.create_table(
        "run_log",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column(
            "level",
            sa.Enum(
                "info",
                "warning",
                name="loglevel",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_run_log_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_run_log_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_log")),
    )
    op.create_index(
        op.f("ix_run_log_organization_id_run_id_id"),
        "run_log",
        ["organization_id", "run_id", "id"],
        unique=False,
    )
    op.create_table(
        "trials",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("case_id", sa.BigInteger(), nullable=False),
        sa.Column("block_id", sa.BigInteger(), nullable=False),
        sa.Column("round", sa.SmallInteger(), nullable=False),
        sa.Column("number", sa.SmallInteger(), nullable=False),
        sa.Column("warmup", sa.Boolean(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "counted",
                "warmup",
                "void",
                "failed",
                name="trialstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("failure_code", sa.String(length=64), nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failure_temporary", sa.Boolean(), nullable=True),
        sa.Column("warnings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("facts", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("tool_seconds", sa.Double(), nullable=False),
        sa.Column("overhead_seconds", sa.Double(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "stored_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["block_id"], ["blocks.id"], name=op.f("fk_trials_block_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["case_id"], ["cases.id"], name=op.f("fk_trials_case_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_trials_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_trials_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trials")),
    )
    op.create_index(op.f("ix_trials_block_id"), "trials", ["block_id"], unique=False)
    op.create_index(op.f("ix_trials_case_id_id"), "trials", ["case_id", "id"], unique=False)
    op.create_index(
        op.f("ix_trials_organization_id_run_id_id"),
        "trials",
        ["organization_id", "run_id", "id"],
        unique=False,
    )
    op.create_index(
        "uq_trials_kept",
        "trials",
        ["case_id", "round", "warmup", "number"],
        unique=True,
        postgresql_where=sa.text("status IN ('counted', 'warmup')"),
    )
    op.create_table(
        "invocations",
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("version", sa.String(length=200), nullable=False),
        sa.Column("argv", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("exit_code", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("stdout", sa.LargeBinary(), nullable=True),
        sa.Column("stderr", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f("fk_invocations_trial_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "position", name=op.f("pk_invocations")),
    )
    op.create_table(
        "measurements",
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("metric", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=253), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f("fk_measurements_trial_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "metric", "subject", name=op.f("pk_measurements")),
    )
    op.create_table(
        "series",
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("metric", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=253), nullable=False),
        sa.Column("offsets", sa.ARRAY(sa.Double()), nullable=False),
        sa.Column("values", sa.ARRAY(sa.Double()), nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f("fk_series_trial_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "metric", "subject", name=op.f("pk_series")),
    )


def downgrade() -> None:
    op.drop_table("series")
    op.drop_table("measurements")
    op.drop_table("invocations")
    op.drop_index(
        "uq_trials_kept",
        table_name="trials",
        postgresql_where=sa.text("status IN ('counted', 'warmup')"),
    )
    op.drop_index(op.f("ix_trials_organization_id_run_id_id"), table_name="trials")
    op.drop_index(op.f("ix_trials_case_id_id"), table_name="trials")
    op.drop_index(op.f("ix_trials_block_id"), table_name="trials")
    op.drop_table("trials")
    op.drop_index(op.f("ix_run_log_organization_id_run_id_id"), table_name="run_log")
    op.drop_table("run_log")
    op.drop_table("run_events")

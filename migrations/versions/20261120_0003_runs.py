"""runs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.execute(sa.schema.CreateSequence(sa.Sequence("fencing_tokens")))
    op.create_table(
        "runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("experiment_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "throughput",
                "transport",
                "request_latency",
                "service_scale",
                "network_policy",
                name="kindname",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("spec", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("environment", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column(
            "state",
            sa.Enum(
                "queued",
                "preflight",
                "running",
                "cleaning",
                "finished",
                name="runstate",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "outcome",
            sa.Enum(
                "succeeded",
                "partial",
                "failed",
                "cancelled",
                "interrupted",
                name="outcome",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=True,
        ),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("holder", sa.String(length=200), nullable=True),
        sa.Column("fencing_token", sa.BigInteger(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_event", sa.BigInteger(), nullable=False),
        sa.Column("warnings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(state IN ('cleaning', 'finished')) = (outcome IS NOT NULL)",
            name=op.f("ck_runs_outcome_known"),
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_runs_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name=op.f("fk_runs_experiment_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_runs_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_runs_organization_id_id")),
    )
    op.create_index(op.f("ix_runs_created_by"), "runs", ["created_by"], unique=False)
    op.create_index(op.f("ix_runs_experiment_id"), "runs", ["experiment_id"], unique=False)
    op.create_index(
        op.f("ix_runs_organization_id_created_at_id"),
        "runs",
        ["organization_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_runs_unfinished",
        "runs",
        ["lease_expires_at"],
        unique=False,
        postgresql_where=sa.text("state != 'finished'"),
    )
    op.create_table(
        "blocks",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("round", sa.SmallInteger(), nullable=False),
        sa.Column("modes", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "pending",
                "running",
                "succeeded",
                "failed",
                "skipped",
                name="casestatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("fingerprint_id", sa.Uuid(), nullable=True),
        sa.Column("switching_seconds", sa.Double(), nullable=True),
        sa.Column("preparing_seconds", sa.Double(), nullable=True),
        sa.Column("cleaning_seconds", sa.Double(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["fingerprint_id"],
            ["fingerprints.id"],
            name=op.f("fk_blocks_fingerprint_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_blocks_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_blocks_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blocks")),
        sa.UniqueConstraint(
            "organization_id",
            "run_id",
            "position",
            name=op.f("uq_blocks_organization_id_run_id_position"),
        ),
    )
    op.create_index(op.f("ix_blocks_fingerprint_id"), "blocks", ["fingerprint_id"], unique=False)
    op.create_table(
        "cases",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("point", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("once", sa.Boolean(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "pending",
                "running",
                "succeeded",
                "failed",
                "skipped",
                name="casestatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("fingerprint_id", sa.Uuid(), nullable=True),
        sa.Column("placement", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.ForeignKeyConstraint(
            ["fingerprint_id"],
            ["fingerprints.id"],
            name=op.f("fk_cases_fingerprint_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_cases_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_cases_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cases")),
        sa.UniqueConstraint(
            "organization_id", "run_id", "key", name=op.f("uq_cases_organization_id_run_id_key")
        ),
    )
    op.create_index(op.f("ix_cases_fingerprint_id"), "cases", ["fingerprint_id"], unique=False)
    op.create_table(
        "cluster_claims",
        sa.Column("cluster_uid", sa.String(length=64), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column(
            "claimed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_cluster_claims_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_cluster_claims_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("cluster_uid", name=op.f("pk_cluster_claims")),
    )
    op.create_index(
        op.f("ix_cluster_claims_organization_id_run_id"),
        "cluster_claims",
        ["organization_id", "run_id"],
        unique=False,
    )
    op.create_table(
        "run_clusters",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("cluster_id", sa.Uuid(), nullable=True),
        sa.Column("cluster_uid", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["cluster_id"],
            ["clusters.id"],
            name=op.f("fk_run_clusters_cluster_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_run_clusters_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_run_clusters_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("organization_id", "run_id", "name", name=op.f("pk_run_clusters")),
    )
    op.create_index(
        op.f("ix_run_clusters_cluster_id"), "run_clusters", ["cluster_id"], unique=False
    )
    op.create_index(
        op.f("ix_run_clusters_cluster_uid"), "run_clusters", ["cluster_uid"], unique=False
    )
    op.create_table(
        "saved_modes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("cluster_id", sa.Uuid(), nullable=False),
        sa.Column("cluster_uid", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("axis", sa.String(length=64), nullable=False),
        sa.Column("content", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("restored_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["cluster_id"],
            ["clusters.id"],
            name=op.f("fk_saved_modes_cluster_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_saved_modes_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_saved_modes_run_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_modes")),
    )
    op.create_index(op.f("ix_saved_modes_cluster_id"), "saved_modes", ["cluster_id"], unique=False)
    op.create_index(
        op.f("ix_saved_modes_organization_id"), "saved_modes", ["organization_id"], unique=False
    )
    op.create_index(op.f("ix_saved_modes_run_id"), "saved_modes", ["run_id"], unique=False)
    op.create_index(
        "uq_saved_modes_open",
        "saved_modes",
        ["cluster_uid", "axis"],
        unique=True,
        postgresql_where=sa.text("restored_at IS NULL"),
    )


def downgrade() -> None:
    op.drop_index(
        "uq_saved_modes_open",
        table_name="saved_modes",
        postgresql_where=sa.text("restored_at IS NULL"),
    )
    op.drop_index(op.f("ix_saved_modes_run_id"), table_name="saved_modes")
    op.drop_index(op.f("ix_saved_modes_organization_id"), table_name="saved_modes")
    op.drop_index(op.f("ix_saved_modes_cluster_id"), table_name="saved_modes")
    op.drop_table("saved_modes")
    op.drop_index(op.f("ix_run_clusters_cluster_uid"), table_name="run_clusters")
    op.drop_index(op.f("ix_run_clusters_cluster_id"), table_name="run_clusters")
    op.drop_table("run_clusters")
    op.drop_index(op.f("ix_cluster_claims_organization_id_run_id"), table_name="cluster_claims")
    op.drop_table("cluster_claims")
    op.drop_index(op.f("ix_cases_fingerprint_id"), table_name="cases")
    op.drop_table("cases")
    op.drop_index(op.f("ix_blocks_fingerprint_id"), table_name="blocks")
    op.drop_table("blocks")
    op.drop_index(
        "ix_runs_unfinished", table_name="runs", postgresql_where=sa.text("state != 'finished'")
    )
    op.drop_index(op.f("ix_runs_organization_id_created_at_id"), table_name="runs")
    op.drop_index(op.f("ix_runs_experiment_id"), table_name="runs")
    op.drop_index(op.f("ix_runs_created_by"), table_name="runs")
    op.drop_table("runs")
    op.execute(sa.schema.DropSequence(sa.Sequence("fencing_tokens")))

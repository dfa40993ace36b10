"""clusters and experiments"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "clusters",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("kubeconfig", sa.LargeBinary(), nullable=False),
        sa.Column("credential_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cluster_uid", sa.String(length=64), nullable=True),
        sa.Column("capabilities", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column(
            "preflight_state",
            sa.Enum(
                "never",
                "queued",
                "running",
                "succeeded",
                "failed",
                name="preflightstate",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("preflight_error", sa.Text(), nullable=True),
        sa.Column("preflighted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("allow_mode_switch", sa.Boolean(), nullable=False),
        sa.Column("needs_restore", sa.Boolean(), nullable=False),
        sa.Column("needs_restore_reason", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_clusters_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clusters")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_clusters_organization_id_id")),
        sa.UniqueConstraint(
            "organization_id", "name", name=op.f("uq_clusters_organization_id_name")
        ),
    )
    op.create_index(op.f("ix_clusters_cluster_uid"), "clusters", ["cluster_uid"], unique=False)
    op.create_index(
        op.f("ix_clusters_organization_id_created_at_id"),
        "clusters",
        ["organization_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "experiments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
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
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"],
            ["users.id"],
            name=op.f("fk_experiments_created_by"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_experiments_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
    )
    op.create_index(op.f("ix_experiments_created_by"), "experiments", ["created_by"], unique=False)
    op.create_index(
        op.f("ix_experiments_organization_id_created_at_id"),
        "experiments",
        ["organization_id", "created_at", "id"],
        unique=False,
    )
    op.create_table(
        "fingerprints",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("cluster_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("content", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["cluster_id"],
            ["clusters.id"],
            name=op.f("fk_fingerprints_cluster_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_fingerprints_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fingerprints")),
        sa.UniqueConstraint("cluster_id", "digest", name=op.f("uq_fingerprints_cluster_id_digest")),
    )
    op.create_index(
        op.f("ix_fingerprints_cluster_id_observed_at_id"),
        "fingerprints",
        ["cluster_id", "observed_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_fingerprints_organization_id"), "fingerprints", ["organization_id"], unique=False
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_fingerprints_organization_id"), table_name="fingerprints")
    op.drop_index(op.f("ix_fingerprints_cluster_id_observed_at_id"), table_name="fingerprints")
    op.drop_table("fingerprints")
    op.drop_index(op.f("ix_experiments_organization_id_created_at_id"), table_name="experiments")
    op.drop_index(op.f("ix_experiments_created_by"), table_name="experiments")
    op.drop_table("experiments")
    op.drop_index(op.f("ix_clusters_organization_id_created_at_id"), table_name="clusters")
    op.drop_index(op.f("ix_clusters_cluster_uid"), table_name="clusters")
    op.drop_table("clusters")

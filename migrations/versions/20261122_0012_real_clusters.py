"""a real cluster is its UID and who vouches for it; kubeconfigs that wait for the same one"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_TABLES = ("clusters", "run_clusters", "cluster_claims")
_REPLACEMENT = {
    "replacement": sa.String(length=32),
    "replacement_kubeconfig": sa.LargeBinary(),
    "replacement_server": sa.Text(),
    "replacement_expires_at": sa.DateTime(timezone=True),
    "replacement_reason": postgresql.JSONB(),
    "replacement_at": sa.DateTime(timezone=True),
}


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(
            table, sa.Column("authority", sa.String(length=64), nullable=False, server_default="")
        )
    # Nobody has vouched for these UIDs: until it is looked at, each registration is by itself.
    op.execute("UPDATE clusters SET authority = id::text WHERE cluster_uid IS NOT NULL")
    op.execute("UPDATE run_clusters SET authority = coalesce(cluster_id::text, '')")
    op.execute(
        "UPDATE cluster_claims SET authority = r.authority FROM run_clusters r "
        "WHERE r.run_id = cluster_claims.run_id AND r.cluster_uid = cluster_claims.cluster_uid"
    )
    op.drop_constraint(op.f("pk_cluster_claims"), "cluster_claims", type_="primary")
    op.create_primary_key(op.f("pk_cluster_claims"), "cluster_claims", ["cluster_uid", "authority"])
    _open_modes("cluster_id", "cluster_uid", "axis")
    for column, type_ in _REPLACEMENT.items():
        op.add_column("clusters", sa.Column(column, type_, nullable=True))
    op.create_check_constraint(
        op.f("ck_clusters_replacementstate"),
        "clusters",
        "replacement IN ('pending', 'refused', 'accepted')",
    )
    # Marked for what another organization's run left, with that one's words.
    op.execute(
        "UPDATE clusters SET needs_restore = false, needs_restore_reason = NULL, "
        "version = version + 1 WHERE needs_restore AND cluster_uid IN (SELECT cluster_uid "
        "FROM saved_modes s WHERE s.restored_at IS NULL AND s.cluster_id != clusters.id "
        "AND s.organization_id != clusters.organization_id) AND NOT EXISTS (SELECT FROM "
        "saved_modes s WHERE s.restored_at IS NULL AND s.cluster_id = clusters.id)"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_clusters_replacementstate"), "clusters", type_="check")
    for column in _REPLACEMENT:
        op.drop_column("clusters", column)
    _open_modes("cluster_uid", "axis")
    op.execute(
        "DELETE FROM cluster_claims c USING cluster_claims d "
        "WHERE c.cluster_uid = d.cluster_uid AND c.authority > d.authority"
    )
    op.drop_constraint(op.f("pk_cluster_claims"), "cluster_claims", type_="primary")
    op.create_primary_key(op.f("pk_cluster_claims"), "cluster_claims", ["cluster_uid"])
    for table in _TABLES:
        op.drop_column(table, "authority")


def _open_modes(*columns: str) -> None:
    op.drop_index("uq_saved_modes_open", table_name="saved_modes")
    op.create_index(
        "uq_saved_modes_open",
        "saved_modes",
        list(columns),
        unique=True,
        postgresql_where=sa.text("restored_at IS NULL"),
    )

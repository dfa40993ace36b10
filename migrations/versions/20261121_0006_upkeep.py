"""restore back-off; fingerprints that outlive their cluster's registration"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_KEY = "fk_fingerprints_cluster_id"


def upgrade() -> None:
    op.add_column(
        "clusters",
        sa.Column("restore_attempts", sa.SmallInteger(), nullable=False, server_default="0"),
    )
    op.alter_column("clusters", "restore_attempts", server_default=None)
    op.add_column("clusters", sa.Column("restore_after", sa.DateTime(timezone=True), nullable=True))
    op.alter_column("fingerprints", "cluster_id", nullable=True)
    op.drop_constraint(op.f(_KEY), "fingerprints", type_="foreignkey")
    op.create_foreign_key(
        op.f(_KEY), "fingerprints", "clusters", ["cluster_id"], ["id"], ondelete="SET NULL"
    )


def downgrade() -> None:
    op.execute("DELETE FROM fingerprints WHERE cluster_id IS NULL")
    op.drop_constraint(op.f(_KEY), "fingerprints", type_="foreignkey")
    op.create_foreign_key(
        op.f(_KEY), "fingerprints", "clusters", ["cluster_id"], ["id"], ondelete="CASCADE"
    )
    op.alter_column("fingerprints", "cluster_id", nullable=False)
    op.drop_column("clusters", "restore_after")
    op.drop_column("clusters", "restore_attempts")

"""a cluster's owner may allow runs to ask for host names of their own choice"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0029"
down_revision: str | None = "0028"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "clusters",
        sa.Column("allow_host_names", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.alter_column("clusters", "allow_host_names", server_default=None)


def downgrade() -> None:
    op.drop_column("clusters", "allow_host_names")

"""a cluster's administrator may limit the load of runs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0045"
down_revision: str | None = "0044"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("clusters", sa.Column("max_requests_per_second", sa.Integer()))
    op.add_column("clusters", sa.Column("max_bandwidth_bits_per_second", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("clusters", "max_bandwidth_bits_per_second")
    op.drop_column("clusters", "max_requests_per_second")

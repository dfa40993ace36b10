"""a lease that has run out is noted, and its worker may still prolong it"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0047"
down_revision: str | None = "0046"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("lease_found_expired_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("runs", "lease_found_expired_at")

"""a run that goes on until it is decided can be asked to conclude"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0044"
down_revision: str | None = "0043"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("conclude_requested_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("runs", "conclude_requested_at")

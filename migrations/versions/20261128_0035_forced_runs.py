"""a run keeps the uncertain obstacles that it was forced past"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0035"
down_revision: str | None = "0032"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    forced = sa.Column("forced", postgresql.JSONB(), nullable=False, server_default="[]")
    op.add_column("runs", forced)
    op.alter_column("runs", "forced", server_default=None)


def downgrade() -> None:
    op.drop_column("runs", "forced")

"""why a run ends early is kept while it waits for its original modes"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0050"
down_revision: str | None = "0049"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("ended_early", postgresql.JSONB(), nullable=True))
    # So far the blocks that were skipped for it kept the reason.
    op.execute(
        """
        UPDATE runs SET ended_early = (
          SELECT reason FROM blocks
          WHERE run_id = runs.id AND status = 'skipped' AND reason ->> 'code' <> 'rung_over'
          ORDER BY position LIMIT 1
        )
        WHERE state = 'waiting'
        """
    )


def downgrade() -> None:
    op.drop_column("runs", "ended_early")

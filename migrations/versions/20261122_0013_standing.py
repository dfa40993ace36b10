"""how what brings a block's modes about stood; what is put back may be what another one noted"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("blocks", sa.Column("standing", postgresql.JSONB()))
    op.alter_column("saved_modes", "run_id", existing_type=sa.Uuid(), nullable=True)


def downgrade() -> None:
    op.execute("DELETE FROM saved_modes WHERE run_id IS NULL")
    op.alter_column("saved_modes", "run_id", existing_type=sa.Uuid(), nullable=False)
    op.drop_column("blocks", "standing")

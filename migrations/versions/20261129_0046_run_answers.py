"""a finished run's digest has what the run answered"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0046"
down_revision: str | None = "0045"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("run_digests", sa.Column("answer", sa.Text()))


def downgrade() -> None:
    op.drop_column("run_digests", "answer")

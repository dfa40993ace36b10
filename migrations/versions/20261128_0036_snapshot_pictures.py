"""snapshots keep the picture that the browser drew for previews of their link"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0036"
down_revision: str | None = "0035"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("snapshots", sa.Column("picture", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("snapshots", "picture")

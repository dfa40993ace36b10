"""a cluster may have an image of its own for its measuring pods, and a Secret to pull it with"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0015"
down_revision: str | None = "0013"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("clusters", sa.Column("bench_image", sa.Text()))
    op.add_column("clusters", sa.Column("image_pull_secret", sa.Text()))


def downgrade() -> None:
    op.drop_column("clusters", "image_pull_secret")
    op.drop_column("clusters", "bench_image")

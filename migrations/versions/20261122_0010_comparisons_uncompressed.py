"""Contents of comparisons are stored as they are: compressing one took a third of storing it.

Revision ID: 0010
Revises: 0009
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Concerns new contents; those that are there are read as before."""
    op.execute("ALTER TABLE comparisons ALTER COLUMN content SET STORAGE EXTERNAL")


def downgrade() -> None:
    """Compress new contents again."""
    op.execute("ALTER TABLE comparisons ALTER COLUMN content SET STORAGE EXTENDED")

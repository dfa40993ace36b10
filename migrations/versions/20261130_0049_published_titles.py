"""a published baseline is called by its title alone; readers say that it is published"""

# ruff: noqa: S608 (the texts are our own)
from collections.abc import Sequence

from alembic import op

revision: str = "0049"
down_revision: str | None = "0048"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# Documents are read so by `podmeter.results.older`; these columns are what lists and searches read.
_SUFFIX = " (published)"
_NAME = "outline #>> '{baseline,name}'"
_TITLE = f"left({_NAME}, -{len(_SUFFIX)})"


def upgrade() -> None:
    # A comparison's name begins with its baseline's, unless that was too long and is cut off.
    op.execute(
        f"""
        UPDATE comparisons SET
          name = CASE WHEN starts_with(name, {_NAME})
            THEN {_TITLE} || substr(name, length({_NAME}) + 1) ELSE name END,
          outline = jsonb_set(
            outline, '{{baseline}}',
            outline -> 'baseline' || jsonb_build_object('name', {_TITLE}, 'label', {_TITLE})
          )
        WHERE outline #>> '{{baseline,reference_id}}' IS NOT NULL AND {_NAME} LIKE '%{_SUFFIX}'
        """
    )


def downgrade() -> None:
    """Earlier code marks what has a `reference_id`, too."""

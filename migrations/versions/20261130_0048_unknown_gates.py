"""lists call a comparison unknown whose environments nothing compared, as its page does"""

# ruff: noqa: S608 (the texts are our own)
from collections.abc import Sequence

from alembic import op

revision: str = "0048"
down_revision: str | None = "0047"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# Documents are read in the present words (`podmeter.results.older`). Lists and searches read only
# the outline, which does not say what was compared, so it is changed where it is stored.
_CONTENDERS = """
json_array_elements(content -> 'contenders') WITH ORDINALITY AS of (contender, place)
"""
#: Whether any of its pairs was compared; the comparability of one that was not is null.
_COMPARED = "jsonb_path_exists(contender::jsonb, '$.pairs[*].comparability ? (@ != null)')"
_GATES = f"""
SELECT coalesce(jsonb_agg(
  CASE WHEN contender #>> '{{gate,verdict}}' = 'comparable' AND NOT {_COMPARED}
    THEN '"unknown"' ELSE (contender #> '{{gate,verdict}}')::jsonb END
  ORDER BY place
), '[]') FROM {_CONTENDERS}
"""


def upgrade() -> None:
    op.execute(
        f"UPDATE comparisons SET outline = jsonb_set(outline, '{{gates}}', ({_GATES})) "
        "WHERE outline -> 'gates' ? 'comparable' AND json_typeof(content -> 'contenders') = 'array'"
    )


def downgrade() -> None:
    """Earlier code reads the word, too."""

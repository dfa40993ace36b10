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
#: Whether any of its pairs was compared; the comparability of one that was not is null.
_COMPARED = "jsonb_path_exists(contender::jsonb, '$.pairs[*].comparability ? (@ != null)')"
#: A document may be large: `OFFSET 0` keeps its contenders from being taken out of it again.
_GATES = f"""
SELECT id, (
  SELECT coalesce(jsonb_agg(
    CASE WHEN contender #>> '{{gate,verdict}}' = 'comparable' AND NOT {_COMPARED}
      THEN '"unknown"' ELSE (contender #> '{{gate,verdict}}')::jsonb END
    ORDER BY place
  ), '[]')
  FROM json_array_elements(contenders) WITH ORDINALITY AS of (contender, place)
) AS gates
FROM (
  SELECT id, content -> 'contenders' AS contenders FROM comparisons
  WHERE outline -> 'gates' ? 'comparable' OFFSET 0
) AS stored
WHERE json_typeof(contenders) = 'array'
"""


def upgrade() -> None:
    op.execute(
        f"""
        WITH computed AS MATERIALIZED ({_GATES})
        UPDATE comparisons SET outline = jsonb_set(outline, '{{gates}}', gates)
        FROM computed
        WHERE comparisons.id = computed.id AND outline -> 'gates' <> gates
        """
    )


def downgrade() -> None:
    """Earlier code reads the word, too."""

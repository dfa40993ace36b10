"""contents of comparisons are kept as they were written, what lists need of them beside"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0028"
down_revision: str | None = "0027"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SIGNATURE = "FUNCTION sought_words(named text[], chosen jsonb, prose text) RETURNS tsvector"
# A query that is set up anew for each row takes six times as long as these few steps.
_IN_STEPS = """
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  names text[] := coalesce(named, ARRAY[]::text[]);
  said text;
  word text;
  found text[] := ARRAY[]::text[];
BEGIN
  FOR place IN 0 .. coalesce(jsonb_array_length(chosen), 0) - 1 LOOP
    names := names || (chosen ->> place);
  END LOOP;
  FOREACH said IN ARRAY names LOOP
    CONTINUE WHEN said IS NULL;
    FOREACH word IN ARRAY regexp_split_to_array(lower(said), '[\\s\u3000]+') LOOP
      FOR place IN 1 .. length(word) LOOP
        found := found || left(substr(word, place), 40);
      END LOOP;
    END LOOP;
  END LOOP;
  IF prose <> '' THEN
    FOREACH word IN ARRAY
      regexp_split_to_array(lower(prose), '[\\s\u3000,.;:!?()，。；：！？、（）]+')
    LOOP
      IF word <> '' THEN
        found := found || left(word, 40);
      END IF;
    END LOOP;
  END IF;
  RETURN array_to_tsvector(found);
END
$$
"""
_AS_QUERY = """
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT array_to_tsvector(ARRAY(
  SELECT left(substr(word, place), 40)
  FROM (SELECT unnest(named) UNION ALL SELECT jsonb_array_elements_text(chosen)) AS said(name),
    regexp_split_to_table(lower(name), '[\\s\u3000]+') AS word,
    generate_series(1, length(word)) AS place
  UNION
  SELECT left(word, 40)
  FROM regexp_split_to_table(lower(prose), '[\\s\u3000,.;:!?()，。；：！？、（）]+') AS word
  WHERE word <> ''
))
$$
"""
_OUTLINE = """
jsonb_build_object(
  'baseline', content -> 'baseline',
  'contenders', jsonb_path_query_array(content, '$.contenders[*].side'),
  'gates', jsonb_path_query_array(content, '$.contenders[*].gate.verdict')
)
"""
_BY_OUTLINE = "sought_words(ARRAY[name, kind]::text[], (outline -> 'gates'::text), ''::text)"
_BY_CONTENT = (
    "sought_words(ARRAY[name, kind]::text[], "
    "jsonb_path_query_array(content, '$.contenders[*].gate.verdict'::jsonpath), ''::text)"
)


def upgrade() -> None:
    op.execute(f"CREATE OR REPLACE {_SIGNATURE} {_IN_STEPS}")
    op.drop_column("comparisons", "sought")
    op.add_column("comparisons", sa.Column("outline", postgresql.JSONB()))
    op.execute(f"UPDATE comparisons SET outline = {_OUTLINE}")  # noqa: S608
    op.alter_column("comparisons", "outline", nullable=False)
    op.alter_column(
        "comparisons", "content", type_=postgresql.JSON(), postgresql_using="content::json"
    )
    op.execute("ALTER TABLE comparisons ALTER COLUMN content SET STORAGE EXTERNAL")
    _add_sought(_BY_OUTLINE)


def downgrade() -> None:
    op.execute(f"CREATE OR REPLACE {_SIGNATURE} {_AS_QUERY}")
    op.drop_column("comparisons", "sought")
    op.drop_column("comparisons", "outline")
    op.alter_column(
        "comparisons", "content", type_=postgresql.JSONB(), postgresql_using="content::jsonb"
    )
    op.execute("ALTER TABLE comparisons ALTER COLUMN content SET STORAGE EXTERNAL")
    _add_sought(_BY_CONTENT)


def _add_sought(said: str) -> None:
    computed = sa.Computed(said, persisted=True)
    words = sa.Column("sought", postgresql.TSVECTOR(), computed, nullable=False)
    op.add_column("comparisons", words)
    op.create_index("ix_comparisons_sought", "comparisons", ["sought"], postgresql_using="gin")

"""comparisons and snapshots are found by words; comparisons are called by their sides"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision: str = "0027"
down_revision: str | None = "0026"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SOUGHT = {
    "comparisons": "sought_words(ARRAY[name, kind]::text[], "
    "jsonb_path_query_array(content, '$.contenders[*].gate.verdict'::jsonpath), ''::text)",
    "snapshots": "sought_words(ARRAY[title]::text[], '[]'::jsonb, ''::text)",
}
_CALLED = """
UPDATE comparisons SET kind = coalesce(content ->> 'kind', ''), name = left(concat_ws(' / ',
  content #>> '{baseline,label}',
  (SELECT string_agg(contender #>> '{side,label}', ' / ' ORDER BY place)
   FROM jsonb_array_elements(content -> 'contenders') WITH ORDINALITY AS one(contender, place))
), 200)
"""


def upgrade() -> None:
    for column in (sa.Column("name", sa.String(200)), sa.Column("kind", sa.String(32))):
        op.add_column("comparisons", column)
    op.execute(_CALLED)
    for name in ("name", "kind"):
        op.alter_column("comparisons", name, nullable=False)
    for table, sought in _SOUGHT.items():
        words = sa.Column("sought", TSVECTOR(), sa.Computed(sought, persisted=True), nullable=False)
        op.add_column(table, words)
        op.create_index(f"ix_{table}_sought", table, ["sought"], postgresql_using="gin")


def downgrade() -> None:
    for table in _SOUGHT:
        op.drop_column(table, "sought")
    for name in ("kind", "name"):
        op.drop_column("comparisons", name)

"""the verdict `inconclusive` is called `undecided`, as everywhere else"""

# ruff: noqa: S608 (the names are our own)
from collections.abc import Sequence

from alembic import op

revision: str = "0041"
down_revision: str | None = "0040"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

#: Documents that were computed earlier and are kept: columns that hold verdicts, tallies and codes.
_COLUMNS = (
    ("comparisons", "content", "json"),
    ("comparisons", "outline", "jsonb"),
    ("snapshots", "content", "jsonb"),
)
#: What precedes the word in the codes of findings.
_CODES = "(mode_|curve_|loss_)?"


def upgrade() -> None:
    _rename("inconclusive", "undecided")


def downgrade() -> None:
    _rename("undecided", "inconclusive")


def _rename(old: str, new: str) -> None:
    for table, column, kind in _COLUMNS:
        # Replaced as text: a `json` column keeps the bytes of its document in their order.
        op.execute(
            f"""
            UPDATE {table} SET {column} =
              regexp_replace({column}::text, '"{_CODES}{old}"', '"\\1{new}"', 'g')::{kind}
            WHERE {column}::text LIKE '%{old}"%'
            """
        )

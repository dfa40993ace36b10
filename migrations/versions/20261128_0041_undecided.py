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
#: The members that hold a verdict, a shape, the code of a finding or why a claim is open.
_FIELDS = "(?:verdict|shape|code|comparison|why_not)"
#: What precedes the word in the codes of findings.
_CODES = "(?:mode_|curve_|loss_)?"
#: Names, labels, notes and values of imported axes are the user's and may be the same word. So it
#: is renamed only as the value of these members, and as the last count of a tally. No string can
#: look like a member: quotes inside strings are escaped.
_VALUE = f'([{{,]\\s*"{_FIELDS}"\\s*:\\s*"{_CODES}){{word}}"'
_COUNT = '([0-9]\\s*,\\s*"){word}"(?=\\s*:\\s*[0-9]+\\s*\\})'


def upgrade() -> None:
    _rename("inconclusive", "undecided")


def downgrade() -> None:
    _rename("undecided", "inconclusive")


def _rename(old: str, new: str) -> None:
    patterns = [one.replace("{word}", old) for one in (_VALUE, _COUNT)]
    for table, column, kind in _COLUMNS:
        # Replaced as text: a `json` column keeps the bytes of its document in their order.
        renamed = f"{column}::text"
        for pattern in patterns:
            renamed = f"regexp_replace({renamed}, '{pattern}', '\\1{new}\"', 'g')"
        # Straight to the driver: SQLAlchemy would take the colons of the patterns for parameters.
        op.get_bind().exec_driver_sql(
            f"UPDATE {table} SET {column} = ({renamed})::{kind} WHERE {column}::text ~ '{old}\"'"
        )

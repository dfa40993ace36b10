"""what a pasted text does not tell of a trial is null: its times, and its exit code"""

# ruff: noqa: S608 (the texts are our own)
from collections.abc import Sequence

from alembic import op

revision: str = "0051"
down_revision: str | None = "0050"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

#: By the organization too, with which the index of trials begins: only those of imports are read.
_OF_RUNS = (
    "(organization_id, run_id) IN (SELECT organization_id, id FROM runs WHERE kind = 'import')"
)
_OF_IMPORTS = {
    "trials": _OF_RUNS,
    "invocations": f"trial_id IN (SELECT id FROM trials WHERE {_OF_RUNS})",
}
#: Columns that may be null now, what was stored where it was unknown, and which rows of imports
#: have it: all where no text tells it, otherwise those of 0 s, as no tool took that.
_COLUMNS = (
    ("trials", "seconds", "0", "seconds = 0"),
    ("trials", "tool_seconds", "0", "tool_seconds = 0"),
    ("trials", "started_at", "stored_at", "true"),
    ("invocations", "seconds", "0", "seconds = 0"),
    ("invocations", "exit_code", "0", "true"),
)


def upgrade() -> None:
    for table, column, _, unknown in _COLUMNS:
        op.alter_column(table, column, nullable=True)
        op.execute(f"UPDATE {table} SET {column} = NULL WHERE {unknown} AND {_OF_IMPORTS[table]}")
    # Of an import it was the moment at which the text was pasted.
    op.execute(f"UPDATE blocks SET started_at = NULL, ended_at = NULL WHERE {_OF_RUNS}")


def downgrade() -> None:
    """The moments of blocks stay null, which earlier code allows: only the run's JSON has them."""
    for table, column, before, _ in _COLUMNS:
        op.execute(f"UPDATE {table} SET {column} = {before} WHERE {column} IS NULL")
        op.alter_column(table, column, nullable=False)

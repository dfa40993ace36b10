"""what is said has a code and parameters; what was said before is kept as text"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

#: (table, column) of one message, and of a list of them.
_ONE = (
    ("runs", "reason"),
    ("blocks", "reason"),
    ("cases", "reason"),
    ("clusters", "preflight_error"),
    ("clusters", "needs_restore_reason"),
    ("trials", "failure_message"),
    ("run_log", "message"),
)
_LISTS = (("runs", "warnings"), ("trials", "warnings"))
# ruff: noqa: S608 (the names are our own)
_JSONB = (
    "jsonb_build_object('code', 'text', 'params', jsonb_build_object('text', {0}), 'text', {0})"
)


def upgrade() -> None:
    for table, column in _ONE:
        made = _JSONB.format(column)
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} DROP NOT NULL")
        op.execute(
            f"ALTER TABLE {table} ALTER COLUMN {column} TYPE jsonb "
            f"USING CASE WHEN coalesce({column}, '') = '' THEN NULL ELSE {made} END"
        )
    for table, column in _LISTS:
        made = _JSONB.format("said")
        op.execute(
            f"UPDATE {table} SET {column} = (SELECT jsonb_agg({made}) "
            f"FROM jsonb_array_elements_text({column}) AS said) WHERE {column} != '[]'"
        )
    for key in ("reason", "message"):
        made = _JSONB.format(f"(content->>'{key}')")
        op.execute(
            f"UPDATE run_events SET content = jsonb_set(content, '{{{key}}}', "
            f"CASE content->>'{key}' WHEN '' THEN 'null'::jsonb ELSE {made} END) "
            f"WHERE content ? '{key}'"
        )
    # What an older worker found has another shape; the next look gives it anew.
    op.execute("UPDATE clusters SET capabilities = NULL")


def downgrade() -> None:
    op.execute("UPDATE clusters SET capabilities = NULL")
    for key in ("reason", "message"):
        op.execute(
            f"UPDATE run_events SET content = jsonb_set(content, '{{{key}}}', "
            f"to_jsonb(coalesce(content->'{key}'->>'text', ''))) WHERE content ? '{key}'"
        )
    for table, column in _LISTS:
        op.execute(
            f"UPDATE {table} SET {column} = (SELECT jsonb_agg(said->'text') "
            f"FROM jsonb_array_elements({column}) AS said) WHERE {column} != '[]'"
        )
    nullable = {("clusters", "preflight_error"), ("trials", "failure_message")}
    for table, column in _ONE:
        text = f"{column}->>'text'"
        shown = text if (table, column) in nullable else f"coalesce({text}, '')"
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE text USING {shown}")
        if (table, column) not in nullable:
            op.alter_column(table, column, existing_type=sa.Text(), nullable=False)

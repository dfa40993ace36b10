"""a run has labels, given when it is started, which searches find"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision: str = "0040"
down_revision: str | None = "0039"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_BEFORE = "(ARRAY[name, kind, state, outcome]::text[] || tags)"
_CHOSEN = "jsonb_path_query_array(spec, '$.axes[*].values[*]'::jsonpath)"


def upgrade() -> None:
    empty = sa.text("'{}'::text[]")
    labels = sa.Column("labels", sa.ARRAY(sa.Text()), nullable=False, server_default=empty)
    op.add_column("runs", labels)
    op.create_index("ix_runs_labels", "runs", ["labels"], postgresql_using="gin")
    _look_for(f"({_BEFORE} || labels)")


def downgrade() -> None:
    _look_for(_BEFORE)
    op.drop_index("ix_runs_labels", "runs")
    op.drop_column("runs", "labels")


def _look_for(named: str) -> None:
    # What a generated column is made of cannot be changed before PostgreSQL 17.
    op.drop_index("ix_runs_sought", "runs")
    op.drop_column("runs", "sought")
    made = sa.Computed(f"sought_words({named}, {_CHOSEN}, notes)", persisted=True)
    op.add_column("runs", sa.Column("sought", TSVECTOR(), made, nullable=False))
    op.create_index("ix_runs_sought", "runs", ["sought"], postgresql_using="gin")

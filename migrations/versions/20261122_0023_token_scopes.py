"""token scopes: one cluster or one experiment, and gone with it"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0023"
down_revision: str | None = "0021"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCOPES = {"cluster_id": "clusters", "experiment_id": "experiments"}


def upgrade() -> None:
    for column, table in _SCOPES.items():
        op.add_column("api_tokens", sa.Column(column, sa.Uuid()))
        # Never more than it was made for: without what it is held to it would reach everything.
        op.create_foreign_key(
            f"fk_api_tokens_{column}", "api_tokens", table, [column], ["id"], ondelete="CASCADE"
        )
        op.create_index(f"ix_api_tokens_{column}", "api_tokens", [column])
    op.create_check_constraint(
        "one_scope", "api_tokens", "num_nonnulls(cluster_id, experiment_id) <= 1"
    )


def downgrade() -> None:
    # A token that was held to something must not reach everything.
    op.execute("DELETE FROM api_tokens WHERE num_nonnulls(cluster_id, experiment_id) > 0")
    op.drop_constraint(op.f("ck_api_tokens_one_scope"), "api_tokens")
    for column in _SCOPES:
        op.drop_column("api_tokens", column)

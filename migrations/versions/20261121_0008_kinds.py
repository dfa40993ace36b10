"""a kind's name is a word that the registry knows: no list of them in the database"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_TABLES = ("experiments", "runs")
_BEFORE = ("throughput", "transport", "request_latency", "service_scale", "network_policy")


def upgrade() -> None:
    for table in _TABLES:
        op.drop_constraint(op.f(f"ck_{table}_kindname"), table, type_="check")


def downgrade() -> None:
    for table in _TABLES:
        op.create_check_constraint(
            op.f(f"ck_{table}_kindname"), table, sa.column("kind").in_(_BEFORE)
        )

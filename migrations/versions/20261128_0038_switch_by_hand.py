"""somebody may switch a cluster's modes by hand, for which a run waits"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0038"
down_revision: str | None = "0037"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_BEFORE = ("queued", "preflight", "running", "cleaning", "finished")


def upgrade() -> None:
    op.add_column("runs", sa.Column("waiting", postgresql.JSONB(), nullable=True))
    _hold_to((*_BEFORE[:3], "waiting", *_BEFORE[3:]))
    defaults = {
        "allow_switch_by_hand": (sa.Boolean(), sa.false()),
        "switch_by_hand_minutes": (sa.SmallInteger(), sa.text("30")),
    }
    for name, (kind, default) in defaults.items():
        op.add_column("clusters", sa.Column(name, kind, nullable=False, server_default=default))
        op.alter_column("clusters", name, server_default=None)


def downgrade() -> None:
    for name in ("switch_by_hand_minutes", "allow_switch_by_hand"):
        op.drop_column("clusters", name)
    # An older version takes such a run over as one whose worker is gone.
    op.execute("UPDATE runs SET state = 'running', reason = NULL WHERE state = 'waiting'")
    _hold_to(_BEFORE)
    op.drop_column("runs", "waiting")


def _hold_to(states: Sequence[str]) -> None:
    name = op.f("ck_runs_runstate")
    op.drop_constraint(name, "runs", type_="check")
    op.create_check_constraint(name, "runs", sa.column("state").in_(states))

"""what is kept says which method its verdicts are of; comparisons are judged anew when read"""

from collections.abc import Sequence

from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.execute("UPDATE comparisons SET content = content || '{\"method_version\": 1}'")
    # One that was revoked has no content left.
    op.execute(
        "UPDATE snapshots SET content = jsonb_set(content, '{method,version}', '1') "
        "WHERE content ? 'method'"
    )
    op.execute(
        "UPDATE snapshots SET content = jsonb_set(content, '{comparison,method_version}', '1') "
        "WHERE jsonb_typeof(content->'comparison') = 'object'"
    )


def downgrade() -> None:
    op.execute("UPDATE comparisons SET content = content - 'method_version'")
    op.execute("UPDATE snapshots SET content = content #- '{method,version}'")
    op.execute("UPDATE snapshots SET content = content #- '{comparison,method_version}'")

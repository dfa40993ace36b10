"""experiments that name no rounds keep those of their profile, as they were run until now

From here on a run whose modes are compared goes on until it is decided where its experiment names
no rounds.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0037"
down_revision: str | None = "0036"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.execute(
        """
        UPDATE experiments
        SET spec = jsonb_set(
            spec,
            '{repetition}',
            coalesce(spec -> 'repetition', '{}') || jsonb_build_object(
                'rounds',
                CASE spec #>> '{repetition,profile}' WHEN 'reference' THEN 12 ELSE 6 END
            )
        )
        WHERE spec #> '{repetition,rounds}' IS NULL
          OR spec #> '{repetition,rounds}' = 'null'
        """
    )


def downgrade() -> None:
    """Nothing: the same rounds are run by the older version."""

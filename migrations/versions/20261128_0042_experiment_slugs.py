"""an experiment has a slug, which its organization has once, made of its name"""

import re
import unicodedata
import uuid
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0042"
down_revision: str | None = "0041"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_LONGEST = 63


def upgrade() -> None:
    op.add_column("experiments", sa.Column("slug", sa.String(_LONGEST)))
    connection = op.get_bind()
    rows = connection.execute(
        sa.text("SELECT organization_id, id, name FROM experiments ORDER BY created_at, id")
    ).all()
    taken: set[tuple[uuid.UUID, str]] = set()
    for organization_id, experiment_id, name in rows:
        slug = first = _slug_of(name)
        number = 1
        while (organization_id, slug) in taken:
            number += 1
            end = f"-{number}"
            slug = f"{first[: _LONGEST - len(end)].rstrip('-')}{end}"
        taken.add((organization_id, slug))
        connection.execute(
            sa.text("UPDATE experiments SET slug = :slug WHERE id = :id"),
            {"slug": slug, "id": experiment_id},
        )
    op.alter_column("experiments", "slug", nullable=False)
    op.create_unique_constraint(
        "uq_experiments_organization_id_slug", "experiments", ["organization_id", "slug"]
    )


def downgrade() -> None:
    op.drop_constraint("uq_experiments_organization_id_slug", "experiments")
    op.drop_column("experiments", "slug")


def _slug_of(name: str) -> str:
    # As podmeter.domain.slug has it at this revision.
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    slug = re.sub(r"[\W_]+", "-", plain).strip("-")[:_LONGEST].rstrip("-") or "experiment"
    try:
        uuid.UUID(slug)
    except ValueError:
        return slug
    return f"experiment-{slug}"

"""tags, notes and favourites; the words by which runs, experiments and clusters are found"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision: str = "0024"
down_revision: str | None = "0023"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SOUGHT_WORDS = """
CREATE FUNCTION sought_words(named text[], chosen jsonb, prose text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT array_to_tsvector(ARRAY(
  SELECT left(substr(word, place), 40)
  FROM (SELECT unnest(named) UNION ALL SELECT jsonb_array_elements_text(chosen)) AS said(name),
    regexp_split_to_table(lower(name), '[\\s\u3000]+') AS word,
    generate_series(1, length(word)) AS place
  UNION
  SELECT left(word, 40)
  FROM regexp_split_to_table(lower(prose), '[\\s\u3000,.;:!?()，。；：！？、（）]+') AS word
  WHERE word <> ''
))
$$
"""
_SOUGHT = {
    "runs": "sought_words((ARRAY[name, kind, state, outcome]::text[] || tags), "
    "jsonb_path_query_array(spec, '$.axes[*].values[*]'::jsonpath), notes)",
    "experiments": "sought_words((ARRAY[name, kind]::text[] || tags), "
    "jsonb_path_query_array(spec, '$.axes.*[*]'::jsonpath), notes)",
    "clusters": "sought_words((ARRAY[name, preflight_state]::text[] || tags), "
    "jsonb_path_query_array(capabilities, '$.modes.*.observed'::jsonpath), "
    "(description || ' '::text) || notes)",
}


def upgrade() -> None:
    op.execute(_SOUGHT_WORDS)
    for table, sought in _SOUGHT.items():
        op.add_column(
            table,
            sa.Column("tags", sa.ARRAY(sa.Text()), nullable=False, server_default=_EMPTY),
        )
        op.add_column(table, sa.Column("notes", sa.Text(), nullable=False, server_default=""))
        op.add_column(
            table, sa.Column("marks_version", sa.Integer(), nullable=False, server_default="1")
        )
        words = sa.Column("sought", TSVECTOR(), sa.Computed(sought, persisted=True), nullable=False)
        op.add_column(table, words)
        op.create_index(f"ix_{table}_sought", table, ["sought"], postgresql_using="gin")
    op.create_index("ix_runs_tags", "runs", ["tags"], postgresql_using="gin")
    op.create_index("ix_runs_organization_id_name_id", "runs", ["organization_id", "name", "id"])
    op.create_index(
        "ix_runs_tagged",
        "runs",
        ["organization_id"],
        postgresql_where=sa.text("tags <> '{}'::text[]"),
    )
    op.create_table(
        "favourites",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        *(sa.Column(f"{thing}_id", sa.Uuid()) for thing in ("run", "experiment", "cluster")),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "num_nonnulls(run_id, experiment_id, cluster_id) = 1",
            name=op.f("ck_favourites_one_thing"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_favourites_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["memberships.organization_id", "memberships.user_id"],
            name=op.f("fk_favourites_organization_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_favourites_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        *(
            sa.ForeignKeyConstraint(
                [f"{thing}_id"],
                [f"{thing}s.id"],
                name=op.f(f"fk_favourites_{thing}_id"),
                ondelete="CASCADE",
            )
            for thing in ("experiment", "cluster")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_favourites")),
        sa.UniqueConstraint(
            "organization_id",
            "run_id",
            "user_id",
            name=op.f("uq_favourites_organization_id_run_id_user_id"),
        ),
        *(
            sa.UniqueConstraint(
                f"{thing}_id", "user_id", name=op.f(f"uq_favourites_{thing}_id_user_id")
            )
            for thing in ("experiment", "cluster")
        ),
    )
    op.create_index(
        "ix_favourites_organization_id_user_id", "favourites", ["organization_id", "user_id"]
    )


def downgrade() -> None:
    op.drop_table("favourites")
    op.drop_index("ix_runs_tagged", "runs")
    op.drop_index("ix_runs_organization_id_name_id", "runs")
    op.drop_index("ix_runs_tags", "runs")
    for table in _SOUGHT:
        for column in ("sought", "marks_version", "notes", "tags"):
            op.drop_column(table, column)
    op.execute("DROP FUNCTION sought_words(text[], jsonb, text)")


_EMPTY = sa.text("'{}'::text[]")

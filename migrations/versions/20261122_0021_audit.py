"""audit: who did what to which object, which the database itself keeps from being changed"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0021"
down_revision: str | None = "0019"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_VIA = ("password", "session", "token", "link", "command")
_OVER = "created_at < now() - make_interval(days => (SELECT days FROM public.audit_retention))"
# Nothing outside of pg_catalog is found without its schema, as nobody may put something before it.
_SEALED = "LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp"
_KEEP = f"""
CREATE FUNCTION public.audit_keep() RETURNS trigger {_SEALED} AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.{_OVER} THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'entries of the audit log are not changed, nor deleted before their time'
    USING ERRCODE = 'insufficient_privilege';
END
$$
"""
_DATE = f"""
CREATE FUNCTION public.audit_date() RETURNS trigger {_SEALED} AS $$
BEGIN
  NEW.created_at := now();
  RETURN NEW;
END
$$
"""
# With its owner's rights: the application may not delete, but may ask for what is over to be.
_PRUNE = f"""
CREATE FUNCTION public.audit_prune() RETURNS bigint SECURITY DEFINER {_SEALED} AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM public.audit_entries WHERE {_OVER};
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$$
"""  # noqa: S608
_TRIGGERS = """
CREATE TRIGGER audit_keep BEFORE UPDATE OR DELETE ON public.audit_entries
  FOR EACH ROW EXECUTE FUNCTION public.audit_keep();
CREATE TRIGGER audit_keep_all BEFORE TRUNCATE ON public.audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION public.audit_keep();
CREATE TRIGGER audit_date BEFORE INSERT ON public.audit_entries
  FOR EACH ROW EXECUTE FUNCTION public.audit_date();
"""


def upgrade() -> None:
    op.create_table(
        "audit_retention",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name="one"),
        sa.CheckConstraint("days >= 30", name="long_enough"),
        sa.PrimaryKeyConstraint("id", name="pk_audit_retention"),
    )
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("organization_id", sa.Uuid()),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "via",
            sa.Enum(*_VIA, name="via", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("who", sa.String(320), nullable=False),
        sa.Column("token_id", sa.Uuid()),
        sa.Column("token_name", sa.Text()),
        sa.Column("address", sa.Text()),
        sa.Column("request_id", sa.Text()),
        sa.Column("operation", sa.String(64), nullable=False),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.Column("object_kind", sa.String(32)),
        sa.Column("object_id", sa.Text()),
        sa.Column("object_name", sa.Text()),
        sa.Column("details", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )
    op.create_index(
        "ix_audit_entries_organization_id_created_at_id",
        "audit_entries",
        ["organization_id", "created_at", "id"],
    )
    for made in (_KEEP, _DATE, _PRUNE, _TRIGGERS):
        op.execute(made)
    op.execute("REVOKE ALL ON FUNCTION public.audit_prune() FROM PUBLIC")


def downgrade() -> None:
    op.drop_table("audit_entries")
    op.drop_table("audit_retention")
    for made in ("audit_keep", "audit_date", "audit_prune"):
        op.execute(f"DROP FUNCTION public.{made}()")

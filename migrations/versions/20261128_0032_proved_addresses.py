"""accounts know whether their address was proved; what was shared until now ends"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0032"
down_revision: str | None = "0029"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_PROOFS = ("setup", "command", "provider")
#: The first administrator, as the audit log has it: whoever set Podmeter up named the address.
#: Of all other accounts nobody knows: invitations are handed over, and a provider's account may
#: have been made of an address that it had not verified. The provider proves these at the next
#: sign-on.
_SET_UP = """
UPDATE users SET address_proof = 'setup', address_proved_at = users.created_at
FROM audit_entries AS entry
WHERE entry.operation = 'podmeter migrate' AND entry.via = 'command' AND NOT entry.refused
  AND entry.object_kind = 'member' AND entry.object_id = users.id::text
"""
#: Accounts that were there before their first sign-on: whoever accepted the invitation may have
#: been somebody else. One that was made by a sign-on has the time of that transaction.
_ADOPTED = """
SELECT id FROM users WHERE subject IS NOT NULL AND address_proof IS NULL AND NOT EXISTS (
  SELECT FROM audit_entries AS entry
  WHERE entry.operation = 'finish_sign_on' AND NOT entry.refused
    AND entry.user_id = users.id AND entry.created_at = users.created_at
)
"""


def upgrade() -> None:
    op.add_column(
        "users",
        sa.Column(
            "address_proof",
            sa.Enum(
                *_PROOFS,
                name="addressproof",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
        ),
    )
    op.add_column("users", sa.Column("address_proved_at", sa.DateTime(timezone=True)))
    op.create_check_constraint(
        "proof_with_time", "users", "num_nonnulls(address_proof, address_proved_at) <> 1"
    )
    # Lower case as the application makes it: of ASCII letters alone, whatever the locale.
    op.drop_index("uq_users_email_lower", "users")
    op.create_index(
        "uq_users_email_lower", "users", [sa.text('lower(email COLLATE "C")')], unique=True
    )
    op.execute(_SET_UP)
    # Whoever signs on does so again; nothing but a person's own browser is interrupted.
    op.execute(
        "DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE subject IS NOT NULL)"
    )
    for table, column in (
        ("api_tokens", "user_id"),
        ("idempotency_keys", "user_id"),
        ("password_resets", "user_id"),
        ("password_resets", "created_by"),
        ("invitations", "created_by"),
    ):
        op.execute(f"DELETE FROM {table} WHERE {column} IN ({_ADOPTED})")  # noqa: S608


def downgrade() -> None:
    op.drop_index("uq_users_email_lower", "users")
    op.create_index("uq_users_email_lower", "users", [sa.text("lower(email)")], unique=True)
    op.drop_constraint(op.f("ck_users_proof_with_time"), "users")
    for column in ("address_proved_at", "address_proof"):
        op.drop_column("users", column)

"""Who is asking."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from podmeter.db.models import Role
from podmeter.db.scopes import Scope
from podmeter.domain.messages import say
from podmeter.services.errors import RoleError


@dataclass(frozen=True)
class Principal:
    """A user in one organization, with the most they may do there.

    `of_provider` says that the account is the single sign-on provider's. `session_id` is set for a
    browser's session, `token_id` for an API token, `scope` for a limited token.
    """

    user_id: uuid.UUID
    email: str
    organization_id: uuid.UUID
    organization: str
    role: Role
    of_provider: bool = False
    session_id: uuid.UUID | None = None
    token_id: uuid.UUID | None = None
    token_name: str | None = None
    scope: Scope | None = None
    expires_at: datetime | None = None

    def require_person(self) -> None:
        """Raises RoleError for a token: who may enter is for people who logged in."""
        if self.session_id is None:
            raise RoleError(say("person_needed"))

    def require(self, role: Role) -> None:
        """Raises RoleError unless the principal's role includes `role`."""
        if self.role.rank < role.rank:
            raise RoleError(say("role_needed", role=role, own=self.role))

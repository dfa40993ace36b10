"""What is being done, gathered while it is done by anyone who knows a part of it.

The edge knows where a request comes from, a credential who it is, a service what it is done to.
"""

import getpass
import socket
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from podmeter.db.models import User, Via
from podmeter.services.accounts.principal import Principal

#: Plain values alone, and none that lets anybody in.
Detail = str | int | bool | Sequence[str] | None


@dataclass
class AuditContext:
    """Who does what to what. `organization_id` is whose log it belongs to."""

    via: Via = Via.SESSION
    who: str = ""
    user_id: uuid.UUID | None = None
    token_id: uuid.UUID | None = None
    token_name: str | None = None
    organization_id: uuid.UUID | None = None
    object_kind: str | None = None
    object_id: str | None = None
    object_name: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    #: Other organizations, whose logs have it too.
    also_in: set[uuid.UUID] = field(default_factory=set)
    #: By organization, details that its log alone has.
    details_in: dict[uuid.UUID, dict[str, Any]] = field(default_factory=dict)

    def by(self, principal: Principal, via: Via | None = None) -> None:
        """It is done by somebody who was let in; in their organization, but for what was said."""
        known = Via.SESSION if principal.token_id is None else Via.TOKEN
        self.via, self.who, self.user_id = via or known, principal.email, principal.user_id
        self.token_id, self.token_name = principal.token_id, principal.token_name
        if self.organization_id is None:
            self.organization_id = principal.organization_id

    def by_link(self, user: User, organization_id: uuid.UUID | None) -> None:
        """It is done by anyone who has a link that was made for a user."""
        self.via, self.who, self.user_id = Via.LINK, user.email, user.id
        self.organization_id = organization_id

    def by_command(self) -> None:
        """It is done by anyone who may give the command `podmeter`."""
        account = "unknown"
        with suppress(KeyError, OSError):  # a container's user may have no name
            account = getpass.getuser()
        self.via, self.who = Via.COMMAND, f"{account}@{socket.gethostname()}"[:320]

    def by_upkeep(self, organization_id: uuid.UUID) -> None:
        """It is done by Podmeter itself, for an organization."""
        self.via, self.who, self.organization_id = Via.UPKEEP, "podmeter", organization_id

    def to(self, kind: str, one: object, name: str | None = None, **details: Detail) -> None:
        """It is done to this object, which is called `name`; what is said last counts."""
        self.object_kind, self.object_id, self.object_name = kind, str(one), name
        self.details = dict(details)

    def note_in(self, organization_id: uuid.UUID, **details: Detail) -> None:
        """The log of this organization has it too, and it alone has these details."""
        self.also_in.add(organization_id)
        self.details_in.setdefault(organization_id, {}).update(details)

"""Members and invitations, in the API's shape."""

import uuid
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from podmeter.db.models import AddressProof, Invitation, Membership, Role
from podmeter.domain.displayed import Displayed
from podmeter.domain.email_address import is_address
from podmeter.domain.messages import say
from podmeter.domain.moment import Moment


def _check_address(email: str) -> str:
    if not is_address(email):
        raise ValueError(say("address_malformed"))
    return email


#: Told by its shape alone; Podmeter sends no mail.
Email = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True,
        min_length=3,
        max_length=320,
        pattern=r"^[^\x00-\x20\x7f@]+@[^\x00-\x20\x7f@]+$",
    ),
    AfterValidator(_check_address),
    Displayed(),
]


class Member(BaseModel):
    """Somebody who belongs to the organization. One who is not `active` is not let in."""

    user_id: uuid.UUID
    email: str
    role: Role
    active: bool
    of_provider: bool = Field(
        description="whether the account is the single sign-on provider's, whose groups give the "
        "role again at each sign-on"
    )
    address_proof: AddressProof | None = Field(
        description="how it is known that the account belongs to the owner of its address; null "
        "where nobody proved it, since an invitation does not: no mail is sent"
    )
    version: int
    since: Moment
    last_used_at: Moment | None = Field(
        description="when they last logged in to the organization or switched to it"
    )

    @classmethod
    def of(cls, row: Membership) -> "Member":
        """The row's shape."""
        return cls(
            user_id=row.user_id,
            email=row.user.email,
            role=row.role,
            active=row.deactivated_at is None and row.user.disabled_at is None,
            of_provider=row.user.subject is not None,
            address_proof=row.user.address_proof,
            version=row.version,
            since=row.created_at,
            last_used_at=row.last_used_at,
        )


class MemberPatch(BaseModel):
    """What is to change; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    role: Role | None = None
    active: bool | None = None


class NewInvitation(BaseModel):
    """Who is invited, to do what at most, and for how long the link is good."""

    model_config = ConfigDict(extra="forbid")

    email: Email
    role: Role = Role.VIEWER
    expires_in_days: int = Field(default=7, ge=1, le=30)


class InvitationView(BaseModel):
    """An invitation that was not accepted yet; nobody can see its link again."""

    id: uuid.UUID
    email: str
    role: Role
    created_at: Moment
    expires_at: Moment

    @classmethod
    def of(cls, row: Invitation) -> "InvitationView":
        """The row's shape."""
        return cls.model_validate(row, from_attributes=True)


class MadeInvitation(InvitationView):
    """An invitation just made: the only answer that has its link."""

    link: str


class MadeReset(BaseModel):
    """A link that sets a password: only this answer has it."""

    email: str
    link: str
    expires_at: Moment

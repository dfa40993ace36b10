"""What a login needs, and what a link offers."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from podmeter.credentials.passwords import LEAST_LENGTH
from podmeter.db.models import Role
from podmeter.domain.moment import Moment
from podmeter.services.accounts import invitations


class Login(BaseModel):
    """An account's address and password."""

    model_config = ConfigDict(extra="forbid")

    email: str = Field(min_length=1, max_length=320, pattern=r"^[^\x00]+$")
    password: SecretStr = Field(min_length=1, max_length=1024)


class LoggedOut(BaseModel):
    """The session has ended here."""

    leave_url: str | None = Field(
        description="where the browser goes to end its session with the single sign-on provider "
        "that let it in; null where none did, or it ends none"
    )


class Link(BaseModel):
    """What a link has behind its `#`."""

    model_config = ConfigDict(extra="forbid")

    token: SecretStr = Field(min_length=1, max_length=200)


class LinkAndPassword(Link):
    """A link, and the password that must be set or is already."""

    password: SecretStr = Field(
        min_length=1,
        max_length=1024,
        description=f"a new one has at least {LEAST_LENGTH} characters, and is not easily guessed",
    )


class Acceptance(LinkAndPassword):
    """A link, the password of the account or of a new one, and another one for an account."""

    new_password: SecretStr | None = Field(
        default=None,
        min_length=1,
        max_length=1024,
        description="of an account that is there already: it is set, and the account's other "
        "sessions, API tokens and CI trusts end; for users who did not choose the password "
        "themselves",
    )


class Offer(BaseModel):
    """What an invitation's link offers, and to whom."""

    organization: str
    email: str
    role: Role
    expires_at: Moment
    known: bool = Field(
        description="whether there is an account with the address, whose password it takes"
    )

    @classmethod
    def of(cls, offer: invitations.Offer) -> "Offer":
        """The offer's shape."""
        return cls.model_validate(offer, from_attributes=True)


class ResetOffer(BaseModel):
    """Whose password a link sets."""

    email: str
    expires_at: Moment

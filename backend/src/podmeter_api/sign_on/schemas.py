"""Beginning and finishing a sign-on, in the API's shape."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from podmeter.services.sign_on.attempt import LONGEST_WAY_BACK
from podmeter_api.me.schemas import Me


class SignOnOffer(BaseModel):
    """What the login page shows. Without a provider `name` is null."""

    name: str | None
    only: bool = Field(
        description="whether nobody is let in by a password but the account that is for when the "
        "provider is away"
    )


class NewSignOn(BaseModel):
    """Where to go once signed on."""

    model_config = ConfigDict(extra="forbid")

    next: str = Field(
        default="/",
        max_length=LONGEST_WAY_BACK,
        description="a path of this application; what leads elsewhere counts as /",
    )
    new_account: bool = Field(
        default=False,
        description="whether an account that has the person's address, and whose address nobody "
        "proved, is set aside: it loses the address, all sessions, API tokens and CI trusts, and "
        "the person gets a new account. Without it such an account refuses the sign-on with the "
        "message `sign_on_address_unproved`",
    )


class BegunSignOn(BaseModel):
    """Where the browser signs on."""

    location: str


class SignOnAnswer(BaseModel):
    """What the provider sent the browser back with: a code, or an error."""

    model_config = ConfigDict(extra="forbid")

    state: str = Field(min_length=1, max_length=200)
    code: SecretStr | None = Field(default=None, max_length=4000)
    error: str | None = Field(default=None, max_length=1000)
    iss: str | None = Field(default=None, max_length=1000, description="the provider's own name")


class SignedOn(BaseModel):
    """Who was let in, and the path that they asked for before."""

    me: Me
    next: str

"""What a login needs."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Login(BaseModel):
    """An account's address and password."""

    model_config = ConfigDict(extra="forbid")

    email: str = Field(min_length=1, max_length=320, pattern=r"^[^\x00]+$")
    password: SecretStr = Field(min_length=1, max_length=1024)

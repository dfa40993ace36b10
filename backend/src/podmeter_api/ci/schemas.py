"""Trusts of CIs and what jobs get, in the API's shape."""

import uuid
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from podmeter.db.models import ApiToken, CiTrust, Role
from podmeter.domain.ci_claims import is_pattern, names_owner
from podmeter.domain.displayed import Displayed
from podmeter.domain.messages import say
from podmeter.domain.moment import Moment
from podmeter.services.ci.trusts import Terms
from podmeter.services.sign_on.configuration import is_plain
from podmeter_api.fields import Name

_LONGEST_TOKEN = 16 * 1024


def _check_issuer(issuer: str) -> str:
    parts = urlsplit(issuer)
    named = bool(parts.hostname) and not (parts.query or parts.fragment or parts.username)
    if not named or not (parts.scheme == "https" or is_plain(issuer)):
        raise ValueError(say("ci_issuer_malformed"))
    return issuer


def _check_pattern(pattern: str) -> str:
    if not is_pattern(pattern):
        raise ValueError(say("ci_pattern_malformed"))
    return pattern


def _check_claims(claims: dict[str, str]) -> dict[str, str]:
    if not names_owner(claims):
        raise ValueError(say("ci_claims_owner"))
    return claims


ClaimName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:/-]{1,100}$")]
Pattern = Annotated[str, AfterValidator(_check_pattern)]
JobRole = Literal[Role.VIEWER, Role.OPERATOR]


class NewCiTrust(BaseModel):
    """Whose jobs are let in, and to what."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    issuer: Annotated[
        str,
        StringConstraints(max_length=500),
        Displayed(),
        AfterValidator(_check_issuer),
        Field(
            description="as it writes itself in the tokens' `iss`",
            examples=["https://token.actions.githubusercontent.com", "https://gitlab.com"],
        ),
    ]
    audience: (
        Annotated[str, StringConstraints(min_length=1, max_length=500), Displayed()] | None
    ) = Field(
        default=None,
        description="the tokens' `aud`; null for this server's address",
    )
    claims: Annotated[
        dict[ClaimName, Pattern],
        AfterValidator(_check_claims),
        Field(
            min_length=1,
            max_length=10,
            description="a pattern for the whole value of each claim: `*` is any text without `/`, "
            "`**` at the end any text. One of them says whose jobs these are, as `repository`, "
            "`project_path` or `sub` do",
            examples=[{"repository": "acme/net", "ref": "refs/heads/main"}],
        ),
    ]
    pull_requests: bool = Field(
        default=False,
        description="whether jobs of pull requests are let in where the claims match. GitHub signs "
        "nothing for a fork's; events that run a fork's code with the repository's rights are "
        "never let in",
    )
    role: JobRole = Field(default=Role.OPERATOR, description="the most that a job may do")
    experiment_ids: list[uuid.UUID] = Field(
        min_length=1, max_length=50, description="all that a job reaches, with their runs"
    )

    def terms(self, audience: str) -> Terms:
        """What the service takes; `audience` where none is named."""
        fields = self.model_dump(exclude={"audience"})
        return Terms(**fields, audience=self.audience or audience)


class CiTrustView(BaseModel):
    """A trust."""

    id: uuid.UUID
    name: str
    issuer: str
    audience: str
    claims: dict[str, str]
    pull_requests: bool
    role: JobRole
    experiment_ids: list[uuid.UUID]
    email: str = Field(description="of who saved it last: jobs act as them")
    version: int
    created_at: Moment
    updated_at: Moment

    @classmethod
    def of(cls, row: CiTrust) -> "CiTrustView":
        """The row's shape."""
        made = {
            "experiment_ids": [one.experiment_id for one in row.experiments],
            "email": row.user.email,
        }
        fields = {name: getattr(row, name) for name in cls.model_fields.keys() - made.keys()}
        return cls.model_validate(fields | made)


class JobLogin(BaseModel):
    """The token that a CI gave a job, and the trust that it is for."""

    model_config = ConfigDict(extra="forbid")

    trust_id: uuid.UUID
    token: SecretStr = Field(min_length=1, max_length=_LONGEST_TOKEN)


class JobToken(BaseModel):
    """A token for the job, in this answer alone."""

    token: str
    role: JobRole
    expires_at: Moment

    @classmethod
    def of(cls, row: ApiToken, secret: str) -> "JobToken":
        """The row's shape, with its secret."""
        return cls.model_validate({"token": secret, "role": row.role, "expires_at": row.expires_at})

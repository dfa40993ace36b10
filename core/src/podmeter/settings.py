"""Every setting of Podmeter, read from the environment, from files that it names, and from `.env`.

`.env.example` documents the same list for people; a check holds the two together.
"""

from functools import lru_cache
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from podmeter.domain.api_tokens import is_well_formed

_MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"


class MissingSettingError(RuntimeError):
    """A setting without which nothing can start; the message says how to make one."""


def _plain(name: str) -> AliasChoices:
    """The name of a setting that other tools share, so without our prefix."""
    return AliasChoices(name)


class _Files(EnvSettingsSource):
    """Values from the files that NAME_FILE names: how Docker and Kubernetes hand out secrets.

    White space around a value is left out, and an empty file counts as missing.
    Raises MissingSettingError where a file cannot be read.
    """

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls)
        named = self.env_vars
        found = {
            name.lower(): _content(name, named.get(f"{name}_file".lower()))
            for name in environment_names()
        }
        self.env_vars = {name: text for name, text in found.items() if text}


def _content(name: str, path: str | None) -> str:
    if not path:
        return ""
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise MissingSettingError(
            f"{name}_FILE is {path}, which cannot be read: {reason}"
        ) from None


def _with_driver(name: str, url: SecretStr) -> str:
    scheme, separator, rest = url.get_secret_value().partition("://")
    if not separator or scheme.partition("+")[0] not in {"postgresql", "postgres"}:
        raise MissingSettingError(f"{name} must start with postgresql://")
    return f"postgresql+psycopg://{rest}"


class Settings(BaseSettings):
    """All settings. What is None has no default, or is made by `podmeter-admin up`."""

    model_config = SettingsConfigDict(
        env_prefix="PODMETER_", env_file=".env", extra="ignore", env_ignore_empty=True
    )

    database_url: SecretStr | None = Field(
        default=None,
        validation_alias=_plain("DATABASE_URL"),
        description="PostgreSQL 15 or newer, postgresql://user:password@host:port/database. "
        "Unset, `podmeter-admin up` starts an embedded one.",
    )
    database_owner_url: SecretStr | None = Field(
        default=None,
        validation_alias=_plain("DATABASE_OWNER_URL"),
        description="The same database by the role that owns its tables, where DATABASE_URL has "
        "another role: `podmeter-admin migrate` and `podmeter-admin restore` work by this one, "
        "make the other where it is missing, and give it what it needs. The audit log it can add "
        "to and read.",
    )
    redis_url: SecretStr | None = Field(
        default=None,
        validation_alias=_plain("REDIS_URL"),
        description="Redis 6.2 or newer, redis://:password@host:port/0, Celery's broker. "
        "Unset, `podmeter-admin up` starts an embedded one.",
    )
    encryption_keys: SecretStr | None = Field(
        default=None,
        description="What encrypts kubeconfigs at rest: keys parted by commas, each 32 random "
        "bytes in base64. The first encrypts, the others still decrypt until "
        "`podmeter-admin keys rotate` has re-encrypted what is under them. "
        "`podmeter-admin new-key` prints one; `podmeter-admin up` with an embedded database makes "
        "its own.",
    )
    state_dir: Path = Field(
        default=Path(".podmeter"),
        description="Where `podmeter-admin up` keeps embedded databases, their logs and its "
        "secrets.",
    )
    migrations_dir: Path = Field(
        default=_MIGRATIONS, description="The folder with alembic.ini and the migrations."
    )
    frontend_dir: Path | None = Field(
        default=None, description="The built frontend; unset, the API serves no pages."
    )
    host: str = Field(default="127.0.0.1", description="The address the API listens on.")
    api_processes: int = Field(
        default=2, ge=1, le=64, description="How many processes serve the API."
    )
    port: int = Field(default=8080, ge=1, le=65535, description="The port the API listens on.")
    public_url: str = Field(
        default="http://127.0.0.1:8080",
        description="Where browsers reach Podmeter: the origin that may change things, the start "
        "of every permalink. With https, cookies are marked Secure.",
    )
    admin_email: str = Field(
        default="admin@localhost", description="The first administrator, made when there is none."
    )
    admin_password: SecretStr | None = Field(
        default=None,
        description="The first administrator's password; unset, a random one is printed once.",
    )
    first_token: SecretStr | None = Field(
        default=None,
        description="An API token of the first administrator's, for installations that nobody "
        "opens in a browser. `podmeter-admin new-token` prints one. Each `podmeter-admin migrate` "
        "registers it, and revokes the token that was set before.",
    )
    first_token_role: Literal["viewer", "operator", "admin"] = Field(
        default="operator",
        description="The most that PODMETER_FIRST_TOKEN may do. Registering clusters takes admin.",
    )
    first_token_days: int = Field(
        default=90,
        ge=1,
        le=365,
        description="How long PODMETER_FIRST_TOKEN is valid, from when it is first registered.",
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Addresses or networks of the reverse proxies in front of the API, whose "
        "X-Forwarded-For and X-Forwarded-Proto are believed; nobody else's are. Parted by commas.",
    )
    oidc_issuer: str | None = Field(
        default=None,
        description="An OpenID Connect provider that lets people in, by the name that it writes as "
        "its issuer, such as https://login.example.com/realms/team. What it has to know of "
        "Podmeter: the redirect address, PODMETER_PUBLIC_URL with /sign-on behind it, and that "
        "after logging out, PODMETER_PUBLIC_URL with /login.",
    )
    oidc_client_id: str | None = Field(
        default=None, description="What the provider knows Podmeter as."
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="What Podmeter shows the provider; unset for a public client."
    )
    oidc_name: str = Field(
        default="single sign-on",
        description='What the login page calls the provider: "Sign in with …".',
    )
    oidc_scopes: str = Field(
        default="openid email profile",
        description="What the provider is asked for, parted by spaces; some need `groups` besides.",
    )
    oidc_groups_claim: str = Field(
        default="groups",
        description="Where the provider tells somebody's groups: the claim's name, or its path "
        "with dots, such as realm_access.roles.",
    )
    oidc_roles: str | None = Field(
        default=None,
        description="Which role each group gives, such as net-admins=admin,sre=operator,*=viewer; "
        "of several the highest counts, * is everybody whom the provider lets in. Parted by "
        "semicolons where a group's name has commas. Followed at each sign-on.",
    )
    oidc_organization: str | None = Field(
        default=None,
        description="The organization that they become members of, by name or id; unset, the "
        "installation's first.",
    )
    oidc_only: bool = Field(
        default=False,
        description="Whether nobody is let in by a password but PODMETER_OIDC_BREAK_GLASS.",
    )
    oidc_break_glass: str | None = Field(
        default=None,
        description="The account whose password lets in whatever the provider does; unset, "
        "that of PODMETER_ADMIN_EMAIL.",
    )
    oidc_allowed_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Networks, such as 127.0.0.0/8, in which the provider may be though they are "
        "blocked by default (loopback, link-local, metadata). Parted by commas.",
    )
    oidc_addresses_verified: bool = Field(
        default=False,
        description="Whether the provider verifies every e-mail address itself though it does not "
        "say so by the claim email_verified (Entra ID does not). Only for a provider where nobody "
        "can set their own address; one that it calls unverified stays so.",
    )
    oidc_ca: str | None = Field(
        default=None,
        description="Certificates of authorities, in PEM, that may sign the provider's besides "
        "the well-known ones.",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Host names and addresses, besides those of PODMETER_PUBLIC_URL and "
        "PODMETER_HOST and those of this machine (localhost), by which browsers and programs may "
        "ask the API. Parted by commas.",
    )
    session_hours: int = Field(
        default=24, ge=1, le=720, description="How long a login lasts, in hours."
    )
    login_attempts: int = Field(
        default=10,
        ge=1,
        description="Failed logins from one address (IPv6: one /64) for one account in 5 minutes "
        "before further ones must wait; after ten times as many for all accounts, logins from "
        "there are slowed down.",
    )
    requests_per_caller: int = Field(
        default=64,
        ge=4,
        description="Requests of one user that one API process has in progress; further ones get "
        "429. An address without a login or an API token gets half of that.",
    )
    connections_per_address: int = Field(
        default=100,
        ge=8,
        description="Connections of one address that one API process serves at a time; further "
        "ones wait, then get 429. Those of PODMETER_TRUSTED_PROXIES are not limited.",
    )
    streams_per_user: int = Field(
        default=20,
        ge=1,
        description="Event streams of one user that one API process has open; further ones get "
        "429, and the web UI polls instead.",
    )
    quota_clusters: int = Field(
        default=1000, ge=1, description="How many clusters an organization may register."
    )
    quota_queued_runs: int = Field(
        default=5000, ge=1, description="How many runs of an organization may be queued."
    )
    quota_preflights: int = Field(
        default=2,
        ge=1,
        le=8,
        description="How many clusters of an organization one worker looks at at a time.",
    )
    quota_organizations: int = Field(
        default=20,
        ge=1,
        description="How many organizations a user may administer and still make another.",
    )
    idempotency_hours: int = Field(
        default=24, ge=1, description="How long an Idempotency-Key is remembered, in hours."
    )
    allowed_cluster_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Networks, such as 127.0.0.0/8, in which a cluster's API server may be though "
        "they are blocked by default (loopback, link-local, metadata). Parted by commas.",
    )
    denied_cluster_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Networks, such as 10.0.0.0/8, in which no cluster's API server may be. Where "
        "an allowed network holds the address too, the narrower one counts. Parted by commas.",
    )
    metrics_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Networks, such as 10.0.0.0/8, from which /metrics may be read without a login "
        "or an API token, which it takes from elsewhere. Parted by commas.",
    )
    public_api_docs: bool = Field(
        default=False,
        description="Whether /api/docs and /api/v1/openapi.json may be read without a login or an "
        "API token.",
    )
    bench_image: str | None = Field(
        default=None,
        validation_alias=_plain("BENCH_IMAGE"),
        description="The image of the measuring pods, for clusters that have none of their own; "
        "without any no run can start.",
    )
    outside_client: bool = Field(
        default=False,
        description="Whether workers may be the client outside the cluster that an experiment asks "
        "for, by curl and ab of their own machine; the API says what cannot be measured without. "
        "A worker on a node of the measured cluster, or in a pod of it, is refused.",
    )
    worker_concurrency: int = Field(
        default=2, ge=1, le=64, description="How many clusters one worker measures at a time."
    )
    lease_seconds: int = Field(
        default=30,
        ge=5,
        le=600,
        description="How long a worker owns a run after its last heartbeat, in seconds.",
    )
    raw_output_days: int = Field(
        default=90, ge=1, description="How long the raw output of trials is kept, in days."
    )
    audit_days: int = Field(
        default=730,
        ge=30,
        description="How long the audit log is kept, in days; `podmeter-admin migrate` takes it "
        "over.",
    )
    database_pool: int = Field(
        default=10, ge=1, description="Connections to PostgreSQL each process may hold."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="How much the processes log."
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="How the processes log: lines for people, or one JSON object a line.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The first that has a value wins."""
        return init_settings, env_settings, _Files(settings_cls), dotenv_settings

    @field_validator(
        "allowed_cluster_networks",
        "denied_cluster_networks",
        "metrics_networks",
        "allowed_hosts",
        "oidc_allowed_networks",
        "trusted_proxies",
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("metrics_networks")
    @classmethod
    def _are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            ip_network(one, strict=False)
        return value

    @field_validator("first_token")
    @classmethod
    def _is_token(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not is_well_formed(value.get_secret_value()):
            raise ValueError("it is no API token: create one with `podmeter-admin new-token`")
        return value

    def require_database_url(self) -> str:
        """The URL as SQLAlchemy takes it, with the psycopg driver. Raises MissingSettingError."""
        if self.database_url is None:
            raise MissingSettingError(
                "DATABASE_URL is not set. Set it to postgresql://user:password@host:5432/podmeter, "
                "or run `podmeter-admin up`, which starts an embedded PostgreSQL."
            )
        return _with_driver("DATABASE_URL", self.database_url)

    def require_owner_url(self) -> str:
        """The URL of the role that owns the tables, as `require_database_url` gives it."""
        if self.database_owner_url is None:
            return self.require_database_url()
        return _with_driver("DATABASE_OWNER_URL", self.database_owner_url)

    def require_redis_url(self) -> str:
        """The broker's URL. Raises MissingSettingError."""
        if self.redis_url is None:
            raise MissingSettingError(
                "REDIS_URL is not set. Set it to redis://:password@host:6379/0, "
                "or run `podmeter-admin up`, which starts an embedded Redis."
            )
        return self.redis_url.get_secret_value()

    def require_encryption_keys(self) -> str:
        """The keys as set. Raises MissingSettingError."""
        if self.encryption_keys is None:
            raise MissingSettingError(
                "PODMETER_ENCRYPTION_KEYS is not set. Make one with `podmeter-admin new-key` and "
                "keep it safe: without it registered kubeconfigs cannot be read again."
            )
        return self.encryption_keys.get_secret_value()


def environment_names() -> dict[str, str]:
    """Each setting's environment variable and what it means."""
    names: dict[str, str] = {}
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        shared = alias.choices[0] if isinstance(alias, AliasChoices) else None
        names[str(shared or f"PODMETER_{name.upper()}")] = field.description or ""
    return names


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of the present process, read once."""
    return Settings()

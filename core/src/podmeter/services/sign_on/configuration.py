"""What the settings say of the provider: who it is, and what its groups may do."""

import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.db.models import Role
from podmeter.services.accounts.password_logins import PasswordLogins
from podmeter.settings import MissingSettingError, Settings

#: Everybody whom the provider lets in.
EVERYBODY = "*"
_CALLBACK = "/sign-on"


@dataclass(frozen=True)
class Configuration:
    """One provider. `roles` has the role of each group; `organization` is an id or a name."""

    issuer: str
    client_id: str
    client_secret: str | None = field(repr=False)
    name: str
    scopes: str
    groups_claim: str
    roles: Mapping[str, Role]
    organization: str | None
    public_url: str
    addresses: AddressPolicy
    authorities: str | None = None
    addresses_verified: bool = False

    @property
    def callback(self) -> str:
        """Where the provider sends browsers back to."""
        return f"{self.public_url}{_CALLBACK}"

    @property
    def after_logout(self) -> str:
        """Where the provider sends them once it has ended its own session."""
        return f"{self.public_url}/login"

    def role_of(self, groups: Iterable[str]) -> Role | None:
        """The most that one of the groups may do; None where none may do anything."""
        found = [self.roles[one] for one in (*groups, EVERYBODY) if one in self.roles]
        return max(found, key=lambda role: role.rank, default=None)


def configuration(settings: Settings) -> Configuration | None:
    """The provider that the settings name, None without any. Raises MissingSettingError."""
    if settings.oidc_issuer is None:
        if settings.oidc_only:
            raise MissingSettingError("PODMETER_OIDC_ONLY needs PODMETER_OIDC_ISSUER")
        return None
    if not settings.oidc_client_id:
        raise MissingSettingError("PODMETER_OIDC_ISSUER needs PODMETER_OIDC_CLIENT_ID")
    _check_issuer(settings.oidc_issuer)
    _check_authorities(settings.oidc_ca)
    secret = settings.oidc_client_secret
    return Configuration(
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=secret.get_secret_value() if secret else None,
        name=settings.oidc_name,
        scopes=settings.oidc_scopes,
        groups_claim=settings.oidc_groups_claim,
        roles=read_roles(settings.oidc_roles or ""),
        organization=settings.oidc_organization,
        public_url=settings.public_url.rstrip("/"),
        addresses=_addresses(settings.oidc_allowed_networks),
        authorities=settings.oidc_ca,
        addresses_verified=settings.oidc_addresses_verified,
    )


def password_logins(settings: Settings) -> PasswordLogins:
    """Whose password lets in."""
    break_glass = settings.oidc_break_glass or settings.admin_email
    return PasswordLogins(
        provider=settings.oidc_issuer is not None,
        only=settings.oidc_only,
        break_glass=break_glass,
    )


def read_roles(text: str) -> dict[str, Role]:
    """`group=role` pairs, parted by commas, or by semicolons where a group's name has commas.

    Raises MissingSettingError for what is no such pair, a group that is named twice, and nothing.
    """
    found: dict[str, Role] = {}
    for part in text.split(";" if ";" in text else ","):
        if not part.strip():
            continue
        group, equals, role = (one.strip() for one in part.rpartition("="))
        if not equals or not group or role not in set(Role) or group in found:
            raise MissingSettingError(
                f"PODMETER_OIDC_ROLES: {part.strip()!r} is not group=role, once for each group, "
                f"with a role of {', '.join(Role)}"
            )
        found[group] = Role(role)
    if not found:
        raise MissingSettingError(
            "PODMETER_OIDC_ISSUER needs PODMETER_OIDC_ROLES, such as net-admins=admin,*=viewer: "
            "without it the provider lets nobody in"
        )
    return found


def is_plain(url: str) -> bool:
    """Whether it is http on this machine, which is not for the network to read."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        here = ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost"
    return parts.scheme == "http" and here


def _check_issuer(issuer: str) -> None:
    parts = urlsplit(issuer)
    named = bool(parts.hostname) and not (parts.query or parts.fragment or parts.username)
    if not named or not (parts.scheme == "https" or is_plain(issuer)):
        raise MissingSettingError(
            f"PODMETER_OIDC_ISSUER is {issuer}: it must be https://, without ? and #, as the "
            "provider itself writes it; http is taken on this machine alone"
        )


def _check_authorities(certificates: str | None) -> None:
    if certificates is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=certificates)
    except (ssl.SSLError, ValueError) as error:
        raise MissingSettingError(
            f"PODMETER_OIDC_CA holds no certificates in PEM ({error}); the name of a file that "
            "does goes into PODMETER_OIDC_CA_FILE"
        ) from None


def _addresses(allowed: Iterable[str]) -> AddressPolicy:
    try:
        return AddressPolicy(allowed=tuple(ip_network(one) for one in allowed))
    except ValueError as error:
        raise MissingSettingError(f"PODMETER_OIDC_ALLOWED_NETWORKS: {error}") from None

"""The address of a cluster's API server: its URL, and what its name resolves to, checked.

A name is resolved again for each connection and every address it gives is checked; the caller
connects to a checked address and uses the name for SNI, the certificate and the Host header.
So a name cannot be checked as one address and connected to as another (DNS rebinding).
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from podmeter.credentials.address_policy import Address, AddressPolicy
from podmeter.credentials.errors import ServerRefusedError
from podmeter.domain.messages import say

Resolver = Callable[[str, int], Iterable[str]]
"""Gives the addresses of a name, as text, for a port; raises OSError where there are none."""

_MAX_LENGTH = 2000
_PARTS = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)"
)
_PATH = re.compile(r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*/?")
_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
# The last label of a name is never a number; if it looks like one, C libraries would read the
# whole as an IPv4 address in decimal, octal or hexadecimal, or with parts left out.
_NUMERIC_LABEL = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_DOTTED_QUAD = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")
#: What is said of each reason of the policy.
_REASONS = {
    "own_service": "address_own_service",
    "denied": "address_denied",
    "metadata": "address_metadata",
    "unspecified": "address_unspecified",
    "loopback": "address_loopback",
    "link_local": "address_link_local",
    "multicast": "address_multicast",
    "reserved": "address_reserved",
    "embedded_ipv4": "address_embedded_ipv4",
    "zone_id": "address_zone_id",
}


@dataclass(frozen=True)
class ServerUrl:
    """An https URL taken apart: a name in lower case or an address, port, and path ("" or "/…")."""

    host: str
    port: int
    path: str
    address: Address | None

    def __str__(self) -> str:
        host = f"[{self.host}]" if isinstance(self.address, IPv6Address) else self.host
        return f"https://{host}:{self.port}{self.path}"


@dataclass(frozen=True)
class CheckedServer:
    """Where to connect: checked addresses in the resolver's order, and the name to speak to."""

    url: ServerUrl
    addresses: tuple[Address, ...]

    @property
    def address(self) -> str:
        """The first checked address."""
        return str(self.addresses[0])

    @property
    def hostname(self) -> str:
        """The name (or literal address) for SNI, certificate check and Host header."""
        return self.url.host


def parse_server_url(text: str) -> ServerUrl:
    """Take an API server's URL apart, accepting https and plain host forms only.

    Raises ServerRefusedError with one of the reasons: characters, too_long, malformed, scheme,
    user_info, query, fragment, host, numeric_host, not_ascii, zone_id, port, path.
    """
    if len(text) > _MAX_LENGTH:
        raise ServerRefusedError("too_long", say("url_too_long"), say("remedy_url"))
    if any(char <= " " or char in '\\"<>^`{|}' or char == "\x7f" for char in text):
        raise ServerRefusedError("characters", say("url_characters"), say("remedy_plain_url"))
    if not text.isascii():
        raise ServerRefusedError("not_ascii", say("url_not_ascii"), say("remedy_xn"))
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise ServerRefusedError("malformed", say("url_malformed"), say("remedy_host_port"))
    if parts["scheme"].lower() != "https":
        raise ServerRefusedError("scheme", say("url_scheme"), say("remedy_tls_port"))
    if parts["rest"].startswith("?"):
        raise ServerRefusedError("query", say("url_query"), say("remedy_no_query"))
    if parts["rest"]:
        raise ServerRefusedError("fragment", say("url_fragment"), say("remedy_no_fragment"))
    authority = parts["authority"]
    if "@" in authority:
        raise ServerRefusedError("user_info", say("url_user_info"), say("remedy_no_user"))
    path = parts["path"]
    if not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise ServerRefusedError("path", say("url_path"), say("remedy_path"))
    host, port = _split(authority)
    name, address = _host(host)
    return ServerUrl(name, port, path.rstrip("/"), address)


def is_host_name(text: str) -> bool:
    """Whether the text is a DNS name: labels of letters, digits, - and _, the last no number."""
    labels = text.split(".")
    return (
        len(text) <= 253
        and all(_LABEL.fullmatch(label) for label in labels)
        and not _NUMERIC_LABEL.fullmatch(labels[-1])
    )


def check_literal(url: ServerUrl, policy: AddressPolicy) -> None:
    """Refuse a URL whose host is a blocked address; a name passes, it is checked when resolved.

    Raises ServerRefusedError with the policy's reason.
    """
    if url.address is not None:
        _check(url.address, url.port, policy)


def resolve_checked(url: ServerUrl, resolver: Resolver, policy: AddressPolicy) -> CheckedServer:
    """Resolve a server's name for one connection and check every address it gives.

    One blocked address refuses the name as a whole: a name that leads inside and outside at
    once is an attack or a mistake. Raises ServerRefusedError with the policy's reason, or
    unresolved where the name gives no address.
    """
    if url.address is not None:
        _check(url.address, url.port, policy)
        return CheckedServer(url, (url.address,))
    try:
        texts = list(resolver(url.host, url.port))
        addresses = tuple(dict.fromkeys(ip_address(text) for text in texts))
    except (OSError, ValueError):
        addresses = ()
    if not addresses:
        raise ServerRefusedError("unresolved", say("server_unresolved"), say("remedy_dns"))
    for address in addresses:
        _check(address, url.port, policy)
    return CheckedServer(url, addresses)


def _check(address: Address, port: int, policy: AddressPolicy) -> None:
    reason = policy.blocked(address, port)
    if reason is not None:
        message = say("address_refused", why=say(_REASONS[reason]))
        raise ServerRefusedError(reason, message, say("remedy_address"))


def _split(authority: str) -> tuple[str, int]:
    host, port = authority, ""
    if authority.startswith("["):
        inside, bracket, after = authority[1:].partition("]")
        if not bracket or (after and not after.startswith(":")):
            raise ServerRefusedError("host", say("url_ipv6"), say("remedy_ipv6"))
        host, port = f"[{inside}]", after
    elif ":" in authority:
        host, _, port = authority.partition(":")
        port = f":{port}"
    if not port:
        return host, 443
    digits = port[1:]
    if not re.fullmatch(r"[0-9]{1,5}", digits) or not 1 <= int(digits) <= 65535:
        raise ServerRefusedError("port", say("url_port"), say("remedy_port"))
    return host, int(digits)


def _host(host: str) -> tuple[str, Address | None]:
    if host.startswith("["):
        return _ipv6(host[1:-1])
    # One trailing dot only says that the name is complete; TLS knows names without it.
    name = host.removesuffix(".").lower()
    labels = name.split(".")
    if not name or len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ServerRefusedError("host", say("url_host"), say("remedy_host"))
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        if not _DOTTED_QUAD.fullmatch(name) or any(int(label) > 255 for label in labels):
            raise ServerRefusedError("numeric_host", say("url_numeric_host"), say("remedy_quad"))
        return name, IPv4Address(name)
    return name, None


def _ipv6(inside: str) -> tuple[str, Address]:
    if "%" in inside:
        message, remedy = say("url_zone_id"), say("remedy_not_link_local")
        raise ServerRefusedError("zone_id", message, remedy)
    try:
        address = IPv6Address(inside)
    except ValueError:
        address = None
    if address is None:
        raise ServerRefusedError("host", say("url_ipv6"), say("remedy_ipv6"))
    return str(address), address

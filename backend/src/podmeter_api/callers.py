"""Who a request counts for, before anybody has looked at its credential.

A credential that this process has found good lately counts for its user. Everything else counts for
the address that it comes from: anyone who invents credentials does not become many callers by that.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Lock

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, cookie_parser
from starlette.types import Scope

SESSION_COOKIE = "podmeter_session"
_STATE = "podmeter_caller"
#: How long a credential counts for its user after it was found good, in seconds.
_KNOWN_SECONDS = 600.0
_MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """A user, or the network of somebody who is not known yet."""

    name: str
    known: bool


def network_of(address: str) -> str:
    """The network that an address counts as: IPv6 by /64, which one machine may have all of."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ip_network((found.packed, 64), strict=False))
    return str(found)


def networks(names: Iterable[str]) -> tuple[IPv4Network | IPv6Network, ...]:
    """Addresses and networks as networks; a host's name is none, since no peer has one."""
    found = []
    for name in names:
        with suppress(ValueError):
            found.append(ip_network(name, strict=False))
    return tuple(found)


def is_in(address: str, named: Iterable[IPv4Network | IPv6Network]) -> bool:
    """Whether a peer's address is in one of the networks."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in network for network in named)


class KnownCredentials:
    """The credentials that were found good lately, by their digests. Safe to use from threads."""

    def __init__(self) -> None:
        self._users: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._lock = Lock()

    def note(self, credential: str, user: object) -> None:
        """Count the credential for its user from now on."""
        with self._lock:
            digest = _digest(credential)
            self._users[digest] = (str(user), time.monotonic() + _KNOWN_SECONDS)
            self._users.move_to_end(digest)
            if len(self._users) > _MOST_KNOWN:
                self._users.popitem(last=False)

    def forget(self, credential: str) -> None:
        """Count it for its address again: it was found to be none."""
        with self._lock:
            self._users.pop(_digest(credential), None)

    def user_of(self, credential: str) -> str | None:
        """The user whom it counts for."""
        with self._lock:
            user, until = self._users.get(_digest(credential), ("", 0.0))
        return user if until > time.monotonic() else None


def name_caller(scope: Scope, known: KnownCredentials) -> Caller:
    """Find out who a request counts for, and keep it with the request."""
    credential = _credential(Headers(scope=scope))
    user = known.user_of(credential) if credential else None
    if user is not None:
        caller = Caller(user, known=True)
    else:
        client = scope.get("client")
        caller = Caller(network_of(client[0]) if client else "here", known=False)
    scope.setdefault("state", {})[_STATE] = caller
    return caller


def count_for(connection: HTTPConnection, name: str) -> None:
    """Count a request for somebody who was found to be known, by another name than a user's."""
    connection.scope["state"][_STATE] = Caller(name, known=True)


def caller_of(connection: HTTPConnection) -> Caller:
    """Who a request counts for."""
    return caller_in(connection.scope)


def caller_in(scope: Scope) -> Caller:
    """Who a request counts for, once `name_caller` was asked."""
    caller = scope["state"][_STATE]
    if not isinstance(caller, Caller):
        raise TypeError(type(caller))
    return caller


def _credential(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token
    return cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE)


def _digest(credential: str) -> bytes:
    return hashlib.sha256(credential.encode("utf-8", "surrogateescape")).digest()

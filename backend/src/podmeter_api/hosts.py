"""Which hosts Podmeter answers to: a page of another name, which leads here, gets nothing.

Starlette's TrustedHostMiddleware would cut an IPv6 address at its first colon, and lets no path
out: probes and Prometheus ask by the address of the pod.
"""

from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from podmeter.domain.messages import say
from podmeter.settings import Settings
from podmeter_api.problems import Fault, problem

#: By which this machine's own programs ask. No other machine's name leads a browser here by them.
_HERE = ("localhost", "127.0.0.1", "::1")
#: For probes and Prometheus. They tell nothing but how it goes, or take a token.
_ANY_HOST = ("/healthz", "/readyz", "/metrics")
_ALL_ADDRESSES = ("0.0.0.0", "::")  # noqa: S104


def known_hosts(settings: Settings) -> frozenset[str]:
    """Names and addresses, without ports, in lower case."""
    public = urlsplit(settings.public_url).hostname or ""
    bound = () if settings.host in _ALL_ADDRESSES else (settings.host,)
    named = (public, *bound, *_HERE, *settings.allowed_hosts)
    return frozenset(one.lower().strip("[]") for one in named if one)


class KnownHosts:
    """Refuse requests to other hosts with 421, whatever they ask for."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what is for us."""
        if scope["type"] not in ("http", "websocket") or _is_open(scope["path"]):
            await self.app(scope, receive, send)
            return
        named = Headers(scope=scope).getlist("host")
        host = named[0] if len(named) == 1 else ""
        if _name(host) in self.hosts:
            await self.app(scope, receive, send)
            return
        refused = problem(
            HTTPStatus.MISDIRECTED_REQUEST,
            "host",
            say("host_unknown", host=host[:255]),
            [Fault.at(say("host_another"), header="Host")],
        )
        await refused(scope, receive, send)


def _is_open(path: str) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in _ANY_HOST)


def _name(host: str) -> str | None:
    """Without the port; None for what is no host."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    plain = parts.netloc == host and parts.username is None and parts.password is None
    name = (parts.hostname or "").removesuffix(".") if plain else ""
    return name or None

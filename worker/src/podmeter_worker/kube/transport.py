"""HTTP over connections to checked addresses only; the name goes into TLS and the Host header.

httpx asks a transport for each request, so the check stands before every connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from podmeter_worker.kube.errors import ApiUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter_worker.kube.access import ClusterAccess

#: Seconds: to connect, to send, and to wait for the next bytes of an answer.
TIMEOUT = httpx.Timeout(30.0, connect=10.0)


class CheckedTransport(httpx.BaseTransport):
    """A pool of at most `connections` kept alive to one cluster."""

    def __init__(self, access: ClusterAccess, connections: int) -> None:
        self._access = access
        self._pool = httpx.HTTPTransport(verify=access.tls, limits=_limits(connections))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send to the first checked address that takes the connection."""
        failure: httpx.TransportError | None = None
        for address in _addresses(self._access):
            _aim(request, self._access, address)
            try:
                return self._pool.handle_request(request)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failure = error
        self._access.forget()
        raise failure or httpx.ConnectError("the API server has no address")

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _limits(connections: int) -> httpx.Limits:
    return httpx.Limits(
        max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=30.0
    )


def _addresses(access: ClusterAccess) -> Iterable[str]:
    try:
        return [str(address) for address in access.checked().addresses]
    except ApiUnavailableError as error:
        raise httpx.ConnectError(str(error)) from error


def _aim(request: httpx.Request, access: ClusterAccess, address: str) -> None:
    # The Host header was set from the URL's name already; only where to connect changes.
    request.url = request.url.copy_with(host=address)
    request.extensions = {**request.extensions, "sni_hostname": access.tls_name}

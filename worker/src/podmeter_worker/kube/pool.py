"""The Kubernetes client over connections to checked addresses of one API server, and no others.

By itself it takes proxies from the environment and client certificates from files, waits for an
answer as long as it takes, and follows redirects. Its pool is exchanged for this one.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from kubernetes.client.api_client import ApiClient
from kubernetes.client.configuration import Configuration
from urllib3 import HTTPSConnectionPool, PoolManager, Timeout
from urllib3.connection import HTTPSConnection
from urllib3.exceptions import LocationValueError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    from urllib3 import BaseHTTPResponse

    from podmeter_worker.kube.access import ClusterAccess

#: Enough to keep the API server of a small cluster busy; each carries one request at a time.
CONNECTIONS = 16
CONNECT_SECONDS = 10.0
#: Without the next bytes of an answer, or a free connection, for so long, a request has failed.
_READ_SECONDS = 30.0


def api_client(access: ClusterAccess, pool: CheckedPool) -> ApiClient:
    """A client over this pool, with a configuration of its own."""
    # With the proxy and its exceptions given, the environment is not asked for them.
    client = ApiClient(Configuration(host=str(access.url), proxy="", no_proxy=""))
    client.default_headers = dict(access.headers)
    client.rest_client.pool_manager = pool
    return client


class CheckedPool(PoolManager):
    """At most CONNECTIONS connections to one API server, kept alive."""

    def __init__(self, access: ClusterAccess) -> None:
        super().__init__(1, maxsize=CONNECTIONS, block=True)
        self.pool_classes_by_scheme = {"https": partial(_ServerPool, access=access)}  # type: ignore[dict-item]
        self._server = self.connection_from_url(str(access.url))

    @contextmanager
    def lend(self) -> Iterator[CheckedConnection]:
        """One of the connections, connected, for a request by hand; closed if that fails."""
        connection = cast("CheckedConnection", self._server._get_conn(_READ_SECONDS))
        try:
            if connection.is_closed:
                connection.timeout = CONNECT_SECONDS
                connection.connect()
            connection.sock.settimeout(_READ_SECONDS)
            yield connection
        except BaseException:
            connection.close()
            raise
        finally:
            self._server._put_conn(connection)

    def urlopen(  # type: ignore[override]
        self, method: str, url: str, redirect: bool = True, **given: Any
    ) -> BaseHTTPResponse:
        """Send once: to no other place, in bounded time, its answer as the bytes that came."""
        # The Kubernetes client says None where it has nothing to say, which is for ever.
        timeout = given.pop("timeout", None) or Timeout(connect=CONNECT_SECONDS, read=_READ_SECONDS)
        given |= {"retries": False, "decode_content": False, "pool_timeout": _READ_SECONDS}
        return super().urlopen(method, url, redirect=False, timeout=timeout, **given)


class CheckedConnection(HTTPSConnection):
    """Connects as the access does, TLS included, whatever name it was made for."""

    def __init__(self, *args: Any, access: ClusterAccess, **given: Any) -> None:
        super().__init__(*args, **given)
        self._access = access
        self.sock: ssl.SSLSocket
        self._unsent: list[bytes] | None = None

    def connect(self) -> None:
        """Connect to the first checked address that answers."""
        self.sock = self._access.connect(self.timeout or CONNECT_SECONDS)
        self.is_verified = True

    def request(self, *args: Any, **given: Any) -> None:
        """Send head and body as one: by themselves, each would wake the server's machine."""
        self._unsent = []
        try:
            super().request(*args, **given)
        finally:
            unsent, self._unsent = self._unsent, None
        super().send(b"".join(unsent))

    def send(self, data: Any) -> None:
        """Send, or keep until the request is whole."""
        if self._unsent is None:
            super().send(data)
        else:
            self._unsent.append(data)


class _ServerPool(HTTPSConnectionPool):
    ConnectionCls = CheckedConnection

    def __init__(self, host: str, port: int, access: ClusterAccess, **given: Any) -> None:
        super().__init__(host, port, access=access, **given)
        if (self.host, port) != (access.url.host, access.url.port):
            raise LocationValueError(f"{host}:{port} is not the API server")

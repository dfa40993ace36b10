"""The Kubernetes client over connections to checked addresses of one API server, and no others.

By itself it takes proxies from the environment and client certificates from files, waits for an
answer as long as it takes, and follows redirects. Its pool is exchanged for this one.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from kubernetes.client.api_client import ApiClient
from kubernetes.client.configuration import Configuration
from urllib3 import HTTPSConnectionPool, PoolManager, Timeout
from urllib3.connection import HTTPSConnection
from urllib3.exceptions import LocationValueError

from podmeter_worker.kube.limits import HEAD_BYTES, LARGEST_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urllib3 import BaseHTTPResponse

    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.bounded_socket import BoundedSocket

#: Enough to keep the API server of a small cluster busy; each carries one request at a time.
CONNECTIONS = 16
CONNECT_SECONDS = 10.0
#: Without the next bytes of an answer, or a free connection, for so long, a request has failed.
_READ_SECONDS = 30.0
#: Nor is it waited for longer, with bytes or without: an API server itself gives up after a minute.
REQUEST_SECONDS = 60.0


def api_client(access: ClusterAccess, pool: CheckedPool) -> ApiClient:
    """A client over this pool, with a configuration of its own."""
    # With the proxy and its exceptions given, the environment is not asked for them.
    client = ApiClient(Configuration(host=str(access.url), proxy="", no_proxy=""))
    # The same object: a token that is renewed meanwhile is used by the next request.
    client.default_headers = access.headers
    client.rest_client.pool_manager = pool
    return client


class CheckedPool(PoolManager):
    """At most CONNECTIONS connections to one API server, kept alive."""

    def __init__(self, access: ClusterAccess) -> None:
        super().__init__(1, maxsize=CONNECTIONS, block=True)
        self.pool_classes_by_scheme = {"https": partial(_ServerPool, access=access)}  # type: ignore[dict-item]
        self._access = access
        self._server = self.connection_from_url(str(access.url))

    @contextmanager
    def lend(self, seconds: float) -> Iterator[CheckedConnection]:
        """One of the connections, connected, for a request by hand; closed if that fails.

        What it answers must be there in so many seconds.
        """
        until = _Until(self._access.deadline(seconds))
        connection = cast("CheckedConnection", self._server._get_conn(until.read_seconds))
        try:
            connection.until = until
            if connection.is_closed:
                connection.connect()
            connection.sock.settimeout(_READ_SECONDS)
            connection.allow(HEAD_BYTES)
            yield connection
        except BaseException:
            connection.close()
            raise
        finally:
            self._server._put_conn(connection)

    def urlopen(  # type: ignore[override]
        self, method: str, url: str, redirect: bool = True, **given: Any
    ) -> BaseHTTPResponse:
        """Send once: to no other place, in bounded time, its answer as the bytes that came.

        The seconds that a timeout gives for reading are those for the whole.
        """
        asked: Timeout | None = given.pop("timeout", None)
        seconds = asked.read_timeout if asked is not None else REQUEST_SECONDS
        until = _Until(self._access.deadline(cast("float", seconds)))
        given |= {"retries": False, "decode_content": False, "pool_timeout": until.read_seconds}
        return super().urlopen(method, url, redirect=False, timeout=until, **given)


class _Until(Timeout):
    """The timeouts of a request that must be over at a moment."""

    def __init__(self, moment: float) -> None:
        self.moment = moment
        left = max(moment - time.monotonic(), 0.001)
        self.read_seconds = min(_READ_SECONDS, left)
        super().__init__(connect=min(CONNECT_SECONDS, left), read=self.read_seconds)

    def clone(self) -> _Until:
        """The same moment."""
        return _Until(self.moment)


class CheckedConnection(HTTPSConnection):
    """Connects as the access does, TLS included, whatever name it was made for."""

    def __init__(self, *args: Any, access: ClusterAccess, **given: Any) -> None:
        super().__init__(*args, **given)
        self._access = access
        self.sock: BoundedSocket
        self.until = _Until(0.0)
        self._unsent: list[bytes] | None = None

    def connect(self) -> None:
        """Connect to the first checked address that answers."""
        self.sock = self._access.connect(min(CONNECT_SECONDS, self.until.moment - time.monotonic()))
        self.is_verified = True

    def allow(self, most_bytes: int) -> None:
        """Let so much be read of an answer."""
        self.sock.allow(most_bytes, self.until.moment)

    def getresponse(self) -> Any:
        """The head of an answer; only then may its body be read."""
        sock = self.sock
        response = super().getresponse()
        sock.allow(LARGEST_BYTES + HEAD_BYTES, self.until.moment)
        return response

    def request(self, *args: Any, **given: Any) -> None:
        """Send head and body as one: by themselves, each would wake the server's machine."""
        self.allow(HEAD_BYTES)
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

    def _make_request(  # type: ignore[override]
        self, conn: CheckedConnection, method: str, url: str, **given: Any
    ) -> BaseHTTPResponse:
        conn.until = given["timeout"]
        return super()._make_request(conn, method, url, **given)

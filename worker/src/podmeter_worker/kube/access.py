"""How a cluster is reached: the few fields kept of its kubeconfig, and nothing of a file.

Certificates are verified always, the address is checked before each connection is made, and the
secrets stay in memory: a client certificate reaches OpenSSL, which takes files alone, through an
anonymous one.
"""

from __future__ import annotations

import hashlib
import math
import os
import socket
import ssl
import tempfile
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from podmeter.credentials.server_url import (
    CheckedServer,
    Resolver,
    parse_server_url,
    resolve_checked,
)
from podmeter.domain.messages import say
from podmeter_worker.kube.bounded_socket import BoundedSocket
from podmeter_worker.kube.errors import ApiUnavailableError, PortRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from podmeter.credentials.address_policy import AddressPolicy

#: How long a resolved and checked name stands. Connections go to the checked addresses, so the
#: age cannot be used to lead one elsewhere; it only bounds how soon a moved server is found.
_RESOLVED_SECONDS = 30.0
#: A control plane has some servers, each with a certificate of its own.
_MOST_EXAMINED = 16
#: OpenSSL's codes for a certificate that rests upon no known authority (X509_V_ERR_…).
_UNKNOWN = (18, 19, 20, 21)


class ClusterAccess:
    """Where the API server is and how to authenticate. Its repr shows no secret."""

    def __init__(
        self,
        kept: Mapping[str, str],
        policy: AddressPolicy,
        resolver: Resolver | None = None,
        examine: Callable[[ClusterAccess, BoundedSocket], None] | None = None,
    ) -> None:
        """Take what `SanitizedKubeconfig.kept_fields()` gives.

        `examine` is given a connection to each server that is met, known by its certificate,
        before any is used; it raises where the server is not to be spoken to.

        Raises ServerRefusedError for a malformed URL, and ValueError for certificates or a key
        that OpenSSL does not read.
        """
        self.url = parse_server_url(kept["server"])
        self._policy = policy
        self._resolver = resolver or resolve
        self._examine, self._examined = examine, set[bytes]()
        self._lock = threading.Lock()
        self._checked: tuple[float, CheckedServer] | None = None
        #: When (monotonic) all its requests end, for every caller.
        self.until = math.inf
        self.tls_name = kept.get("tls_server_name") or self.url.host
        self._public = "certificate_authority" not in kept
        self.tls = _context(kept)
        token = kept.get("token")
        self.headers: dict[str, str] = {"User-Agent": "podmeter"}
        if token is not None:
            self.headers["Authorization"] = f"Bearer {token}"

    def renew(self, token: str) -> None:
        """Authenticate with another token from the next request on."""
        self.headers["Authorization"] = f"Bearer {token}"

    def __repr__(self) -> str:
        return f"ClusterAccess({self.url})"

    def checked(self) -> CheckedServer:
        """The server's checked addresses.

        Raises ServerRefusedError for a blocked address, ApiUnavailableError for a name that
        does not resolve at present.
        """
        with self._lock:
            if self._checked and time.monotonic() - self._checked[0] < _RESOLVED_SECONDS:
                return self._checked[1]
            server = self._resolve()
            self._checked = (time.monotonic(), server)
            return server

    def forget(self) -> None:
        """Resolve again at the next connection: the last one failed."""
        with self._lock:
            self._checked = None

    def deadline(self, seconds: float) -> float:
        """The moment (monotonic) in so many seconds, or when all ends."""
        return min(time.monotonic() + seconds, self.until)

    def connect(self, timeout_seconds: float) -> BoundedSocket:
        """A TLS connection to a checked address, and to a server that was examined.

        It is made within so many seconds, whatever the number of addresses. Nothing is read from
        it before its `allow`. Raises ApiUnavailableError, as PortRefusedError where every address
        refuses at once, and what `examine` raises.
        """
        for _ in range(_MOST_EXAMINED):
            connection = self._reach(timeout_seconds)
            certificate = connection.getpeercert(binary_form=True) or b""
            known = hashlib.sha256(certificate).digest()
            if self._examine is None or known in self._examined:
                return connection
            with connection:
                self._examine(self, connection)
            self._examined.add(known)
        raise ApiUnavailableError(say("api_many_certificates", count=_MOST_EXAMINED))

    def _reach(self, timeout_seconds: float) -> BoundedSocket:
        failures: list[OSError] = []
        until = self.deadline(timeout_seconds)
        addresses = self.checked().addresses
        for tried, address in enumerate(addresses):
            # Each has an equal share of what is left.
            seconds = (until - time.monotonic()) / (len(addresses) - tried)
            try:
                return self._connect(str(address), seconds)
            except OSError as error:
                failures.append(error)
        self.forget()
        last = failures[-1]
        if self._public and _of_unknown_authority(last):
            raise ApiUnavailableError(say("api_not_public", said=str(last)))
        if all(isinstance(one, ConnectionRefusedError) for one in failures):
            raise PortRefusedError(say("api_port_refused", server=str(self.url)))
        raise ApiUnavailableError(say("api_unreached", said=str(last)))

    def _connect(self, address: str, seconds: float) -> BoundedSocket:
        until = time.monotonic() + seconds
        if seconds <= 0:
            raise TimeoutError("timed out")
        raw = socket.create_connection((address, self.url.port), seconds)
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            raw.settimeout(max(until - time.monotonic(), 0.001))
            return self.tls.wrap_socket(raw, server_hostname=self.tls_name)  # type: ignore[return-value]
        except BaseException:
            raw.close()
            raise

    def _resolve(self) -> CheckedServer:
        failure: list[OSError] = []

        def resolver(host: str, port: int) -> Iterable[str]:
            try:
                return self._resolver(host, port)
            except OSError as error:
                failure.append(error)
                return ()

        try:
            return resolve_checked(self.url, resolver, self._policy)
        except Exception:
            if failure:
                message = say("api_unresolved", said=str(failure[0]))
                raise ApiUnavailableError(message) from failure[0]
            raise


def resolve(host: str, port: int) -> Iterable[str]:
    """The addresses of a name, as the system resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for _, _, _, _, address in found]


def _of_unknown_authority(error: OSError) -> bool:
    """Whether a certificate was refused for its authority; one for another name is not."""
    return isinstance(error, ssl.SSLCertVerificationError) and error.verify_code in _UNKNOWN


def _context(kept: Mapping[str, str]) -> ssl.SSLContext:
    try:
        # Without the cluster's own authority, the system's verify the server.
        context = ssl.create_default_context(cadata=kept.get("certificate_authority"))
        context.sslsocket_class = BoundedSocket
        # As Go does: many clusters' authorities lack extensions that RFC 5280 wants, which
        # Python checks from 3.13 on, and an intermediate one may be all that was given.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        if "client_certificate" in kept:
            pem = f"{kept['client_certificate']}\n{kept['client_key']}"
            with _private_file(pem.encode()) as path:
                context.load_cert_chain(path)
    except ssl.SSLError as error:
        # The text names the fault, never the material.
        raise ValueError(say("credentials_no_tls", said=str(error.reason))) from None
    return context


@contextmanager
def _private_file(content: bytes) -> Iterator[str]:
    """A path that gives `content`, in memory where the system can, gone on leaving."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("credentials", os.MFD_CLOEXEC)
        try:
            os.write(descriptor, content)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    with tempfile.NamedTemporaryFile() as file:  # made readable for its owner alone
        file.write(content)
        file.flush()
        yield file.name

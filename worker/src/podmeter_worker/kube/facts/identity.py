"""Which real cluster this is, however often and under whatever address it was registered.

A UID is a text that any server may answer, and a name may lead elsewhere tomorrow. So a server is
asked on the very connection that its certificate was verified on, once for each certificate that
is met. What vouches for the answer is the authority that its certificate rests upon: the digest of
that one's public key, so that the same key in a renewed certificate is the same. Two things are
added where that is not enough:

- the name of the server, unless its certificate is for `kubernetes.default.svc` too. A cluster's
  own authority signs that for its API server alone; one that signs for others as well (a public
  one, a company's) would vouch for any of them.
- the path of the server's URL, for a proxy that serves several clusters.
"""

from __future__ import annotations

import hashlib
from http.client import HTTPResponse
from typing import TYPE_CHECKING, Any, cast

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from podmeter.domain.messages import say
from podmeter.domain.real_cluster import RealCluster
from podmeter_worker.kube.errors import (
    AnotherClusterError,
    ApiUnavailableError,
    MalformedAnswerError,
)
from podmeter_worker.kube.reading import decoded
from podmeter_worker.kube.requests import BROKEN, Answer, failure_of
from podmeter_worker.kube.resources import NAMESPACES
from podmeter_worker.kube.untrusted_fields import text_of, uid_of

if TYPE_CHECKING:
    import ssl

    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.bounded_socket import BoundedSocket
    from podmeter_worker.kube.client import KubeClient

_PATH = NAMESPACES.path(name="kube-system")
_OWN_NAME = "kubernetes.default.svc"
#: For the whole answer, which is some hundred bytes.
_SECONDS, _LARGEST_BYTES = 15.0, 64 << 10


class Identity:
    """What is examined on each new connection: that it is to one and the same real cluster.

    `seen` is what the first one was; None before it. `must_be` is the UID that all must have; the
    first one's where it is None.
    """

    def __init__(self, must_be: str | None = None) -> None:
        self._must_be = must_be
        self.seen: RealCluster | None = None

    def examine(self, access: ClusterAccess, socket: BoundedSocket) -> None:
        """Ask a server which cluster it is; the connection is of no use afterwards.

        Raises AnotherClusterError; ApiRefusedError and ApiUnavailableError where it does not say.
        """
        uid = _ask(access, socket)
        if self._must_be not in (None, uid):
            raise AnotherClusterError(say("another_cluster", uid=uid))
        self._must_be = uid
        self.seen = self.seen or RealCluster(uid, authority_of(access, socket))


def real_cluster(client: KubeClient, identity: Identity) -> RealCluster:
    """Which real cluster answers, as the client's connections were examined."""
    uid = cluster_uid(client)
    seen = identity.seen
    if seen is None or seen.uid != uid:
        raise AnotherClusterError(say("another_cluster", uid=uid))
    return seen


def cluster_uid(client: KubeClient) -> str:
    """The UID of the kube-system namespace."""
    return uid_of(client.get(_PATH))


def kubernetes_version(client: KubeClient) -> str:
    """The API server's version, such as `v1.34.4`."""
    return text_of(client.get("/version").get("gitVersion"))


def authority_of(access: ClusterAccess, socket: ssl.SSLSocket) -> str:
    """A digest of what vouches for the server of a connection; see above.

    Raises MalformedAnswerError for certificates that cannot be read.
    """
    chain = verified_chain(socket)
    try:
        own, last = (x509.load_der_x509_certificate(chain[index]) for index in (0, -1))
        key = last.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        name = "" if _OWN_NAME in _names(own) else access.tls_name.lower()
    except Exception as error:  # whatever a hostile certificate brings out of the library
        raise MalformedAnswerError(say("api_certificate")) from error
    digest = hashlib.sha256()
    for part in (key, name.encode(), access.url.path.encode()):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def verified_chain(socket: ssl.SSLSocket) -> list[bytes]:
    """The certificates (DER) by which the server was verified, its own first."""
    if hasattr(socket, "get_verified_chain"):  # Python 3.13
        return cast("list[bytes]", socket.get_verified_chain())
    own = cast("Any", socket)._sslobj
    return [one.public_bytes(2) for one in own.get_verified_chain()]


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return []
    return [name.lower() for name in found.value.get_values_for_type(x509.DNSName)]


def _ask(access: ClusterAccess, socket: BoundedSocket) -> str:
    headers = {**access.headers, "Host": _host(access), "Accept-Encoding": "identity"}
    lines = [f"GET {access.url.path}{_PATH} HTTP/1.1", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    socket.settimeout(_SECONDS)
    socket.allow(_LARGEST_BYTES, access.deadline(_SECONDS))
    try:
        socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        with HTTPResponse(socket, method="GET") as response:
            response.begin()
            answer = Answer(response.status, response.headers, response.read())
    except BROKEN as error:
        raise ApiUnavailableError(say("api_unreached", said=str(error))) from error
    if answer.status != 200:
        raise failure_of(answer)
    return uid_of(decoded(answer.content))


def _host(access: ClusterAccess) -> str:
    return str(access.url).removeprefix("https://").partition("/")[0]

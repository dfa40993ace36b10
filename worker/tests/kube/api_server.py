"""An API server with configurable responses, over TLS on this machine."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class Answer:
    """One answer: a status, a document, raw bytes or chunks, and headers.

    It is not begun, or with chunks not ended, before `after` is set.
    """

    status: int = 200
    document: Any = None
    raw: bytes | None = None
    chunks: tuple[bytes, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    after: threading.Event | None = None


@dataclass
class Asked:
    """What was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class FakeApiServer:
    """Gives `answers` in turn, the last one for ever; `asked` is what came in.

    Where `by_path` has an answer for what was asked (without its query), that is given.
    With `answer`, what that says instead.
    """

    kept: dict[str, str]
    answers: list[Answer] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    by_path: dict[str, Answer] = field(default_factory=dict)
    answer: Callable[[Asked], Answer] | None = None

    def is_cluster(self, uid: object) -> None:
        """Answer as the API server of the cluster with this UID."""
        self.by_path["/api/v1/namespaces/kube-system"] = Answer(document={"metadata": {"uid": uid}})
        self.by_path["/version"] = Answer(document={"gitVersion": "v1.34.4"})

    def next(self, asked: Asked) -> Answer:
        """The answer to what was asked; another request may have come since."""
        if self.answer is not None:
            return self.answer(asked)
        if found := self.by_path.get(asked.path.partition("?")[0]):
            return found
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def fake_api_server(
    folder: Path,
    hosts: tuple[str, ...] = ("127.0.0.1",),
    clients: str | None = None,
    authority: Authority | None = None,
) -> Iterator[FakeApiServer]:
    """Serve on a free port; the certificate is for `hosts`, and that of `clients` is wanted.

    It is its own authority where none is given.
    """
    certificate, key = make_certificate(hosts, authority)
    trusted = certificate if authority is None else authority.certificate()
    pem = folder / "server.pem"
    pem.write_text(certificate + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    if clients is not None:
        context.load_verify_locations(cadata=clients)
        context.verify_mode = ssl.CERT_REQUIRED
    fake = FakeApiServer({"certificate_authority": trusted, "token": "a-secret-token"})
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(fake))
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True)
    fake.kept["server"] = f"https://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


_AT_ONCE = threading.Event()
_AT_ONCE.set()


def _handler(fake: FakeApiServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are two writes: together with delayed ACKs that is 40 ms.
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = Asked(self.command, self.path, dict(self.headers), body)
            fake.asked.append(asked)
            answer = fake.next(asked)
            ready = answer.after or _AT_ONCE
            if not answer.chunks:
                ready.wait(30)
            # With a clock of its own where it is given one.
            begin = self.send_response_only if "Date" in answer.headers else self.send_response
            begin(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.chunks:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for chunk in answer.chunks:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
                ready.wait(30)
                self.wfile.write(b"0\r\n\r\n")
                return
            raw = answer.raw if answer.raw is not None else json.dumps(answer.document).encode()
            if "Content-Length" not in answer.headers:
                self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    return Handler


@dataclass
class Authority:
    """Signs servers' certificates; its own can be renewed with the same key."""

    name: str = "authority"
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    @property
    def subject(self) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self.name)])

    def certificate(self) -> str:
        made = _signed(self.subject, self.key, self.subject, self.key, (), ca=True)
        return made.public_bytes(serialization.Encoding.PEM).decode()


def make_certificate(hosts: tuple[str, ...], authority: Authority | None = None) -> tuple[str, str]:
    """A certificate for these names and addresses, and its key; it is its own authority else."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    by = authority or Authority("test", key)
    certificate = _signed(name, key, by.subject, by.key, hosts, ca=authority is None)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), private.decode()


def _signed(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    by: ec.EllipticCurvePrivateKey,
    hosts: tuple[str, ...],
    *,
    ca: bool,
) -> x509.Certificate:
    names: list[x509.GeneralName] = []
    for host in hosts:
        literal = host.replace(".", "").isdigit()
        names.append(x509.IPAddress(ip_address(host)) if literal else x509.DNSName(host))
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    if names:
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return made.sign(by, hashes.SHA256())

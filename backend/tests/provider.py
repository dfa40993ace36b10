"""A small OpenID Connect provider on loopback, which can be told to lie."""

import base64
import hashlib
import json
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "podmeter", "the client's own secret"
#: Status, content type, body.
Answer = tuple[int, str, bytes]


def new_key(name: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


def unsigned(claims: dict[str, Any]) -> str:
    """A token of `alg: none`."""
    parts = [json.dumps(one).encode() for one in ({"alg": "none"}, claims)]
    return ".".join(base64.urlsafe_b64encode(one).rstrip(b"=").decode() for one in parts) + "."


@dataclass
class Provider:
    """One provider; what is set here it does from the next request on."""

    key: RSAKey
    url: str = ""
    #: Who signs on.
    person: dict[str, Any] = field(default_factory=dict)
    #: Claims of the next tokens that are other than they should be; None leaves one out.
    lies: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    #: Instead of the right answer, by path.
    answers: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    sign: Callable[[dict[str, Any]], str] | None = None
    published: list[RSAKey] = field(default_factory=list)
    userinfo_only: bool = False
    asked: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: What the token endpoint was sent.
    forms: list[dict[str, str]] = field(default_factory=list)

    def reset(self) -> None:
        """Honest again, with somebody who is nobody yet."""
        subject = secrets.token_hex(8)
        self.person = {
            "sub": subject,
            "email": f"{subject}@people.example",
            "email_verified": True,
            "groups": ["net-admins"],
        }
        self.lies, self.metadata, self.answers = {}, {}, {}
        self.sign, self.userinfo_only = None, False
        self.published = [self.key]
        self.asked.clear()
        self.forms.clear()

    def rotate(self) -> None:
        """Sign with another key, which alone is published from now on."""
        self.key = new_key(secrets.token_hex(4))
        self.published = [self.key]

    def described(self) -> dict[str, Any]:
        paths = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        ends = {f"{name}_endpoint": f"{self.url}/{path}" for name, path in paths.items()}
        more = {"end_session_endpoint": f"{self.url}/end", "jwks_uri": f"{self.url}/keys"}
        return {"issuer": self.url, **ends, **more, **self.metadata}

    def signed(self, claims: dict[str, Any]) -> str:
        if self.sign is not None:
            return self.sign(claims)
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def authorize(self, query: dict[str, str]) -> str:
        """Let the person sign on; where their browser goes then."""
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = {**query, "person": dict(self.person)}
        back = {"code": code, "state": query["state"], "iss": self.url}
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        self.forms.append(form)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization != f"Basic {basic}":
            return 401, {"error": "invalid_client"}
        begun = self.codes.pop(form["code"], None)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if begun is None or begun["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        moment, access = int(time.time()), secrets.token_urlsafe(16)
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "nonce": begun["nonce"],
            "iat": moment,
            "exp": moment + 300,
            **({"sub": begun["person"]["sub"]} if self.userinfo_only else begun["person"]),
            **self.lies,
        }
        token = self.signed({name: one for name, one in claims.items() if one is not None})
        return 200, {"access_token": access, "token_type": "Bearer", "id_token": token}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        path, query = self._read()
        if self._told(path):
            return
        if path == "/authorize":
            self.send_response(302)
            self.send_header("Location", self.provider.authorize(query))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif path == "/.well-known/openid-configuration":
            self._json(200, self.provider.described())
        elif path == "/keys":
            keys = [one.as_dict(private=False) for one in self.provider.published]
            self._json(200, {"keys": keys})
        elif path == "/userinfo":
            self._json(200, self.provider.person)
        else:
            self._json(404, {})

    def do_POST(self) -> None:
        path, _ = self._read()
        length = int(self.headers["Content-Length"])
        form = {name: one[0] for name, one in parse_qs(self.rfile.read(length).decode()).items()}
        if not self._told(path):
            self._json(*self.provider.token(form, self.headers.get("Authorization", "")))

    def log_message(self, *_: object) -> None:
        """Nothing is said."""

    def _read(self) -> tuple[str, dict[str, str]]:
        parts = urlsplit(self.path)
        self.provider.asked.append(parts.path)
        return parts.path, {name: one[0] for name, one in parse_qs(parts.query).items()}

    def _told(self, path: str) -> bool:
        if path not in self.provider.answers:
            return False
        self._send(*self.provider.answers[path]())
        return True

    def _json(self, status: int, document: Any) -> None:
        self._send(status, "application/json", json.dumps(document).encode())

    def _send(self, status: int, media_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def certificate(folder: Path) -> tuple[str, ssl.SSLContext]:
    """A certificate for 127.0.0.1 that signed itself, in PEM, and what a server needs of it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, secrets.token_hex(8))])
    moment, here = datetime.now(UTC), x509.IPAddress(ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - timedelta(days=1))
        .not_valid_after(moment + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([here]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    text = made.public_bytes(Encoding.PEM)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "both.pem").write_bytes(secret + text)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "both.pem")
    return text.decode(), context


@contextmanager
def running(tls: ssl.SSLContext | None = None) -> Iterator[Provider]:
    """A provider that serves, by https with `tls`."""
    provider = Provider(new_key("first"))
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scheme = "http" if tls is None else "https"
    provider.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    provider.reset()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

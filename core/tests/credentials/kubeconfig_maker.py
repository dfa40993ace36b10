"""Make kubeconfigs, good ones and bad ones with a canary, and the keys they hold.

A canary is a command that would touch a file, a path that would be opened, or a URL that would
be connected to: `CANARY` is in each. Nothing here needs pytest, so that the audited subprocess
can import it too.
"""

import base64
import copy
import json
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa, ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

NOW = datetime(2025, 6, 1, tzinfo=UTC)
CANARY = "c4n4ry-5e2f"
TOUCH = f"touch /tmp/{CANARY}"
PATH = f"/tmp/{CANARY}.pem"
URL = f"https://{CANARY}.example.net"


def certificate(key, name="podmeter", *, issuer=None, start=-1, days=30):
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    issuer_name, issuer_key = issuer or (subject, key)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer_name)
        .public_key(key.public_key())
        .serial_number(4711)
        .not_valid_before(NOW + timedelta(days=start))
        .not_valid_after(NOW + timedelta(days=start + days))
        .sign(issuer_key, hashes.SHA256())
    )


def pem(found: Any) -> bytes:
    """A certificate or a private key as PEM."""
    if isinstance(found, x509.Certificate):
        return found.public_bytes(Encoding.PEM)
    made: bytes = found.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made


def packed(raw):
    return base64.b64encode(raw).decode()


@cache
def keys():
    """Give a client key, another key, and certificates of them, made once."""
    own, other = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    return own, other, certificate(own), certificate(other, "kubernetes")


def jwt(claims):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'RS256'})}.{part(claims)}.{CANARY}signature"


def good(user="certificate"):
    own, _, client, authority = keys()
    users = {
        "certificate": {
            "client-certificate-data": packed(pem(client)),
            "client-key-data": packed(pem(own)),
        },
        "token": {"token": jwt({"exp": (NOW + timedelta(days=3)).timestamp()})},
    }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "lab",
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "admin"}}],
        "clusters": [
            {
                "name": "lab",
                "cluster": {
                    "server": "https://10.0.0.5:6443",
                    "certificate-authority-data": packed(pem(authority)),
                },
            }
        ],
        "users": [{"name": "admin", "user": users[user]}],
    }


def written(document):
    return yaml.safe_dump(document).encode()


def bad(document):
    """Write a document with one more canary in a place that nothing should look at."""
    return written({**document, "extra": {"command": TOUCH, "path": PATH, "url": URL}})


def in_user(fields, *, keep=True, base="certificate"):
    def make():
        document = good(base)
        if not keep:
            document["users"][0]["user"] = {}
        document["users"][0]["user"].update(fields() if callable(fields) else fields)
        return bad(document)

    return make


def in_cluster(**fields):
    def make():
        document = good()
        cluster = document["clusters"][0]["cluster"]
        for name, value in fields.items():
            key = name.replace("_", "-")
            if value is None:
                del cluster[key]
            else:
                cluster[key] = value() if callable(value) else value
        return bad(document)

    return make


def server(url):
    return in_cluster(server=url)


def changed(change):
    def make():
        document = copy.deepcopy(good())
        change(document)
        return bad(document)

    return make


def text(body):
    return lambda: body.encode()


def after_good(body):
    return lambda: bad(good()) + body.encode()


def two_contexts(document):
    document["contexts"].append({"name": "other", "context": {"cluster": "lab", "user": "evil"}})
    document["users"].append({"name": "evil", "user": {"exec": {"command": TOUCH}}})


EXEC = {"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": ["-c", TOUCH]}
PROVIDER = {"name": "gcp", "config": {"cmd-path": "/bin/sh", "cmd-args": f"-c '{TOUCH}'"}}
NESTED = "[" * 40_000
BOMB = (
    f'a: &a ["{CANARY}","x"]\n'
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(9))
    + "kind: Config\n"
)


def encrypted_key():
    key = keys()[0].private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(CANARY.encode())
    )
    return packed(key)


def dsa_key():
    # A fixed tiny group would be refused by the library, so a real but short one is generated.
    return packed(pem(dsa.generate_private_key(1024)))

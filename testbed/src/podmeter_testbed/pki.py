"""Certificates and kubeconfigs, as kubeadm would make them."""

from __future__ import annotations

import base64
import datetime
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = datetime.timedelta(days=365)


@dataclass(frozen=True)
class KeyPair:
    """A certificate and its key, PEM."""

    certificate: bytes
    key: bytes

    def write(self, folder: Path, name: str) -> None:
        """Write `name`.crt and `name`.key (mode 600)."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.crt").write_bytes(self.certificate)
        write_private(folder / f"{name}.key", self.key)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600, exist_ok=True)
    path.chmod(0o600)
    path.write_bytes(content)


class Authority:
    """A certificate authority that lives as long as the testbed."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = _name("kubernetes", [])
        self._certificate = (
            _builder(name, name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )

    @property
    def certificate(self) -> bytes:
        """The authority's certificate, PEM."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def issue(self, user: str, groups: Iterable[str] = (), hosts: Iterable[str] = ()) -> KeyPair:
        """A client certificate for `user`, a server certificate too where there are `hosts`."""
        key = ec.generate_private_key(ec.SECP256R1())
        hosts = list(hosts)
        usages = [ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = _builder(_name(user, groups), self._certificate.subject, key.public_key())
        if hosts:
            usages.append(ExtendedKeyUsageOID.SERVER_AUTH)
            names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
            critical=False,
        )
        certificate = builder.sign(self._key, hashes.SHA256())
        return KeyPair(certificate.public_bytes(serialization.Encoding.PEM), private_pem(key))

    def kubeconfig(self, server: str, pair: KeyPair) -> bytes:
        """A kubeconfig with everything embedded and one context, `podmeter-testbed`."""
        name = "podmeter-testbed"
        user = {
            "client-certificate-data": _base64(pair.certificate),
            "client-key-data": _base64(pair.key),
        }
        cluster = {"server": server, "certificate-authority-data": _base64(self.certificate)}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": cluster}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": "admin"}}],
            "users": [{"name": "admin", "user": user}],
        }
        return yaml.safe_dump(document, sort_keys=False).encode()


def signing_key() -> KeyPair:
    """A key pair that signs ServiceAccount tokens; `certificate` is the public key."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return KeyPair(public, private_pem(key))


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The key, PEM, in the format that Go's crypto reads."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + LIFETIME)
    )


def _name(user: str, groups: Iterable[str]) -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, user)])


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()

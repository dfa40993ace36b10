"""Check base64-wrapped PEM fields of a kubeconfig, and write anew just what they must hold."""

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

# RSA keys of 8,192 bits are below 7 KB; checking a much larger one would take minutes.
_MAX_KEY_BYTES = 12 * 1024
_PrivateKey = (
    rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
) | ed448.Ed448PrivateKey


@dataclass(frozen=True)
class PemFault:
    """What is wrong with a field: code, message, remedy; never what is in it."""

    code: str
    message: str
    remedy: str


@dataclass(frozen=True)
class Certificates:
    """Certificates, and as PEM with nothing else around them."""

    pem: str
    all: tuple[x509.Certificate, ...]

    @property
    def first(self) -> x509.Certificate:
        """The one that the bundle is about; of a chain, the end-entity certificate."""
        return self.all[0]


_EXPORT = "Export it afresh: kubectl config view --minify --flatten --raw."


def decode_pem_field(text: str) -> bytes | PemFault:
    """Undo the base64 of a ``...-data`` field."""
    packed = "".join(text.split())
    if packed.startswith("-----BEGIN"):
        remedy = "Encode it once: base64 -w0 FILE."
        return PemFault("not_base64", "The field is PEM text that is not base64-encoded.", remedy)
    try:
        raw: bytes | None = base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        raw = None
    if raw is None:
        return PemFault("not_base64", "The field is not valid base64.", _EXPORT)
    if not raw.strip():
        return PemFault("empty", "The field is empty.", _EXPORT)
    if b"-----BEGIN" not in raw:
        return PemFault("not_pem", "The field does not hold PEM after base64.", _EXPORT)
    return raw


def read_certificates(raw: bytes) -> Certificates | PemFault:
    """Read a PEM bundle of certificates; anything else in it but comments is a fault."""
    if b"PRIVATE KEY-----" in raw:
        remedy = "Put certificates only here, and replace that key: it has been in a wrong place."
        return PemFault("key_in_certificates", "The field holds a private key.", remedy)
    try:
        found: list[x509.Certificate] | None = x509.load_pem_x509_certificates(raw)
        pem = "".join(one.public_bytes(Encoding.PEM).decode() for one in found or [])
    except (ValueError, TypeError):
        found = None
    if not found:
        return PemFault("not_certificates", "The field holds no readable certificate.", _EXPORT)
    return Certificates(pem, tuple(found))


def read_authorities(raw: bytes, now: datetime) -> Certificates | PemFault:
    """Read a bundle of authorities, at least one of which must be valid now."""
    found = read_certificates(raw)
    if isinstance(found, PemFault) or any(_is_valid(one, now) for one in found.all):
        return found
    remedy = "Take the present one from the ConfigMap kube-root-ca.crt."
    return PemFault("expired", "No certificate of the authority is valid now.", remedy)


def validity_fault(certificate: x509.Certificate, now: datetime) -> PemFault | None:
    """Say whether a client certificate is expired or not yet valid."""
    if _is_valid(certificate, now):
        return None
    if certificate.not_valid_after_utc < now:
        remedy = "Renew it (kubeadm certs renew), or make a ServiceAccount token."
        return PemFault("expired", "The client certificate has expired.", remedy)
    remedy = "Check the clocks of both machines."
    return PemFault("not_yet_valid", "The client certificate is not valid yet.", remedy)


def read_private_key(raw: bytes) -> tuple[str, bytes] | PemFault:
    """Read an unencrypted private key.

    Returns it as PKCS #8 PEM, and its public key as DER for comparing.
    """
    if len(raw) > _MAX_KEY_BYTES:
        return PemFault("key_too_large", "The private key is too large.", _EXPORT)
    if b"ENCRYPTED" in raw:
        remedy = "Decrypt it: openssl pkey -in FILE; or make a ServiceAccount token."
        return PemFault("encrypted_key", "The private key is protected by a passphrase.", remedy)
    try:
        key: object = load_pem_private_key(raw, password=None)
    except Exception:
        key = None
    if not isinstance(key, _PrivateKey):
        remedy = "Use an RSA, EC or Ed25519 key in PEM."
        return PemFault("not_a_key", "The field holds no readable private key.", remedy)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return pem, key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def key_matches(certificate: x509.Certificate, public_key: bytes) -> bool:
    """Whether a certificate is of this public key (DER)."""
    try:
        own = certificate.public_key()
    except (ValueError, TypeError):
        return False
    return own.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) == public_key


def _is_valid(certificate: x509.Certificate, now: datetime) -> bool:
    return certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc

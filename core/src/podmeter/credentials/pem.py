"""Check base64-wrapped PEM fields of a kubeconfig, and write again just what they must hold."""

import base64
import binascii
import re
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

from podmeter.domain.messages import Message, say

# RSA keys of 8,192 bits are below 7 KB.
_MAX_KEY_BYTES = 12 * 1024
_RSA_BITS = range(1024, 8192 + 1)
_MOST_CERTIFICATES = 200
_KEY_BLOCK = re.compile(
    rb"-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([A-Za-z0-9+/=\s]+)-----END \1-----"
)
# Of PKCS #8 keys only these are loaded (the contents of their OBJECT IDENTIFIER): loading one of
# another algorithm, such as Diffie-Hellman, may test huge numbers for being prime.
_ALGORITHMS = {
    bytes.fromhex("2a864886f70d010101"),  # rsaEncryption
    bytes.fromhex("2a8648ce3d0201"),  # id-ecPublicKey
    bytes.fromhex("2b6570"),  # id-Ed25519
    bytes.fromhex("2b6571"),  # id-Ed448
}
_PrivateKey = (
    rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
) | ed448.Ed448PrivateKey


@dataclass(frozen=True)
class PemFault:
    """What is wrong with a field: code, message, remedy; never what is in it."""

    code: str
    message: Message
    remedy: Message


@dataclass(frozen=True)
class Certificates:
    """Certificates, and as PEM with nothing else around them."""

    pem: str
    all: tuple[x509.Certificate, ...]

    @property
    def first(self) -> x509.Certificate:
        """The subject of the bundle; of a chain, the end-entity certificate."""
        return self.all[0]


_EXPORT = say("remedy_export")


def decode_pem_field(text: str) -> bytes | PemFault:
    """Undo the base64 of a ``...-data`` field."""
    packed = "".join(text.split())
    if packed.startswith("-----BEGIN"):
        return PemFault("not_base64", say("pem_not_encoded"), say("remedy_encode"))
    try:
        raw: bytes | None = base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        raw = None
    if raw is None:
        return PemFault("not_base64", say("pem_not_base64"), _EXPORT)
    if not raw.strip():
        return PemFault("empty", say("pem_empty"), _EXPORT)
    if b"-----BEGIN" not in raw:
        return PemFault("not_pem", say("pem_absent"), _EXPORT)
    return raw


def read_certificates(raw: bytes) -> Certificates | PemFault:
    """Read a PEM bundle of certificates; anything else in it but comments is a fault."""
    if b"PRIVATE KEY-----" in raw:
        remedy = say("remedy_certificates")
        return PemFault("key_in_certificates", say("certificates_key"), remedy)
    if raw.count(b"-----BEGIN") > _MOST_CERTIFICATES:
        remedy = say("remedy_authorities")
        return PemFault("too_many_certificates", say("certificates_too_many"), remedy)
    try:
        found: list[x509.Certificate] | None = x509.load_pem_x509_certificates(raw)
        pem = "".join(one.public_bytes(Encoding.PEM).decode() for one in found or [])
        for one in found or []:
            # Read lazily, and what a hostile certificate has there may be no date at all.
            _ = one.not_valid_before_utc, one.not_valid_after_utc
    except Exception:  # whatever a hostile certificate brings out of the library
        found = None
    if not found:
        return PemFault("not_certificates", say("certificates_unreadable"), _EXPORT)
    return Certificates(pem, tuple(found))


def read_authorities(raw: bytes, now: datetime) -> Certificates | PemFault:
    """Read a bundle of authorities, at least one of which must be valid now."""
    found = read_certificates(raw)
    if isinstance(found, PemFault) or any(_is_valid(one, now) for one in found.all):
        return found
    return PemFault("expired", say("authority_expired"), say("remedy_take_authority"))


def validity_fault(certificate: x509.Certificate, now: datetime) -> PemFault | None:
    """Say whether a client certificate is expired or not yet valid."""
    if _is_valid(certificate, now):
        return None
    if certificate.not_valid_after_utc < now:
        return PemFault("expired", say("certificate_expired"), say("remedy_renew"))
    return PemFault("not_yet_valid", say("certificate_early"), say("remedy_clocks"))


def read_private_key(raw: bytes) -> tuple[str, bytes] | PemFault:
    """Read an unencrypted private key.

    Returns it as PKCS #8 PEM, and its public key as DER for comparing.
    """
    if len(raw) > _MAX_KEY_BYTES:
        return PemFault("key_too_large", say("key_too_large"), _EXPORT)
    if b"ENCRYPTED" in raw:
        return PemFault("encrypted_key", say("key_encrypted"), say("remedy_decrypt"))
    key = _loaded_key(raw)
    if key is None:
        return PemFault("not_a_key", say("key_unreadable"), say("remedy_key"))
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return pem, key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _loaded_key(raw: bytes) -> _PrivateKey | None:
    """The key in a PEM text, if it is one that may be used; takes milliseconds for any text."""
    block = _KEY_BLOCK.search(raw)
    if block is None:
        return None
    try:
        if block[1] == b"PRIVATE KEY" and _algorithm(base64.b64decode(block[2])) not in _ALGORITHMS:
            return None
        # OpenSSL's own check tests the factors for being prime, which takes minutes where they
        # are large; what must hold between the numbers is checked below.
        key = load_pem_private_key(block[0], password=None, unsafe_skip_rsa_key_validation=True)
    except Exception:  # whatever a hostile key brings out of the library
        return None
    if isinstance(key, rsa.RSAPrivateKey) and not _is_sound(key.private_numbers()):
        return None
    return key if isinstance(key, _PrivateKey) else None


def _is_sound(numbers: rsa.RSAPrivateNumbers) -> bool:
    """Whether the numbers of an RSA key belong together (RFC 8017, 3.2), but for being prime."""
    n, e = numbers.public_numbers.n, numbers.public_numbers.e
    p, q, d = numbers.p, numbers.q, numbers.d
    return (
        n.bit_length() in _RSA_BITS
        and 3 <= e < 2**64
        and min(p, q) > 2
        and p * q == n
        and d < n
        and all((e * exponent - 1) % (prime - 1) == 0 for exponent, prime in ((d, p), (d, q)))
        and numbers.dmp1 == d % (p - 1)
        and numbers.dmq1 == d % (q - 1)
        and numbers.iqmp * q % p == 1
    )


def _algorithm(der: bytes) -> bytes | None:
    """The OBJECT IDENTIFIER of a PKCS #8 key's algorithm (RFC 5208, 5)."""
    _, info, _ = _tag(der)
    _, _, after_version = _tag(info)
    _, algorithm, _ = _tag(after_version)
    tag, identifier, _ = _tag(algorithm)
    return identifier if tag == 6 else None


def _tag(der: bytes) -> tuple[int, bytes, bytes]:
    """The first value of DER text: tag, content, and what follows. IndexError for no text."""
    length, start = der[1], 2
    if length > 0x7F:
        start += length & 0x7F
        length = int.from_bytes(der[2:start], "big")
    return der[0], der[start : start + length], der[start + length :]


def key_matches(certificate: x509.Certificate, public_key: bytes) -> bool:
    """Whether a certificate is of this public key (DER)."""
    try:
        own = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    except Exception:  # a key of a kind that the library does not know, or a damaged one
        return False
    return own == public_key


def _is_valid(certificate: x509.Certificate, now: datetime) -> bool:
    return certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc

"""The user half of a kubeconfig: a token, or a client certificate with its key."""

from dataclasses import dataclass
from datetime import datetime

from podmeter.credentials import bearer_token
from podmeter.credentials.kubeconfig_reader import Faults, Record, refuse_by_name, text_field
from podmeter.credentials.pem import (
    PemFault,
    decode_pem_field,
    key_matches,
    read_certificates,
    read_private_key,
    validity_fault,
)
from podmeter.credentials.refused_fields import (
    INSTEAD,
    KEPT_IN_USER,
    REFUSED_IN_USER,
)

CERTIFICATE, KEY, TOKEN = "client-certificate-data", "client-key-data", "token"


@dataclass(frozen=True)
class UserPart:
    """What is kept of a user entry, when it expires, and the (pointer, reason) of the rest."""

    token: str | None
    client_certificate: str | None
    client_key: str | None
    expires_at: datetime | None
    expires_what: str | None
    dropped: tuple[tuple[str, str], ...]


def read_user(record: Record, now: datetime, faults: Faults) -> UserPart | None:
    """Check a user entry; None where a fault was found."""
    before = len(faults.found)
    dropped = tuple(refuse_by_name(record, REFUSED_IN_USER, KEPT_IN_USER, faults))
    token = text_field(record, TOKEN, faults)
    certificate = text_field(record, CERTIFICATE, faults)
    key = text_field(record, KEY, faults)
    if len(faults.found) > before:
        return None
    if token is not None and (certificate or key):
        message = "There are a token and a client certificate."
        faults.add(record.at(TOKEN), "two_credentials", message, "Keep one of the two.")
        return None
    if token is not None:
        return _with_token(record, token, now, dropped, faults)
    if certificate and key:
        return _with_certificate(record, certificate, key, now, dropped, faults)
    if certificate or key:
        absent = KEY if certificate else CERTIFICATE
        message = f"There is no {absent} to go with the other half."
        remedy = "Embed both files: kubectl config view --minify --flatten --raw."
        faults.add(record.at(absent), "missing", message, remedy)
        return None
    message = "The user has neither a token nor a client certificate."
    faults.add(f"{record.pointer}/{record.word}", "no_credentials", message, INSTEAD)
    return None


def _with_token(
    record: Record,
    token: str,
    now: datetime,
    dropped: tuple[tuple[str, str], ...],
    faults: Faults,
) -> UserPart | None:
    pointer = record.at(TOKEN)
    if not bearer_token.is_token(token):
        message = "The token has spaces or other characters that no token has, or is too short."
        faults.add(pointer, "not_a_token", message, "Paste the token on one line.")
        return None
    if bearer_token.is_encoded_again(token):
        message = "The token is base64-encoded, as a Secret shows it."
        faults.add(pointer, "encoded_token", message, "Decode it once: base64 -d.")
        return None
    expires_at = bearer_token.expiry(token)
    if expires_at is not None and expires_at <= now:
        faults.add(pointer, "expired", "The token has expired.", INSTEAD)
        return None
    return UserPart(token, None, None, expires_at, "token" if expires_at else None, dropped)


def _with_certificate(
    record: Record,
    certificate: str,
    key: str,
    now: datetime,
    dropped: tuple[tuple[str, str], ...],
    faults: Faults,
) -> UserPart | None:
    raw = decode_pem_field(certificate)
    chain = raw if isinstance(raw, PemFault) else read_certificates(raw)
    if isinstance(chain, PemFault):
        faults.add(record.at(CERTIFICATE), chain.code, chain.message, chain.remedy)
    elif invalid := validity_fault(chain.first, now):
        faults.add(record.at(CERTIFICATE), invalid.code, invalid.message, invalid.remedy)
    raw = decode_pem_field(key)
    pair = raw if isinstance(raw, PemFault) else read_private_key(raw)
    if isinstance(pair, PemFault):
        faults.add(record.at(KEY), pair.code, pair.message, pair.remedy)
    if isinstance(chain, PemFault) or isinstance(pair, PemFault):
        return None
    key_pem, public_key = pair
    if not key_matches(chain.first, public_key):
        message = "The private key does not belong to the client certificate."
        remedy = "Take both from the same user entry; the certificate must come first in its list."
        faults.add(record.at(KEY), "key_mismatch", message, remedy)
        return None
    expires_at = chain.first.not_valid_after_utc
    return UserPart(None, chain.pem, key_pem, expires_at, "client_certificate", dropped)

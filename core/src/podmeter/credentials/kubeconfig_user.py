"""The user half of a kubeconfig: a client certificate with its key, or a token."""

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
from podmeter.domain.messages import Message, say

CERTIFICATE, KEY, TOKEN = "client-certificate-data", "client-key-data", "token"


@dataclass(frozen=True)
class UserPart:
    """What is kept of a user entry, when it expires, and the (pointer, reason) of the rest."""

    token: str | None
    client_certificate: str | None
    client_key: str | None
    expires_at: datetime | None
    expires_what: str | None
    dropped: tuple[tuple[str, Message], ...]


def read_user(record: Record, now: datetime, faults: Faults) -> UserPart | None:
    """Check a user entry; None where a fault was found."""
    before = faults.noted
    dropped = tuple(refuse_by_name(record, REFUSED_IN_USER, KEPT_IN_USER, faults))
    token = text_field(record, TOKEN, faults)
    certificate = text_field(record, CERTIFICATE, faults)
    key = text_field(record, KEY, faults)
    if faults.noted > before:
        return None
    if certificate and key and token is not None:
        return _with_either(record, (certificate, key), token, now, dropped, faults)
    if certificate and key:
        return _with_certificate(record, certificate, key, now, dropped, faults)
    if token is not None and not certificate and not key:
        return _with_token(record, token, now, dropped, faults)
    if certificate or key:
        absent = KEY if certificate else CERTIFICATE
        message, remedy = say("credentials_half", field=absent), say("remedy_flatten_both")
        faults.add(record.at(absent), "missing", message, remedy)
        return None
    message = say("credentials_missing")
    faults.add(f"{record.pointer}/{record.word}", "no_credentials", message, INSTEAD)
    return None


def _with_either(
    record: Record,
    pair: tuple[str, str],
    token: str,
    now: datetime,
    dropped: tuple[tuple[str, Message], ...],
    faults: Faults,
) -> UserPart | None:
    """Use the certificate, as an API server does that is given both; the token once it expired."""
    attempt = Faults()
    by_certificate = (*dropped, (record.at(TOKEN), say("dropped_token")))
    user = _with_certificate(record, *pair, now, by_certificate, attempt)
    if "expired" not in {one.code for one in attempt.found}:
        faults.found.extend(attempt.found)
        return user
    expired = say("dropped_certificate")
    by_token = (*dropped, *((record.at(name), expired) for name in (CERTIFICATE, KEY)))
    return _with_token(record, token, now, by_token, faults)


def _with_token(
    record: Record,
    token: str,
    now: datetime,
    dropped: tuple[tuple[str, Message], ...],
    faults: Faults,
) -> UserPart | None:
    pointer = record.at(TOKEN)
    if not bearer_token.is_token(token):
        faults.add(pointer, "not_a_token", say("token_malformed"), say("remedy_one_line"))
        return None
    if bearer_token.is_encoded_again(token):
        faults.add(pointer, "encoded_token", say("token_encoded"), say("remedy_decode"))
        return None
    expires_at = bearer_token.expiry(token)
    if expires_at is not None and expires_at <= now:
        faults.add(pointer, "expired", say("token_expired"), INSTEAD)
        return None
    return UserPart(token, None, None, expires_at, "token" if expires_at else None, dropped)


def _with_certificate(
    record: Record,
    certificate: str,
    key: str,
    now: datetime,
    dropped: tuple[tuple[str, Message], ...],
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
        message, remedy = say("key_of_another"), say("remedy_same_entry")
        faults.add(record.at(KEY), "key_mismatch", message, remedy)
        return None
    expires_at = chain.first.not_valid_after_utc
    return UserPart(None, chain.pem, key_pem, expires_at, "client_certificate", dropped)

"""Envelope encryption for what is stored: a data key per text, wrapped by the ring's first key.

Layout: version (1 byte) | key id (8) | wrap nonce (12) | wrapped data key (32 + 16) |
nonce (12) | ciphertext + tag. Both layers are AES-256-GCM. Wrapping is bound to the header and
the binding, the text to the binding, so a ciphertext cannot be moved to another organization or
cluster, and only the wrapping needs to be done again when keys rotate.
"""

import json
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from podmeter.credentials.errors import EnvelopeError
from podmeter.credentials.key_ring import KEY_BYTES, KEY_ID_BYTES, EncryptionKey, KeyRing
from podmeter.domain.messages import say

_VERSION = b"\x01"
_NONCE, _TAG = 12, 16
HEADER_BYTES = len(_VERSION) + KEY_ID_BYTES
_WRAPPED = HEADER_BYTES + _NONCE + KEY_BYTES + _TAG
_LEAST = _WRAPPED + _NONCE + _TAG


@dataclass(frozen=True)
class Binding:
    """What a ciphertext belongs to; it opens for nothing else."""

    organization_id: str
    cluster_id: str
    purpose: str = "kubeconfig"

    def encoded(self) -> bytes:
        """Give unambiguous bytes: no two different bindings share them."""
        return json.dumps(
            ["podmeter", self.purpose, self.organization_id, self.cluster_id]
        ).encode()


def seal(plaintext: bytes, binding: Binding, ring: KeyRing) -> bytes:
    """Encrypt with a new data key, wrapped by the ring's first key."""
    data_key, nonce = secrets.token_bytes(KEY_BYTES), secrets.token_bytes(_NONCE)
    body = AESGCM(data_key).encrypt(nonce, plaintext, binding.encoded())
    return _wrap(data_key, binding, ring.primary) + nonce + body


def unseal(envelope: bytes, binding: Binding, ring: KeyRing) -> bytes:
    """Decrypt.

    Raises EnvelopeError where the envelope is damaged, bound to something else, of an unknown
    version, or its key is not in the ring.
    """
    data_key = _unwrap(envelope, binding, ring)
    nonce, body = envelope[_WRAPPED : _WRAPPED + _NONCE], envelope[_WRAPPED + _NONCE :]
    return _decrypt(data_key, nonce, body, binding.encoded())


def header_of(key: EncryptionKey) -> bytes:
    """How every envelope begins that the key wraps; `HEADER_BYTES` long."""
    return _VERSION + key.key_id


def key_id_in(header: bytes) -> bytes | None:
    """The id of the key that wrapped what begins so; None for what is no envelope."""
    known = len(header) >= HEADER_BYTES and header.startswith(_VERSION)
    return header[len(_VERSION) : HEADER_BYTES] if known else None


def rewrap(envelope: bytes, binding: Binding, ring: KeyRing) -> bytes:
    """Wrap the data key by the ring's first key; the ciphertext stays as it is.

    Raises EnvelopeError as ``unseal`` does, so nothing that does not open is rewritten.
    """
    unseal(envelope, binding, ring)
    data_key = _unwrap(envelope, binding, ring)
    return _wrap(data_key, binding, ring.primary) + envelope[_WRAPPED:]


def _wrap(data_key: bytes, binding: Binding, key: EncryptionKey) -> bytes:
    header, nonce = header_of(key), secrets.token_bytes(_NONCE)
    return header + nonce + AESGCM(key.key).encrypt(nonce, data_key, header + binding.encoded())


def _unwrap(envelope: bytes, binding: Binding, ring: KeyRing) -> bytes:
    key = ring.find(_key_id(envelope))
    header, nonce = envelope[:HEADER_BYTES], envelope[HEADER_BYTES : HEADER_BYTES + _NONCE]
    wrapped = envelope[HEADER_BYTES + _NONCE : _WRAPPED]
    return _decrypt(key.key, nonce, wrapped, header + binding.encoded())


def _key_id(envelope: bytes) -> bytes:
    found = key_id_in(envelope)
    if found is None or len(envelope) < _LEAST:
        raise EnvelopeError(say("sealed_damaged"))
    return found


def _decrypt(key: bytes, nonce: bytes, body: bytes, bound: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(nonce, body, bound)
    except InvalidTag:
        pass
    raise EnvelopeError(say("sealed_elsewhere"))

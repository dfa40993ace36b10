"""Encryption at rest: round trip, binding, rotation, damage, and keys that are none."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.credentials.envelope import (
    HEADER_BYTES,
    Binding,
    header_of,
    key_id_in,
    rewrap,
    seal,
    unseal,
)
from podmeter.credentials.errors import EnvelopeError, KeyRingError
from podmeter.credentials.key_ring import KeyRing, generate_key

OLD, NEW = generate_key(), generate_key()
RING = KeyRing.parse(OLD)
HERE = Binding("org-1", "cluster-1")
SECRET = b"server: https://10.0.0.5\ntoken: very-secret-token"


@given(st.binary(max_size=300))
def test_what_is_sealed_is_unsealed(plaintext):
    assert unseal(seal(plaintext, HERE, RING), HERE, RING) == plaintext


def test_nothing_of_the_text_shows_and_no_two_envelopes_are_alike():
    one, two = seal(SECRET, HERE, RING), seal(SECRET, HERE, RING)
    assert b"secret" not in one
    # Version and key id are equal; nonces, wrapped keys and ciphertexts are not.
    assert one[:9] == two[:9]
    assert one[9:21] != two[9:21]
    assert one[-30:] != two[-30:]


@pytest.mark.parametrize(
    "other",
    [
        Binding("org-2", "cluster-1"),
        Binding("org-1", "cluster-2"),
        Binding("org-1", "cluster-1", "something else"),
        Binding("org-1cluster-1", ""),
        Binding("cluster-1", "org-1"),
    ],
)
def test_it_opens_for_nothing_else(other):
    envelope = seal(SECRET, HERE, RING)
    with pytest.raises(EnvelopeError, match="belongs to another record"):
        unseal(envelope, other, RING)
    with pytest.raises(EnvelopeError):
        rewrap(envelope, other, RING)


def test_bindings_with_the_same_letters_differ():
    assert Binding("a", "b,c").encoded() != Binding("a,b", "c").encoded()
    assert Binding('a","b', "c").encoded() != Binding("a", 'b","c').encoded()


def test_every_flipped_bit_is_noticed():
    envelope = seal(b"short", HERE, RING)
    for place in range(len(envelope)):
        damaged = bytearray(envelope)
        damaged[place] ^= 1
        with pytest.raises(EnvelopeError):
            unseal(bytes(damaged), HERE, RING)


@pytest.mark.parametrize("length", [0, 1, 50, 96])
def test_a_truncated_envelope_is_an_error(length):
    envelope = seal(b"", HERE, RING)
    assert len(envelope) == 97
    with pytest.raises(EnvelopeError, match="damaged"):
        unseal(envelope[:length], HERE, RING)


def test_parts_of_two_envelopes_do_not_mix():
    one, two = seal(b"one", HERE, RING), seal(b"two", HERE, RING)
    with pytest.raises(EnvelopeError):
        unseal(one[:69] + two[69:], HERE, RING)


def test_rotation():
    before = seal(SECRET, HERE, RING)
    both = KeyRing.parse(f"{NEW}, {OLD}")
    assert unseal(before, HERE, both) == SECRET
    assert before.startswith(header_of(both.keys[1]))
    assert key_id_in(before[:HEADER_BYTES]) == both.keys[1].key_id
    after = rewrap(before, HERE, both)
    assert after.startswith(header_of(both.primary))
    # Only the wrapping is new.
    assert after[69:] == before[69:]
    alone = KeyRing.parse(NEW)
    assert unseal(after, HERE, alone) == SECRET
    with pytest.raises(
        EnvelopeError, match=r"not among the configured encryption keys\. Add that key again"
    ):
        unseal(before, HERE, alone)


@pytest.mark.parametrize("text", [None, "", "  ", ",", " , "])
def test_there_is_no_default_key(text):
    with pytest.raises(KeyRingError, match=r"No encryption key is set.*python3 -c") as caught:
        KeyRing.parse(text)
    assert "token_bytes(32)" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("changeme", "not 32 bytes"),
        ("not base64!", "not 32 bytes"),
        (base64.b64encode(b"x" * 16).decode(), "not 32 bytes"),
        (base64.b64encode(bytes(range(33))).decode(), "not 32 bytes"),
        (base64.b64encode(bytes(32)).decode(), "not random"),
        (base64.b64encode(b"changeme" * 4).decode(), "not random"),
        ("OLD,", "key 2 is not 32 bytes"),
        ("OLD,,NEW", "key 2 is not 32 bytes"),
        ("OLD,OLD", "same encryption key twice"),
        ("é" * 32, "not 32 bytes"),
    ],
)
def test_malformed_keys_are_refused_and_not_shown(text, says):
    with pytest.raises(KeyRingError, match=says) as caught:
        KeyRing.parse(text.replace("OLD", OLD).replace("NEW", NEW))
    assert OLD not in str(caught.value)


def test_both_alphabets_of_base64_are_read():
    raw = bytes(range(224, 256))
    standard, url_safe = base64.b64encode(raw), base64.urlsafe_b64encode(raw)
    assert standard != url_safe
    rings = [KeyRing.parse(one.decode()) for one in (standard, url_safe, url_safe.rstrip(b"="))]
    assert rings[0] == rings[1] == rings[2]


def test_keys_do_not_show():
    shown = repr(RING) + repr(RING.primary)
    assert OLD not in shown
    assert repr(RING.primary.key) not in shown

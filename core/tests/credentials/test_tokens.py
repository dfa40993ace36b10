"""API tokens and snapshot tokens."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.credentials import snapshot_tokens
from podmeter.domain import api_tokens

TOKEN = api_tokens.make_api_token()


def test_an_api_token_has_prefix_256_bits_and_checksum():
    assert re.fullmatch(r"podmeter_[0-9A-Za-z]{49}", TOKEN)
    assert 62**43 > 2**256
    assert api_tokens.is_well_formed(TOKEN)
    assert len({api_tokens.make_api_token() for _ in range(1000)}) == 1000


def test_the_golden_checksum():
    # zlib.crc32 of the 52 characters before it is 714,944,780, which is 0mNpnQ in base62.
    body = "podmeter_" + "A" * 43
    assert api_tokens.is_well_formed(body + "0mNpnQ")
    assert not api_tokens.is_well_formed(body + "QnpNm0")


@given(st.integers(0, len(TOKEN) - 1), st.characters(max_codepoint=127))
def test_any_mistyped_character_is_told(place, char):
    mistyped = TOKEN[:place] + char + TOKEN[place + 1 :]
    assert api_tokens.is_well_formed(mistyped) == (mistyped == TOKEN)


@pytest.mark.parametrize(
    "text",
    ["", "podmeter_", TOKEN + "x", TOKEN[:-1], TOKEN + "\n", " "],
    ids=["empty", "prefix", "longer", "shorter", "newline", "blank"],
)
def test_other_shapes_are_no_tokens(text):
    assert not api_tokens.is_well_formed(text)


def test_a_hash_gives_nothing_of_the_token_away():
    stored = api_tokens.hash_api_token(TOKEN)
    assert re.fullmatch(r"[0-9a-f]{64}", stored)
    assert TOKEN[9:] not in stored
    assert stored == api_tokens.hash_api_token(TOKEN)
    assert stored != api_tokens.hash_api_token(api_tokens.make_api_token())


def test_a_hint_gives_little_away():
    assert api_tokens.hint(TOKEN) == TOKEN[:13] + "…"


def test_snapshot_tokens():
    token = snapshot_tokens.make_snapshot_token()
    assert snapshot_tokens.is_snapshot_token(token)
    assert not snapshot_tokens.is_snapshot_token(token + "x")
    assert not snapshot_tokens.is_snapshot_token("../../../../etc/passwd")
    stored = snapshot_tokens.hash_snapshot_token(token)
    assert stored == snapshot_tokens.hash_snapshot_token(token)
    assert stored != snapshot_tokens.hash_snapshot_token(token[:-1] + "!")
    # A snapshot's hash is never an API token's, whatever the text.
    assert stored != api_tokens.hash_api_token(token)

"""Passwords: right, wrong, unknown user, aged and damaged hashes."""

import os
import threading

import pytest
from argon2 import PasswordHasher

from podmeter.credentials.errors import PasswordRefusedError
from podmeter.credentials.password_strength import is_guessable
from podmeter.credentials.passwords import Passwords

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "correct horse battery"


@pytest.fixture
def passwords():
    return Passwords(CHEAP)


def test_right_and_wrong(passwords):
    stored = passwords.hash(PASSWORD)
    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored
    assert passwords.check(PASSWORD, stored).correct
    assert passwords.check(PASSWORD, stored).renewed_hash is None
    assert not passwords.check(PASSWORD + "x", stored).correct
    assert not passwords.check("", stored).correct


def test_hashing_gives_way_to_what_answers_requests(monkeypatch):
    """On two cores the threads of two hashes left the event loop no time."""
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    seen = []
    for name in ("hash", "verify"):
        original = getattr(PasswordHasher, name)

        def noting(self, *arguments, original=original):
            seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
            return original(self, *arguments)

        monkeypatch.setattr(PasswordHasher, name, noting)
    made = Passwords(CHEAP)
    seen.clear()
    assert made.check(PASSWORD, made.hash(PASSWORD)).correct
    assert seen == [min(19, own + 10)] * 2
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def test_an_unknown_user_costs_a_verification_and_is_never_right(passwords, monkeypatch):
    verified = []
    original = PasswordHasher.verify

    def counting(self, stored, password):
        verified.append(stored)
        return original(self, stored, password)

    monkeypatch.setattr(PasswordHasher, "verify", counting)
    assert not passwords.check(PASSWORD, None).correct
    assert not passwords.check("nobody has this password", None).correct
    assert len(verified) == 2


def test_an_aged_hash_is_renewed(passwords):
    stored = passwords.hash(PASSWORD)
    newer = Passwords(PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    check = newer.check(PASSWORD, stored)
    assert check.correct
    assert newer.check(PASSWORD, check.renewed_hash).renewed_hash is None
    assert newer.check("wrong password", stored).renewed_hash is None


@pytest.mark.parametrize("stored", ["", "x", "$argon2id$v=19$m=8,t=1,p=1$bad", "$2b$12$abc"])
def test_a_damaged_hash_is_an_error_not_a_wrong_password(passwords, stored):
    with pytest.raises(ValueError, match="damaged"):
        passwords.check(PASSWORD, stored)


@pytest.mark.parametrize("password", ["", "short", "x" * 11, "x" * 1025, "é" * 600])
def test_lengths_are_bounded(passwords, password):
    with pytest.raises(PasswordRefusedError):
        passwords.hash(password)


@pytest.mark.parametrize(
    "password",
    [
        "passwordpassword",
        " " * 12,
        "boss@corp.example",
        "Boss@Corp.Example1!",
        "example.corp@boss",
        "qwertyuiop123",
        "密码密码密码密码密码密码",
    ],
)
def test_what_is_easily_guessed_is_refused(passwords, password):
    with pytest.raises(PasswordRefusedError, match="easy to guess"):
        passwords.hash(password, ["boss@corp.example"])


def test_symbols_that_take_long_to_rate_are_not_rated():
    """zxcvbn takes 20 s for this one, since it tries what each symbol may stand for."""
    assert not is_guessable("4@8({[<369&#!1|/0$5+7%2" * 4)


def test_a_huge_candidate_is_wrong_not_slow(passwords):
    assert not passwords.check("x" * 10_000_000, passwords.hash(PASSWORD)).correct


def test_unicode_forms_are_the_same_password(passwords):
    stored = passwords.hash("pässwörter sind gut")
    assert passwords.check("pa\u0308sswo\u0308rter sind gut", stored).correct
    assert not passwords.check("\ud800" * 12, stored).correct


def test_the_default_parameters_are_rfc_9106s_second_recommendation():
    stored = Passwords().hash(PASSWORD)
    assert "$m=65536,t=3,p=4$" in stored

"""Password hashing with argon2id, renewing hashes whose parameters have aged."""

import os
import threading
import unicodedata
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from podmeter.credentials.errors import PasswordRefusedError
from podmeter.credentials.password_strength import is_guessable
from podmeter.domain.messages import say

LEAST_LENGTH = 12
MOST_BYTES = 1024
#: By how much hashing is nicer than the rest of its process; the most that there is.
_NICER, _MOST_NICENESS = 10, 19
T = TypeVar("T")


@dataclass(frozen=True)
class PasswordCheck:
    """Whether a password was right, and if its hash should be replaced, by what."""

    correct: bool
    renewed_hash: str | None = None


class Passwords:
    """Hashes and checks passwords.

    The default hasher has RFC 9106's second recommended parameters (argon2id, 64 MiB, 3
    passes), which are argon2-cffi's defaults.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._decoy = self._hasher.hash("nobody has this password")

    def hash(self, password: str, about: Iterable[str] = ()) -> str:
        """Hash a new password; `about` is what is known of its owner, such as the address.

        Raises PasswordRefusedError where it is too short, too long, or easily guessed.
        """
        if len(password) < LEAST_LENGTH:
            raise PasswordRefusedError(say("password_short", least=LEAST_LENGTH))
        if len(password.encode("utf-8", "replace")) > MOST_BYTES:
            raise PasswordRefusedError(say("password_long", most=MOST_BYTES))
        normalized = _normalized(password)
        if is_guessable(normalized, about):
            raise PasswordRefusedError(say("password_guessable"))
        return _in_background(partial(self._hasher.hash, normalized))

    def check(self, password: str, stored_hash: str | None) -> PasswordCheck:
        """Check a password against a stored hash, or for an unknown user against None.

        None takes as long as a wrong password, so that the time does not tell who is known.
        Raises ValueError where the stored hash is no argon2 hash: damage, not a wrong password.
        """
        candidate = _normalized(password)
        if len(candidate.encode("utf-8", "replace")) > 4 * MOST_BYTES:
            candidate = ""
        try:
            stored = self._decoy if stored_hash is None else stored_hash
            _in_background(partial(self._hasher.verify, stored, candidate))
        except VerifyMismatchError:
            return PasswordCheck(correct=False)
        except (VerificationError, InvalidHashError):
            damaged = True
        else:
            damaged = False
        if damaged:
            raise ValueError("the stored password hash is damaged")
        if stored_hash is None:
            return PasswordCheck(correct=False)
        if self._hasher.check_needs_rehash(stored_hash):
            renewed = _in_background(partial(self._hasher.hash, candidate))
            return PasswordCheck(correct=True, renewed_hash=renewed)
        return PasswordCheck(correct=True)


def _in_background(hashing: Callable[[], T]) -> T:
    """Its result, at a low priority.

    A hash takes all CPUs for as long as it needs, in threads of its own, which inherit the
    priority of its starter; threads that answer requests would wait beside them.
    """
    with ThreadPoolExecutor(1, initializer=_lower_priority) as one:
        return one.submit(hashing).result()


def _lower_priority() -> None:
    # Of this thread alone (Linux counts threads as it does processes), and for good: only the
    # superuser may raise one again.
    thread = threading.get_native_id()
    niceness = min(_MOST_NICENESS, os.getpriority(os.PRIO_PROCESS, thread) + _NICER)
    os.setpriority(os.PRIO_PROCESS, thread, niceness)


def _normalized(password: str) -> str:
    # The same password typed on another machine may come in another Unicode form (NIST SP
    # 800-63B). Half surrogate pairs cannot be encoded; no keyboard makes them.
    text = unicodedata.normalize("NFKC", password)
    return text.encode("utf-8", "replace").decode("utf-8")

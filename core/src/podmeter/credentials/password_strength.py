"""Whether a new password is easily guessed: common, repeated, a row of keys, a date, one's address.

Rated by zxcvbn (Wheeler, USENIX Security 2016). It is imported when the first password is set:
its lists of words take 15 MiB that a process which only checks passwords does not need.
"""

import re
from collections.abc import Iterable

#: zxcvbn's scale goes from 0 to 4; 3 takes more than 10^8 guesses.
_LEAST_SCORE = 3
#: What is behind it is not rated: the time that it takes grows with the square of the length.
_RATED = 64
#: What zxcvbn reads as letters, "p4$$w0rd". It tries the combinations of all meanings: the time
#: doubles with every other kind, and 23 kinds take it 20 seconds.
_SYMBOLS = frozenset("4@8({[<369&#!1|/0$5+7%2")
_MOST_SYMBOLS = 8
#: So many characters a password has in addition to what is known of its owner.
_LEAST_REST = 8
_PART = re.compile(r"[^\W_]{3,}")


def is_guessable(password: str, about: Iterable[str] = ()) -> bool:
    """Whether few guesses find a password; `about` is known of the person, such as the address."""
    known = {one.lower() for one in about if one}
    parts = {part for one in known for part in _PART.findall(one)}
    rest = password.lower()
    for one in sorted(known | parts, key=len, reverse=True):
        rest = rest.replace(one, "")
    # Anyone who knows the address guesses what is made of it, in any order: only the rest counts.
    if len(rest) < min(len(password), _LEAST_REST):
        return True
    if len(_SYMBOLS.intersection(password)) > _MOST_SYMBOLS:
        return False
    from zxcvbn import zxcvbn

    rated = zxcvbn(password[:_RATED], user_inputs=["podmeter", *sorted(known | parts)])
    return bool(rated["score"] < _LEAST_SCORE)

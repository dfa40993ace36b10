"""Words by which people call what is stored, in other languages than English, which is stored."""

from collections.abc import Iterable

from podmeter.db.models import PreflightState
from podmeter.domain.comparability import Comparability
from podmeter.domain.modes import Encapsulation
from podmeter.domain.run import Outcome, RunState
from podmeter.kinds.registry import names
from podmeter.texts import ENGLISH, languages, word

#: What is stored, by the group of words that names it.
_STORED: dict[str, Iterable[str]] = {
    "outcome": Outcome,
    "run_state": RunState,
    "preflight_state": PreflightState,
    "gate": Comparability,
    "axis_value": Encapsulation,
}


def stored_words() -> dict[str, tuple[str, ...]]:
    """By a word that people write, the words that are stored for it.

    A word may stand for several: what it finds has one of them.
    """
    found: dict[str, dict[str, None]] = {}
    for group, terms in {**_STORED, "kind": names()}.items():
        for term in terms:
            for language in languages():
                said = word(language, group, term)
                if language != ENGLISH and said and not said.isascii():
                    # The last word is the noun: Service 规模.
                    found.setdefault(said.split()[-1], {})[str(term)] = None
    return {said: tuple(stored) for said, stored in found.items()}

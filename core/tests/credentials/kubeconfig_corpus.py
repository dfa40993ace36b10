"""Everything hostile that a kubeconfig may hold: the named cases, and mutations by the thousand.

The tests take some of it for what is answered, `make bench` all of it for how long that takes.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator

from .hostile_pem import good_fields, mutations, pem, shaken
from .kubeconfig_cases import CASES
from .kubeconfig_maker import good, written

#: The fields of a kubeconfig that hold PEM: where, and what they are called.
_FIELDS = (
    ("clusters", "cluster", "certificate-authority-data"),
    ("users", "user", "client-certificate-data"),
    ("users", "user", "client-key-data"),
)


def named() -> Iterator[tuple[str, bytes]]:
    """The cases by their names."""
    for name, (_, _, make) in CASES.items():
        yield name, make()


def mutated(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """`count` kubeconfigs with a mutation of PEM, of DER, or of the document itself."""
    chance = random.Random(seed)
    fields = good_fields()
    texts = mutations(seed, count)
    for number, mutation in enumerate(texts):
        which = chance.random()
        if which < 0.2:
            yield f"document {number}", _document(chance)
            continue
        if which < 0.6:
            text = chance.choice(fields)
            label = text.split(b"-----")[1].removeprefix(b"BEGIN ").decode()
            der = base64.b64decode(b"".join(text.splitlines()[1:-1]))
            mutation = pem(label, shaken(der, chance))
        plural, word, field = chance.choice(_FIELDS)
        document = good()
        document[plural][0][word][field] = base64.b64encode(mutation).decode()
        yield f"{field} {number}", json.dumps(document).encode()


def _document(chance: random.Random) -> bytes:
    """A good one, as YAML or JSON, with some of its bytes changed, left out or repeated."""
    base = good(chance.choice(("certificate", "token")))
    found = bytearray(chance.choice((written(base), json.dumps(base).encode())))
    for _ in range(chance.choice((1, 2, 5, 20))):
        at = chance.randrange(len(found))
        what = chance.random()
        if what < 0.4:
            found[at] = chance.choice(b"\0\t\n\r\"'&*!|>%@`{}[],#?:-<~\xff" + chance.randbytes(4))
        elif what < 0.6:
            del found[at : at + chance.randrange(1, 60)]
        else:
            piece = found[at : at + chance.randrange(1, 60)]
            found[at:at] = piece * chance.choice((1, 2, 50))
        found = found or bytearray(b"-")
    return bytes(found)

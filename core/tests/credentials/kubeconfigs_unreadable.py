"""Documents that are read otherwise than they look, or that take their reader long.

name: (pointer and code of a problem that must be among those found, the document's maker)
"""

import json
from typing import Any

from .kubeconfig_maker import CANARY, TOUCH, after_good, bad, changed, good, text, written

_DIGITS = "9" * 200_000


def _json(body):
    """A good one as JSON, with a member more that is written as it is."""
    return lambda: f'{json.dumps(good())[:-1]}, "{CANARY}": {body}}}'.encode()


def _large(piece):
    """As much of a piece as is just read."""
    return lambda: (f"{CANARY}: " + piece * (260_000 // len(piece))).encode()


_NO_LISTS: dict[str, Any] = {"absent": None, "empty": [], "a text": CANARY, "a number": 7}


def _no_entries(word) -> dict[str, Any]:
    return {
        "nothing": None,
        "a list": [CANARY],
        "without a name": {word: {}},
        "of an endless name": {"name": CANARY * 30, word: {}},
        "of a name that is a list": {"name": [CANARY], word: {}},
    }


def _names(plural, word, value):
    return changed(lambda one: one[plural][0].update({word: value, "x": CANARY}))


CASES = {
    # Texts.
    "UTF-7": ("", "not_a_kubeconfig", text(f"+AG0-{CANARY}")),
    "UTF-32": (
        "",
        "not_utf8",
        lambda: written({CANARY: 1}).decode().encode("utf-32") + CANARY.encode(),
    ),
    "an overlong encoding": ("", "not_utf8", lambda: f"x: {CANARY}".encode() + b"\xc0\xaf"),
    "half a surrogate in UTF-8": ("", "not_utf8", lambda: CANARY.encode() + b"\xed\xa0\x80"),
    "a byte order mark inside": ("", "not_yaml", text(f"x: {CANARY}\n\ufeff\ufeff: y")),
    "a bell": ("", "not_yaml", text(f"kind: Config\nx: \x07{CANARY}")),
    "an escape sequence": ("", "not_yaml", text(f"kind: \x1b[2J{CANARY}")),
    "a next line of old": ("", "not_yaml", text(f"kind: Config\x80{CANARY}")),
    "a non-character": ("", "not_yaml", text(f"kind: {CANARY}\uffff")),
    # YAML that is more than it looks.
    "an anchor on the root": ("", "alias", text(f"&a\n{CANARY}: x\n")),
    "an alias of nothing": ("", "alias", text(f"{CANARY}: *a\n")),
    "an alias as a key": ("", "alias", text(f"&a {CANARY}: x\n*a : y\n")),
    "itself in itself": ("", "alias", text(f"&a [{CANARY}, *a]\n")),
    "merge key in flow": ("", "merge_key", text(f"{{<<: {{{CANARY}: 1}}}}")),
    "tag of text": ("", "tag", after_good(f"x: !!str {CANARY}\n")),
    "tag of a set": ("", "tag", after_good(f"x: !!set {{? {CANARY}}}\n")),
    "tag of pairs": ("", "tag", after_good(f"x: !!omap [a: {CANARY}]\n")),
    "tag of a time": ("", "tag", after_good(f"x: !!timestamp {CANARY}\n")),
    "tag of a name": ("", "tag", text(f"!!python/name:os.system {TOUCH}\n")),
    "tag of a module": ("", "tag", text(f"x: !!python/module:{CANARY} y\n")),
    "tag of a long name": ("", "tag", text(f"x: !<tag:yaml.org,2002:python/tuple> [{CANARY}]\n")),
    "tag on a key": ("", "tag", text(f"!!str {CANARY}: x\n")),
    "the tag of no meaning": ("", "tag", text(f"x: ! {CANARY}\n")),
    "a version of YAML": ("", "not_yaml", text(f"%YAML 9.9\n---\n{CANARY}: x\n")),
    "a directive twice": ("", "not_yaml", text(f"%YAML 1.1\n%YAML 1.1\n---\n{CANARY}: x\n")),
    "another document before": (
        "",
        "several_documents",
        lambda: f"--- {CANARY}\n---\n".encode() + written(good()),
    ),
    "an end, and more": ("", "several_documents", after_good(f"...\n---\n{CANARY}\n")),
    "key written twice in two ways": ("", "duplicate_key", after_good(f'"kind": {CANARY}\n')),
    "a key twice far inside": ("", "duplicate_key", after_good(f"x: [[{{a: {CANARY}, a: b}}]]\n")),
    "a key twice far inside JSON": ("", "duplicate_key", _json('[{"a": 1, "a": 2}]')),
    "a key that is a list": ("", "key_not_text", text(f"{{[{CANARY}]: x}}\n")),
    "a key that is a mapping": ("", "key_not_text", text(f"? {{{CANARY}: x}}\n: y\n")),
    "half a surrogate as a key": ("", "not_utf8", _json('{"\\udfff": 1}')),
    "half a surrogate in YAML": ("", "not_yaml", after_good(f'x: "{CANARY}\\ud800"\n')),
    "an escape that is none": ("", "not_yaml", after_good(f'x: "{CANARY}\\q"\n')),
    "a code beyond all": ("", "not_yaml", after_good(f'x: "{CANARY}\\UFFFFFFFF"\n')),
    "a block of no depth": ("", "not_yaml", after_good(f"x: |0\n  {CANARY}\n")),
    "indentation back and forth": ("", "not_yaml", text(f"a:\n    b: {CANARY}\n  c: d\n")),
    # Large.
    "twelve lists and one more": ("", "too_deep", text(f"{'[' * 13}{CANARY}{']' * 13}")),
    "mappings in mappings": (
        "",
        "too_deep",
        text("".join(f"{' ' * n}{CANARY}:\n" for n in range(40))),
    ),
    "lists of lists in blocks": ("", "too_deep", text(f"{'- ' * 3000}{CANARY}")),
    "question marks": ("", "key_not_text", text(f"{'? ' * 3000}{CANARY}")),
    "as many lists as there is room for": (
        "",
        "too_many_nodes",
        lambda: f"{CANARY}: [{'[],' * 80_000}]".encode(),
    ),
    "as many keys as there is room for": (
        "",
        "too_many_nodes",
        lambda: "".join(f"{CANARY}{n}: 1\n" for n in range(13_000)).encode(),
    ),
    "as many keys of JSON": (
        "",
        "too_many_nodes",
        lambda: json.dumps({f"{CANARY}{n}": n for n in range(11_000)}).encode()[:262_144],
    ),
    "deep lists that never end": ("", "too_deep", _large("[")),
    "deep mappings that never end": ("", "too_deep", _large("{a: ")),
    "colons": ("", "not_yaml", _large(": ")),
    "commas": ("", "not_yaml", lambda: f"[{CANARY}{',' * 250_000}]".encode()),
    "quotes": ("", "not_yaml", lambda: (CANARY + ": " + '"' * 250_001).encode()),
    "a hundred thousand documents": (
        "",
        "several_documents",
        lambda: f"--- {CANARY}\n".encode() * 14_000,
    ),
    "comments": ("", "empty", lambda: f"# {CANARY}\n".encode() * 17_000),
    "a line of a quarter of a megabyte": (
        "",
        "not_a_kubeconfig",
        lambda: (CANARY * 23_000).encode(),
    ),
    "spaces": ("", "not_a_kubeconfig", lambda: (CANARY + " " * 250_000 + "x").encode()),
    "line breaks": ("", "not_a_kubeconfig", lambda: (CANARY + "\n" * 250_000 + "x").encode()),
    "text folded over and over": (
        "",
        "not_a_kubeconfig",
        lambda: (f'"{CANARY}' + "\\\n" * 120_000 + '"').encode(),
    ),
    "escapes": ("", "not_a_kubeconfig", lambda: (f'"{CANARY}' + "\\x41" * 60_000 + '"').encode()),
    # Numbers, in places of text.
    **{
        f"a server that is {name}": (
            "/clusters/0/cluster/server",
            "not_text",
            lambda value=value: bad(good()).replace(b"https://10.0.0.5:6443", value.encode()),
        )
        for name, value in {
            "a number of 200,000 digits": _DIGITS,
            "the same in hexadecimal": f"0x{_DIGITS}",
            "the same with a fraction": f"1.{_DIGITS}",
            "the same with an exponent": f"1e{_DIGITS}",
            "the same with underscores": "1" + "_1" * 100_000,
            "infinite": "-.inf",
            "no number": ".NaN",
            "octal": "0o777",
            "true": "yes",
        }.items()
    },
    "a kind that is a number": (
        "/kind",
        "not_a_kubeconfig",
        changed(lambda one: one.update(kind=1, x=CANARY)),
    ),
    "a kind that is a list": (
        "/kind",
        "not_a_kubeconfig",
        changed(lambda one: one.update(kind=[CANARY])),
    ),
    "a version that is a number": (
        "/apiVersion",
        "not_a_kubeconfig",
        changed(lambda one: one.update(apiVersion=1, x=CANARY)),
    ),
    "a number of JSON of 200,000 digits": (
        "/clusters/0/cluster/server",
        "not_text",
        lambda: (
            json.dumps({**good(), "x": CANARY}).replace('"https://10.0.0.5:6443"', _DIGITS).encode()
        ),
    ),
    # Structures.
    **{
        f"{plural} {name}": (
            f"/{plural}",
            "missing",
            changed(lambda one, p=plural, v=value: one.update({p: v, "x": CANARY})),
        )
        for plural in ("contexts", "clusters", "users")
        for name, value in _NO_LISTS.items()
    },
    **{
        f"an entry of {plural} {name}": (
            f"/{plural}/0",
            "malformed",
            changed(lambda one, p=plural, v=value: one.update({p: [v], "x": CANARY})),
        )
        for plural in ("contexts", "clusters", "users")
        for name, value in _no_entries(plural[:-1]).items()
    },
    "a context that is a list": (
        "/contexts/0",
        "malformed",
        _names("contexts", "context", ["lab"]),
    ),
    "a cluster that is nothing": ("/clusters/0", "malformed", _names("clusters", "cluster", None)),
    "a user that is a number": ("/users/0", "malformed", _names("users", "user", 1)),
}

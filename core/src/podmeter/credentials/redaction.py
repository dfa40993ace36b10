"""Remove from results what tells whose they are, before they are shared.

Names of clusters and nodes, namespaces, accounts, hosts, addresses, URLs, tokens and PEM blocks are
replaced by pseudonyms, the same one for the same name throughout. Names of clusters, nodes and
namespaces have no form of their own: those given, those that stand under a field like ``cluster``,
``node`` or ``namespace``, and those that a message calls a namespace, are removed wherever they
occur. A cluster is called whatever its owner likes. Where that is one letter, or a word that the
content itself is made of (``vxlan``, a field's name or a part of it), only what identifies the
cluster is removed, since elsewhere the word tells of nobody and its pseudonym would falsify what
was measured.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from podmeter.credentials.pseudonyms import (
    PSEUDONYM,
    SECRET_KINDS,
    Kind,
    Pseudonyms,
    Replacement,
)
from podmeter.credentials.redaction_patterns import Step, named_namespaces, named_nodes, steps
from podmeter.domain.node_pairs import NodePair

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# These stand in every cluster and tell nothing.
COMMON_NAMESPACES = frozenset(
    {"default", "kube-system", "kube-public", "kube-node-lease", "podmeter", "podmeter-host"}
)
_NODE_FIELD = re.compile(r"(?:.*_)?(?:nodes?|node_names?|hostnames?)")
_PAIR_FIELD = re.compile(r"(?:.*_)?node_pairs?")
_NAMESPACE_FIELD = re.compile(r"(?:.*_)?namespaces?")
_CLUSTER_FIELD = re.compile(r"(?:.*_)?clusters?")
# What people write, and texts in parts of sentences: the name of a cluster in it is that cluster's.
_PROSE_FIELD = re.compile(
    r"name|label|title|description|text|reason|message|detail|key|said|why|what|problems?|run|of"
)
_VALUE_FIELD = re.compile(r"(?:.*_)?value")
_HOST_FIELD = re.compile(r"(?:.*_)?hosts?")
_SECRET_FIELD = re.compile(
    r"(?:.*_)?(?:tokens?|passwords?|passwd|secrets?|authorization|api_key|private_key|client_key"
    r"|client_key_data|client_certificate_data|cookie)"
)
_MOST_PASSES = 8
#: A shorter name of a cluster is a letter or an option elsewhere.
_LEAST_NAME = 2


@dataclass(frozen=True)
class KnownNames:
    """Names to remove: clusters as their owners call them, nodes and namespaces as Kubernetes has
    them, hosts as in server URLs.
    """

    nodes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vocabulary:
    """The parts of content of one shape, for every owner.

    `fields` stay what they are called. `terms`, such as modes and metrics, are values.
    """

    fields: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()

    @cached_property
    def words(self) -> frozenset[str]:
        """All of these and what they are put together of, in lower case: ``gw`` of ``host-gw``."""
        return frozenset(
            sign.join(parts[begin:end])
            for one in self.fields | self.terms
            for parts in (re.split(r"[^a-z0-9]+", _snake(one)),)
            for begin in range(len(parts))
            for end in range(begin + 1, len(parts) + 1)
            for sign in ("_", "-", " ")
        )


@dataclass(frozen=True)
class Redaction:
    """The redacted content, and what was replaced by what: the preview for its owner only."""

    content: Json
    replacements: tuple[Replacement, ...]


def redact(
    content: Json,
    known: KnownNames = KnownNames(),
    keep: Iterable[Kind] = (),
    vocabulary: Vocabulary = Vocabulary(),
) -> Redaction:
    """Redact a text or a JSON-like structure, keys included; a new one is returned.

    Redacting again changes nothing. Redact all that is shared at once: pseudonyms are given
    in the order of the known names and then of appearance, starting over in each call.
    Raises ValueError where secrets are to be kept, or for what is not JSON.
    """
    kept = frozenset(keep)
    if kept & SECRET_KINDS:
        raise ValueError("tokens and PEM blocks are never kept")
    names = _names(content, known)
    pseudonyms = Pseudonyms(
        frozenset(found for text in _texts(content) for found in PSEUDONYM.findall(text))
    )
    for name in (*known.clusters, *known.nodes, *known.namespaces, *known.hosts):
        if name.lower() in names:
            pseudonyms.prepare(names[name.lower()], name.lower())
    clusters = {name for name, kind in names.items() if kind is Kind.CLUSTER}
    ordinary = {name for name in clusters if len(name) < _LEAST_NAME}
    ordinary |= clusters & (_words(content) | vocabulary.words)
    everywhere = {name: kind for name, kind in names.items() if name not in ordinary}
    redactor = _Redactor(
        steps(everywhere, pseudonyms, kept),
        pseudonyms,
        frozenset() if Kind.CLUSTER in kept else frozenset(clusters),
        vocabulary.fields,
    )
    redacted = redactor.walk(content)
    return Redaction(redacted, pseudonyms.replacements())


@dataclass(frozen=True)
class _Redactor:
    steps: tuple[Step, ...]
    pseudonyms: Pseudonyms
    clusters: frozenset[str]
    fields: frozenset[str]

    def walk(self, node: Json, *, secret: bool = False, cluster: bool = False) -> Json:
        if isinstance(node, str):
            plain = node.strip().lower()
            if cluster and plain in self.clusters:
                return self.pseudonyms.replace(Kind.CLUSTER, plain)
            if secret and node and not PSEUDONYM.fullmatch(node):
                return self.pseudonyms.replace(Kind.TOKEN, node)
            return self.text(node)
        if isinstance(node, list):
            return [self.walk(one, secret=secret, cluster=cluster) for one in node]
        if isinstance(node, dict):
            return self._mapping(node)
        if node is None or isinstance(node, (bool, int, float)):
            return node
        raise ValueError("only JSON-like content can be redacted")

    def text(self, text: str) -> str:
        # Removing one thing may lay another bare; until nothing changes, so that redacting
        # the outcome once more has nothing to do.
        for _ in range(_MOST_PASSES):
            before = text
            for step in self.steps:
                text = step(text)
            if text == before:
                break
        return text

    def _mapping(self, node: Mapping[str, Json]) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key, value in node.items():
            name = key if key in self.fields else self.text(key)
            # Two keys may only differ in case, or in what was removed; keep both.
            unique, count = name, 2
            while unique in found:
                unique, count = f"{name} ({count})", count + 1
            secret = _SECRET_FIELD.fullmatch(_snake(key)) is not None
            cluster = _kind_of(key) is Kind.CLUSTER
            found[unique] = self.walk(value, secret=secret, cluster=cluster)
        return found


def _names(content: Json, known: KnownNames) -> dict[str, Kind]:
    names: dict[str, Kind] = {}
    given = (
        *((Kind.CLUSTER, name) for name in known.clusters),
        *((Kind.NODE, name) for name in known.nodes),
        *((Kind.NAMESPACE, name) for name in known.namespaces),
        *((Kind.HOST, name) for name in known.hosts),
    )
    told = [
        *((Kind.NAMESPACE, name) for text in _texts(content) for name in named_namespaces(text)),
        *((Kind.NODE, name) for text in _texts(content) for name in named_nodes(text)),
    ]
    for kind, name in (*given, *_fields_with_names(content), *told):
        plain = name.strip().lower()
        common = kind is Kind.NAMESPACE and plain in COMMON_NAMESPACES
        # What a message seems to name may be an option's number; `1` is also a part of `1/s`.
        number = (kind, name) in told and re.fullmatch(r"[0-9.]+", plain)
        if plain and not common and not number and not PSEUDONYM.search(name):
            names.setdefault(plain, kind)
    return names


def _fields_with_names(node: Json, kind: Kind | None = None) -> Iterator[tuple[Kind, str]]:
    if isinstance(node, str) and kind is Kind.CLUSTER:
        yield kind, node
    elif isinstance(node, str) and kind is not None:
        # Several names where an end changes its node by round. A text that holds an address or URL
        # is left to their patterns.
        for name in node.split(", "):
            if re.fullmatch(
                r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", name
            ) and not re.fullmatch(r"[0-9.]+", name):
                yield kind, name
    elif isinstance(node, list):
        for one in node:
            yield from _fields_with_names(one, kind)
    elif isinstance(node, dict):
        for key, value in node.items():
            plain = isinstance(value, (str, list))
            yield from _fields_with_names(value, _kind_of(key) if plain else None)
            if _PAIR_FIELD.fullmatch(_snake(key)):
                yield from ((Kind.NODE, name) for name in _paired(value))


def _paired(value: Json) -> Iterator[str]:
    """The nodes of a pair, or of several pairs."""
    for one in value if isinstance(value, list) else [value]:
        pair = NodePair.of(one)
        if pair is not None:
            yield from (pair.client, pair.server)


def _kind_of(key: str) -> Kind | None:
    name = _snake(key)
    if _CLUSTER_FIELD.fullmatch(name):
        return Kind.CLUSTER
    if _NODE_FIELD.fullmatch(name):
        return Kind.NODE
    if _NAMESPACE_FIELD.fullmatch(name):
        return Kind.NAMESPACE
    return Kind.HOST if _HOST_FIELD.fullmatch(name) else None


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).replace("-", "_").lower()


def _texts(node: Json) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for one in node:
            yield from _texts(one)
    elif isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from _texts(value)


def _words(node: Json, *, prose: bool = False) -> set[str]:
    """The words that the content is made of, in lower case: its keys, and values that are terms."""
    if isinstance(node, str):
        return set() if prose else {node.strip().lower()}
    if isinstance(node, list):
        return set().union(*(_words(one, prose=prose) for one in node))
    found: set[str] = set()
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "parameters" and isinstance(value, dict) and _is_sentence(node):
                found |= {key} | _words_of_sentence(value)
            else:
                found |= {key.lower()} | _words(value, prose=_is_prose(key, node))
    return found


def _is_prose(key: str, node: Mapping[str, Json]) -> bool:
    """Whether a text under a key is no term; a value on the axis of clusters is a name."""
    name, axis = _snake(key), node.get("axis")
    if isinstance(axis, str) and _kind_of(axis) is not None and _VALUE_FIELD.fullmatch(name):
        return True
    return _kind_of(key) is not None or _PROSE_FIELD.fullmatch(name) is not None


def _is_sentence(node: Mapping[str, Json]) -> bool:
    """Whether it is a code with parameters that stand in its text. Those of rows are codes."""
    return "code" in node and "key" not in node


def _words_of_sentence(parameters: Mapping[str, Json]) -> set[str]:
    """A parameter that is a text stands in the sentence as it is, such as the name of a side."""
    return {key.lower() for key in parameters}.union(
        *(_words(value, prose=True) for value in parameters.values())
    )

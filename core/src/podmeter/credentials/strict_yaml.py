"""Read an untrusted YAML or JSON document as text, lists and mappings, and nothing else.

Works on PyYAML's parse events, so no constructor ever runs. Aliases, anchors, tags, merge keys,
duplicate keys, several documents and deep nesting are refused. Error texts give line and column
only: PyYAML's own texts quote the document, which holds secrets.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn

import yaml

from podmeter.domain.messages import Message, say
from podmeter.domain.shallow_json import TooDeepError, loads

MAX_BYTES = 256 * 1024
MAX_DEPTH = 12
MAX_NODES = 10_000

#: libyaml's parser, which takes a tenth of the time; its events are the same.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"(?i:yes|true|on)")
_FALSE = re.compile(r"(?i:no|false|off)")
_NUMBER = re.compile(
    r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+|\.(?i:inf))"
    r"|0x[0-9a-fA-F_]+|0o[0-7_]+|\.(?i:nan)"
)


class Number:
    """Stands for any number: no field that is kept is one, so its value does not matter."""


Document = str | bool | Number | None | list["Document"] | dict[str, "Document"]


class UnreadableError(Exception):
    """The document cannot be read; carries the message, and nothing of the document."""

    def __init__(self, code: str, message: Message, remedy: Message) -> None:
        self.code = code
        self.message = message
        self.remedy = remedy
        super().__init__(message)


def read_document(raw: bytes) -> Document:
    """Parse bytes into text, booleans, numbers (as ``Number``), None, lists and mappings.

    Raises UnreadableError with a code: too_large, not_utf8, not_yaml, alias, tag, merge_key,
    duplicate_key, key_not_text, several_documents, too_deep, too_many_nodes or empty.
    """
    text = _decoded(raw)
    found, failure = _attempt(text)
    # Raised here, outside the except blocks, so that no parser error (which quotes the
    # document) hangs on as its context.
    if failure is not None:
        raise failure
    return found


def _decoded(raw: bytes) -> str:
    if len(raw) > MAX_BYTES:
        raise UnreadableError(
            "too_large",
            say("document_too_large", kib=MAX_BYTES // 1024),
            say("remedy_export_one"),
        )
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        _refuse("not_utf8", say("document_utf16"), say("remedy_utf8"))
    try:
        text: str | None = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = None
    if text is None:
        _refuse("not_utf8", say("document_not_utf8"), say("remedy_utf8"))
    if not text.strip():
        _refuse("empty", say("document_empty"), say("remedy_give_text"))
    return text


def _attempt(text: str) -> tuple[Document, UnreadableError | None]:
    if text.lstrip().startswith("{"):
        # JSON is YAML too, but PyYAML stumbles over tabs.
        try:
            return _checked_json(loads(text, object_pairs_hook=_pairs)), None
        except UnreadableError as error:
            return None, UnreadableError(error.code, error.message, error.remedy)
        except TooDeepError:
            return None, _too_deep()
        except ValueError:
            pass
    try:
        return _Builder().build(yaml.parse(text, Loader=_LOADER)), None
    except UnreadableError as error:
        return None, UnreadableError(error.code, error.message, error.remedy)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        line = column = None
    what = say("document_not_yaml")
    if line is not None:
        what = say("document_not_yaml_at", line=line, column=column)
    return None, UnreadableError("not_yaml", what, say("remedy_whole"))


def _refuse(code: str, message: Message, remedy: Message) -> NoReturn:
    raise UnreadableError(code, message, remedy)


def _too_deep() -> UnreadableError:
    return UnreadableError("too_deep", say("document_too_deep", levels=MAX_DEPTH), _PLAIN)


_PLAIN = say("remedy_export")


def _duplicate() -> NoReturn:
    _refuse("duplicate_key", say("document_key_twice"), say("remedy_remove_one"))


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _duplicate()
    return found


def _checked_json(root: object) -> Document:
    """Bound depth and size of what JSON gave, and put Number in place of numbers."""
    count = 0

    def walk(node: object, depth: int) -> Document:
        nonlocal count
        count += 1
        if depth > MAX_DEPTH:
            raise _too_deep()
        if count > MAX_NODES:
            _refuse("too_many_nodes", say("document_too_many", most=MAX_NODES), _PLAIN)
        if isinstance(node, dict):
            return {_text(key): walk(value, depth + 1) for key, value in node.items()}
        if isinstance(node, list):
            return [walk(value, depth + 1) for value in node]
        if node is None or isinstance(node, bool):
            return node
        return _text(node) if isinstance(node, str) else Number()

    return walk(root, 1)


def _text(value: str) -> str:
    # JSON's \ud800 makes half a surrogate pair, which no later step could encode.
    if any("\ud800" <= char <= "\udfff" for char in value):
        _refuse("not_utf8", say("document_surrogate"), _PLAIN)
    return value


@dataclass
class _Open:
    """A list or mapping being filled, and for a mapping the key that waits for its value."""

    node: list[Document] | dict[str, Document]
    key: str | None = None


@dataclass
class _Builder:
    """Builds the document from parse events with a stack of its own, so depth is bounded."""

    stack: list[_Open] = field(default_factory=list)
    root: Document = None
    documents: int = 0
    count: int = 0

    def build(self, events: Iterable[object]) -> Document:
        for event in events:
            self._take(event)
        if self.documents == 0:
            _refuse("empty", say("document_empty"), say("remedy_give_text"))
        return self.root

    def _take(self, event: object) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                _refuse("several_documents", say("document_several"), say("remedy_give_one"))
            if event.tags:
                _refuse("tag", say("document_tags"), _PLAIN)
        elif isinstance(event, yaml.AliasEvent):
            _refuse("alias", say("document_aliases"), say("remedy_write_value"))
        elif isinstance(event, yaml.NodeEvent):
            self._check(event)
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            else:
                self._open([] if isinstance(event, yaml.SequenceStartEvent) else {})
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self.stack.pop()

    def _check(self, event: yaml.NodeEvent) -> None:
        self.count += 1
        if self.count > MAX_NODES:
            _refuse("too_many_nodes", say("document_too_many", most=MAX_NODES), _PLAIN)
        if event.anchor is not None:
            _refuse("alias", say("document_anchors"), say("remedy_remove_anchor"))
        if getattr(event, "tag", None) is not None:
            _refuse("tag", say("document_tags"), say("remedy_remove_tag"))

    def _open(self, node: list[Document] | dict[str, Document]) -> None:
        if self._awaits_key():
            _refuse("key_not_text", say("document_key_not_text"), _PLAIN)
        if len(self.stack) >= MAX_DEPTH:
            raise _too_deep()
        self._put(node)
        self.stack.append(_Open(node))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        plain = not event.style  # libyaml says "", PyYAML's own parser None
        value = _text(event.value)
        if not self._awaits_key():
            self._put(_resolved(value) if plain else value)
            return
        if plain and value == "<<":
            _refuse("merge_key", say("document_merge_keys"), say("remedy_write_fields"))
        top = self.stack[-1]
        if isinstance(top.node, dict) and value in top.node:
            _duplicate()
        top.key = value

    def _awaits_key(self) -> bool:
        return (
            bool(self.stack)
            and isinstance(self.stack[-1].node, dict)
            and (self.stack[-1].key is None)
        )

    def _put(self, value: Document) -> None:
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        if isinstance(top.node, list):
            top.node.append(value)
        elif top.key is not None:
            top.node[top.key] = value
            top.key = None


def _resolved(value: str) -> Document:
    """Resolve a plain scalar the way kubectl's YAML reader would."""
    if _NULL.fullmatch(value):
        return None
    if _TRUE.fullmatch(value):
        return True
    if _FALSE.fullmatch(value):
        return False
    return Number() if _NUMBER.fullmatch(value) else value

"""Reading an experiment's document from YAML or JSON text."""

from collections import Counter
from collections.abc import Iterator

import yaml

from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.messages import say
from podmeter.domain.problems import Problem, pointer
from podmeter.domain.shallow_json import (
    TooDeepError,
    TooManyValuesError,
    check_shape,
    loads,
)
from podmeter.kinds.registry import spec_problems
from podmeter.services.experiments.core_yaml import CoreLoader, fraction, whole

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20
#: Keys and items in all.
MAX_VALUES = 5_000


def parse_json(text: bytes) -> object:
    """The document in JSON text. Raises InvalidSpecError."""
    _check_size(text)
    twice: list[Problem] = []

    def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
        times = Counter(name for name, _ in pairs)
        names = sorted(name for name, count in times.items() if count > 1)
        twice.extend(Problem("", say("key_twice", name=name)) for name in names)
        return dict(pairs)

    try:
        check_shape(text, MAX_DEPTH, MAX_VALUES)
    except TooDeepError as error:
        raise InvalidSpecError([Problem("", say("too_deep", depth=MAX_DEPTH))]) from error
    except TooManyValuesError as error:
        problem = Problem("", say("too_many_nodes", most=MAX_VALUES))
        raise InvalidSpecError([problem]) from error
    except ValueError as error:
        raise _unreadable("JSON", error) from error
    try:
        document: object = loads(
            text,
            parse_constant=_no_constant,
            parse_int=whole,
            parse_float=fraction,
            object_pairs_hook=_once_each,
        )
    except ValueError as error:
        raise _unreadable("JSON", error) from error
    return _storable(document, twice)


def parse_yaml(text: bytes) -> object:
    """The document in YAML text, of plain types and without aliases. Raises InvalidSpecError."""
    _check_size(text)
    try:
        _check_shape(text)
        document, twice = _built(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _unreadable("YAML", error) from error
    return _storable(document, twice)


def _check_shape(text: bytes) -> None:
    """Refuse what makes a small text a huge or bottomless document, before it is built."""
    depth = nodes = 0
    for event in yaml.parse(text, Loader=CoreLoader):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidSpecError([Problem("", say("yaml_alias"))])
        nodes += isinstance(event, yaml.NodeEvent)
        # A key and its value are two.
        if nodes > 2 * MAX_VALUES:
            raise InvalidSpecError([Problem("", say("too_many_nodes", most=MAX_VALUES))])
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InvalidSpecError([Problem("", say("too_deep", depth=MAX_DEPTH))])


def _built(text: bytes) -> tuple[object, list[Problem]]:
    """The document, and the keys that it has twice."""
    loader = CoreLoader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None, []
        return loader.construct_document(root), [*_twice(root, "")]
    finally:
        loader.dispose()


def _twice(node: yaml.Node, where: str) -> Iterator[Problem]:
    """Keys that a mapping has more than once: YAML would silently take the last."""
    if isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _twice(value, where + pointer([index]))
    if not isinstance(node, yaml.MappingNode):
        return
    lines: dict[str, int] = {}
    for key, value in node.value:
        here, line = where + pointer([str(key.value)]), key.start_mark.line + 1
        if here in lines:
            yield Problem(here, say("key_twice_at", first=lines[here], second=line))
        lines.setdefault(here, line)
        yield from _twice(value, here)


def _check_size(text: bytes) -> None:
    if len(text) > MAX_BYTES:
        raise InvalidSpecError([Problem("", say("too_large", kib=MAX_BYTES // 1024))])


def _storable(document: object, twice: list[Problem]) -> object:
    """The document, if all its text can be stored and no key is there twice.

    Raises InvalidSpecError, for keys that are there twice with all else that is wrong.
    """
    problems = [
        Problem(where, say("not_storable"))
        for where, text in _texts(document, "")
        if "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text)
    ]
    if not problems and twice:
        problems = [*twice, *spec_problems(document)]
    if problems:
        raise InvalidSpecError(problems)
    return document


def _texts(document: object, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(document, str):
        yield where, document
    elif isinstance(document, dict):
        for key, value in document.items():
            yield where, str(key)
            yield from _texts(value, where + pointer([str(key)]))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from _texts(value, where + pointer([index]))


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _unreadable(language: str, error: Exception) -> InvalidSpecError:
    first = str(error).replace("\n", " ")[:300] or "nested too deeply"
    return InvalidSpecError([Problem("", say("not_valid", language=language, said=first))])

"""Reading what a cluster says: whatever shape it has, what comes of it is an answer or its fault.

What is read of an object is not checked field by field: where code that reads breaks on it, the
answer is none of Kubernetes', and that is said instead.
"""

from __future__ import annotations

import json
import logging
import math
import re
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from podmeter.domain.errors import PodmeterError
from podmeter.domain.messages import say
from podmeter.domain.shallow_json import loads
from podmeter_worker.kube.errors import MalformedAnswerError
from podmeter_worker.kube.limits import MOST_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter_worker.kube.resources import Object

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: What code raises that reads an answer of an unknown shape.
SIGNS = (
    LookupError,
    TypeError,
    AttributeError,
    ValueError,
    ArithmeticError,
    RecursionError,
    yaml.YAMLError,
)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SAID = 200


@contextmanager
def reading() -> Iterator[None]:
    """Where code breaks on what a cluster said, MalformedAnswerError is raised instead.

    As a context, or around a function.
    """
    try:
        yield
    except PodmeterError:
        raise
    except SIGNS as error:
        said = f"{type(error).__name__}: {error}"[:_SAID]
        where = traceback.extract_tb(error.__traceback__)[-1]
        # One line: it may be asked again soon, and said again.
        logger.warning(
            "what a cluster said cannot be read (%s, line %s): %r",
            where.filename,
            where.lineno,
            said,
        )
        raise MalformedAnswerError(say("api_malformed", said=said)) from error


def reader(implementation: type[T]) -> type[T]:
    """A class whose public methods read what a cluster says."""
    for name, member in list(vars(implementation).items()):
        if callable(member) and not name.startswith("_"):
            setattr(implementation, name, reading()(member))
    return implementation


def decoded(content: bytes) -> Object:
    """An answer's object. Raises MalformedAnswerError for anything else."""
    if sum(map(content.count, (b",", b"{", b"["))) > MOST_VALUES:
        raise MalformedAnswerError(say("api_too_dense"))
    try:
        # Not by the bytes themselves, which may be UTF-16 by JSON's old rules.
        document = loads(
            content.decode(errors="replace"), parse_constant=_no_number, parse_float=_finite
        )
        if _SURROGATE.search(content):
            # Half a character is none, and cannot be kept.
            whole = json.dumps(document, ensure_ascii=False).encode(errors="replace")
            document = json.loads(whole)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise MalformedAnswerError(say("api_no_object"))
    return document


def status_in(content: bytes) -> Object:
    """The Status that a refusal should be; {} where it is none."""
    try:
        return decoded(content)
    except MalformedAnswerError:
        return {}


def page_in(document: Object) -> tuple[list[Object], str, str]:
    """A list's objects, its version, and what the next page is asked for by, '' for the last.

    Raises MalformedAnswerError.
    """
    items, metadata = document.get("items") or [], document.get("metadata")
    if not (
        isinstance(items, list)
        and all(isinstance(item, dict) for item in items)
        and isinstance(metadata, dict)
        and isinstance(metadata.get("resourceVersion"), str)
        and isinstance(metadata.get("continue") or "", str)
    ):
        raise MalformedAnswerError(say("api_no_list"))
    for item in items:
        # Half of what an object takes, and nobody reads it.
        if isinstance(own := item.get("metadata"), dict):
            own.pop("managedFields", None)
    return items, metadata["resourceVersion"], metadata.get("continue") or ""


def change_in(line: bytes) -> tuple[str, Object]:
    """A watch's change: its type and object. Raises MalformedAnswerError."""
    event = decoded(line)
    change, item = event.get("type"), event.get("object")
    if not (isinstance(change, str) and isinstance(item, dict)):
        raise MalformedAnswerError(say("api_no_change"))
    return change, item


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("the number is too large")
    return number

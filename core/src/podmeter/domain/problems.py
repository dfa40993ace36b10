"""Validation faults addressed by JSON pointer (RFC 6901)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podmeter.domain.messages import Message, placeholders, say

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pydantic import ValidationError


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: where (JSON pointer, '' is the whole document) and what."""

    pointer: str
    message: Message


def pointer(parts: Iterable[str | int]) -> str:
    """The JSON pointer of a path of keys and indexes, escaped as RFC 6901 says."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def is_within(inner: str, outer: str) -> bool:
    """Whether a JSON pointer is `outer`, or leads into it."""
    return inner == outer or inner.startswith(f"{outer}/")


def masked(document: object, pointers: Collection[str], where: str = "") -> object:
    """The document without the fields at these pointers.

    An item of a list is replaced by its pointer, so that the others keep their index.
    """
    if isinstance(document, dict):
        places = {key: where + pointer([str(key)]) for key in document}
        return {
            key: masked(value, pointers, places[key])
            for key, value in document.items()
            if places[key] not in pointers
        }
    if isinstance(document, list):
        places_of = [where + pointer([index]) for index in range(len(document))]
        return [
            place if place in pointers else masked(value, pointers, place)
            for place, value in zip(places_of, document, strict=True)
        ]
    return document


def from_validation(error: ValidationError, *prefix: str | int) -> tuple[Problem, ...]:
    """The faults of a pydantic error, below `prefix`.

    Pydantic names the branch of a union in its path; such parts are no keys of the document
    and are left out, and faults that then say the same are given once.
    """
    found: dict[Problem, None] = {}
    for fault in error.errors(include_url=False):
        location = [part for part in fault["loc"] if not _is_branch(part)]
        found[Problem(pointer([*prefix, *location]), fault_message(fault))] = None
    return tuple(found)


def fault_message(fault: Mapping[str, Any]) -> Message:
    """What one of pydantic's faults says; never the offending input, which may be a secret."""
    context = fault.get("ctx") or {}
    raised = context.get("error")
    if isinstance(raised, Exception):
        return Message.of(raised.args[0] if raised.args else str(raised))
    code = f"input_{fault['type']}"
    try:
        return say(code, **{name: context[name] for name in placeholders(code)})
    except KeyError:
        return Message.of(fault["msg"])


def _is_branch(part: str | int) -> bool:
    return isinstance(part, str) and (part in {"str", "int"} or "[" in part)

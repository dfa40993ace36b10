"""Validation faults addressed by JSON pointer (RFC 6901)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import ValidationError


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: where (JSON pointer, '' is the whole document) and what, for a person."""

    pointer: str
    message: str


def pointer(parts: Iterable[str | int]) -> str:
    """The JSON pointer of a path of keys and indexes, escaped as RFC 6901 says."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def from_validation(error: ValidationError, *prefix: str | int) -> tuple[Problem, ...]:
    """The faults of a pydantic error, below `prefix`.

    Pydantic names the branch of a union in its path; such parts are no keys of the document
    and are left out, and faults that then say the same are given once.
    """
    found: dict[Problem, None] = {}
    for fault in error.errors(include_url=False, include_context=False):
        location = [part for part in fault["loc"] if not _is_branch(part)]
        message = fault["msg"].removeprefix("Value error, ")
        found[Problem(pointer([*prefix, *location]), message)] = None
    return tuple(found)


def _is_branch(part: str | int) -> bool:
    return isinstance(part, str) and (part in {"str", "int"} or "[" in part)

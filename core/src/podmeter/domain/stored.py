"""Documents that the database keeps as JSON, read by the version of their form.

A stored document may be older or newer than this program. Its version is read before its body is
validated: an older form is upgraded step by step where somebody wrote the step, and anything else
is refused by one error, which says how to make a new document.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pydantic import TypeAdapter

from podmeter.domain.displayed import STORED
from podmeter.domain.errors import PermanentError
from podmeter.domain.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Where a stored document has the version of its form; one without it has the first.
VERSION = "format"
FIRST = 1

DocumentName = Literal[
    "comparison",
    "snapshot",
    "preflight_report",
    "fingerprint",
    "experiment",
    "run",
    "trial",
]
#: What to do about a document that cannot be read.
_REMEDIES: dict[DocumentName, str] = {
    "comparison": "stored_comparison",
    "snapshot": "stored_snapshot",
    "preflight_report": "stored_preflight_report",
    "fingerprint": "stored_fingerprint",
    "experiment": "stored_experiment",
    "run": "stored_run",
    "trial": "stored_trial",
}

T = TypeVar("T")


class StoredDocumentError(PermanentError):
    """A stored document has a form that this version of Podmeter cannot read."""

    code = "stored_document"

    def __init__(self, document: DocumentName) -> None:
        self.document: DocumentName = document
        super().__init__(say(_REMEDIES[document]))


@dataclass(frozen=True)
class StoredForm(Generic[T]):
    """The form of one sort of document: its type, its version, and the steps from older ones.

    `upgrades` has for a version the function that makes the next version's body of its body.
    `extra` says what becomes of unknown fields where the type's own rule does not hold.
    """

    document: DocumentName
    type: Any
    version: int = FIRST
    upgrades: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    extra: Literal["ignore"] | None = None

    @cached_property
    def adapter(self) -> TypeAdapter[T]:
        """What validates and writes the current form."""
        return TypeAdapter(self.type)

    def read(self, stored: object) -> T:
        """The document of what the database has. Raises StoredDocumentError."""
        try:
            return self.adapter.validate_python(
                self._upgraded(stored), extra=self.extra, context={STORED: True}
            )
        # What a step reads of a body that is not what it says fails in any of these ways.
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise StoredDocumentError(self.document) from error

    def stamp(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body with its version, as the database keeps it."""
        return {VERSION: self.version, **body}

    def stamp_text(self, body: str) -> str:
        """The same of JSON text, an object with members, which is not taken apart for it."""
        return f'{{"{VERSION}":{self.version},{body[1:]}'

    def _upgraded(self, stored: object) -> dict[str, Any]:
        if not isinstance(stored, dict):
            raise StoredDocumentError(self.document)
        version = stored.get(VERSION, FIRST)
        # Not what equals it, such as True.
        if type(version) is not int or not FIRST <= version <= self.version:
            raise StoredDocumentError(self.document)
        body = {name: value for name, value in stored.items() if name != VERSION}
        for older in range(version, self.version):
            if older not in self.upgrades:
                raise StoredDocumentError(self.document)
            body = self.upgrades[older](body)
        return body

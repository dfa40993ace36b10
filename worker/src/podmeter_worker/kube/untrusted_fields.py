"""What a cluster's answers hold, taken for what they may be: anything, of any length."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.untrusted_text import cut
from podmeter_worker.kube.errors import MalformedAnswerError

if TYPE_CHECKING:
    from podmeter_worker.kube.resources import Object

_UID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.:_-]{0,251}[A-Za-z0-9])?")


def uid_of(item: Object) -> str:
    """An object's UID, 64 characters at most. Raises MalformedAnswerError."""
    return _matching(item, "uid", _UID)


def name_of(item: Object) -> str:
    """An object's name, 253 characters at most. Raises MalformedAnswerError."""
    return _matching(item, "name", _NAME)


def text_of(value: object) -> str:
    """A text that is only shown, cut where it is too long. Raises MalformedAnswerError."""
    if not isinstance(value, str):
        raise MalformedAnswerError(say("api_no_text", type=type(value).__name__))
    return str(cut(value))


def _matching(item: Object, field: str, form: re.Pattern[str]) -> str:
    metadata = item.get("metadata")
    value = metadata.get(field) if isinstance(metadata, dict) else None
    if not isinstance(value, str) or form.fullmatch(value) is None:
        raise MalformedAnswerError(say("api_no_field", field=f"metadata.{field}"))
    return value

"""Text and JSON made fit for PostgreSQL, where they enter it.

Clusters and tools may say anything. PostgreSQL takes no NUL, no half a surrogate pair, and in JSON
no number that is not finite; one of them in a message would otherwise keep that message, and what
it was to say of a cluster, from being stored at all.
"""

import json
import math
from typing import Any

from psycopg.abc import Buffer
from psycopg.types.string import StrDumper
from sqlalchemy import Engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection

_REPLACEMENT = "\ufffd"


def storable(text: str) -> str:
    """The text with U+FFFD for each character that cannot be stored."""
    if "\x00" in text:
        text = text.replace("\x00", _REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def storable_json(value: object) -> str:
    """The JSON text of plain data, its texts storable, null for a number that is not finite."""
    return json.dumps(_cleaned(value), ensure_ascii=False, allow_nan=False)


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class _StorableDumper(StrDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(storable(obj))


def store_anything(engine: Engine) -> None:
    """Have every text that the engine's connections send made storable."""

    @event.listens_for(engine, "connect")
    def _register(connection: DBAPIConnection, _: Any) -> None:
        adapted: Any = connection
        adapted.adapters.register_dumper(str, _StorableDumper)
